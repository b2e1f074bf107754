/* window.c - see window.h */
#include "common/select/window.h"

#include <assert.h>

static uint32_t slack(uint32_t n, uint32_t w, uint32_t s)
{
	assert(w >= 1 && s >= 1 && s <= w);
	return n > w ? n - w : 0;
}

uint32_t window_count(uint32_t n, uint32_t w, uint32_t s)
{
	uint32_t back = slack(n, w, s);

	return n ? 1 + back / s + (back % s != 0) : 0;
}

uint32_t window_start(uint32_t n, uint32_t w, uint32_t s, uint32_t i)
{
	uint32_t back = slack(n, w, s);

	assert(i < window_count(n, w, s));
	return (uint64_t)i * s < back ? back - i * s : 0;
}

uint32_t window_size(uint32_t n, uint32_t w)
{
	return n < w ? n : w;
}
