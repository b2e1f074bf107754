/* grade.c - see grade.h */
#include "common/select/grade.h"

#include <stdint.h>

static int is_digit(char c)
{
	return c >= '0' && c <= '9';
}

int grade_parse(struct view answer, double *ret)
{
	struct view v = view_behind(answer, "</think>");
	size_t i = 0;

	while (i < v.n) {
		uint32_t n = 0, digits = 0;

		while (i < v.n && !is_digit(v.p[i]))
			i++;
		for (; i < v.n && is_digit(v.p[i]); i++)
			n = digits++ < 4 ? n * 10 + (uint32_t)(v.p[i] - '0') : 9999;
		if (digits && n <= 100) {
			*ret = n;
			return 1;
		}
	}
	return 0;
}
