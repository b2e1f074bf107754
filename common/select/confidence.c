/* confidence.c - see confidence.h */
#include "common/select/confidence.h"

#include "common/base/round.h"
#include "common/select/student.h"

#include <math.h>
#include <stddef.h>

struct columns {
	const double *a, *b; /* d_k = b[k*step] - a[k*step] */
	uint32_t passes, step;
};

static double difference(const struct columns *c, uint32_t k)
{
	uint64_t at = (uint64_t)k * c->step;

	return c->a ? c->b[at] - c->a[at] : c->b[at];
}

static int t_score(const struct columns *c, double *ret)
{
	uint32_t n = c->passes;
	double sum = 0, squares = 0, mean;

	if (n < 2)
		return 0;
	for (uint32_t k = 0; k < n; k++)
		sum += difference(c, k);
	mean = sum / n;
	for (uint32_t k = 0; k < n; k++) {
		double off = difference(c, k) - mean;

		squares += off * off;
	}
	if (squares == 0)
		*ret = mean > 0 ? 1 : mean < 0 ? 0 : 0.5;
	else
		*ret = round20(student_cdf(mean / sqrt(squares / (n - 1) / n), n - 1));
	return 1;
}

int confidence_of_differences(const double *d, uint32_t passes, double *ret)
{
	return t_score(&(struct columns){ NULL, d, passes, 1 }, ret);
}

int confidence_of_ranks(const double *rank, uint32_t passes, uint32_t n, uint32_t a,
			uint32_t b, double *ret)
{
	return t_score(&(struct columns){ rank + a, rank + b, passes, n }, ret);
}
