/* cell.c - see cell.h */
#include "common/base/cell.h"

#include "common/base/pack.h"

struct cell cell_plain(const struct cell *c)
{
	struct cell r = *c;

	/* 2^63 itself is out of range; NaN fails both comparisons. */
	if (c->type != CELL_REAL || !(c->d >= -0x1p63 && c->d < 0x1p63) ||
	    (double)(int64_t)c->d != c->d)
		return r;
	r.type = CELL_INT;
	r.i = (int64_t)c->d;
	return r;
}

int cell_eq(const struct cell *a, const struct cell *b)
{
	struct cell x = cell_plain(a), y = cell_plain(b);

	if (x.type != y.type)
		return 0;
	switch (x.type) {
	case CELL_NULL: return 1;
	case CELL_INT: return x.i == y.i;
	case CELL_REAL: return x.d == y.d;
	default: return view_eq(x.v, y.v);
	}
}

void cell_pack(const struct cell *c, struct buf *b)
{
	if (c->whole)
		pack_array(b, 2);
	switch (c->type) {
	case CELL_NULL: pack_nil(b); break;
	case CELL_INT: pack_i64(b, c->i); break;
	case CELL_REAL: pack_f64(b, c->d); break;
	case CELL_TEXT: pack_str(b, c->v); break;
	case CELL_BLOB: pack_bin(b, c->v); break;
	}
	if (c->whole)
		pack_u64(b, c->whole);
}

static struct cell take_plain(struct cursor *c)
{
	unsigned b = !c->bad && c->left ? *c->p : 0;

	if (cur_nil(c))
		return (struct cell){ .type = CELL_NULL };
	if (b == 0xcb)
		return (struct cell){ .type = CELL_REAL, .d = cur_f64(c) };
	if ((b & 0xe0) == 0xa0 || (b >= 0xd9 && b <= 0xdb))
		return (struct cell){ .type = CELL_TEXT, .v = cur_str(c) };
	if (b >= 0xc4 && b <= 0xc6)
		return (struct cell){ .type = CELL_BLOB, .v = cur_bin(c) };
	return (struct cell){ .type = CELL_INT, .i = cur_i64(c) };
}

struct cell cell_take(struct cursor *c)
{
	struct cell r;

	if (c->bad || !c->left || *c->p != 0x92)
		return take_plain(c);
	cur_array_of(c, 2);
	r = take_plain(c);
	r.whole = cur_u64(c);
	if (r.type != CELL_TEXT && r.type != CELL_BLOB)
		c->bad = 1;
	return r;
}
