/* ask_llm.c - see ask_llm.h */
#include "worker/ask_llm.h"

void ask_llm_answered(void *attempt, const struct chat_result *r)
{
	struct attempt *a = attempt;

	calls_pack(&a->calls, r->calls, r->n_calls);
	if (!r->err.code)
		chat_out_encode(&a->output, &r->out);
	attempt_done(a, r->err.code, r->err.text);
}

int ask_llm_read(struct attempt *a, const struct hash *h, struct chat_ask *ret)
{
	struct cursor c = cur_of(worker_blob(a->worker, h));
	struct view name;

	cur_array_of(&c, 5);
	name = cur_str(&c);
	cur_str(&c); /* revision: names the weights, is not sent */
	ret->temperature = cur_f64(&c);
	ret->top_p = cur_f64(&c);
	ret->max_tokens = cur_u32(&c);
	ret->model = arena_dup(&a->arena, name.p, name.n);
	return cur_done(&c) && ret->model;
}
