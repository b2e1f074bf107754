/* ves.c - R-VES of prediction files: timing.json, and the table that BIRD's script
 * prints
 *
 * Times are of a machine and a moment: nothing here goes into results.json.
 */
#include "results/results.h"

#include "common/base/mem.h"
#include "common/select/rves.h"
#include "results/handle.h"
#include "results/jsonw.h"
#include "results/outfile.h"

/* Sums of a file: by level, and all. */
struct sums {
	double *level;
	double all;
	uint32_t timed;
};

int score_right(const struct results *r, uint32_t file, uint32_t question)
{
	return r->score[file].right[question];
}

static double ratio_of(const struct ves *v, const struct sweep *s, uint32_t file,
		       uint32_t q)
{
	return v->ratio[(size_t)file * s->nq + q];
}

static int sum_file(const struct sweep *s, const struct tally *t, const struct ves *v,
		    uint32_t file, struct sums *ret)
{
	*ret = (struct sums){ .level = mem_alloc(t->nlevel + 1, sizeof(double)) };
	if (!ret->level)
		return ERR_NOMEM;
	for (uint32_t q = 0; q < s->nq; q++) {
		double x = rves_points(ratio_of(v, s, file, q));

		ret->all += x;
		ret->timed += ratio_of(v, s, file, q) >= 0;
		if (t->level_of[q] < t->nlevel)
			ret->level[t->level_of[q]] += x;
	}
	return 0;
}

static void print(FILE *to, const struct tally *t, const struct sums *x)
{
	static const char *const level[] = { "simple", "moderate", "challenging",
					     "total" };
	uint32_t at[3];

	official_head(to, level, 4);
	fprintf(to, "%-20s", "count");
	for (int i = 0; i < 3; i++) {
		at[i] = 0;
		while (at[i] < t->nlevel &&
		       !view_eq(t->level[at[i]].name, view_of(level[i])))
			at[i]++;
		fprintf(to, " %-20u", at[i] < t->nlevel ? t->level[at[i]].n : 0);
	}
	fprintf(to, " %-20u\n", t->sweep->nq);
	fputs("======================================    R-VES    "
	      "=====================================\n",
	      to);
	fprintf(to, "%-20s", "R-VES");
	for (int i = 0; i < 3; i++)
		if (at[i] < t->nlevel && t->level[at[i]].n)
			fprintf(to, " %-20.2f", x->level[at[i]] / t->level[at[i]].n);
		else
			fprintf(to, " %-20s", "-");
	fprintf(to, " %-20.2f\n", t->sweep->nq ? x->all / t->sweep->nq : 0);
}

static void items_json(struct jsonw *w, const struct sweep *s, const struct ves *v,
		       uint32_t file)
{
	jw_karray(w, "questions");
	for (uint32_t q = 0; q < s->nq; q++) {
		double ratio = ratio_of(v, s, file, q);

		if (ratio < 0)
			continue;
		jw_flat(w);
		jw_object(w);
		jw_key(w, "question_id");
		jw_raw(w, s->q[q].id);
		jw_knum9(w, "ratio", ratio);
		jw_knum(w, "reward", rves_reward(ratio));
		jw_end(w);
	}
	jw_end(w);
}

static void file_json(struct jsonw *w, const struct sweep *s, const struct results *r,
		      const struct ves *v, uint32_t file, const struct sums *x)
{
	jw_object(w);
	jw_kstr(w, "source", r->score[file].source);
	jw_kstr(w, "file", r->score[file].file);
	jw_ku64(w, "timed", x->timed);
	jw_knum9(w, "r_ves", s->nq ? x->all / s->nq : 0);
	items_json(w, s, v, file);
	jw_end(w);
}

static void head_json(struct jsonw *w, const struct ves *v)
{
	jw_kstr(w, "format", "mapfleet-timing-1");
	jw_ku64(w, "repeats", v->repeats);
	jw_key(w, "cpu");
	if (v->cpu >= 0)
		jw_i64(w, v->cpu);
	else
		jw_null(w);
	jw_knum9(w, "load_before", v->load);
	jw_kbool(w, "quiet", v->load <= .5);
	jw_karray(w, "files");
}

int score_ves(FILE *to, const struct sweep *s, const struct results *r,
	      const struct ves *v, struct err *e)
{
	struct buf json = { 0 };
	struct jsonw w = jsonw_of(&json, 1);
	int rc = 0;

	jw_object(&w);
	head_json(&w, v);
	for (uint32_t i = 0; i < r->nscore && !rc; i++) {
		struct sums x;

		rc = sum_file(s, r->tally, v, i, &x);
		if (rc)
			break;
		if (to)
			print(to, r->tally, &x);
		file_json(&w, s, r, v, i, &x);
		mem_free(x.level);
	}
	if (rc || json.bad)
		rc = err_set(e, ERR_NOMEM, "timing.json");
	if (!rc) {
		jw_end(&w);
		jw_end(&w);
		rc = json.bad ? err_set(e, ERR_NOMEM, "timing.json") : 0;
	}
	if (!rc && s->output_dir)
		rc = outfile_put(s->output_dir, "timing.json", buf_view(&json), e);
	buf_free(&json);
	return rc;
}
