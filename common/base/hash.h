/* hash.h - names for content
 *
 * struct hash is BLAKE2b-256: the key of a task, the name of a blob. Parts are
 * length-prefixed (u64 LE) when hashed with hash_add(), so that ("ab","c") and
 * ("a","bc") differ. hash_of() is over the plain bytes.
 * struct sip is SipHash-2-4 with 128 bits of output and a fixed key: fast, for the
 * digests of cells and rows. It names no one's content outside one equality rule.
 *
 * Threads: no shared state.
 * Source:  libsodium's crypto_generichash and crypto_shorthash_siphashx24.
 */
#ifndef HASH_H
#define HASH_H

#include "common/base/view.h"

#include <sodium/crypto_generichash.h>
#include <stdint.h>

enum { HASH_BYTES = 32, HASH_HEX = 64 };

struct hash {
	uint8_t b[HASH_BYTES];
};

struct hasher {
	crypto_generichash_state state;
};

void hash_begin(struct hasher *h);
void hash_add(struct hasher *h, const void *p, size_t n); /* length-prefixed */
void hash_add_u64(struct hasher *h, uint64_t v);          /* 8 bytes LE, prefixed too */
void hash_raw(struct hasher *h, const void *p, size_t n); /* no prefix */
struct hash hash_end(struct hasher *h);

struct hash hash_of(const void *p, size_t n);
void hash_hex(const struct hash *h, char ret[HASH_HEX + 1]);

static inline int hash_cmp(const struct hash *a, const struct hash *b)
{
	return memcmp(a->b, b->b, HASH_BYTES);
}

static inline int hash_eq(const struct hash *a, const struct hash *b)
{
	return hash_cmp(a, b) == 0;
}

struct sip {
	uint64_t lo, hi;
};

struct sip sip_of(const void *p, size_t n);
uint64_t sip64_of(const void *p, size_t n); /* 64 bits, another key */

#endif
