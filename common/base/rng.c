/* rng.c - see rng.h */
#include "common/base/rng.h"

#include "common/base/hash.h"

#include <assert.h>
#include <math.h>
#include <sodium/crypto_shorthash_siphash24.h>

void rng_init(struct rng *r, const char *what, uint64_t seed, struct view id,
	      uint64_t pass)
{
	struct hasher h;
	struct hash key;

	hash_begin(&h);
	hash_add(&h, what, strlen(what));
	hash_add_u64(&h, seed);
	hash_add(&h, id.p, id.n);
	hash_add_u64(&h, pass);
	key = hash_end(&h);
	memcpy(r->key, key.b, sizeof r->key);
	r->at = 0;
}

uint64_t rng_u64(struct rng *r)
{
	uint64_t i = r->at++, v;

	crypto_shorthash_siphash24((uint8_t *)&v, (const uint8_t *)&i, sizeof i,
				   r->key);
	return v;
}

uint64_t rng_below(struct rng *r, uint64_t n)
{
	uint64_t v, reject = -n % n; /* 2^64 mod n: below it the last lap is short */

	assert(n > 0);
	do
		v = rng_u64(r);
	while (v < reject);
	return v % n;
}

double rng_unit(struct rng *r)
{
	return ((double)(rng_u64(r) >> 11) + 0.5) * 0x1p-53;
}

/* Box-Muller, the cosine half: two uniforms, one normal, no state to keep. */
double rng_normal(struct rng *r)
{
	double u = rng_unit(r), v = rng_unit(r);

	return sqrt(-2 * log(u)) * cos(6.283185307179586476925 * v);
}

void rng_shuffle(struct rng *r, uint32_t *v, size_t n)
{
	while (n > 1) {
		size_t j = (size_t)rng_below(r, n--);
		uint32_t t = v[n];

		v[n] = v[j];
		v[j] = t;
	}
}
