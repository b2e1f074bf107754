/* grade.c - see grade.h */
#include "common/select/grade.h"

#include <stdint.h>

struct view grade_behind_thinking(struct view answer)
{
	static const char mark[] = "</think>";
	size_t n = sizeof mark - 1, i = answer.n;

	for (; i >= n; i--)
		if (memcmp(answer.p + i - n, mark, n) == 0)
			return (struct view){ answer.p + i, answer.n - i };
	return answer;
}

static int is_digit(char c)
{
	return c >= '0' && c <= '9';
}

int grade_parse(struct view answer, double *ret)
{
	struct view v = grade_behind_thinking(answer);
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
