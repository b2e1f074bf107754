/* ranking.c - nine ways to read an answer, best first; see ranking.h */
#include "common/select/ranking.h"

#include "common/select/answer.h"
#include "common/select/labels.h"

#include <assert.h>
#include <stdio.h>

/* Labels in the order read. A level holds those that tie; 0: not named. */
struct chain {
	int level[RANKING_MAX];
	int last;                    /* the level of the last label read */
	int read, bracketed, joined; /* labels; those in brackets; > < = between them */
	int above, below;            /* > and < among these */
	uint32_t named, duplicate, elsewhere;
};

static void chain_add(struct chain *c, const struct token *t, enum token_kind joint)
{
	if (!c->read || joint != TOKEN_SAME)
		c->last++;
	c->above += c->read && joint == TOKEN_ABOVE;
	c->below += c->read && joint == TOKEN_BELOW;
	c->joined += c->read && joint != TOKEN_NEXT;
	c->read++;
	c->bracketed += t->bracketed;
	if (t->label == LABEL_ELSEWHERE) {
		c->elsewhere++;
	} else if (c->level[t->label]) {
		c->duplicate++;
	} else {
		c->level[t->label] = c->last;
		c->named++;
	}
}

static int says_something(const struct chain *c)
{
	return c->named && !(c->above && c->below);
}

static int is_joint(enum token_kind kind)
{
	return kind == TOKEN_ABOVE || kind == TOKEN_BELOW || kind == TOKEN_SAME;
}

/* 1 and 6: chains ----------------------------------------------------------------- */

struct chains {
	struct chain now, best;
	enum token_kind pending; /* what joins the next label, or TOKEN_END */
	int need_brackets;
	int prose; /* a word on this line */
};

static void chain_ends(struct chains *s)
{
	struct chain *c = &s->now;
	int ok = says_something(c) && c->read >= 2 && c->joined;

	if (s->need_brackets)
		ok = ok && c->bracketed == c->read &&
		     (c->named >= 2 || s->best.named < 2);
	else /* SQL in an explanation compares too: a > b */
		ok = ok && (c->above || c->below) && c->named >= s->best.named;
	if (ok)
		s->best = *c;
	*c = (struct chain){ 0 };
	s->pending = TOKEN_END;
}

/* A chain goes on over a line's end after a joint, and before one where the line held
 * nothing else: "> " before a line may be a quotation. */
static void line_ends(struct chains *s, struct labels rest)
{
	if (!is_joint(s->pending) && (s->prose || !is_joint(labels_next(&rest).kind)))
		chain_ends(s);
	s->prose = 0;
}

static void chains_take(struct chains *s, const struct token *t, const struct labels *l)
{
	switch (t->kind) {
	case TOKEN_LABEL:
		if (s->now.read && s->pending == TOKEN_END)
			chain_ends(s);
		if (s->need_brackets && !t->bracketed) {
			chain_ends(s);
			break;
		}
		chain_add(&s->now, t, s->pending);
		s->pending = TOKEN_END;
		break;
	case TOKEN_ABOVE:
	case TOKEN_BELOW:
	case TOKEN_SAME:
	case TOKEN_NEXT:
		if (s->now.read && !is_joint(s->pending))
			s->pending = t->kind;
		break;
	case TOKEN_LINE: line_ends(s, *l); break;
	default: s->prose = 1; chain_ends(s);
	}
}

static int find_chain(struct labels l, int need_brackets, struct chain *ret)
{
	struct chains s = { .pending = TOKEN_END, .need_brackets = need_brackets };
	struct token t;

	while ((t = labels_next(&l)).kind != TOKEN_END)
		chains_take(&s, &t, &l);
	chain_ends(&s);
	*ret = s.best;
	return ret->named > 0;
}

/* 2: lists ------------------------------------------------------------------------ */

/* A list from behind its [ on; `l` is moved past its ] only if it is one. Inside an
 * inner list a comma ties. */
static int take_list(struct labels *l, struct chain *ret)
{
	struct labels at = *l;
	struct chain c = { 0 };
	enum token_kind joint = TOKEN_NEXT;
	int depth = 1;

	while (depth) {
		struct token t = labels_next(&at);

		switch (t.kind) {
		case TOKEN_OPEN: depth++, joint = TOKEN_NEXT; break;
		case TOKEN_CLOSE: depth--, joint = TOKEN_NEXT; break;
		case TOKEN_LABEL:
			chain_add(&c, &t, joint);
			joint = depth > 1 ? TOKEN_SAME : TOKEN_NEXT;
			break;
		case TOKEN_ABOVE:
		case TOKEN_BELOW:
		case TOKEN_SAME: joint = t.kind; break;
		case TOKEN_NEXT:
		case TOKEN_LINE: break;
		default: return 0;
		}
	}
	*l = at;
	*ret = c;
	return c.read >= 2 && says_something(&c);
}

static int find_list(struct labels l, struct chain *ret)
{
	struct token t;
	struct chain c;
	int found = 0;

	while ((t = labels_next(&l)).kind != TOKEN_END)
		if (t.kind == TOKEN_OPEN && take_list(&l, &c)) {
			*ret = c;
			found = 1;
		}
	return found;
}

/* 3, 4, 5, 7, 8: lines ---------------------------------------------------------------
 */

struct line {
	struct chain pure; /* what stands behind the last colon */
	struct chain all;  /* its bracketed labels, in order */
	int words;         /* other things behind the last colon */
	int mark;          /* the item's number, or -1 */
	struct token item; /* the label right behind that */
	struct token last; /* the last label */
	int blank, shown;  /* nothing on it; `all` tells labels 0, 1, 2, ... over */
};

static void line_take(struct line *line, const struct token *t, enum token_kind *joint)
{
	line->blank = 0;
	switch (t->kind) {
	case TOKEN_LABEL:
		chain_add(&line->pure, t, *joint);
		line->last = *t;
		if (t->bracketed) {
			line->shown &= t->label == line->all.read;
			chain_add(&line->all, t, TOKEN_NEXT);
		}
		*joint = TOKEN_NEXT;
		break;
	case TOKEN_ABOVE:
	case TOKEN_BELOW:
	case TOKEN_SAME: *joint = t->kind; break;
	case TOKEN_COLON:
		line->pure = (struct chain){ 0 };
		line->words = 0;
		break;
	case TOKEN_WORD: line->words = 1; break;
	default: break; /* commas, brackets, marks */
	}
}

/* 0 at the end of the text. */
static int next_line(struct labels *l, struct line *ret)
{
	enum token_kind joint = TOKEN_NEXT;
	struct token t, before = { .kind = TOKEN_LINE };

	*ret = (struct line){ .mark = -1, .blank = 1, .shown = 1 };
	for (;;) {
		t = labels_next(l);
		if (t.kind == TOKEN_END || t.kind == TOKEN_LINE)
			return t.kind == TOKEN_LINE || !ret->blank;
		if (t.kind == TOKEN_MARK && t.opens)
			ret->mark = t.label;
		if (t.kind == TOKEN_LABEL && before.kind == TOKEN_MARK && before.opens)
			ret->item = t;
		line_take(ret, &t, &joint);
		before = t;
	}
}

static int is_pure(const struct line *line)
{
	return !line->words && line->pure.read && says_something(&line->pure);
}

enum { PURE_BRACKETED, PURE_CHAIN, PURE_BARE, ANY_BRACKETED };

static const struct chain *line_as(const struct line *line, int as)
{
	const struct chain *c = as == ANY_BRACKETED ? &line->all : &line->pure;
	int two = c->read >= 2 && c->named;

	switch (as) {
	case PURE_BRACKETED:
		return two && is_pure(line) && c->bracketed == c->read ? c : NULL;
	case PURE_CHAIN: return two && is_pure(line) && c->joined ? c : NULL;
	case PURE_BARE: return two && is_pure(line) ? c : NULL;
	}
	return two ? c : NULL;
}

static int find_line(struct labels l, int as, struct chain *ret)
{
	uint32_t n = (uint32_t)l.n;
	struct line line;
	int found = 0;

	while (next_line(&l, &line)) {
		const struct chain *c = line_as(&line, as);

		if (!c || (as == ANY_BRACKETED && line.shown && c->named == n && n > 2))
			continue;
		*ret = *c;
		found = 1;
	}
	return found;
}

struct listing {
	struct chain now, best;
	int marked; /* `now` is a numbered list */
};

static void listing_ends(struct listing *s)
{
	if (s->now.read >= 2 && says_something(&s->now))
		s->best = s->now;
	s->now = (struct chain){ 0 };
	s->marked = 0;
}

/* Numbered items may have prose between them; others must follow each other. */
static void listing_take(struct listing *s, const struct line *line)
{
	if (line->mark >= 0 && line->item.kind == TOKEN_LABEL) {
		if (!s->marked || line->mark != s->now.read + 1)
			listing_ends(s);
		s->marked = s->now.read || line->mark == 1;
		if (s->marked)
			chain_add(&s->now, &line->item, TOKEN_NEXT);
	} else if (s->marked || line->blank) {
		return;
	} else if (!line->words && line->pure.read == 1) {
		chain_add(&s->now, &line->last, TOKEN_NEXT);
	} else {
		listing_ends(s);
	}
}

static int find_listing(struct labels l, struct chain *ret)
{
	struct listing s = { 0 };
	struct line line;

	while (next_line(&l, &line))
		listing_take(&s, &line);
	listing_ends(&s);
	*ret = s.best;
	return ret->named > 0;
}

/* 9: prose ------------------------------------------------------------------------- */

static int find_single(struct labels l, int bracketed, struct chain *ret)
{
	struct token t;

	*ret = (struct chain){ 0 };
	while ((t = labels_next(&l)).kind != TOKEN_END)
		if (t.kind == TOKEN_LABEL && t.clear && (t.bracketed || !bracketed))
			chain_add(ret, &t, TOKEN_NEXT);
	return ret->named == 1;
}

static int find(struct labels l, struct chain *ret)
{
	return find_chain(l, 1, ret) || find_list(l, ret) ||
	       find_line(l, PURE_BRACKETED, ret) || find_line(l, PURE_CHAIN, ret) ||
	       find_listing(l, ret) || find_chain(l, 0, ret) ||
	       find_line(l, PURE_BARE, ret) || find_line(l, ANY_BRACKETED, ret) ||
	       find_single(l, 1, ret) || find_single(l, 0, ret);
}

/* Levels into ranks; what has no level stands behind. A < chain was read backwards. */
static void rank(const struct chain *c, uint32_t n, double *ret)
{
	int level[RANKING_MAX];

	for (uint32_t i = 0; i < n; i++) {
		level[i] = c->level[i] ? c->level[i] : c->last + 1;
		if (c->below && c->level[i])
			level[i] = c->last - c->level[i];
	}
	for (uint32_t i = 0; i < n; i++) {
		uint32_t before = 0, equal = 0;

		for (uint32_t j = 0; j < n; j++) {
			before += level[j] < level[i];
			equal += level[j] == level[i];
		}
		ret[i] = before + (equal + 1) / 2.0;
	}
}

int ranking_parse(struct view answer, enum ranking_labels labels, uint32_t n,
		  struct ranking *ret)
{
	char plain[2 * RANKING_TEXT];
	struct view text = { plain, 0 };
	struct chain c = { 0 };
	int found;

	assert(n >= 1 && n <= RANKING_MAX);
	assert(labels == RANKING_NUMBERS || n <= RANKING_LETTERS_MAX);
	text.n = answer_plain(answer_after_thinking(answer), plain, sizeof plain);
	found = find(labels_of(text, labels, n), &c);
	if (!found)
		c = (struct chain){ 0 };
	ret->n = n;
	ret->named = c.named;
	ret->n_missing = n - c.named;
	ret->n_duplicate = c.duplicate;
	ret->n_out_of_range = c.elsewhere;
	rank(&c, n, ret->rank);
	return found;
}

void ranking_label(enum ranking_labels labels, uint32_t i, char ret[RANKING_LABEL])
{
	assert(i < (labels == RANKING_LETTERS ? RANKING_LETTERS_MAX : RANKING_MAX));
	if (labels == RANKING_LETTERS)
		snprintf(ret, RANKING_LABEL, "%c", (char)('A' + i));
	else
		snprintf(ret, RANKING_LABEL, "%u", (i + 1) % 1000);
}
