/* specs.c - blocks of units, and a list of freed pieces for each length in units */
#include "broker/specs.h"

#include "common/base/mem.h"

#include <assert.h>
#include <string.h>

enum {
	UNIT = 4,
	SHIFT = 15, /* units of a block: 128 KiB, two of the longest specs */
	BLOCK = 1 << SHIFT,
	LENGTHS = UINT16_MAX / UNIT + 2,
};

struct specs {
	uint32_t **block;
	uint32_t blocks, used; /* used: units of the last block */
	uint32_t live;
	uint32_t freed[LENGTHS]; /* by units; its first unit names the next */
};

struct specs *specs_new(void)
{
	return mem_alloc(1, sizeof(struct specs));
}

static void give_back(struct specs *s)
{
	for (uint32_t i = 0; i < s->blocks; i++)
		mem_free(s->block[i]);
	mem_free(s->block);
	memset(s, 0, sizeof *s);
}

void specs_free(struct specs **sp)
{
	if (!*sp)
		return;
	give_back(*sp);
	mem_free(*sp);
	*sp = NULL;
}

static uint32_t *unit_at(const struct specs *s, uint32_t spec)
{
	assert(spec && spec >> SHIFT < s->blocks);
	return &s->block[spec >> SHIFT][spec & (BLOCK - 1)];
}

/* An empty spec has a place too: it must differ from none. */
static uint32_t units_of(size_t n)
{
	return n ? (uint32_t)((n + UNIT - 1) / UNIT) : 1;
}

static int add_block(struct specs *s)
{
	uint32_t **block;

	if (s->blocks > UINT32_MAX >> SHIFT)
		return 0;
	block = mem_resize(s->block, s->blocks + 1, sizeof *block);
	if (!block)
		return 0;
	s->block = block;
	block[s->blocks] = mem_alloc(BLOCK, UNIT);
	if (!block[s->blocks])
		return 0;
	s->used = s->blocks++ == 0; /* the first unit of all would be NO_SPEC */
	return 1;
}

static uint32_t take(struct specs *s, uint32_t units)
{
	uint32_t spec = s->freed[units];

	if (spec) {
		s->freed[units] = *unit_at(s, spec);
		return spec;
	}
	if ((!s->blocks || BLOCK - s->used < units) && !add_block(s))
		return NO_SPEC;
	spec = ((s->blocks - 1) << SHIFT) + s->used;
	s->used += units;
	return spec;
}

uint32_t specs_add(struct specs *s, struct view bytes)
{
	uint32_t spec;

	assert(bytes.n <= UINT16_MAX);
	spec = take(s, units_of(bytes.n));
	if (spec == NO_SPEC)
		return NO_SPEC;
	if (bytes.n)
		memcpy(unit_at(s, spec), bytes.p, bytes.n);
	s->live++;
	return spec;
}

const char *specs_at(const struct specs *s, uint32_t spec)
{
	return (const char *)unit_at(s, spec);
}

void specs_remove(struct specs *s, uint32_t spec, uint16_t n)
{
	assert(s->live > 0);
	if (--s->live == 0 && s->blocks > 1) { /* one stays: queues run dry often */
		give_back(s);
		return;
	}
	*unit_at(s, spec) = s->freed[units_of(n)];
	s->freed[units_of(n)] = spec;
}

uint64_t specs_memory(const struct specs *s)
{
	return sizeof *s + (uint64_t)s->blocks * (BLOCK * UNIT + sizeof *s->block);
}
