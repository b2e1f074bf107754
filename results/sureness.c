/* sureness.c - see sureness.h */
#include "results/sureness.h"

void sureness_add(struct sureness *s, const struct sample *x)
{
	int right = sample_right(x);
	double p;

	s->probability = sample_run_tells(x->sweep, x->run);
	p = s->probability ? x->probability : x->choice ? x->choice->confidence : -1;
	if (right >= 0 && p >= 0)
		s->v[s->n++] = (struct sure){ .p = p, .right = (uint8_t)right };
}

/* How many choices make coverage (i + 1) / SURENESS_COVERAGES: at least one. */
static uint32_t covered(const struct sureness *s, int i)
{
	uint64_t k = (uint64_t)s->n * (uint64_t)(i + 1) / SURENESS_COVERAGES;

	return k ? (uint32_t)k : 1;
}

void sureness_finish(struct sureness *s)
{
	calibration_sort(s->v, s->n);
	s->ece = calibration_ece(s->v, s->n, SURENESS_BINS);
	s->aurc = calibration_aurc(s->v, s->n);
	for (int i = 0; s->n && i < SURENESS_COVERAGES; i++)
		s->risk[i] =
			calibration_wrong(s->v, s->n, covered(s, i)) / covered(s, i);
}

void sureness_json(struct jsonw *w, const struct sureness *s)
{
	jw_key(w, "calibration");
	if (!s->n) {
		jw_null(w);
		return;
	}
	jw_object(w);
	jw_kstr(w, "of", s->probability ? "probability" : "confidence");
	jw_ku64(w, "n", s->n);
	jw_knum9(w, "ece", s->ece);
	jw_knum9(w, "aurc", s->aurc);
	jw_karray(w, "risk_coverage");
	for (int i = 0; i < SURENESS_COVERAGES; i++) {
		jw_flat(w);
		jw_object(w);
		jw_knum(w, "coverage", (double)covered(s, i) / s->n);
		jw_knum9(w, "risk", s->risk[i]);
		jw_knum9(w, "least", s->v[covered(s, i) - 1].p);
		jw_end(w);
	}
	jw_end(w);
	jw_end(w);
}
