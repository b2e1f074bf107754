/* guess.c - see guess.h */
#include "ops/guess.h"

#include <ctype.h>
#include <string.h>

static int fold(char c)
{
	return c == '_' ? '-' : tolower((unsigned char)c);
}

static unsigned least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

unsigned guess_distance(const char *a, const char *b)
{
	size_t n = strnlen(a, GUESS_LENGTH), m = strnlen(b, GUESS_LENGTH);
	unsigned d[3][GUESS_LENGTH + 1], *two = d[0], *one = d[1], *now = d[2];

	for (size_t j = 0; j <= m; j++)
		one[j] = (unsigned)j;
	for (size_t i = 1; i <= n; i++) {
		now[0] = (unsigned)i;
		for (size_t j = 1; j <= m; j++) {
			unsigned same = fold(a[i - 1]) == fold(b[j - 1]);

			now[j] = least(least(one[j] + 1, now[j - 1] + 1),
				       one[j - 1] + !same);
			if (i > 1 && j > 1 && fold(a[i - 1]) == fold(b[j - 2]) &&
			    fold(a[i - 2]) == fold(b[j - 1]))
				now[j] = least(now[j], two[j - 2] + 1);
		}
		unsigned *spare = two;

		two = one;
		one = now;
		now = spare;
	}
	return one[m];
}

const char *guess_of(const char *what, const char *const *names, size_t n)
{
	const char *best = NULL;
	unsigned far = 0;

	for (size_t i = 0; i < n; i++) {
		unsigned d = guess_distance(what, names[i]);

		if (d * 2 <= strlen(names[i]) + 1 && (!best || d < far)) {
			best = names[i];
			far = d;
		}
	}
	return best;
}
