/* join.c - see join.h */
#include "ops/join.h"

#include "common/base/buf.h"
#include "common/base/mem.h"
#include "ops/notice.h"
#include "ops/textfile.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { SHOWN = 10 };

/* ---- sources ---- */

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static char *plain_name(struct arena *a, const char *path)
{
	static const char *const heads[] = { "prediction_", "predict_", "pred_" };
	char *name = arena_str(a, base_name(path));
	char *dot = name ? strrchr(name, '.') : NULL;

	if (dot && dot != name)
		*dot = 0;
	for (size_t i = 0; name && i < sizeof heads / sizeof *heads; i++)
		if (strncmp(name, heads[i], strlen(heads[i])) == 0 &&
		    name[strlen(heads[i])])
			return name + strlen(heads[i]);
	return name;
}

int source_parse(struct arena *a, const char *spec, struct source *ret, struct err *e)
{
	const char *eq = strchr(spec, '=');
	struct source s = { 0 };

	if (eq && eq != spec && access(spec, F_OK) != 0) {
		s.name = arena_dup(a, spec, (size_t)(eq - spec));
		s.path = arena_str(a, eq + 1);
		s.named = 1;
	} else {
		s.path = arena_str(a, spec);
		s.name = s.path ? plain_name(a, s.path) : NULL;
	}
	if (!s.path || !s.name)
		return err_set(e, ERR_NOMEM, "%s", spec);
	s.file = base_name(s.path);
	*ret = s;
	return 0;
}

/* ---- ids ---- */

struct view id_typed(struct view id)
{
	if (id.n >= 2 && id.p[0] == '"')
		return (struct view){ id.p + 1, id.n - 2 };
	return id;
}

struct id_index {
	const struct items *base;
	uint32_t *slot; /* place + 1; 0: free */
	uint32_t mask;
};

static uint32_t *find_slot(const struct id_index *x, struct view id)
{
	uint32_t i = (uint32_t)sip64_of(id.p, id.n) & x->mask;

	while (x->slot[i] && !view_eq(id_typed(x->base->v[x->slot[i] - 1].id), id))
		i = (i + 1) & x->mask;
	return &x->slot[i];
}

int id_index_new(const struct items *base, struct id_index **ret)
{
	struct id_index *x = mem_alloc(1, sizeof *x);
	uint32_t size = 16;

	while (size < base->n * 2)
		size *= 2;
	if (x)
		x->slot = mem_alloc(size, sizeof *x->slot);
	if (!x || !x->slot) {
		mem_free(x);
		return ERR_NOMEM;
	}
	x->base = base;
	x->mask = size - 1;
	for (uint32_t i = 0; i < base->n; i++) {
		uint32_t *slot = find_slot(x, id_typed(base->v[i].id));

		if (*slot == 0)
			*slot = i + 1;
	}
	*ret = x;
	return 0;
}

int64_t id_index_find(const struct id_index *x, struct view id)
{
	return (int64_t)*find_slot(x, id_typed(id)) - 1;
}

void id_index_free(struct id_index **x)
{
	if (*x)
		mem_free((*x)->slot);
	mem_free(*x);
	*x = NULL;
}

static void gaps(struct buf *b, const struct items *l)
{
	long last = 0;
	uint32_t shown = 0;

	for (uint32_t i = 0; i < l->n; i++) {
		long id = l->v[i].id.p && l->v[i].id.p[0] != '"'
				  ? strtol(l->v[i].id.p, NULL, 10)
				  : -1;

		for (long g = last + 1; i && id > 0 && g < id && shown < SHOWN;
		     g++, shown++)
			buf_addf(b, "%s%ld",
				 shown ? ", " : "; absent between them: ", g);
		if (id > last || i == 0)
			last = id;
	}
}

uint32_t join_duplicates(const struct items *l)
{
	struct id_index *x = NULL;
	struct buf b = { 0 };
	uint32_t twice = 0;

	if (!l->has_ids || id_index_new(l, &x))
		return 0;
	for (uint32_t i = 0; i < l->n; i++) {
		int64_t first = id_index_find(x, l->v[i].id);

		if (first != (int64_t)i && twice++ < SHOWN)
			buf_addf(&b, "%s%.*s (%lld and %u)", b.n ? ", " : "",
				 (int)l->v[i].id.n, l->v[i].id.p, (long long)first, i);
	}
	if (twice) {
		gaps(&b, l);
		notice_warn("%s: %u question ids stand twice and are kept apart by "
			    "position: "
			    "%s%s; %u unique of %u",
			    l->path, twice, b.p ? b.p : "",
			    twice > SHOWN ? ", ..." : "", l->n - twice, l->n);
	}
	id_index_free(&x);
	buf_free(&b);
	return twice;
}

/* ---- who belongs to whom ---- */

static int same_order(const struct items *a, const struct items *b)
{
	if (a->n != b->n)
		return 0;
	for (uint32_t i = 0; i < a->n; i++)
		if (!view_eq(id_typed(a->v[i].id), id_typed(b->v[i].id)))
			return 0;
	return 1;
}

static int by_place(const struct items *base, const struct items *more, uint32_t *to,
		    struct err *e)
{
	uint32_t n = base->n < more->n ? base->n : more->n;

	if (base->n != more->n)
		return err_set(
			e, ERR_INPUT,
			"%s: %u items for the %u questions of %s; the first without a "
			"partner is %s %u%s",
			more->path, more->n, base->n, base->path,
			more->n > n && more->v[n].line ? "line" : "number",
			more->n > n && more->v[n].line ? more->v[n].line : n + 1,
			more->blank
				? " (there are blank lines: each counts as a missing "
				  "prediction)"
				: "");
	for (uint32_t i = 0; i < n; i++)
		to[i] = i;
	return 0;
}

static int has_duplicates(const struct items *l, const struct id_index *x,
			  uint32_t *ret)
{
	for (uint32_t i = 0; i < l->n; i++)
		if (id_index_find(x, l->v[i].id) != (int64_t)i) {
			*ret = i;
			return 1;
		}
	return 0;
}

static void list_id(struct buf *b, uint32_t *count, struct view id)
{
	if ((*count)++ < SHOWN)
		buf_addf(b, "%s%.*s", b->n ? ", " : "", (int)id.n, id.p);
}

static int unmatched(const struct items *base, const struct items *more,
		     const struct id_index *x, const uint8_t *met,
		     const struct read_how *how, struct err *e)
{
	struct buf extra = { 0 }, lacking = { 0 };
	uint32_t nextra = 0, nlacking = 0;
	int rc = 0;

	for (uint32_t i = 0; i < more->n; i++)
		if (id_index_find(x, more->v[i].id) < 0)
			list_id(&extra, &nextra, more->v[i].id);
	for (uint32_t i = 0; i < base->n; i++)
		if (!met[i])
			list_id(&lacking, &nlacking, base->v[i].id);
	if (nextra || (nlacking && !how->lenient))
		rc = err_set(e, ERR_INPUT,
			     "%s and %s hold different questions: %u are missing from "
			     "the first "
			     "(%s%s), %u are in the first only (%s%s)%s",
			     more->path, base->path, nlacking,
			     lacking.p ? lacking.p : "none",
			     nlacking > SHOWN ? ", ..." : "", nextra,
			     extra.p ? extra.p : "none", nextra > SHOWN ? ", ..." : "",
			     nextra ? "" : "; --lenient goes on without them");
	else if (nlacking)
		notice_warn("%s: %u questions of %s have nothing here: %s%s",
			    more->path, nlacking, base->path, lacking.p,
			    nlacking > SHOWN ? ", ..." : "");
	buf_free(&extra);
	buf_free(&lacking);
	return rc;
}

static int by_id(const struct items *base, const struct items *more,
		 const struct read_how *how, uint32_t *to, struct err *e)
{
	struct id_index *x = NULL, *y = NULL;
	uint8_t *met = mem_alloc(base->n + 1, 1);
	uint32_t twice;
	int rc = 0;

	if (!met || id_index_new(base, &x) || id_index_new(more, &y))
		rc = err_set(e, ERR_NOMEM, "%s", more->path);
	else if (has_duplicates(base, x, &twice))
		rc = err_set(e, ERR_INPUT,
			     "%s: id %.*s stands twice, and %s is not in the same "
			     "order: they "
			     "cannot be matched",
			     base->path, (int)base->v[twice].id.n, base->v[twice].id.p,
			     more->path);
	else if (has_duplicates(more, y, &twice))
		rc = err_set(e, ERR_INPUT,
			     "%s: id %.*s stands twice and %s has it once", more->path,
			     (int)more->v[twice].id.n, more->v[twice].id.p, base->path);
	for (uint32_t i = 0; !rc && i < more->n; i++) {
		int64_t at = id_index_find(x, more->v[i].id);

		to[i] = at < 0 ? UINT32_MAX : (uint32_t)at;
		if (at >= 0)
			met[at] = 1;
	}
	if (!rc)
		rc = unmatched(base, more, x, met, how, e);
	id_index_free(&x);
	id_index_free(&y);
	mem_free(met);
	return rc;
}

/* ---- joining ---- */

static void fill(struct view *to, struct view from)
{
	if (!to->n)
		*to = from;
}

static int copy_candidates(struct arena *a, struct item *to, const struct item *from)
{
	for (uint32_t k = 0; k < from->n; k++) {
		struct candidate *c = item_add(to, a);

		if (!c)
			return ERR_NOMEM;
		*c = from->cand[k];
	}
	return 0;
}

int join_candidates(struct arena *a, struct items *base, const struct items *more,
		    const struct read_how *how, struct err *e)
{
	uint32_t *to = mem_alloc(more->n + 1, sizeof *to), other_db = 0;
	int rc;

	if (!to)
		return err_set(e, ERR_NOMEM, "%s", more->path);
	if (!more->has_ids || !base->has_ids || same_order(base, more))
		rc = by_place(base, more, to, e);
	else
		rc = by_id(base, more, how, to, e);
	for (uint32_t i = 0; !rc && i < more->n; i++) {
		struct item *b = &base->v[to[i]];

		other_db += b->db_id.n && more->v[i].db_id.n &&
			    !view_eq(b->db_id, more->v[i].db_id);
		fill(&b->id, more->v[i].id);
		fill(&b->db_id, more->v[i].db_id);
		fill(&b->text, more->v[i].text);
		fill(&b->evidence, more->v[i].evidence);
		rc = copy_candidates(a, b, &more->v[i]);
	}
	if (rc == ERR_NOMEM)
		err_set(e, rc, "%s", more->path);
	base->has_ids |= !rc && more->has_ids;
	base->has_sql = 1;
	if (!rc && other_db)
		notice_warn("%s: %u items name another database than %s; the latter's "
			    "is used",
			    more->path, other_db, base->path);
	if (!base->benchmark)
		base->benchmark = more->benchmark;
	mem_free(to);
	return rc;
}

static void tell_skipped(const struct items *l)
{
	if (l->blank)
		notice_say("%s: %u blank lines", l->path, l->blank);
	if (l->bad)
		notice_warn("%s: %u malformed items passed over or taken as they are",
			    l->path, l->bad);
}

/* A JSONL file whose lines have candidates as objects is a pool of our own form. */
static int is_pool(struct arena *a, const char *path, int *ret, struct err *e)
{
	struct textfile f;
	int rc = textfile_read(a, path, &f, e);

	if (rc)
		return rc;
	switch (file_shape(&f)) {
	case SHAPE_JSONL:
	case SHAPE_ARRAY:
		*ret = memmem(f.text.p, f.text.n, "\"candidates\"", 12) != NULL;
		break;
	default: *ret = 0;
	}
	return 0;
}

static int read_source(struct arena *a, const struct source *src, int as_predictions,
		       const struct read_how *how, struct items *ret, struct err *e)
{
	int pool = 0, rc = is_pool(a, src->path, &pool, e);

	if (rc)
		return rc;
	rc = pool ? items_read(a, src->path, how, ret, e)
		  : predictions_read(a, src->path, src->name, how, ret, e);
	if (!rc)
		tell_skipped(ret);
	for (uint32_t i = 0; !rc && as_predictions && i < ret->n; i++)
		if (ret->v[i].n != 1)
			rc = err_set(e, ERR_INPUT,
				     "%s: question %.*s has %u answers; score takes "
				     "files with "
				     "one each (several are a pool: run, or pool make)",
				     src->path, (int)ret->v[i].id.n,
				     ret->v[i].id.p ? ret->v[i].id.p : "", ret->v[i].n);
	return rc;
}

int join_files(struct arena *a, const char *questions, const struct source *src,
	       size_t n, int as_predictions, const struct read_how *how,
	       struct items *ret, struct err *e)
{
	struct items base = { 0 }, more;
	int rc = 0;

	if (questions) {
		rc = items_read(a, questions, how, &base, e);
		if (rc)
			return rc;
		tell_skipped(&base);
		for (uint32_t i = 0; i < base.n; i++)
			base.v[i].n = 0; /* candidates come from --pool only */
	}
	for (size_t i = 0; i < n && !rc; i++) {
		memset(&more, 0, sizeof more);
		rc = read_source(a, &src[i], as_predictions, how, &more, e);
		if (!rc && base.n)
			rc = join_candidates(a, &base, &more, how, e);
		else if (!rc)
			base = more;
	}
	if (!rc)
		*ret = base;
	return rc;
}
