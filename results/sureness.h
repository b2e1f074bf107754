/* sureness.h - does a run know when it is right?
 *
 * From each question's P(right) where the run tells it, else from its confidence:
 * expected calibration error, area under the risk-coverage curve, and the curve at ten
 * coverages. Questions without a verdict, or without either number, are left out.
 */
#ifndef SURENESS_H
#define SURENESS_H

#include "common/select/calibration.h"
#include "results/jsonw.h"
#include "results/sample.h"

enum { SURENESS_BINS = 10, SURENESS_COVERAGES = 10 };

struct sureness {
	struct sure *v; /* [n], room for every question; sorted once finished */
	uint32_t n;
	int probability; /* 1: of P(right), 0: of confidence */
	double ece, aurc;
	double risk[SURENESS_COVERAGES]; /* at coverage 0.1, 0.2, ... 1 */
};

void sureness_add(struct sureness *s, const struct sample *x);
void sureness_finish(struct sureness *s);

/* "calibration": {...}, or null where nothing is known. */
void sureness_json(struct jsonw *w, const struct sureness *s);

#endif
