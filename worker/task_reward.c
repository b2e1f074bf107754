/* task_reward.c - a reward model scores one candidate
 *
 * One HTTP answer gives the score. A head with one label that says exactly 1.0 may be
 * a softmax, which says so of every text: then it is asked about another text, too, and
 * what says 1.0 of that as well is refused.
 */
#include "common/base/mem.h"
#include "common/base/round.h"
#include "common/select/grade.h"
#include "proto/chat_read.h"
#include "worker/ask_spec.h"
#include "worker/kinds.h"
#include "worker/reward_wire.h"

enum { TOP_LOGPROBS = 20, GRADE_TOKENS = 64 };

struct scoring {
	struct attempt *attempt;
	struct chat *chat;
	struct chat_run *run;
	struct prompt prompt;
	struct reward_model model;
	struct view text;
	struct reward_ask wire;
	struct chat_ask ask;
	struct reward_out first; /* while the other text is asked about */
	struct call *calls;
	size_t ncalls;
	int doubted;
};

static void scoring_free(struct scoring *s)
{
	prompt_fini(&s->prompt);
	mem_free(s->calls);
	mem_free(s);
}

static void end(struct scoring *s, int code, const char *text)
{
	struct attempt *a = s->attempt;

	calls_pack(&a->calls, s->calls, s->ncalls);
	a->state = NULL;
	scoring_free(s);
	attempt_done(a, code, text);
}

/* The call that the output is of stands last: the journal takes that for the useful
 * one.
 */
static void put_useful_last(struct scoring *s)
{
	size_t i = 0;
	struct call useful;

	while (i < s->ncalls && !s->calls[i].useful)
		i++;
	if (i == s->ncalls)
		return;
	useful = s->calls[i];
	memmove(s->calls + i, s->calls + i + 1, (s->ncalls - i - 1) * sizeof *s->calls);
	s->calls[s->ncalls - 1] = useful;
}

static void keep(struct scoring *s, const struct reward_out *out)
{
	put_useful_last(s);
	reward_out_encode(out, &s->attempt->output);
	end(s, 0, "");
}

/* Calls of the second ask are paid for, yet the output is not of them. */
static int add_calls(struct scoring *s, const struct chat_result *r)
{
	size_t n = s->ncalls + r->n_calls;
	struct call *v = n > CALLS_MAX ? NULL : mem_resize(s->calls, n + 1, sizeof *v);

	if (!v)
		return ERR_NOMEM;
	s->calls = v;
	for (size_t i = 0; i < r->n_calls; i++) {
		v[s->ncalls] = r->calls[i];
		v[s->ncalls].attempt = (uint32_t)s->ncalls + 1;
		v[s->ncalls++].useful &= (uint32_t)!s->doubted;
	}
	return 0;
}

/* ---- chat ------------------------------------------------------------------------ */

static void read_yes(const struct chat_out *in, struct reward_out *out)
{
	out->note = in->note;
	if (chat_read_yes(in, 0, &out->score))
		return;
	out->score = 0.5;
	out->note = view_of("neither Yes nor No: 0.5");
}

static void read_grade(const struct chat_out *in, struct reward_out *out)
{
	if (in->kind == CHAT_ANSWER && grade_parse(in->answer, &out->score))
		out->score = round20(out->score / 100);
	else
		out->state = REWARD_UNREAD;
}

/* ---- scores ---------------------------------------------------------------------- */

static void on_answer(void *arg, const struct chat_result *r);

static int start_ask(struct scoring *s, struct err *e)
{
	return chat_start(s->chat, &s->ask, on_answer, s, &s->run, e);
}

/* Asks about a text that no model takes for the same. */
static void doubt(struct scoring *s, const struct reward_out *out)
{
	struct err e = { 0 };
	int rc;

	s->doubted = 1;
	s->first = *out;
	s->first.reply = arena_view(&s->attempt->arena, out->reply);
	s->text = view_of("SELECT 'this is no answer to anything'");
	s->wire.n = 1;
	rc = start_ask(s, &e);
	if (rc)
		end(s, rc, e.text);
}

static void read_scores(struct scoring *s, const struct chat_out *in,
			struct reward_out *out)
{
	uint32_t classes = 0;
	struct err e = { 0 };
	int rc = reward_scores(&s->wire, in->reply, &out->score, &classes, &e);
	int ones = classes == 1 && out->score == 1.0 && s->wire.kind == REWARD_classify;

	if (rc)
		end(s, rc, e.text);
	else if (ones && s->doubted)
		end(s, ERR_REFUSED, reward_one_label);
	else if (ones)
		doubt(s, out);
	else
		keep(s, s->doubted ? &s->first : out);
}

static void on_answer(void *arg, const struct chat_result *r)
{
	struct scoring *s = arg;
	struct reward_out out = { .state = REWARD_SCORED,
				  .note = view_of(""),
				  .usage = r->out.usage,
				  .reply = r->out.reply };

	s->run = NULL;
	if (add_calls(s, r)) {
		end(s, ERR_NOMEM, err_text(ERR_NOMEM));
		return;
	}
	if (r->err.code) {
		end(s, r->err.code, r->err.text);
		return;
	}
	if (r->out.kind == CHAT_TOO_LONG) {
		out.state = REWARD_TOO_LONG;
		keep(s, &out);
		return;
	}
	if (!reward_chats(s->model.kind)) {
		read_scores(s, &r->out, &out);
		return;
	}
	if (s->model.kind == REWARD_yes_no)
		read_yes(&r->out, &out);
	else
		read_grade(&r->out, &out);
	keep(s, &out);
}

/* ---- what is asked --------------------------------------------------------------- */

static void talk(struct scoring *s, const struct ask_spec *f)
{
	s->ask.system = buf_view(&s->prompt.system);
	s->ask.user = buf_view(&s->prompt.user);
	s->ask.no_thinking = 1;
	if (s->model.kind == REWARD_yes_no) {
		s->ask.max_tokens = 1;
		s->ask.top_logprobs = TOP_LOGPROBS;
	} else {
		s->ask.max_tokens = GRADE_TOKENS << (f->attempt < 4 ? f->attempt : 4);
	}
}

/* A template without {{user}} and {{assistant}} is the text itself. */
static int fill_wire(struct scoring *s, struct err *e)
{
	const struct prompt *p = &s->prompt;
	int answers = (p->parts & PROMPT_ASSISTANT) != 0;
	int pairs = s->model.kind == REWARD_score || s->model.kind == REWARD_rerank;

	if (pairs && !answers)
		return err_set(e, ERR_INPUT,
			       "the template has no line {{assistant}}: what stands "
			       "behind it is scored against what stands before");
	s->wire = (struct reward_ask){ .kind = s->model.kind,
				       .label = s->model.label,
				       .talks = !pairs && p->parts,
				       .system = buf_view(&p->system),
				       .query = buf_view(&p->user),
				       .text = &s->text,
				       .n = answers || !p->parts };
	s->text = answers ? buf_view(&p->assistant) : buf_view(&p->user);
	s->ask.form = &reward_form;
	s->ask.of_form = &s->wire;
	return 0;
}

static int prepare(struct scoring *s, struct err *e)
{
	struct attempt *a = s->attempt;
	struct ask_spec f;
	int rc;

	if (!ask_spec_read(a, &f) || f.ncand != 1 ||
	    !reward_model_decode(worker_blob(a->worker, &f.llm), &s->model))
		return err_set(e, ERR_PROTO, "the spec of a reward task is malformed");
	rc = worker_reward(a->worker, s->model.kind, &s->chat, e);
	if (!rc)
		rc = ask_spec_render(a, &f, &s->prompt, e);
	if (rc)
		return rc;
	s->ask = (struct chat_ask){ .model = arena_dup(&a->arena, s->model.name.p,
						       s->model.name.n),
				    .top_p = 1,
				    .seed = -1 };
	if (!s->ask.model)
		return err_set(e, ERR_NOMEM, "%s", err_text(ERR_NOMEM));
	memcpy(&s->ask.affinity, f.question.b, sizeof s->ask.affinity);
	if (!reward_chats(s->model.kind))
		return fill_wire(s, e);
	talk(s, &f);
	return 0;
}

static void start(struct attempt *a)
{
	struct scoring *s = mem_alloc(1, sizeof *s);
	struct err e = { 0 };
	int rc;

	if (!s) {
		attempt_done(a, ERR_NOMEM, err_text(ERR_NOMEM));
		return;
	}
	s->attempt = a;
	rc = prepare(s, &e);
	if (!rc)
		rc = start_ask(s, &e);
	if (rc)
		end(s, rc, e.text);
	else
		a->state = s;
}

static void stop(struct attempt *a)
{
	struct scoring *s = a->state;

	chat_cancel(&s->run);
	scoring_free(s);
	a->state = NULL;
}

const struct kind_code code_reward = { ask_spec_needs, start, stop };
