/* vesrun.c - see vesrun.h */
#include "ops/vesrun.h"

#include "common/base/mem.h"
#include "common/select/rves.h"
#include "ops/notice.h"
#include "worker/vestime.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct timing {
	const struct sweep *sweep;
	const struct gold *gold;
	struct vestime *time;
	uint32_t repeats;
	uint64_t wall_ms;
	uint64_t *prediction, *right; /* [repeats] */
	double *share;                /* [repeats] */
	uint32_t untimed;
};

int ves_check(struct options *o, const struct job *j, struct err *e)
{
	if (!opt_on(o, FLAG_ves))
		return 0;
	if (j->sweep.rule != RULE_bird)
		return err_set(e, ERR_USAGE,
			       "--ves is BIRD's score, the rule is %s: leave it out",
			       rule_name(j->sweep.rule));
	return 0;
}

/* The average of the last minute, or what cannot be had: 0. */
static double load_now(void)
{
	double load = 0;

	return getloadavg(&load, 1) == 1 ? load : 0;
}

static double time_one(struct timing *t, uint32_t q, uint32_t file)
{
	const struct question *x = &t->sweep->q[q];
	struct err e = { 0 };
	int rc = vestime_pair(t->time, t->sweep->db[x->db].path, x->cand[file].run,
			      t->gold->item[q].run, t->repeats, t->wall_ms,
			      t->prediction, t->right, &e);

	if (rc) {
		t->untimed++;
		notice_warn("question %.*s could not be timed: %s", (int)x->id.n,
			    x->id.p, e.text);
		return 0;
	}
	for (uint32_t i = 0; i < t->repeats; i++)
		t->share[i] = (double)t->right[i] /
			      (double)(t->prediction[i] ? t->prediction[i] : 1);
	return rves_ratio(t->share, t->repeats);
}

static void time_all(struct timing *t, const struct results *r, uint32_t files,
		     double *ratio)
{
	for (uint32_t f = 0; f < files; f++)
		for (uint32_t q = 0; q < t->sweep->nq; q++)
			ratio[(size_t)f * t->sweep->nq + q] =
				score_right(r, f, q) ? time_one(t, q, f) : -1;
}

static int alloc(struct timing *t, const struct job *j, double **ret_ratio,
		 struct err *e)
{
	t->prediction = mem_alloc(t->repeats, sizeof *t->prediction);
	t->right = mem_alloc(t->repeats, sizeof *t->right);
	t->share = mem_alloc(t->repeats, sizeof *t->share);
	*ret_ratio = mem_alloc(j->nsource * j->sweep.nq + 1, sizeof **ret_ratio);
	return t->prediction && t->right && t->share && *ret_ratio
		       ? 0
		       : err_set(e, ERR_NOMEM, "timing");
}

int ves_run(struct options *o, const struct job *j, const struct gold *g,
	    const struct results *r, struct err *e)
{
	struct timing t = { .sweep = &j->sweep,
			    .gold = g,
			    .repeats = (uint32_t)opt_count(o, FLAG_ves_repeats) };
	struct ves v = { .repeats = t.repeats, .load = load_now() };
	double *ratio = NULL;
	int rc = alloc(&t, j, &ratio, e);

	t.wall_ms = j->sweep.sql_timeout_ms * t.repeats;
	if (v.load > .5)
		notice_warn("the machine is not quiet (load %.1f): times are noisy",
			    v.load);
	if (!rc)
		rc = vestime_open(j->sweep.env, &t.time, &v.cpu, e);
	if (!rc) {
		time_all(&t, r, (uint32_t)j->nsource, ratio);
		v.ratio = ratio;
		rc = score_ves(opt_on(o, FLAG_json) ? NULL : stdout, &j->sweep, r, &v,
			       e);
	}
	vestime_close(&t.time);
	mem_free(t.prediction);
	mem_free(t.right);
	mem_free(t.share);
	mem_free(ratio);
	return rc;
}
