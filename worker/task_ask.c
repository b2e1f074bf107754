/* task_ask.c - a model is asked once: to order, grade, choose, compare, or say yes or
 * no
 *
 * The worker fills the template; HTTP retries happen inside the task; the raw reply is
 * the output, and the planner reads it. Prompts too long and answers unreadable are
 * outputs: what to do about them is the planner's to say.
 */
#include "worker/ask_llm.h"
#include "worker/ask_spec.h"
#include "worker/kinds.h"

enum { TOP_LOGPROBS = 20 };

/* A label or a word is one token, and its alternatives are all of the answer. If that
 * says nothing the model may want to talk, as it may of everything else; and may have
 * talked until nothing was left to answer with. */
static void set_tokens(enum kind kind, const struct ask_spec *f, struct chat_ask *ask)
{
	int short_answer = kind == KIND_pair || kind == KIND_yes ||
			   (kind == KIND_pick && f->want == 1);
	uint64_t again = f->attempt < 4 ? f->attempt : 4;

	if (short_answer)
		ask->top_logprobs = TOP_LOGPROBS;
	if (short_answer && !again) {
		ask->max_tokens = 1;
		ask->no_thinking = 1;
	} else {
		ask->max_tokens <<= again - (short_answer && again);
	}
}

static void start(struct attempt *a)
{
	struct chat_ask ask = { .seed = -1, .no_thinking = 0 };
	struct prompt prompt = { 0 };
	struct chat_run *run = NULL;
	struct chat *chat;
	struct ask_spec f;
	struct err e = { 0 };
	int rc;

	ask_spec_read(a, &f);
	rc = worker_chat(a->worker, &chat, &e);
	if (!rc)
		rc = ask_spec_render(a, &f, &prompt, &e);
	if (!rc && !ask_llm_read(a, &f.llm, &ask))
		rc = err_set(&e, ERR_PROTO, "the model's blob is malformed");
	if (!rc) {
		ask.system = arena_view(&a->arena, buf_view(&prompt.system));
		ask.user = arena_view(&a->arena, buf_view(&prompt.user));
		set_tokens(a->kind, &f, &ask);
		ask.seed = f.repeat ? (int64_t)f.repeat : -1;
		memcpy(&ask.affinity, f.question.b, sizeof ask.affinity);
		rc = chat_start(chat, &ask, ask_llm_answered, a, &run, &e);
	}
	prompt_fini(&prompt);
	if (rc)
		attempt_done(a, rc, e.text);
	else
		a->state = run;
}

static void stop(struct attempt *a)
{
	struct chat_run *run = a->state;

	chat_cancel(&run);
}

const struct kind_code code_ask = { ask_spec_needs, start, stop };
