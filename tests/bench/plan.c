/* plan.c - how long one plan of each method takes, all candidates being different */
#include "tests/support/cm.h"

#include "broker/method/method.h"
#include "common/base/clock.h"
#include "tests/support/poolworld.h"

#include <stdio.h>
#include <stdlib.h>

static uint64_t same(const struct poolworld *w, int a, int b)
{
	(void)w;
	return (uint64_t)(a * b % 1000);
}

static void measure(const char *method, enum judge_kind judge, uint32_t n)
{
	uint64_t best = UINT64_MAX;
	int class_of[POOLWORLD_MOST];
	struct choice c = { 0 };

	for (uint32_t i = 0; i < n; i++)
		class_of[i] = (int)i;
	for (int k = 0; k < 20; k++) {
		struct poolworld w;
		uint64_t start;

		poolworld_make(&w, class_of, n, method);
		w.run.judge = judge;
		w.run.passes_min = w.run.passes_max = 4;
		w.run.window = 8;
		w.run.step = 4;
		w.same = same;
		for (uint32_t i = 0; i < n; i++)
			w.good[i] = i * 13 % 7;
		start = clock_ns();
		poolworld_plan(&w, &c);
		if (clock_ns() - start < best)
			best = clock_ns() - start;
		poolworld_free(&w);
	}
	printf("%-12s %-10s %6.0f us %6llu asks\n", method, judge_words[judge],
	       (double)best / 1e3, (unsigned long long)c.asks);
}

int main(int argc, char **argv)
{
	uint32_t n = argc > 1 ? (uint32_t)atoi(argv[1]) : 32;

	if (n < 1 || n > POOLWORLD_MOST)
		n = 32;
	for (size_t i = 0; method_at(i); i++)
		for (int judge = 0; judge < 2; judge++)
			measure(method_at(i)->name,
				judge ? JUDGE_simulated : JUDGE_evidence, n);
	return 0;
}
