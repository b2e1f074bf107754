/* results.c - see results.h: walks the sweep's questions once and hands each to whoever
 * writes a file about it */
#include "results/results.h"

#include "common/base/mem.h"
#include "proto/exec_out.h"
#include "proto/task.h"
#include "results/handle.h"
#include "results/outfile.h"
#include "results/report.h"
#include "results/write.h"

/* One command's writing. */
struct walk {
	const struct sweep *sweep;
	const struct gold *gold;
	struct fold *fold;
	struct use_table *use;
	struct results *ret;
	struct predictions predictions;
	struct outfile samples;
	struct buf line;
};

/* How a candidate's query ended, where no verdict tells: from its exec output. */
static int look_up(struct walk *w, const struct question *q, uint32_t i,
		   struct arena *a, enum status *ret, struct view *ret_note,
		   struct err *e)
{
	const struct candidate *c = &q->cand[i];
	struct buf spec = { 0 };
	struct exec_out out;
	struct view body;
	struct hash key;
	int found, rc;

	*ret_note = view_of("");
	*ret = STATUS_abstain;
	if (c->abstains)
		return 0;
	spec_exec(&spec, &w->sweep->env_hash, &w->sweep->db[q->db].hash, &c->run_hash);
	key = task_key(buf_view(&spec));
	rc = spec.bad ? err_set(e, ERR_NOMEM, "spec of a task") : 0;
	buf_free(&spec);
	if (rc)
		return rc;
	rc = fold_output(w->fold, &key, a, &body, &found, e);
	if (rc)
		return rc;
	*ret = STATUS_timeout; /* no output: the wall clock, or not reached */
	*ret_note = view_of("no output");
	if (!found)
		return 0;
	rc = exec_out_decode(body, &out, a);
	if (rc == ERR_NOMEM)
		return err_set(e, ERR_NOMEM, "an output");
	if (rc == 0) {
		*ret = out.status;
		*ret_note = out.note.n ? out.note : out.error;
	}
	return 0;
}

static int candidates(struct walk *w, const struct question *q, const struct verdict *v,
		      struct arena *a, struct err *e)
{
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && i < q->n; i++) {
		enum status status;
		struct view note;

		if (v && i < v->n) {
			status = v->status[i] < STATUSES ? (enum status)v->status[i]
							 : STATUS_error;
			note = v->note[i];
		} else {
			rc = look_up(w, q, i, a, &status, &note, e);
		}
		if (rc == 0)
			tally_candidate(w->ret->tally, q, i, status, note,
					v ? v->right[i] : -1);
	}
	return rc;
}

static void take_use(struct walk *w, struct sample *x)
{
	x->use.asks = x->choice->asks;
	for (uint32_t i = 0; i < x->choice->nasked; i++)
		use_table_take(w->use, &x->choice->asked[i].key, x->r, &x->use);
}

static int one_run(struct walk *w, uint32_t q, uint32_t r, const struct verdict *v,
		   struct arena *a, struct err *e)
{
	const struct sweep *s = w->sweep;
	struct sample x = { .sweep = s,
			    .run = &s->run[r],
			    .r = r,
			    .q = q,
			    .question = &s->q[q],
			    .gold = w->gold ? &w->gold->item[q] : NULL,
			    .verdict = v,
			    .probability = -1 };
	struct choice c;
	int found, rc;

	rc = fold_choice(w->fold, x.run->name, x.question->position, a, &c, &found, e);
	if (rc)
		return rc;
	if (found) {
		x.choice = &c;
		take_use(w, &x);
		x.probability = sample_probability(&x, a);
	}
	if (tally_add(w->ret->tally, &x) != 0)
		return err_set(e, ERR_NOMEM, "statistics");
	predictions_add(&w->predictions, &x);
	buf_clear(&w->line);
	write_sample(&w->line, &x);
	if (w->line.bad)
		return err_set(e, ERR_NOMEM, "samples.jsonl");
	outfile_add(&w->samples, buf_view(&w->line));
	return 0;
}

static int one_question(struct walk *w, uint32_t q, struct err *e)
{
	struct arena a = { 0 };
	struct verdict v;
	int found = 0, rc = 0;

	if (w->gold)
		rc = fold_verdict(w->fold, w->sweep->q[q].position, &a, &v, &found, e);
	if (rc == 0) {
		tally_question(w->ret->tally, q, found ? &v : NULL);
		rc = candidates(w, &w->sweep->q[q], found ? &v : NULL, &a, e);
	}
	for (uint32_t r = 0; rc == 0 && r < w->sweep->nrun; r++)
		rc = one_run(w, q, r, found ? &v : NULL, &a, e);
	arena_free(&a);
	return rc;
}

static int ask_all(struct walk *w, uint32_t q, uint32_t r, struct err *e)
{
	struct arena a = { 0 };
	struct choice c;
	int found, rc;

	rc = fold_choice(w->fold, w->sweep->run[r].name, w->sweep->q[q].position, &a,
			 &c, &found, e);
	for (uint32_t i = 0; rc == 0 && found && i < c.nasked; i++)
		if (use_table_ask(w->use, &c.asked[i], r, q) != 0)
			rc = err_set(e, ERR_NOMEM, "table of tasks");
	arena_free(&a);
	return rc;
}

struct payer {
	struct use_table *use;
	const struct prices *price;
};

static int pay(void *arg, const struct fold_call *c, struct err *e)
{
	struct payer *p = arg;

	(void)e;
	if (c->useful)
		use_table_pay(p->use, &c->task, &c->call->usage, p->price);
	return 0;
}

/* Who asks what, and what it cost: known before the first sample is written. */
static int find_use(struct walk *w, const struct prices *price, struct err *e)
{
	struct payer p = { NULL, price };
	int rc = 0;

	if (use_table_new(w->sweep->nrun, &w->use) != 0)
		return err_set(e, ERR_NOMEM, "table of tasks");
	for (uint32_t q = 0; rc == 0 && q < w->sweep->nq; q++)
		for (uint32_t r = 0; rc == 0 && r < w->sweep->nrun; r++)
			rc = ask_all(w, q, r, e);
	p.use = w->use;
	return rc ? rc : fold_calls(w->fold, pay, &p, e);
}

static int walk_questions(struct walk *w, struct err *e)
{
	const char *dir = w->sweep->output_dir;
	int rc;

	if (predictions_begin(&w->predictions, w->sweep) != 0)
		return err_set(e, ERR_NOMEM, "predictions");
	rc = outfile_open(&w->samples, dir, "samples.jsonl", e);
	if (rc)
		return rc;
	for (uint32_t q = 0; rc == 0 && q < w->sweep->nq; q++)
		rc = one_question(w, q, e);
	if (rc == 0 && tally_finish(w->ret->tally) != 0)
		rc = err_set(e, ERR_NOMEM, "statistics");
	if (rc) {
		outfile_drop(&w->samples);
		return rc;
	}
	rc = outfile_close(&w->samples, e);
	return rc ? rc : predictions_end(&w->predictions, dir, e);
}

static int put_results(struct walk *w, struct err *e)
{
	struct results *r = w->ret;

	write_results(&r->json, r->tally);
	if (r->json.bad)
		return err_set(e, ERR_NOMEM, "results.json");
	return outfile_put(w->sweep->output_dir, "results.json", buf_view(&r->json), e);
}

static void walk_fini(struct walk *w)
{
	fold_close(&w->fold);
	use_table_free(&w->use);
	predictions_free(&w->predictions);
	buf_free(&w->line);
	results_free(&w->ret);
}

static int begin(struct walk *w, const char *journal, int64_t sweep_id, struct err *e)
{
	w->ret = mem_alloc(1, sizeof *w->ret);
	if (!w->ret || tally_new(w->sweep, w->gold, &w->ret->tally) != 0)
		return err_set(e, ERR_NOMEM, "results of %u questions", w->sweep->nq);
	return fold_open(journal, sweep_id, &w->fold, e);
}

/* What the command exits with if nothing else went wrong: 2 where more questions are
 * unsound than --fail-on-error allows (a number, or a share below 1). */
static int exit_code(const struct results *r, const struct run_facts *f)
{
	double most = r->tally->sweep->fail_on_error;
	uint64_t all, unsound = results_unsound(r, &all);

	if (f->code)
		return f->code;
	return (double)unsound > (most < 1 ? most * (double)all : most) ? 2 : 0;
}

int results_write(const struct sweep *s, const struct gold *g, const char *journal,
		  int64_t sweep_id, const struct run_facts *f, struct results **ret,
		  struct err *e)
{
	struct walk w = { .sweep = s, .gold = g };
	struct run_facts facts = *f;
	uint64_t timeouts;
	int rc = begin(&w, journal, sweep_id, e);

	if (rc == 0)
		rc = find_use(&w, &f->price, e);
	if (rc == 0)
		rc = walk_questions(&w, e);
	if (rc == 0)
		rc = put_results(&w, e);
	if (rc == 0)
		rc = write_calls(s, w.fold, w.use, &f->price, s->output_dir, e);
	if (rc == 0) {
		facts.code = exit_code(w.ret, f);
		rc = write_run(s, w.fold, &facts, s->output_dir, &timeouts, e);
	}
	if (rc == 0)
		rc = report_dirs((const char *const[]){ s->output_dir }, 1, NULL,
				 stderr, e);
	if (rc == 0 && ret) {
		*ret = w.ret;
		w.ret = NULL;
	}
	walk_fini(&w);
	return rc;
}

void results_free(struct results **r)
{
	if (!*r)
		return;
	tally_free(&(*r)->tally);
	buf_free(&(*r)->json);
	mem_free((*r)->score);
	mem_free(*r);
	*r = NULL;
}

struct view results_json(const struct results *r)
{
	return buf_view(&r->json);
}

uint64_t results_unsound(const struct results *r, uint64_t *ret_all)
{
	const struct tally *t = r->tally;
	uint64_t n = 0;

	for (uint32_t i = 0; i < t->sweep->nrun; i++)
		n += t->run[i].degraded + t->run[i].failed + t->run[i].pending;
	if (ret_all)
		*ret_all = (uint64_t)t->sweep->nrun * t->sweep->nq;
	return n;
}
