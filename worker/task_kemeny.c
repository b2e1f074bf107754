/* task_kemeny.c - the central order of rankings: too slow for the broker's loop */
#include "common/select/kemeny.h"
#include "common/select/meanrank.h"
#include "proto/rankings.h"
#include "worker/kinds.h"

static int read_spec(const struct attempt *a, struct hash *ret)
{
	struct cursor c;

	spec_open(a->spec, &c);
	*ret = cur_hash(&c);
	return cur_done(&c);
}

static int needs(struct attempt *a, attempt_need_fn *need)
{
	struct hash rankings;

	if (!read_spec(a, &rankings))
		return 0;
	need(a, &rankings, NEED_BLOB);
	return 1;
}

static int put_in_order(struct attempt *a, const struct rankings *r, struct err *e)
{
	uint32_t *votes = arena_alloc(&a->arena, (size_t)r->n * r->n, sizeof *votes);
	uint32_t *order = arena_alloc(&a->arena, r->n, sizeof *order);
	double *mean = arena_alloc(&a->arena, r->n, sizeof *mean);
	int rc;

	if (!votes || !order || !mean)
		return err_set(e, ERR_NOMEM, "votes over %u items", r->n);
	kemeny_votes(r->rank, r->count, r->n, votes);
	meanrank_over(r->rank, r->count, r->n, mean);
	rc = kemeny_order(votes, r->n, mean, order, e);
	if (!rc)
		order_out_encode(order, r->n, &a->output);
	return rc;
}

static void start(struct attempt *a)
{
	struct hash name;
	struct rankings r;
	struct err e = { 0 };
	int rc;

	read_spec(a, &name);
	rc = rankings_decode(worker_blob(a->worker, &name), &a->arena, &r, &e);
	if (!rc)
		rc = put_in_order(a, &r, &e);
	attempt_done(a, rc, rc ? e.text : "");
}

const struct kind_code code_kemeny = { .needs = needs, .start = start };
