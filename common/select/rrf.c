/* rrf.c - see rrf.h */
#include "common/select/rrf.h"

#include "common/base/round.h"

#include <stddef.h>

void rrf_scores(const double *rank, uint32_t rankings, uint32_t n, double *ret)
{
	for (uint32_t i = 0; i < n; i++) {
		double sum = 0;

		for (uint32_t k = 0; k < rankings; k++)
			sum += 1 / (RRF_K + rank[(size_t)k * n + i] - 1);
		ret[i] = rankings ? round20(sum / rankings * 0x1p20) * 0x1p-20 : 0;
	}
}
