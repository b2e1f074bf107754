/* prompt.c - see prompt.h
 *
 * A template is walked once, tag by tag, straight into the output; what comes before
 * {{user}} is moved to the system message when that line is met, and {{assistant}}
 * turns to another message.
 */
#include "worker/prompt.h"

#include "common/base/utf8.h"

#include <assert.h>
#include <stdio.h>

enum { RESULT_CHARS = 1000, ERROR_CHARS = 200, CELL_CHARS = 120, NAMES = 512 };

static const char ellipsis[] = "\xe2\x80\xa6";

/* ---- candidates ---- */

/* One line of at most `chars` characters; blanks and line ends become single blanks. */
static void add_line(struct buf *b, struct view v, size_t chars)
{
	struct view cut = utf8_prefix(v, chars);

	for (size_t i = 0; i < cut.n; i++) {
		int blank = strchr(" \t\r\n", cut.p[i]) && cut.p[i];

		if (!blank)
			buf_add_char(b, cut.p[i]);
		else if (i && !(strchr(" \t\r\n", cut.p[i - 1]) && cut.p[i - 1]))
			buf_add_char(b, ' ');
	}
	if (cut.n < v.n)
		buf_add_str(b, ellipsis);
}

static void add_bare_sql(struct buf *b, struct view sql)
{
	struct view whole = view_trim(sql, " \t\r\n"),
		    cut = utf8_prefix(whole, PROMPT_SQL_CHARS);

	buf_add(b, cut.p, cut.n);
	if (cut.n < whole.n)
		buf_addf(
			b, "%s\n-- %zu more characters", ellipsis,
			utf8_length((struct view){ whole.p + cut.n, whole.n - cut.n }));
}

static void add_sql(struct buf *b, struct view sql)
{
	buf_add_str(b, "```sql\n");
	add_bare_sql(b, sql);
	buf_add_str(b, "\n```\n");
}

static void add_status(struct buf *b, const struct prompt_candidate *c, size_t chars)
{
	const char *end = c->note.n ? memchr(c->note.p, '\n', c->note.n) : NULL;
	struct view first = { c->note.p, end ? (size_t)(end - c->note.p) : c->note.n };

	buf_add_str(b, "Status: ");
	buf_add(b, c->status.p, c->status.n);
	if (first.n) {
		buf_add_str(b, ": ");
		add_line(b, first, chars);
	}
	buf_add_char(b, '\n');
}

/* As many names as fit half of the room; a model that sees none of the values still
 * sees how many columns there are. */
static void add_columns(struct buf *b, const struct prompt_candidate *c, size_t chars)
{
	size_t used = 0;

	buf_addf(b, "Columns (%u): ", c->cols);
	for (uint32_t i = 0; i < c->cols; i++) {
		used += utf8_length(c->columns[i]) + 2;
		if (i && used > chars) {
			buf_addf(b, ", %s %u more", ellipsis, c->cols - i);
			break;
		}
		buf_add_str(b, i ? ", " : "");
		add_line(b, c->columns[i], CELL_CHARS);
	}
	buf_add_char(b, '\n');
}

static void add_row(struct buf *b, const struct prompt_candidate *c, uint32_t row)
{
	for (uint32_t i = 0; i < c->cols; i++) {
		struct view cell = c->cells[(size_t)row * c->cols + i];

		buf_add_str(b, i ? " | " : "");
		if (!cell.p)
			buf_add_str(b, "NULL");
		else if (!cell.n)
			buf_add_str(b, "''");
		else
			add_line(b, cell, CELL_CHARS);
	}
	buf_add_char(b, '\n');
}

/* Whole rows while there is room; of the first one as much as fits. Returns how many.
 */
static uint32_t add_rows(struct buf *b, const struct prompt_candidate *c, uint32_t most,
			 size_t room)
{
	uint32_t n = c->preview_rows < most ? c->preview_rows : most, i;
	struct buf row = { 0 };

	for (i = 0; i < n; i++) {
		size_t chars;

		buf_clear(&row);
		add_row(&row, c, i);
		chars = utf8_length(buf_view(&row));
		if (chars > room && i)
			break;
		if (chars > room) {
			add_line(b, buf_view(&row), room);
			buf_add_char(b, '\n');
			i++;
			break;
		}
		buf_add(b, row.p, row.n);
		room -= chars;
	}
	if (row.bad)
		b->bad = row.bad;
	buf_free(&row);
	return i;
}

static void add_result(struct buf *b, const struct prompt_candidate *c,
		       const struct prompt_fill *fill)
{
	size_t chars = fill->result_chars ? fill->result_chars : RESULT_CHARS, used;
	size_t from = b->n;
	uint32_t shown;

	add_status(b, c, fill->error_chars ? fill->error_chars : ERROR_CHARS);
	if (!c->cols)
		return;
	add_columns(b, c, chars / 2);
	buf_addf(b, "Rows: %llu\n", (unsigned long long)c->rows);
	if (b->bad || !fill->preview_rows)
		return;
	used = utf8_length((struct view){ b->p + from, b->n - from });
	shown = add_rows(b, c, fill->preview_rows, used < chars ? chars - used : 0);
	if (c->rows > shown)
		buf_addf(b, "(%llu more rows)\n",
			 (unsigned long long)(c->rows - shown));
}

void prompt_candidate_text(const struct prompt_candidate *c, char label,
			   const struct prompt_fill *fill, struct buf *b)
{
	buf_addf(b, "Candidate [%c]\n", label);
	add_sql(b, c->sql);
	add_result(b, c, fill);
}

/* ---- holes ---- */

static void fill_candidates(struct buf *b, const struct prompt_fill *f)
{
	for (size_t i = 0; i < f->n_candidates; i++) {
		if (i)
			buf_add_char(b, '\n');
		prompt_candidate_text(f->candidates + i, (char)('A' + i), f, b);
	}
	if (b->n && b->p[b->n - 1] == '\n')
		b->p[--b->n] = '\0';
}

static void trim_end(struct buf *b);

static void fill_sql(struct buf *b, const struct prompt_fill *f)
{
	if (f->n_candidates == 1)
		add_bare_sql(b, f->candidates->sql);
}

static void fill_result(struct buf *b, const struct prompt_fill *f)
{
	if (f->n_candidates != 1)
		return;
	add_result(b, f->candidates, f);
	trim_end(b);
}

static void fill_memories(struct buf *b, const struct prompt_fill *f)
{
	for (size_t i = 0; i < f->n_memories; i++) {
		struct view m = view_trim(f->memories[i], " \t\r\n");

		buf_add_str(b, i ? "\n\n" : "");
		buf_add(b, m.p, m.n);
	}
}

static void fill_labels(struct buf *b, const struct prompt_fill *f)
{
	for (size_t i = 0; i < f->n_candidates; i++)
		buf_addf(b, "%s[%c]", i ? ", " : "", (int)('A' + i));
}

static void add_view(struct buf *b, struct view v)
{
	struct view t = view_trim(v, " \t\r\n");

	buf_add(b, t.p, t.n);
}

static void fill_schema(struct buf *b, const struct prompt_fill *f)
{
	add_view(b, f->schema);
}

static void fill_question(struct buf *b, const struct prompt_fill *f)
{
	add_view(b, f->question);
}

static void fill_evidence(struct buf *b, const struct prompt_fill *f)
{
	add_view(b, f->evidence);
}

static void fill_want(struct buf *b, const struct prompt_fill *f)
{
	buf_addf(b, "%u", f->want);
}

static void fill_count(struct buf *b, const struct prompt_fill *f)
{
	buf_addf(b, "%zu", f->n_candidates);
}

static void fill_constructs(struct buf *b, const struct prompt_fill *f)
{
	add_view(b, f->constructs.n ? f->constructs : view_of("none"));
}

static void fill_again(struct buf *b, const struct prompt_fill *f)
{
	add_view(b, f->again);
}

static const struct hole {
	const char *name;
	void (*fill)(struct buf *b, const struct prompt_fill *f);
} holes[] = {
#define X(name, text) { #name, fill_##name },
	PROMPT_HOLE_LIST(X)
#undef X
};

enum { HOLES = sizeof holes / sizeof *holes };

/* ---- templates ---- */

struct walk {
	struct view text, rest;
	const struct prompt_fill *fill;
	struct prompt *out;
	const struct hole *section; /* open, or NULL */
	int hidden;                 /* the open section is left out */
	struct buf *to;             /* the message under way */
	char met[HOLES];
	struct err *e;
};

static size_t line_of(const struct walk *w, const char *at)
{
	size_t line = 1;

	for (const char *p = w->text.p; p < at; p++)
		line += *p == '\n';
	return line;
}

static int unknown(const struct walk *w, struct view tag)
{
	char known[NAMES] = "";

	for (size_t i = 0; i < HOLES; i++) {
		size_t n = strlen(known);

		snprintf(known + n, sizeof known - n, "%s{{%s}}", i ? ", " : "",
			 holes[i].name);
	}
	return err_set(w->e, ERR_INPUT, "line %zu: unknown hole {{%.*s}}; known are %s",
		       line_of(w, tag.p), (int)(tag.n < 60 ? tag.n : 60), tag.p, known);
}

static const struct hole *find(struct view name)
{
	for (size_t i = 0; i < HOLES; i++)
		if (view_eq(name, view_of(holes[i].name)))
			return holes + i;
	return NULL;
}

/* A tag alone on its line takes the line end with it. */
static void swallow_line_end(struct walk *w, const char *tag)
{
	int alone = tag == w->text.p || tag[-1] == '\n';

	if (!alone || (w->rest.n && w->rest.p[0] != '\n' && w->rest.p[0] != '\r'))
		return;
	if (w->rest.n && w->rest.p[0] == '\r')
		w->rest.p++, w->rest.n--;
	if (w->rest.n && w->rest.p[0] == '\n')
		w->rest.p++, w->rest.n--;
}

static int open_section(struct walk *w, struct view tag)
{
	const struct hole *h = find((struct view){ tag.p + 1, tag.n - 1 });
	struct buf text = { .max = PROMPT_BYTES };

	if (!h)
		return unknown(w, (struct view){ tag.p + 1, tag.n - 1 });
	if (w->section)
		return err_set(w->e, ERR_INPUT,
			       "line %zu: {{#%s}} within {{#%s}}: sections do not nest",
			       line_of(w, tag.p), h->name, w->section->name);
	h->fill(&text, w->fill);
	w->section = h;
	w->hidden = text.n == 0;
	buf_free(&text);
	swallow_line_end(w, tag.p - 2);
	return 0;
}

static int close_section(struct walk *w, struct view tag)
{
	const struct hole *h = find((struct view){ tag.p + 1, tag.n - 1 });

	if (!h || h != w->section)
		return err_set(w->e, ERR_INPUT, "line %zu: {{%.*s}} closes nothing",
			       line_of(w, tag.p), (int)(tag.n < 60 ? tag.n : 60),
			       tag.p);
	w->section = NULL;
	w->hidden = 0;
	swallow_line_end(w, tag.p - 2);
	return 0;
}

static int misplaced(const struct walk *w, struct view tag, int part)
{
	const char *why = w->section              ? "within a section"
			  : w->out->parts & part  ? "a second time"
			  : w->out->parts >= part ? "behind {{assistant}}"
						  : NULL;

	if (!why)
		return 0;
	return err_set(w->e, ERR_INPUT, "line %zu: {{%.*s}} %s", line_of(w, tag.p),
		       (int)tag.n, tag.p, why);
}

/* A line {{user}} or {{assistant}}: another message begins. */
static int split(struct walk *w, struct view tag, int part)
{
	int rc = misplaced(w, tag, part);

	if (rc)
		return rc;
	w->out->parts |= part;
	if (part == PROMPT_USER) {
		w->out->system = w->out->user;
		w->out->user = (struct buf){ .max = PROMPT_BYTES };
	} else {
		w->to = &w->out->assistant;
	}
	swallow_line_end(w, tag.p - 2);
	return 0;
}

static int take_tag(struct walk *w, struct view tag)
{
	const struct hole *h;

	if (tag.n && tag.p[0] == '#')
		return open_section(w, tag);
	if (tag.n && tag.p[0] == '/')
		return close_section(w, tag);
	if (view_eq(tag, view_of("user")))
		return split(w, tag, PROMPT_USER);
	if (view_eq(tag, view_of("assistant")))
		return split(w, tag, PROMPT_ASSISTANT);
	h = find(tag);
	if (!h)
		return unknown(w, tag);
	w->met[h - holes] = 1;
	if (!w->hidden)
		h->fill(w->to, w->fill);
	return 0;
}

static void add_literal(struct walk *w, size_t n)
{
	if (!w->hidden)
		buf_add(w->to, w->rest.p, n);
	w->rest.p += n;
	w->rest.n -= n;
}

static int walk(struct walk *w)
{
	const char *at, *end;

	while ((at = w->rest.n ? memmem(w->rest.p, w->rest.n, "{{", 2) : NULL)) {
		int rc;

		add_literal(w, (size_t)(at - w->rest.p));
		end = memmem(at, w->rest.n, "}}", 2);
		if (!end)
			return err_set(w->e, ERR_INPUT, "line %zu: {{ without }}",
				       line_of(w, at));
		w->rest = (struct view){ end + 2, w->rest.n - (size_t)(end + 2 - at) };
		rc = take_tag(w, (struct view){ at + 2, (size_t)(end - at - 2) });
		if (rc)
			return rc;
	}
	add_literal(w, w->rest.n);
	if (w->section)
		return err_set(w->e, ERR_INPUT, "{{#%s}} is not closed by {{/%s}}",
			       w->section->name, w->section->name);
	return 0;
}

static void trim_end(struct buf *b)
{
	while (b->n && strchr(" \t\r\n", b->p[b->n - 1]))
		b->p[--b->n] = '\0';
}

static int render(struct walk *w)
{
	struct prompt *p = w->out;
	int rc, bad;

	w->to = &p->user;
	rc = walk(w);
	bad = p->user.bad     ? p->user.bad
	      : p->system.bad ? p->system.bad
			      : p->assistant.bad;
	if (!rc && bad)
		rc = err_set(w->e, bad, "the prompt: %s (at most %d bytes)",
			     err_text(bad), PROMPT_BYTES);
	if (!rc) {
		trim_end(&p->system);
		trim_end(&p->user);
		trim_end(&p->assistant);
	}
	return rc;
}

int prompt_render(struct view text, const struct prompt_fill *fill, struct prompt *ret,
		  struct err *e)
{
	struct prompt out = { .user.max = PROMPT_BYTES, .assistant.max = PROMPT_BYTES };
	struct walk w = {
		.text = text, .rest = text, .fill = fill, .out = &out, .e = e
	};
	int rc;

	if (fill->n_candidates > PROMPT_CANDIDATES)
		return err_set(e, ERR_RANGE, "%zu candidates in one prompt, at most %d",
			       fill->n_candidates, PROMPT_CANDIDATES);
	rc = render(&w);
	if (rc)
		prompt_fini(&out);
	else
		*ret = out;
	return rc;
}

void prompt_fini(struct prompt *p)
{
	buf_free(&p->system);
	buf_free(&p->user);
	buf_free(&p->assistant);
}

static const struct {
	const char *name, *needs;
} defaults[] = {
#define X(name, needs) { #name, needs },
	PROMPT_TEMPLATE_LIST(X)
#undef X
};

const char *prompt_default(const char *name)
{
	static const struct {
		const char *name, *text;
	} texts[] = {
#include "templates.inc"
	};

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		if (strcmp(texts[i].name, name) == 0)
			return texts[i].text;
	return NULL;
}

/* Is one of "a|b" there? */
static int has_one(const struct walk *w, struct view names)
{
	while (names.n) {
		const char *bar = memchr(names.p, '|', names.n);
		struct view name = { names.p, bar ? (size_t)(bar - names.p) : names.n };

		if (w->met[find(name) - holes])
			return 1;
		name.n += bar != NULL;
		names = (struct view){ names.p + name.n, names.n - name.n };
	}
	return 0;
}

static int has_needed(const struct walk *w, const char *needs)
{
	for (const char *p = needs; *p; p += strcspn(p, " "), p += *p == ' ') {
		struct view names = { p, strcspn(p, " ") };

		if (!has_one(w, names))
			return err_set(w->e, ERR_INPUT,
				       "there is no {{%.*s}}, which it needs",
				       (int)names.n, names.p);
	}
	return 0;
}

int prompt_check(const char *name, struct view text, struct err *e)
{
	static const struct prompt_fill nothing;
	struct prompt out = { .user.max = PROMPT_BYTES, .assistant.max = PROMPT_BYTES };
	struct walk w = {
		.text = text, .rest = text, .fill = &nothing, .out = &out, .e = e
	};
	int rc = render(&w);

	for (size_t i = 0; !rc && i < sizeof defaults / sizeof *defaults; i++)
		if (strcmp(defaults[i].name, name) == 0)
			rc = has_needed(&w, defaults[i].needs);
	if (!rc && out.parts & PROMPT_ASSISTANT && strcmp(name, "reward") != 0)
		rc = err_set(e, ERR_INPUT,
			     "{{assistant}} is for kinds of --reward-kind that do not "
			     "chat");
	prompt_fini(&out);
	if (rc)
		err_where(e, "template %s", name);
	return rc;
}
