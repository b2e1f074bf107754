/* task_simulated.c - the simulated judge says how good it finds what it is shown; it
 * reads labels, and says so
 */
#include "common/base/buf.h"
#include "common/base/pack.h"
#include "common/select/simjudge.h"
#include "worker/kinds.h"

enum { WINDOW_MOST = 1024 };

/* What this ask is, as bytes: its noise is its own. An ask with the same content is the
 * same ask, whatever method wants it. */
static void ask_name(struct view what, uint64_t pass, const struct hash *shown,
		     size_t n, struct buf *ret)
{
	buf_add(ret, what.p, what.n);
	buf_add(ret, &pass, sizeof pass);
	buf_add(ret, shown, n * sizeof *shown);
}

/* Output: the utilities of the candidates as shown. */
static void start(struct attempt *a)
{
	struct sim_candidate cand[WINDOW_MOST];
	double score[WINDOW_MOST];
	struct hash name[WINDOW_MOST];
	struct simjudge judge;
	struct view id, what;
	struct buf ask = { 0 };
	struct cursor c;
	uint64_t pass;
	size_t n;

	spec_open(a->spec, &c);
	judge.accuracy = cur_f64(&c);
	judge.bias = cur_f64(&c);
	judge.shared = cur_f64(&c);
	judge.seed = cur_u64(&c);
	id = cur_str(&c);
	what = cur_str(&c);
	pass = cur_u64(&c);
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
	ask_name(what, pass, name, n, &ask);
	if (ask.bad) {
		attempt_done(a, ERR_NOMEM, "a simulated ask");
		return;
	}
	simjudge_scores(&judge, id, buf_view(&ask), cand, (uint32_t)n, score);
	buf_free(&ask);
	pack_array(&a->output, n);
	for (size_t i = 0; i < n; i++)
		pack_f64(&a->output, score[i]);
	attempt_done(a, 0, "");
}

const struct kind_code code_simulated = { .start = start };
