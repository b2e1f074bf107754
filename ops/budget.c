/* budget.c - see budget.h */
#include "ops/budget.h"

#include "broker/method/method.h"
#include "common/base/mem.h"
#include "common/select/allot.h"
#include "proto/choice.h"

#include <limits.h>

struct budget {
	const struct sweep *sweep;
	struct claim **claim; /* [run][question]; NULL: a run without a budget */
	struct claim **order; /* scratch, [question] */
	int begun, failed;    /* ERR_* of a draft */
};

void budget_free(struct budget **bp)
{
	struct budget *b = *bp;

	if (!b)
		return;
	for (uint32_t r = 0; b->claim && r < b->sweep->nrun; r++)
		mem_free(b->claim[r]);
	mem_free(b->claim);
	mem_free(b->order);
	mem_free(b);
	*bp = NULL;
}

static int has_budgets(const struct sweep *s)
{
	for (uint32_t r = 0; r < s->nrun; r++)
		if (s->run[r].has_budget)
			return 1;
	return 0;
}

static struct claim *claims_of(const struct sweep *s, const struct run *r)
{
	const struct method *m = method_by_name(r->method);
	struct claim *claim = mem_alloc(s->nq + 1, sizeof *claim);

	for (uint32_t q = 0; claim && q < s->nq; q++) {
		uint32_t n = s->q[q].n;
		uint64_t most;

		if (r->candidates && r->candidates < n)
			n = r->candidates;
		most = m && m->most ? m->most(r, n) : 0;

		claim[q].most = most < UINT32_MAX ? (uint32_t)most : UINT32_MAX;
		claim[q].raised = 1; /* for the first draft */
	}
	return claim;
}

int budget_new(const struct sweep *s, struct budget **ret)
{
	struct budget *b;
	int whole;

	*ret = NULL;
	if (!has_budgets(s))
		return 0;
	b = mem_alloc(1, sizeof *b);
	if (!b)
		return ERR_NOMEM;
	b->sweep = s;
	b->claim = mem_alloc(s->nrun, sizeof *b->claim);
	b->order = mem_alloc(s->nq + 1, sizeof *b->order);
	whole = b->claim && b->order;
	for (uint32_t r = 0; whole && r < s->nrun; r++)
		if (s->run[r].has_budget)
			whole = (b->claim[r] = claims_of(s, &s->run[r])) != NULL;
	if (!whole) {
		budget_free(&b);
		return ERR_NOMEM;
	}
	*ret = b;
	return 0;
}

/* Units of a question one after the other: they share its facts. */
static int add_raised(struct budget *b, struct core *core)
{
	const struct sweep *s = b->sweep;
	int added = 0;

	for (uint32_t q = 0; q < s->nq; q++)
		for (uint32_t r = 0; r < s->nrun; r++) {
			struct unit u = {
				.question = q,
				.plan = method_by_name(s->run[r].method)->plan,
				.run = &s->run[r],
				.arg = budget_arg(b, q, r),
				.role = ROLE_SELECT,
				.tag = r,
				.draft = 1
			};

			if (!b->claim[r] || !b->claim[r][q].raised)
				continue;
			if (core_add(core, &u))
				return -ERR_NOMEM;
			added += added < INT_MAX;
		}
	return added;
}

int budget_round(struct budget *b, struct core *core)
{
	const struct sweep *s = b->sweep;

	if (b->failed)
		return -b->failed;
	for (uint32_t r = 0; b->begun && r < s->nrun; r++)
		if (b->claim[r])
			allot_round(b->claim[r], s->nq, s->run[r].budget, b->order);
	b->begun = 1;
	return add_raised(b, core);
}

void budget_draft(struct budget *b, const struct unit *u, struct view record)
{
	struct claim *claim = &b->claim[u->tag][u->question];
	struct arena a = { 0 };
	struct choice c;
	int rc = choice_decode(record, &a, &c);

	if (!rc) {
		claim->sure = c.confidence;
		claim->asked = (uint32_t)c.asks;
		claim->unsure = c.tied;
	}
	b->failed = rc ? rc : b->failed;
	arena_free(&a);
}

const void *budget_arg(const struct budget *b, uint32_t question, uint32_t run)
{
	return b && b->claim[run] ? &b->claim[run][question].may : NULL;
}
