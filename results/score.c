/* score.c - verb score: verdicts of prediction files, as scores.jsonl and results.json
 *
 * A score is a sweep without runs: candidate i of every question is what file i says.
 * So it is the same exec and match tasks, through the same fleet.
 */
#include "results/results.h"

#include "common/base/mem.h"
#include "proto/exec_out.h"
#include "proto/task.h"
#include "results/handle.h"
#include "results/outfile.h"
#include "results/write.h"

struct scoring {
	const struct sweep *sweep;
	const struct gold *gold;
	struct fold *fold;
	struct results *ret;
	struct outfile *out; /* NULL: no files */
	struct buf line;
};

static int rs_of(const struct question *q, const struct gold_item *g, uint32_t i,
		 int right)
{
	if (right)
		return 1;
	return q->cand[i].abstains && !g->abstains ? 0 : -1;
}

/* Why it is wrong, in one word. */
static void reason(struct buf *b, const struct verdict *v, uint32_t i)
{
	const char *gold = status_name(v->gold);

	if (!status_ok(v->gold))
		buf_addf(b, "gold_%s%s%.*s", gold, v->gold_note.n ? ": " : "",
			 (int)v->gold_note.n, v->gold_note.p);
	else if (v->note[i].n)
		buf_add(b, v->note[i].p, v->note[i].n);
	else if (!v->right[i] && status_ok((enum status)v->status[i]))
		buf_add_str(b, "wrong_rows");
}

static void line_json(struct scoring *s, uint32_t q, uint32_t i,
		      const struct verdict *v)
{
	const struct question *x = &s->sweep->q[q];
	struct jsonw w = jsonw_of(&s->line, 0);
	struct buf note = { 0 };

	reason(&note, v, i);
	jw_object(&w);
	jw_key(&w, "question_id");
	jw_raw(&w, x->id);
	jw_kstr(&w, "source", s->ret->score[i].source);
	jw_kstr(&w, "file", s->ret->score[i].file);
	jw_ku64(&w, "ex", v->right[i]);
	if (v->soft_f1)
		jw_knum(&w, "soft_f1", v->soft_f1[i]);
	else
		jw_knull(&w, "soft_f1");
	jw_key(&w, "rs");
	if (rule_abstains(s->sweep->rule))
		jw_i64(&w, rs_of(x, &s->gold->item[q], i, v->right[i]));
	else
		jw_null(&w);
	jw_kstr(&w, "status", status_name((enum status)v->status[i]));
	jw_kview(&w, "note", buf_view(&note));
	jw_ku64(&w, "strict", v->strict[i]);
	if (v->corrected)
		jw_ku64(&w, "corrected", v->corrected[i]);
	jw_end(&w);
	buf_add_char(&s->line, '\n');
	buf_fail(&s->line, note.bad);
	buf_free(&note);
}

static void count_soft_f1(const struct tally *t, struct score_tally *f, uint32_t level,
			  double x)
{
	f->soft_f1 += x;
	if (level < t->nlevel)
		f->level_f1[level] += x;
}

static void count(struct scoring *s, uint32_t q, uint32_t i, const struct verdict *v)
{
	const struct tally *t = s->ret->tally;
	const struct question *x = &s->sweep->q[q];
	struct score_tally *f = &s->ret->score[i];
	uint32_t level = t->level_of[q];

	f->correct += v->right[i];
	f->strict += v->strict[i];
	count_soft_f1(t, f, level, v->soft_f1 ? v->soft_f1[i] : 0);
	f->gold_failed += !status_ok(v->gold);
	correction_add(&f->correction, v, i);
	f->same += (uint32_t)view_eq(view_trim(x->cand[i].sql, " \t\r\n;"),
				     view_trim(s->gold->item[q].sql, " \t\r\n;"));
	f->db[x->db].n++;
	f->db[x->db].right += v->right[i];
	if (level < t->nlevel) {
		f->level[level].n++;
		f->level[level].right += v->right[i];
	}
	f->right[q] = v->right[i];
	if (!rule_abstains(s->sweep->rule))
		return;
	replies_add(&f->replies, !x->cand[i].abstains, !s->gold->item[q].abstains,
		    v->right[i]);
	switch (rs_of(x, &s->gold->item[q], i, v->right[i])) {
	case 1: f->rs.good++; break;
	case 0: f->rs.abstained++; break;
	default: f->rs.bad++;
	}
}

static int one_question(struct scoring *s, uint32_t q, struct err *e)
{
	const struct question *x = &s->sweep->q[q];
	struct arena a = { 0 };
	struct verdict v;
	int found, rc;

	rc = fold_verdict(s->fold, x->position, &a, &v, &found, e);
	if (rc == 0 && (!found || v.n != s->ret->nscore))
		rc = err_set(e, ERR_STORE,
			     "question %.*s has no verdict: run the command again",
			     (int)x->id.n, x->id.p);
	if (rc == 0)
		tally_question(s->ret->tally, q, &v);
	buf_clear(&s->line);
	for (uint32_t i = 0; rc == 0 && i < v.n; i++) {
		tally_candidate(s->ret->tally, x, i, (enum status)v.status[i],
				v.note[i], v.right[i]);
		count(s, q, i, &v);
		line_json(s, q, i, &v);
	}
	if (rc == 0 && s->line.bad)
		rc = err_set(e, ERR_NOMEM, "scores.jsonl");
	if (rc == 0 && s->out)
		outfile_add(s->out, buf_view(&s->line));
	arena_free(&a);
	return rc;
}

static int intervals(const struct tally *t, struct score_tally *f)
{
	uint32_t nq = t->sweep->nq;
	double *x = mem_alloc(nq + 1, sizeof *x);
	double *sum = mem_alloc(t->sweep->ndb + 1, sizeof *sum);
	uint32_t *db = mem_alloc(nq + 1, sizeof *db);
	int rc = x && sum && db ? 0 : ERR_NOMEM;

	for (uint32_t q = 0; rc == 0 && q < nq; q++) {
		x[q] = f->right[q];
		db[q] = t->sweep->q[q].db;
	}
	if (rc == 0 && nq) {
		f->ex = stats_mean(x, nq);
		f->ex_by_db = stats_clustered(x, db, nq, t->sweep->ndb, sum);
	}
	mem_free(x);
	mem_free(sum);
	mem_free(db);
	return rc;
}

static void file_json(struct jsonw *w, const struct tally *t,
		      const struct score_tally *f)
{
	uint32_t nq = t->sweep->nq;

	jw_object(w);
	jw_kstr(w, "source", f->source);
	jw_kstr(w, "file", f->file);
	jw_ku64(w, "questions", nq);
	jw_ku64(w, "gold_failed", f->gold_failed);
	write_ratio(w, "ex", f->correct, nq);
	jw_ku64(w, "correct", f->correct);
	write_ratio(w, "ex_valid", f->correct, (double)nq - f->gold_failed);
	write_interval(w, "ex_ci95", &f->ex);
	write_interval(w, "ex_ci95_by_db", &f->ex_by_db);
	jw_kobject(w, "scores");
	write_ratio(w, "strict", f->strict, nq);
	if (t->sweep->rule == RULE_bird)
		write_ratio(w, "soft_f1", f->soft_f1, nq);
	write_correction(w, &f->correction);
	if (rule_abstains(t->sweep->rule)) {
		jw_knum(w, "accuracy0", reliability_score(&f->rs, 0));
		jw_knum(w, "accuracy5", reliability_score(&f->rs, 5));
		jw_knum(w, "accuracy10", reliability_score(&f->rs, 10));
		jw_knum(w, "accuracyN", reliability_score(&f->rs, nq));
		write_rs_curve(w, &f->rs, nq);
	}
	if (t->sweep->rule == RULE_ehrsql_v1)
		write_replies(w, &f->replies);
	jw_end(w);
	write_shares(w, "by_difficulty", t, f->level);
	write_dbs(w, t, f->db);
	jw_end(w);
}

static int put_json(struct results *r, const char *dir, struct err *e)
{
	struct jsonw w = jsonw_of(&r->json, 1);

	jw_object(&w);
	jw_kstr(&w, "format", "mapfleet-results-1");
	jw_kstr(&w, "name", r->tally->sweep->name);
	write_benchmark(&w, r->tally);
	jw_karray(&w, "runs");
	jw_end(&w);
	jw_karray(&w, "files");
	for (uint32_t i = 0; i < r->nscore; i++)
		file_json(&w, r->tally, &r->score[i]);
	jw_end(&w);
	write_statuses(&w, r->tally);
	jw_end(&w);
	if (r->json.bad)
		return err_set(e, ERR_NOMEM, "results.json");
	return dir ? outfile_put(dir, "results.json", buf_view(&r->json), e) : 0;
}

static int begin(struct scoring *s, const struct score_file *file, uint32_t n)
{
	struct results *r = s->ret = mem_alloc(1, sizeof *s->ret);
	struct arena *a;

	if (!r || tally_new(s->sweep, s->gold, &r->tally) != 0)
		return ERR_NOMEM;
	a = &r->tally->arena;
	r->score = mem_alloc(n + 1, sizeof *r->score);
	for (; r->score && r->nscore < n; r->nscore++) {
		struct score_tally *f = &r->score[r->nscore];

		f->source = arena_str(a, file[r->nscore].source ? file[r->nscore].source
								: "");
		f->file = arena_str(a, file[r->nscore].file);
		f->level = arena_alloc(a, r->tally->nlevel + 1, sizeof *f->level);
		f->level_f1 = arena_alloc(a, r->tally->nlevel + 1, sizeof *f->level_f1);
		f->db = arena_alloc(a, s->sweep->ndb + 1, sizeof *f->db);
		f->right = arena_alloc(a, s->sweep->nq + 1, 1);
		if (!f->source || !f->file || !f->level || !f->level_f1 || !f->db ||
		    !f->right)
			return ERR_NOMEM;
	}
	return r->score ? 0 : ERR_NOMEM;
}

static int walk(struct scoring *s, struct err *e)
{
	struct outfile out;
	int rc = 0;

	if (s->sweep->output_dir) {
		rc = outfile_open(&out, s->sweep->output_dir, "scores.jsonl", e);
		s->out = rc ? NULL : &out;
	}
	for (uint32_t q = 0; rc == 0 && q < s->sweep->nq; q++)
		rc = one_question(s, q, e);
	if (rc == 0 && tally_finish(s->ret->tally) != 0)
		rc = err_set(e, ERR_NOMEM, "statistics");
	for (uint32_t i = 0; rc == 0 && i < s->ret->nscore; i++)
		if (intervals(s->ret->tally, &s->ret->score[i]) != 0)
			rc = err_set(e, ERR_NOMEM, "statistics");
	if (s->out && rc)
		outfile_drop(s->out);
	else if (s->out)
		rc = outfile_close(s->out, e);
	s->out = NULL;
	return rc;
}

int score_write(const struct sweep *s, const struct gold *g,
		const struct score_file *file, uint32_t nfile, const char *journal,
		int64_t sweep_id, const struct run_facts *f, struct results **ret,
		struct err *e)
{
	struct scoring w = { .sweep = s, .gold = g };
	uint64_t timeouts;
	int rc = begin(&w, file, nfile);

	if (rc)
		err_set(e, rc, "scores of %u files", nfile);
	else
		rc = fold_open(journal, sweep_id, &w.fold, e);
	if (rc == 0)
		rc = walk(&w, e);
	if (rc == 0)
		rc = put_json(w.ret, s->output_dir, e);
	if (rc == 0 && s->output_dir && f)
		rc = write_run(s, w.fold, f, s->output_dir, &timeouts, e);
	if (rc == 0 && ret) {
		*ret = w.ret;
		w.ret = NULL;
	}
	fold_close(&w.fold);
	buf_free(&w.line);
	results_free(&w.ret);
	return rc;
}
