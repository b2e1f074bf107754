/* cursor.c - see cursor.h */
#include "common/base/cursor.h"

struct cursor cur_of(struct view bytes)
{
	return (struct cursor){ (const unsigned char *)bytes.p, bytes.n, 0 };
}

static uint64_t fail(struct cursor *c)
{
	c->bad = 1;
	c->left = 0;
	return 0;
}

static const unsigned char *take(struct cursor *c, uint64_t n)
{
	const unsigned char *p = c->p;

	if (c->bad || n > c->left) {
		fail(c);
		return NULL;
	}
	c->p += n;
	c->left -= (size_t)n;
	return p;
}

static uint64_t take_be(struct cursor *c, size_t n)
{
	const unsigned char *p = take(c, n);
	uint64_t v = 0;

	for (size_t i = 0; p && i < n; i++)
		v = v << 8 | p[i];
	return v;
}

/* Headers of one type: `fix` .. `fix + fixmax` carry the value themselves, `first` ..
 * `last` are followed by narrowest, 2 x narrowest, ... bytes of it. */
struct head {
	unsigned fix, fixmax, first, last;
	size_t narrowest;
};

static uint64_t take_head(struct cursor *c, struct head h)
{
	const unsigned char *b = take(c, 1);

	if (!b)
		return 0;
	if (*b >= h.fix && *b <= h.fix + h.fixmax)
		return *b - h.fix;
	if (*b >= h.first && *b <= h.last)
		return take_be(c, h.narrowest << (*b - h.first));
	return fail(c);
}

static const struct head array_head = { 0x90, 15, 0xdc, 0xdd, 2 };
static const struct head uint_head = { 0x00, 127, 0xcc, 0xcf, 1 };
static const struct head str_head = { 0xa0, 31, 0xd9, 0xdb, 1 };
static const struct head bin_head = { 0x100, 0, 0xc4, 0xc6, 1 };

size_t cur_array(struct cursor *c)
{
	uint64_t n = take_head(c, array_head);

	return (size_t)(n > c->left ? fail(c) : n);
}

void cur_array_of(struct cursor *c, size_t n)
{
	if (cur_array(c) != n)
		fail(c);
}

uint64_t cur_u64(struct cursor *c)
{
	return take_head(c, uint_head);
}

uint32_t cur_u32(struct cursor *c)
{
	uint64_t v = cur_u64(c);

	return (uint32_t)(v > UINT32_MAX ? fail(c) : v);
}

int64_t cur_i64(struct cursor *c)
{
	uint64_t v;
	unsigned b;

	if (c->bad || !c->left)
		return (int64_t)fail(c);
	b = *c->p;
	if (b >= 0xe0) {
		take(c, 1);
		return (int64_t)b - 256;
	}
	if (b >= 0xd0 && b <= 0xd3) {
		unsigned bits = 8u << (b - 0xd0);

		take(c, 1);
		v = take_be(c, bits / 8);
		if (bits < 64 && v >> (bits - 1))
			v |= ~(uint64_t)0 << bits;
		return (int64_t)v;
	}
	v = cur_u64(c);
	return (int64_t)(v > INT64_MAX ? fail(c) : v);
}

double cur_f64(struct cursor *c)
{
	union {
		uint64_t u;
		double d;
	} v;

	if (!c->bad && c->left && *c->p == 0xcb) {
		take(c, 1);
		v.u = take_be(c, 8);
		return v.d;
	}
	return (double)cur_i64(c);
}

int cur_bool(struct cursor *c)
{
	const unsigned char *b = take(c, 1);

	if (b && *b != 0xc2 && *b != 0xc3)
		fail(c);
	return b && *b == 0xc3;
}

int cur_nil(struct cursor *c)
{
	if (c->bad || !c->left || *c->p != 0xc0)
		return 0;
	take(c, 1);
	return 1;
}

static struct view take_view(struct cursor *c, struct head h)
{
	uint64_t n = take_head(c, h);
	const unsigned char *p = take(c, n);

	return p ? (struct view){ (const char *)p, (size_t)n } : (struct view){ "", 0 };
}

struct view cur_str(struct cursor *c)
{
	return take_view(c, str_head);
}

struct view cur_bin(struct cursor *c)
{
	return take_view(c, bin_head);
}

struct hash cur_hash(struct cursor *c)
{
	struct view v = cur_bin(c);
	struct hash h = { { 0 } };

	if (v.n == HASH_BYTES)
		memcpy(h.b, v.p, HASH_BYTES);
	else
		fail(c);
	return h;
}

/* Moves past one header; gives how many values and bytes belong to it. */
static uint64_t skip_one(struct cursor *c)
{
	unsigned b = c->left ? *c->p : 0xc1;

	if ((b & 0xf0) == 0x90 || b == 0xdc || b == 0xdd)
		return cur_array(c);
	if ((b & 0xe0) == 0xa0 || (b >= 0xd9 && b <= 0xdb))
		cur_str(c);
	else if (b >= 0xc4 && b <= 0xc6)
		cur_bin(c);
	else if (b == 0xc0 || b == 0xc2 || b == 0xc3)
		take(c, 1);
	else if (b == 0xcb)
		take(c, 9);
	else if (b >= 0xcc && b <= 0xcf)
		cur_u64(c);
	else
		cur_i64(c);
	return 0;
}

struct view cur_any(struct cursor *c)
{
	const unsigned char *from = c->p;
	uint64_t todo = 1;

	while (todo && !c->bad) {
		todo += skip_one(c) - 1;
		if (todo > c->left)
			fail(c);
	}
	if (c->bad)
		return (struct view){ "", 0 };
	return (struct view){ (const char *)from, (size_t)(c->p - from) };
}

int cur_done(const struct cursor *c)
{
	return !c->bad && c->left == 0;
}
