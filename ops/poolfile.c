/* poolfile.c - see poolfile.h */
#include "ops/poolfile.h"

#include "common/base/buf.h"
#include "common/base/mem.h"
#include "ops/jsonfile.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void member(struct buf *b, const char *name, struct view text)
{
	buf_addf(b, "\"%s\": ", name);
	json_quote(b, text);
}

static void add_candidate(struct buf *b, const struct candidate *c)
{
	buf_add_char(b, '{');
	member(b, "sql", c->sql);
	if (c->source.n) {
		buf_add_str(b, ", ");
		member(b, "source", c->source);
	}
	if (c->has_logprob)
		buf_addf(b, ", \"logprob\": %.17g", c->logprob);
	if (c->has_tokens)
		buf_addf(b, ", \"tokens\": %" PRIu64, c->tokens);
	if (c->greedy)
		buf_add_str(b, ", \"greedy\": true");
	buf_add_char(b, '}');
}

static void add_item(struct buf *b, const struct item *i)
{
	buf_add_str(b, "{\"question_id\": ");
	buf_add(b, i->id.p, i->id.n);
	buf_add_str(b, ", ");
	member(b, "db_id", i->db_id);
	buf_add_str(b, ", ");
	member(b, "question", i->text);
	buf_add_str(b, ", ");
	member(b, "evidence", i->evidence);
	buf_add_str(b, ", \"candidates\": [");
	for (uint32_t k = 0; k < i->n; k++) {
		if (k)
			buf_add_str(b, ", ");
		add_candidate(b, &i->cand[k]);
	}
	buf_add_str(b, "]}\n");
}

static int write_lines(FILE *to, const struct items *l)
{
	struct buf b = { 0 };
	int bad = 0;

	for (uint32_t i = 0; i < l->n && !bad; i++) {
		buf_clear(&b);
		add_item(&b, &l->v[i]);
		bad = b.bad || fwrite(b.p, 1, b.n, to) != b.n;
	}
	buf_free(&b);
	return bad;
}

int pool_write(const char *path, const struct items *l, struct err *e)
{
	char part[PATH_MAX];
	FILE *to;
	int bad;

	snprintf(part, sizeof part, "%s.part", path);
	to = fopen(part, "we");
	if (!to)
		return err_set(e, ERR_STORE, "%s: %s", part, strerror(errno));
	bad = write_lines(to, l) | (fflush(to) || fsync(fileno(to)));
	bad |= fclose(to);
	if (bad || rename(part, path)) {
		err_set(e, ERR_STORE, "%s: could not be written: %s", path,
			strerror(errno));
		unlink(part);
		return ERR_STORE;
	}
	return 0;
}

/* ---- numbers ---- */

static int view_order(const void *a, const void *b)
{
	return view_cmp(*(const struct view *)a, *(const struct view *)b);
}

static uint64_t count_distinct(struct view *v, uint64_t n)
{
	uint64_t distinct = n > 0;

	qsort(v, n, sizeof *v, view_order);
	for (uint64_t i = 1; i < n; i++)
		distinct += !view_eq(v[i - 1], v[i]);
	return distinct;
}

int pool_count(const struct items *l, struct pool_numbers *ret)
{
	struct pool_numbers n = { .questions = l->n, .least = UINT64_MAX };
	struct view *v;
	uint64_t all = l->n, at = 0;

	for (uint32_t i = 0; i < l->n; i++)
		all += l->v[i].n;
	v = mem_alloc(all + 1, sizeof *v);
	if (!v)
		return ERR_NOMEM;
	for (uint32_t i = 0; i < l->n; i++) {
		const struct item *q = &l->v[i];

		for (uint32_t k = 0; k < q->n; k++) {
			v[k] = q->cand[k].sql;
			n.greedy += q->cand[k].greedy;
		}
		n.candidates += q->n;
		n.distinct += count_distinct(v, q->n);
		n.bare += q->n == 0;
		n.least = q->n < n.least ? q->n : n.least;
		n.most = q->n > n.most ? q->n : n.most;
	}
	for (uint32_t i = 0; i < l->n; i++)
		v[i] = l->v[i].db_id;
	n.databases = count_distinct(v, l->n);
	for (uint32_t i = 0; i < l->n; i++)
		for (uint32_t k = 0; k < l->v[i].n; k++)
			v[at++] = l->v[i].cand[k].source;
	n.sources = count_distinct(v, at);
	mem_free(v);
	*ret = n;
	return 0;
}
