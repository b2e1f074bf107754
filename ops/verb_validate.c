/* verb_validate.c - everything that can be checked without running */
#include "ops/bankmake.h"
#include "ops/checks.h"
#include "ops/goldcheck.h"
#include "ops/notice.h"
#include "ops/sweepmake.h"
#include "ops/verb.h"
#include "results/gold.h"

#include <sys/stat.h>
#include <unistd.h>

enum { SHOWN = 20 };

static void candidates(struct checks *c, const struct sweep *s)
{
	uint32_t bare = 0, all = 0, most = 0;

	for (uint32_t i = 0; i < s->nq; i++) {
		bare += s->q[i].n == 0;
		all += s->q[i].n;
		most = s->q[i].n > most ? s->q[i].n : most;
	}
	check_line(c, CHECK_OK, "questions", NULL, "%u on %u databases", s->nq, s->ndb);
	check_line(c, bare ? CHECK_NOTE : CHECK_OK, "pool",
		   "a question without candidates gets a degraded choice",
		   "%u candidates, at most %u a question, %u questions without", all,
		   most, bare);
	for (uint32_t r = 0; r < s->nrun; r++)
		if (s->run[r].candidates > most)
			check_line(c, CHECK_NOTE, "candidates",
				   "say a smaller --candidates",
				   "%s draws %u, no question has more than %u",
				   s->run[r].name, s->run[r].candidates, most);
}

static void schemas(struct checks *c, const struct sweep *s)
{
	for (uint32_t i = 0; i < s->ndb; i++)
		if (s->db[i].schema.n == 0)
			check_line(c, CHECK_NOTE, "databases", "is it the right file?",
				   "%s holds no table", s->db[i].path);
	check_line(c, CHECK_OK, "databases", NULL, "%u found, all sound", s->ndb);
}

static void list(struct checks *c, const char *what, const char *mend,
		 const struct gold_finding *f, uint32_t n)
{
	for (uint32_t i = 0; i < n && i < SHOWN; i++)
		check_line(c, CHECK_NOTE, what, NULL, "question %.*s%s%s",
			   (int)f[i].q->id.n, f[i].q->id.p, f[i].text[0] ? ": " : "",
			   f[i].text);
	if (n)
		check_line(c, CHECK_NOTE, what, mend, "%u in all", n);
}

static int gold(struct checks *c, const struct job *j, struct err *e)
{
	struct arena a = { 0 };
	struct gold *g = NULL;
	struct gold_report r;
	int rc;

	if (!j->gold.n) {
		check_line(c, CHECK_NOTE, "gold", "say --gold to have verdicts",
			   "none");
		return 0;
	}
	rc = job_gold(j, &g, e);
	if (!rc)
		rc = gold_check(&a, &j->sweep, g, &r, e);
	if (!rc) {
		list(c, "gold",
		     "they count as wrong in ex and are left out of ex_valid", r.broken,
		     r.nbroken);
		list(c, "ties",
		     "scored as executed: LIMIT cuts a tie, so equally right answers "
		     "lose",
		     r.tied, r.ntied);
		check_line(c, CHECK_OK, "gold", NULL,
			   "ceiling at most %.4f: %u of %u compile on their database",
			   r.n ? (double)(r.n - r.nbroken) / r.n : 0, r.n - r.nbroken,
			   r.n);
		check_line(c, CHECK_OK, "ties", NULL,
			   "%u LIMITs cut a tie, %u were not looked at", r.ntied,
			   r.unlooked);
	}
	gold_free(&g);
	arena_free(&a);
	return rc;
}

static void output(struct options *o, struct checks *c)
{
	const char *dir = opt_text(o, FLAG_output_dir);
	struct stat st;

	if (!dir)
		return;
	if (stat(dir, &st))
		check_line(c, CHECK_OK, "output", NULL, "%s will be made", dir);
	else if (!S_ISDIR(st.st_mode) || access(dir, W_OK | X_OK))
		check_line(c, CHECK_FAIL, "output", "say another --output-dir",
			   "%s: is no folder that can be written to", dir);
	else
		check_line(c, CHECK_OK, "output", NULL, "%s is there", dir);
}

static int inputs(struct options *o, struct checks *c, struct job *j, struct err *e)
{
	const char *mend = "as the line says";
	int rc = job_read(o, 0, j, e);

	if (!rc) {
		rc = bank_named(o, j, e);
		if (!rc)
			rc = job_finish(o, j, e);
		if (rc)
			job_free(j);
	}
	if (rc)
		check_line(c, CHECK_FAIL, rc == ERR_USAGE ? "settings" : "inputs", mend,
			   "%s", e ? e->text : "");
	return rc;
}

static int run(struct options *o, struct err *e)
{
	struct checks c;
	struct err inner = { 0 };
	struct job j;
	uint32_t failed;

	checks_begin(&c, opt_on(o, FLAG_json));
	if (inputs(o, &c, &j, &inner) == 0) {
		check_line(&c, CHECK_OK, "settings", NULL, "%u runs, rule %s",
			   j.sweep.nrun, rule_name(j.sweep.rule));
		candidates(&c, &j.sweep);
		schemas(&c, &j.sweep);
		if (gold(&c, &j, &inner))
			check_line(&c, CHECK_FAIL, "gold", "as the line says", "%s",
				   inner.text);
		if (j.sweep.bank.path)
			check_line(&c, CHECK_OK, "memory", NULL, "%s is a sound bank",
				   j.sweep.bank.path);
		if (j.sweep.model.name.n)
			check_line(&c, CHECK_OK, "templates", NULL,
				   "prompts are well formed");
		output(o, &c);
		job_free(&j);
	}
	failed = checks_end(&c);
	return failed ? err_set(e, ERR_INPUT, "%u of the checks failed", failed) : 0;
}

const struct verb verb_validate = {
	"validate",
	"[SWEEP.yaml] [flags of run]",
	"checks a sweep file and its inputs: everything that can be known without "
	"running\n"
	"With --gold: the ceiling that broken gold leaves, and LIMITs that cut a tie.",
	V_VALIDATE,
	0,
	1,
	1,
	run
};
