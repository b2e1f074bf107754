/* nearest.c - what exact retrieval costs over the matrix product under it
 *
 *     nearest [ROWS [ROUNDS]]       9428 rows of 1024 floats, 20 rounds
 *
 * For 1, 16 and 64 questions at once: nearest_find(k = 64) against a bare cblas_sgemv
 * or sgemm over the same matrix with the same threads, alternating; best of the rounds,
 * by the clock on the wall, and in CPU time of the process, which a busy machine moves
 * least; but BLAS threads that wait take CPU time, too, and not in every round. First
 * of all the answer is held against a plain search that scores every row in double:
 * exit 1 if it differs.
 */
#include "common/select/nearest.h"
#include "common/base/rng.h"
#include "common/base/round.h"
#include "common/select/embed.h"

#include <cblas.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { MOST = 64, K = 64 };

static float *embedded_rows(uint32_t n, const char *what)
{
	float *rows = aligned_alloc(64, (size_t)n * EMBED_DIM * sizeof *rows);
	struct rng r;

	rng_init(&r, what, 1, view_of("0"), 0);
	for (uint32_t i = 0; rows && i < n; i++) {
		char text[400];
		size_t at = 0;

		for (int w = 0; w < 12; w++)
			at += (size_t)snprintf(text + at, sizeof text - at, "word%llu ",
					       (unsigned long long)rng_below(&r, 3000));
		embed_text((struct view){ text, at }, rows + (size_t)i * EMBED_DIM);
	}
	return rows;
}

struct cost {
	double cpu, wall; /* ms */
};

static double ms(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static struct cost cost_since(struct cost start)
{
	return (struct cost){ ms(CLOCK_PROCESS_CPUTIME_ID) - start.cpu,
			      ms(CLOCK_MONOTONIC) - start.wall };
}

static struct cost bare(const float *rows, uint32_t n, const float *queries,
			uint32_t nq, float *scores)
{
	struct cost start = cost_since((struct cost){ 0, 0 });

	if (nq == 1)
		cblas_sgemv(CblasRowMajor, CblasNoTrans, (int)n, EMBED_DIM, 1, rows,
			    EMBED_DIM, queries, 1, 0, scores, 1);
	else
		cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)nq, (int)n,
			    EMBED_DIM, 1, queries, EMBED_DIM, rows, EMBED_DIM, 0,
			    scores, (int)n);
	return cost_since(start);
}

static struct cost ours(const struct vectors *v, const float *queries, uint32_t nq,
			struct near *near)
{
	struct cost start = cost_since((struct cost){ 0, 0 });

	nearest_find(v, queries, nq, K, near, NULL);
	return cost_since(start);
}

static void keep_least(struct cost *best, struct cost x)
{
	best->cpu = x.cpu < best->cpu ? x.cpu : best->cpu;
	best->wall = x.wall < best->wall ? x.wall : best->wall;
}

/* The slow way, and the only one that needs no argument. */
static void exact(const struct vectors *v, const float *query, struct near *ret)
{
	uint32_t n = 0;

	for (uint32_t row = 0; row < v->n; row++) {
		struct near x = { row, 0 };
		uint32_t at;

		for (uint32_t i = 0; i < v->dim; i++)
			x.score += (double)query[i] *
				   (double)v->rows[(size_t)row * v->dim + i];
		x.score = round20(x.score);
		for (at = n; at > 0 && ret[at - 1].score < x.score; at--)
			if (at < K)
				ret[at] = ret[at - 1];
		if (at < K)
			ret[at] = x;
		n += n < K;
	}
}

static int is_exact(const struct vectors *v, const float *queries, struct near *near)
{
	struct near want[K];
	uint32_t k = v->n < K ? v->n : K;

	nearest_find(v, queries, MOST, K, near, NULL);
	for (uint32_t q = 0; q < MOST; q++) {
		exact(v, queries + (size_t)q * v->dim, want);
		for (uint32_t i = 0; i < k; i++)
			if (near[(size_t)q * k + i].row != want[i].row ||
			    near[(size_t)q * k + i].score != want[i].score)
				return 0;
	}
	return 1;
}

int main(int argc, char **argv)
{
	static const uint32_t sizes[] = { 1, 16, 64 };
	uint32_t n = argc > 1 ? (uint32_t)atoi(argv[1]) : 9428;
	int rounds = argc > 2 ? atoi(argv[2]) : 20;
	float *rows = embedded_rows(n, "rows"),
	      *queries = embedded_rows(MOST, "queries");
	float *scores = malloc((size_t)n * MOST * sizeof *scores);
	struct near *near = malloc((size_t)MOST * K * sizeof *near);
	struct vectors v = { rows, n, EMBED_DIM };

	if (!rows || !queries || !scores || !near)
		return 1;
	if (!is_exact(&v, queries, near)) {
		puts("nearest: the answer is not that of the plain search");
		return 1;
	}
	printf("%u x %d, %u questions: equal to the plain search\n", n, EMBED_DIM,
	       MOST);
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		struct cost a = { 1e9, 1e9 }, b = a;

		for (int k = 0; k < rounds; k++) {
			keep_least(&a, bare(rows, n, queries, sizes[i], scores));
			keep_least(&b, ours(&v, queries, sizes[i], near));
		}
		printf("%2u at once: bare %.3f ms, nearest %.3f ms, nearest is %.2f of "
		       "bare (CPU %.3f, %.3f)\n",
		       sizes[i], a.wall, b.wall, b.wall / a.wall, a.cpu, b.cpu);
	}
	free(rows);
	free(queries);
	free(scores);
	free(near);
	return 0;
}
