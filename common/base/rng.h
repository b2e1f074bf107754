/* rng.h - chance that anyone can repeat
 *
 * A counter-based generator: number i of a stream is a keyed hash of i, and the key is
 * made of what the stream is for (seed, question, pass, purpose). So a shuffle does not
 * depend on who made which other shuffle before it, nor on thread or machine.
 *
 * Threads: a struct rng belongs to one caller; there is no shared state.
 * Source:  Salmon et al., "Parallel random numbers: as easy as 1, 2, 3" (SC 2011), with
 *          SipHash-2-4 as the bijection's stand-in.
 */
#ifndef RNG_H
#define RNG_H

#include "common/base/view.h"

#include <stdint.h>

struct rng {
	uint8_t key[16];
	uint64_t at; /* the next counter */
};

/* `what` names the purpose ("pass", "noise", ...), `id` the question (as JSON text). */
void rng_init(struct rng *r, const char *what, uint64_t seed, struct view id,
	      uint64_t pass);

uint64_t rng_u64(struct rng *r);
uint64_t rng_below(struct rng *r, uint64_t n); /* 0 .. n-1 without bias; n > 0 */
double rng_unit(struct rng *r);                /* in (0, 1), 53 bits */
double rng_normal(struct rng *r);              /* mean 0, sd 1; uses two numbers */
void rng_shuffle(struct rng *r, uint32_t *v, size_t n); /* Fisher-Yates, from the end */

#endif
