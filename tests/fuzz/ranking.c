/* ranking.c - any answer is read without harm, and ranks always sum to n(n+1)/2
 *
 * The first byte chooses the labels and n, the rest is the answer. */
#include "tests/fuzz/fuzz.h"

#include "common/select/ranking.h"

#include <math.h>
#include <stdlib.h>

static void check(struct view answer, enum ranking_labels kind, uint32_t n)
{
	struct ranking r;
	int ok = ranking_parse(answer, kind, n, &r);
	double sum = 0;

	for (uint32_t i = 0; i < n; i++) {
		if (!(r.rank[i] >= 1 && r.rank[i] <= n))
			abort();
		sum += r.rank[i];
	}
	if (fabs(sum - n * (n + 1) / 2.0) > 1e-6)
		abort();
	if (r.named + r.n_missing != n || ok != (r.named > 0))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct view answer = { (const char *)data + 1, n - 1 };

	if (!n)
		return 0;
	if (data[0] & 1)
		check(answer, RANKING_NUMBERS, data[0] % RANKING_MAX + 1u);
	else
		check(answer, RANKING_LETTERS, data[0] % RANKING_LETTERS_MAX + 1u);
	return 0;
}
