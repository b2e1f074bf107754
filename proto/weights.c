/* weights.c - see weights.h */
#include "proto/weights.h"

#include "common/base/cursor.h"
#include "common/base/pack.h"

#include <stdlib.h>

static const char *const chances[CHANCES] = {
#define CHANCE(name, meaning) #name,
#include "proto/chances.def"
#undef CHANCE
};

/* ---- reading ---- */

#define FIRST_LINE "mapfleet-weights 1"

enum { NUMBER_BYTES = 64 };

struct reader {
	struct arena *a;
	struct weights w;
	unsigned line; /* from 1 */
	unsigned feature_at[FEATURES], chance_at[CHANCES],
		bonus_at; /* lines; 0: none */
	unsigned named_at[WEIGHTS_NAMED];
	struct err *e;
};

static struct view next_line(struct view *text)
{
	const char *end = text->n ? memchr(text->p, '\n', text->n) : NULL;
	struct view line = { text->p, end ? (size_t)(end - text->p) : text->n };
	size_t past = line.n + (end != NULL);

	*text = (struct view){ text->p + past, text->n - past };
	return line;
}

/* Up to the # that begins a remark. */
static struct view without_remark(struct view line)
{
	const char *remark = line.n ? memchr(line.p, '#', line.n) : NULL;

	if (remark)
		line.n = (size_t)(remark - line.p);
	return view_trim(line, VIEW_SPACE);
}

static struct view next_word(struct view *line)
{
	struct view word = { line->p, 0 };

	while (word.n < line->n && !memchr(VIEW_SPACE, word.p[word.n], 6))
		word.n++;
	*line = view_trim((struct view){ line->p + word.n, line->n - word.n },
			  VIEW_SPACE);
	return word;
}

static int read_number(struct reader *r, struct view word, double *ret)
{
	char text[NUMBER_BYTES], *end;
	double v;

	if (word.n < sizeof text) {
		memcpy(text, word.p, word.n);
		text[word.n] = 0;
		v = strtod(text, &end);
		if (end == text + word.n && word.n && v >= -WEIGHT_MOST &&
		    v <= WEIGHT_MOST) {
			*ret = v;
			return 0;
		}
	}
	return err_set(r->e, ERR_INPUT, "line %u: \"%.*s\" is no number from %g to %g",
		       r->line, (int)(word.n < 40 ? word.n : 40), word.p, -WEIGHT_MOST,
		       WEIGHT_MOST);
}

static int read_values(struct reader *r, struct view name, struct view rest,
		       double ret[2])
{
	struct view with = next_word(&rest), without = next_word(&rest);
	int rc;

	if (!with.n || rest.n)
		return err_set(r->e, ERR_INPUT,
			       "line %u: a row is a name and one value or two (with a "
			       "bank, without): \"%.*s\" has %s",
			       r->line, (int)(name.n < 40 ? name.n : 40), name.p,
			       rest.n ? "more" : "none");
	rc = read_number(r, with, &ret[1]);
	ret[0] = ret[1];
	return rc || !without.n ? rc : read_number(r, without, &ret[0]);
}

static int once(struct reader *r, struct view name, unsigned *at)
{
	if (*at)
		return err_set(r->e, ERR_INPUT,
			       "line %u: %.*s stands in line %u already: remove one",
			       r->line, (int)name.n, name.p, *at);
	*at = r->line;
	return 0;
}

static int has_prefix(struct view name, const char *prefix)
{
	size_t n = strlen(prefix);

	return name.n > n && memcmp(name.p, prefix, n) == 0;
}

static int chance_by_name(struct view name)
{
	for (int c = 0; has_prefix(name, "chance.") && c < CHANCES; c++)
		if (view_eq((struct view){ name.p + 7, name.n - 7 },
			    view_of(chances[c])))
			return c;
	return -1;
}

static int unknown(struct reader *r, struct view name)
{
	struct buf known = { 0 };

	for (int f = 0; f < FEATURES; f++)
		buf_addf(&known, "%s, ", feature_name((enum feature)f));
	for (int c = 0; c < CHANCES; c++)
		buf_addf(&known, "chance.%s, ", chances[c]);
	err_set(r->e, ERR_INPUT,
		"line %u: no feature is called \"%.*s\"; known are %sbonus, lean.NAME",
		r->line, (int)(name.n < 40 ? name.n : 40), name.p,
		known.p ? known.p : "");
	buf_free(&known);
	return ERR_INPUT;
}

static int add_named(struct reader *r, struct view name, const double value[2])
{
	struct weights *w = &r->w;
	uint32_t i = 0;
	int rc;

	while (i < w->nnamed && !view_eq(w->named[i].name, name))
		i++;
	if (i == WEIGHTS_NAMED)
		return err_set(r->e, ERR_INPUT, "line %u: over %d rows lean.NAME",
			       r->line, WEIGHTS_NAMED);
	rc = once(r, name, &r->named_at[i]);
	if (rc)
		return rc;
	w->named[i] =
		(struct weights_row){ arena_view(r->a, name), { value[0], value[1] } };
	w->nnamed++;
	return w->named[i].name.p ? 0 : err_set(r->e, ERR_NOMEM, "weights");
}

static int read_row(struct reader *r, struct view line)
{
	struct view name = next_word(&line);
	int f = feature_by_name(name), c = chance_by_name(name), rc;
	double v[2];

	if (f < 0 && c < 0 && !view_eq(name, view_of("bonus")) &&
	    !has_prefix(name, "lean."))
		return unknown(r, name);
	rc = read_values(r, name, line, v);
	if (rc)
		return rc;
	for (int with = 0; with < 2; with++)
		if (f >= 0)
			r->w.feature[with][f] = v[with];
		else if (c >= 0)
			r->w.chance[with][c] = v[with];
		else if (!has_prefix(name, "lean."))
			r->w.bonus[with] = v[with];
	if (f >= 0)
		return once(r, name, &r->feature_at[f]);
	if (c >= 0)
		return once(r, name, &r->chance_at[c]);
	return has_prefix(name, "lean.") ? add_named(r, name, v)
					 : once(r, name, &r->bonus_at);
}

static int missing(struct reader *r, const char *prefix, const char *name)
{
	return err_set(r->e, ERR_INPUT,
		       "there is no row %s%s: was the file made by another version? "
		       "make it again with mapfleet fit, or add \"%s%s 0 0\"",
		       prefix, name, prefix, name);
}

static int check_whole(struct reader *r)
{
	for (int f = 0; f < FEATURES; f++)
		if (!r->feature_at[f])
			return missing(r, "", feature_name((enum feature)f));
	if (!r->bonus_at)
		return missing(r, "", "bonus");
	for (int c = 0; c < CHANCES; c++)
		r->w.has_chance |= r->chance_at[c] > 0;
	for (int c = 0; r->w.has_chance && c < CHANCES; c++)
		if (!r->chance_at[c])
			return missing(r, "chance.", chances[c]);
	return 0;
}

int weights_read(struct view text, struct arena *a, struct weights *ret, struct err *e)
{
	struct reader r = { .a = a, .line = 1, .e = e };
	struct view first = view_trim(next_line(&text), VIEW_SPACE);
	int rc = 0;

	if (!view_eq(first, view_of(FIRST_LINE)))
		return err_set(e, ERR_INPUT,
			       "line 1: a file of weights begins with \"" FIRST_LINE
			       "\", this one with \"%.*s\"",
			       (int)(first.n < 40 ? first.n : 40),
			       first.n ? first.p : "");
	r.w.named = arena_alloc(a, WEIGHTS_NAMED, sizeof *r.w.named);
	if (!r.w.named)
		return err_set(e, ERR_NOMEM, "weights");
	while (text.n && !rc) {
		struct view line = without_remark(next_line(&text));

		r.line++;
		if (line.n)
			rc = read_row(&r, line);
	}
	if (!rc)
		rc = check_whole(&r);
	if (!rc)
		*ret = r.w;
	return rc;
}

struct view weights_builtin_text(void)
{
	static const struct {
		const char *name, *text;
	} file[] = {
#include "weights.inc"
	};
	size_t i = 0;

	while (strcmp(file[i].name, "default") != 0)
		i++;
	return view_of(file[i].text);
}

int weights_builtin(struct arena *a, struct weights *ret, struct err *e)
{
	return weights_read(weights_builtin_text(), a, ret, e);
}

/* ---- writing ---- */

static void write_row(struct buf *b, const char *prefix, const char *name, double with,
		      double without)
{
	int width = 18 - (int)strlen(prefix);

	buf_addf(b, "%s%-*s %12.4f  %12.4f\n", prefix, width, name, with, without);
}

void weights_write(const struct weights *w, struct view head, struct buf *b)
{
	buf_add_str(b, FIRST_LINE "\n");
	while (head.n) {
		struct view line = next_line(&head);

		buf_addf(b, "#%s%.*s\n", line.n ? " " : "", (int)line.n, line.p);
	}
	buf_addf(b, "#\n# %-18s %10s  %12s\n", "name", "with a bank", "without one");
	for (int f = 0; f < FEATURES; f++)
		write_row(b, "", feature_name((enum feature)f), w->feature[1][f],
			  w->feature[0][f]);
	buf_add_str(b, "\n# Added to the score of the largest group.\n");
	write_row(b, "", "bonus", w->bonus[1], w->bonus[0]);
	if (w->has_chance)
		buf_add_str(b, "\n# P(right) of a choice.\n");
	for (int c = 0; w->has_chance && c < CHANCES; c++)
		write_row(b, "chance.", chances[c], w->chance[1][c], w->chance[0][c]);
	if (w->nnamed)
		buf_add_str(b, "\n# Method lean.\n");
	for (uint32_t i = 0; i < w->nnamed; i++)
		buf_addf(b, "%-18.*s %12.4f  %12.4f\n", (int)w->named[i].name.n,
			 w->named[i].name.p, w->named[i].value[1],
			 w->named[i].value[0]);
}

double weights_named(const struct weights *w, const char *name, int with_bank,
		     double otherwise)
{
	for (uint32_t i = 0; i < w->nnamed; i++)
		if (view_eq(w->named[i].name, view_of(name)))
			return w->named[i].value[with_bank != 0];
	return otherwise;
}

struct hash weights_identity(const struct weights *w)
{
	struct buf scores = { 0 };
	struct hasher h;

	weights_encode(w, &scores);
	hash_begin(&h);
	hash_add(&h, scores.p, scores.n);
	hash_add_u64(&h, (uint64_t)w->has_chance);
	hash_add(&h, w->chance, sizeof w->chance);
	for (uint32_t i = 0; i < w->nnamed; i++) {
		hash_add(&h, w->named[i].name.p, w->named[i].name.n);
		hash_add(&h, w->named[i].value, sizeof w->named[i].value);
	}
	buf_free(&scores);
	return hash_end(&h);
}

/* ---- the blob ---- */

static void pack_row(struct buf *b, const char *name, double with, double without)
{
	pack_array(b, 3);
	pack_str(b, view_of(name));
	pack_f64(b, with);
	pack_f64(b, without);
}

void weights_encode(const struct weights *w, struct buf *b)
{
	pack_array(b, FEATURES + 1);
	for (int f = 0; f < FEATURES; f++)
		pack_row(b, feature_name((enum feature)f), w->feature[1][f],
			 w->feature[0][f]);
	pack_row(b, "bonus", w->bonus[1], w->bonus[0]);
}

static void take_row(struct cursor *c, const char *name, double *with, double *without)
{
	cur_array_of(c, 3);
	c->bad |= !view_eq(cur_str(c), view_of(name));
	*with = cur_f64(c);
	*without = cur_f64(c);
	/* Not a number is not equal to itself, and no number is beyond. */
	c->bad |= !(*with >= -WEIGHT_MOST && *with <= WEIGHT_MOST) ||
		  !(*without >= -WEIGHT_MOST && *without <= WEIGHT_MOST);
}

int weights_decode(struct view bytes, struct weights *ret, struct err *e)
{
	struct cursor c = cur_of(bytes);
	struct weights w = { 0 };

	cur_array_of(&c, FEATURES + 1);
	for (int f = 0; f < FEATURES; f++)
		take_row(&c, feature_name((enum feature)f), &w.feature[1][f],
			 &w.feature[0][f]);
	take_row(&c, "bonus", &w.bonus[1], &w.bonus[0]);
	if (!cur_done(&c))
		return err_set(e, ERR_PROTO,
			       "the bytes are no weights of these features");
	*ret = w;
	return 0;
}
