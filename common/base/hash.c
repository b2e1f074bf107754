/* hash.c - see hash.h */
#include "common/base/hash.h"

#include <sodium/crypto_shorthash.h>
#include <sodium/crypto_shorthash_siphash24.h>

void hash_begin(struct hasher *h)
{
	crypto_generichash_init(&h->state, NULL, 0, HASH_BYTES);
}

void hash_raw(struct hasher *h, const void *p, size_t n)
{
	crypto_generichash_update(&h->state, p, n);
}

static void put_u64(uint8_t b[8], uint64_t v)
{
	for (int i = 0; i < 8; i++)
		b[i] = (uint8_t)(v >> (8 * i));
}

void hash_add(struct hasher *h, const void *p, size_t n)
{
	uint8_t len[8];

	put_u64(len, n);
	hash_raw(h, len, sizeof len);
	hash_raw(h, p, n);
}

void hash_add_u64(struct hasher *h, uint64_t v)
{
	uint8_t b[8];

	put_u64(b, v);
	hash_add(h, b, sizeof b);
}

struct hash hash_end(struct hasher *h)
{
	struct hash r;

	crypto_generichash_final(&h->state, r.b, HASH_BYTES);
	return r;
}

struct hash hash_of(const void *p, size_t n)
{
	struct hash r;

	crypto_generichash(r.b, HASH_BYTES, p, n, NULL, 0);
	return r;
}

void hash_hex(const struct hash *h, char ret[HASH_HEX + 1])
{
	static const char digit[] = "0123456789abcdef";

	for (int i = 0; i < HASH_BYTES; i++) {
		ret[2 * i] = digit[h->b[i] >> 4];
		ret[2 * i + 1] = digit[h->b[i] & 15];
	}
	ret[HASH_HEX] = '\0';
}

/* Fixed keys: digests must be the same on every machine and in every year. */
static const uint8_t row_key[16] = "mapfleet rows 1";
static const uint8_t key_64[16] = "mapfleet u64s 1";

struct sip sip_of(const void *p, size_t n)
{
	struct sip r;

	crypto_shorthash_siphashx24((uint8_t *)&r, p, n, row_key);
	return r;
}

uint64_t sip64_of(const void *p, size_t n)
{
	uint64_t r;

	crypto_shorthash_siphash24((uint8_t *)&r, p, n, key_64);
	return r;
}
