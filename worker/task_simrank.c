/* task_simrank.c - the simulated judge orders one window; it reads labels, and says so
 */
#include "common/base/pack.h"
#include "common/select/ranks.h"
#include "common/select/simjudge.h"
#include "worker/kinds.h"

enum { WINDOW_MOST = 1024 };

/* Output: the ranks of the candidates as shown, ties shared. */
static void start(struct attempt *a)
{
	struct sim_candidate cand[WINDOW_MOST];
	double score[WINDOW_MOST], rank[WINDOW_MOST];
	struct hash name[WINDOW_MOST];
	struct simjudge judge;
	struct view id, ask;
	struct cursor c;
	uint64_t number;
	size_t n;

	spec_open(a->spec, &c);
	judge.accuracy = cur_f64(&c);
	judge.bias = cur_f64(&c);
	judge.shared = cur_f64(&c);
	judge.seed = cur_u64(&c);
	id = cur_str(&c);
	number = cur_u64(&c);
	ask = (struct view){ (const char *)&number, sizeof number };
	n = cur_array(&c);
	for (size_t i = 0; i < n && i < WINDOW_MOST; i++) {
		cur_array_of(&c, 2);
		name[i] = cur_hash(&c);
		cand[i].name = (struct view){ (const char *)name[i].b, HASH_BYTES };
		cand[i].right = cur_bool(&c);
	}
	if (!cur_done(&c) || n > WINDOW_MOST || simjudge_check(&judge, NULL)) {
		attempt_done(a, ERR_PROTO, "the spec of a simulated ask is malformed");
		return;
	}
	simjudge_scores(&judge, id, ask, cand, (uint32_t)n, score);
	ranks_of_scores(score, (uint32_t)n, rank);
	pack_array(&a->output, n);
	for (size_t i = 0; i < n; i++)
		pack_f64(&a->output, rank[i]);
	attempt_done(a, 0, "");
}

const struct kind_code code_simrank = { .start = start };
