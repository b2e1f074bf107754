/* profile_read.c - asking a profile; see profile.h */
#include "worker/profile.h"

#include "common/base/arena.h"
#include "common/base/cursor.h"

enum { ONE_STYLE_COLUMNS = 3 };
#define ONE_STYLE 0.95

static uint64_t value_at(struct view set, size_t i)
{
	const unsigned char *p = (const unsigned char *)set.p + i * 8;
	uint64_t v = 0;

	for (int k = 7; k >= 0; k--)
		v = v << 8 | p[k];
	return v;
}

static int set_has(struct view set, uint64_t h)
{
	size_t lo = 0, hi = set.n / 8;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (value_at(set, mid) < h)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < set.n / 8 && value_at(set, lo) == h;
}

static struct profile_column take_column(struct cursor *c)
{
	struct profile_column v = { 0 };

	cur_array_of(c, 8);
	v.affinity = (uint8_t)cur_u32(c);
	v.fold = (uint8_t)cur_u32(c);
	v.sets = (uint8_t)cur_bool(c);
	v.unique = (uint8_t)cur_bool(c);
	v.kinds = (uint8_t)cur_u32(c);
	v.holds = (enum answer)cur_u32(c);
	v.raw = cur_bin(c);
	v.loose = cur_bin(c);
	if (v.raw.n % 8 || v.loose.n % 8 || v.holds > ANSWER_UNKNOWN)
		c->bad = 1;
	return v;
}

static int take_table(struct cursor *c, struct schema *s, size_t at,
		      struct profile_table *ret)
{
	size_t n = s->tables[at].n;
	int known;

	cur_array_of(c, 4);
	ret->is_view = (uint8_t)cur_bool(c);
	known = cur_bool(c);
	ret->rows = cur_u64(c);
	ret->has_row = !known ? ANSWER_UNKNOWN : ret->rows ? ANSWER_YES : ANSWER_NO;
	cur_array_of(c, n);
	ret->column = arena_alloc(&s->a, n + 1, sizeof *ret->column);
	if (!ret->column)
		return ERR_NOMEM;
	for (size_t i = 0; i < n && !c->bad; i++)
		ret->column[i] = take_column(c);
	return 0;
}

static void mark_keys(struct profile *p)
{
	for (size_t i = 0; i < p->schema.n_keys; i++) {
		p->table[p->schema.keys[i].from_table].in_key = 1;
		p->table[p->schema.keys[i].to_table].in_key = 1;
	}
}

static int take_tables(struct cursor *c, struct profile *p)
{
	int code = 0;

	p->table = arena_alloc(&p->schema.a, p->schema.n_tables + 1, sizeof *p->table);
	if (!p->table)
		return ERR_NOMEM;
	cur_array_of(c, p->schema.n_tables);
	for (size_t i = 0; i < p->schema.n_tables && !c->bad && !code; i++)
		code = take_table(c, &p->schema, i, &p->table[i]);
	return code ? code : cur_done(c) ? 0 : ERR_PROTO;
}

static int is_nearly_all(size_t n, size_t of)
{
	return of >= ONE_STYLE_COLUMNS && (double)n >= ONE_STYLE * (double)of;
}

/* Is the database in capitals, or in small letters, or in blanks, all over? A column or
 * two say nothing: codes are in capitals and makes of cars may not be. */
static int is_one_style(const struct profile *p)
{
	size_t letters = 0, texts = 0, upper = 0, lower = 0, blanks = 0;

	for (size_t t = 0; t < p->schema.n_tables; t++)
		for (size_t i = 0; i < p->schema.tables[t].n; i++) {
			unsigned kinds = p->table[t].column[i].kinds;
			unsigned both = kinds & (HOLDS_UPPER | HOLDS_LOWER);

			texts += (kinds & HOLDS_TEXT) != 0;
			blanks += (kinds & HOLDS_TEXT) && !(kinds & HOLDS_TRIM);
			letters += both != 0;
			upper += both == HOLDS_UPPER;
			lower += both == HOLDS_LOWER;
		}
	return is_nearly_all(upper, letters) || is_nearly_all(lower, letters) ||
	       is_nearly_all(blanks, texts);
}

/* Sets are not copied one by one: they point into one copy of the rest of the bytes. */
int profile_decode(struct view bytes, struct profile *ret, struct err *e)
{
	struct cursor c = cur_of(bytes);
	struct profile p = { 0 };
	struct view packed, rest;
	int code;

	cur_array_of(&c, 3);
	if (cur_u64(&c) != PROFILE_VERSION)
		c.bad = 1;
	packed = cur_bin(&c);
	if (c.bad)
		return err_set(e, ERR_PROTO, "the bytes are no profile of version %d",
			       PROFILE_VERSION);
	code = schema_unpack(packed, &p.schema, e);
	if (code)
		return code == ERR_VALUE ? err_set(e, ERR_PROTO, "a profile's schema")
					 : code;
	rest = arena_view(&p.schema.a, (struct view){ (const char *)c.p, c.left });
	c = cur_of(rest);
	code = rest.p ? take_tables(&c, &p) : ERR_NOMEM;
	if (code) {
		schema_free(&p.schema);
		return err_set(e, code, "a profile of %zu bytes", bytes.n);
	}
	mark_keys(&p);
	p.one_style = is_one_style(&p);
	*ret = p;
	return 0;
}

void profile_free(struct profile *p)
{
	if (!p)
		return;
	schema_free(&p->schema);
	*p = (struct profile){ 0 };
}

static const struct profile_column *column_of(const struct profile *p, int t, int c)
{
	if (t < 0 || c < 0 || (size_t)t >= p->schema.n_tables ||
	    (size_t)c >= p->schema.tables[t].n)
		return NULL;
	return &p->table[t].column[c];
}

/* Numeric affinity is applied to the literal before it is compared; a column without
 * affinity compares text with text only. 0: it can equal nothing. */
static uint64_t literal_hash(const struct profile_column *c, struct view literal)
{
	uint64_t h = c->affinity == AFFINITY_NUMERIC ? cellhash_numeric(literal) : 0;

	if (h)
		return h;
	if (c->affinity != AFFINITY_TEXT && !(c->kinds & HOLDS_TEXT))
		return 0;
	return cellhash_text(literal, c->fold);
}

static int set_has_loosely(const struct profile_column *c, uint64_t h)
{
	return h && (set_has(c->raw, h) || set_has(c->loose, h));
}

static const struct profile_column *known(const struct profile *p, int table,
					  int column)
{
	const struct profile_column *c = column_of(p, table, column);

	return c && c->sets && c->fold != FOLD_OTHER ? c : NULL;
}

enum answer profile_holds(const struct profile *p, int table, int column,
			  struct view literal)
{
	const struct profile_column *c = known(p, table, column);
	uint64_t h = c ? literal_hash(c, literal) : 0;

	if (!c)
		return ANSWER_UNKNOWN;
	return h && set_has(c->raw, h) ? ANSWER_YES : ANSWER_NO;
}

enum answer profile_holds_loosely(const struct profile *p, int table, int column,
				  struct view literal)
{
	const struct profile_column *c = known(p, table, column);

	if (!c)
		return ANSWER_UNKNOWN;
	return set_has_loosely(c, cellhash_loose(literal)) ||
			       set_has_loosely(c, cellhash_numeric(literal))
		       ? ANSWER_YES
		       : ANSWER_NO;
}

/* What kinds a column without affinity holds; 0: it has one, or is not known. */
static unsigned bare_kinds(const struct profile *p, int table, int column)
{
	const struct profile_column *c = column_of(p, table, column);

	return c && c->affinity == AFFINITY_NONE ? c->kinds : 0;
}

static int is_numerals(unsigned kinds)
{
	return (kinds & HOLDS_TEXT) && !(kinds & (HOLDS_NUMBER | HOLDS_WORD));
}

static int is_numbers(unsigned kinds)
{
	return (kinds & HOLDS_NUMBER) && !(kinds & HOLDS_TEXT);
}

/* A text or a number. */
static int has_kinds(const struct profile *p, int table, int column)
{
	const struct profile_column *c = column_of(p, table, column);

	return c && c->kinds;
}

/* Blobs and nothing else: no affinity makes them equal to anything. */
static int is_blobs(const struct profile *p, int table, int column)
{
	const struct profile_column *c = column_of(p, table, column);

	return c && c->holds == ANSWER_YES && !c->kinds;
}

int profile_mistyped(const struct profile *p, int table, int column,
		     struct view literal, int is_number)
{
	unsigned kinds = bare_kinds(p, table, column);

	if (is_blobs(p, table, column))
		return 1;
	return is_number ? is_numerals(kinds)
			 : is_numbers(kinds) && cellhash_numeric(literal) != 0;
}

int profile_mistyped_join(const struct profile *p, int at, int ac, int bt, int bc)
{
	unsigned a = bare_kinds(p, at, ac), b = bare_kinds(p, bt, bc);

	if ((is_blobs(p, at, ac) && has_kinds(p, bt, bc)) ||
	    (is_blobs(p, bt, bc) && has_kinds(p, at, ac)))
		return 1;
	return (is_numerals(a) && is_numbers(b)) || (is_numbers(a) && is_numerals(b));
}

/* Both known, and folded alike: else their hashes do not compare. */
static int comparable(const struct profile_column *a, const struct profile_column *b)
{
	return a && b && a->sets && b->sets && a->fold == b->fold &&
	       a->fold != FOLD_OTHER;
}

/* Values in both, counted no further than `enough`. */
static size_t common_values(struct view a, struct view b, size_t enough)
{
	size_t i = 0, j = 0, n = 0;

	while (i < a.n / 8 && j < b.n / 8 && n < enough) {
		uint64_t x = value_at(a, i), y = value_at(b, j);

		n += x == y;
		i += x <= y;
		j += y <= x;
	}
	return n;
}

enum answer profile_contains(const struct profile *p, int at, int ac, int bt, int bc,
			     double share)
{
	const struct profile_column *a = column_of(p, at, ac),
				    *b = column_of(p, bt, bc);
	double want;

	if (!comparable(a, b))
		return ANSWER_UNKNOWN;
	if (!b->raw.n)
		return ANSWER_NO;
	want = share * (double)(b->raw.n / 8);
	return (double)common_values(a->raw, b->raw, SIZE_MAX) >= want ? ANSWER_YES
								       : ANSWER_NO;
}

enum answer profile_disjoint(const struct profile *p, int at, int ac, int bt, int bc)
{
	const struct profile_column *a = column_of(p, at, ac),
				    *b = column_of(p, bt, bc);

	if (!comparable(a, b))
		return ANSWER_UNKNOWN;
	if (!a->raw.n || !b->raw.n)
		return ANSWER_NO;
	return common_values(a->raw, b->raw, 1) ? ANSWER_NO : ANSWER_YES;
}

int profile_declared(const struct profile *p, int at, int ac, int bt, int bc)
{
	for (size_t i = 0; i < p->schema.n_keys; i++) {
		const struct schema_key *k = &p->schema.keys[i];

		if ((k->from_table == at && k->from_column == ac && k->to_table == bt &&
		     k->to_column == bc) ||
		    (k->from_table == bt && k->from_column == bc && k->to_table == at &&
		     k->to_column == ac))
			return 1;
	}
	return 0;
}
