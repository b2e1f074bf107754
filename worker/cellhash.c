/* cellhash.c - see cellhash.h */
#include "worker/cellhash.h"

#include "common/base/hash.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

enum { NUMBER_TEXT = 400, FOLD_BYTES = 1024, DATE_DIGITS = 8 };

static const char date_marks[] = "-/.: T";

static uint64_t hash_bytes(const void *p, size_t n)
{
	uint64_t h = sip64_of(p, n);

	return h ? h : 1;
}

uint64_t cellhash_int(int64_t i)
{
	char s[32];
	int n = snprintf(s, sizeof s, "%lld", (long long)i);

	return hash_bytes(s, (size_t)n);
}

/* The shortest text that reads back as the same double. */
uint64_t cellhash_real(double d)
{
	char s[NUMBER_TEXT];
	int n = 0;

	if (d >= -9.2e18 && d <= 9.2e18 && d == (double)(int64_t)d)
		return cellhash_int((int64_t)d);
	for (int digits = 15; digits <= 17; digits++) {
		n = snprintf(s, sizeof s, "%.*g", digits, d);
		if (strtod(s, NULL) == d)
			break;
	}
	return hash_bytes(s, (size_t)n);
}

/* A long text counts by its beginning. */
static uint64_t hash_nocase(struct view t)
{
	char s[FOLD_BYTES] = "";
	size_t n = t.n < sizeof s ? t.n : sizeof s;

	for (size_t i = 0; i < n; i++)
		s[i] = t.p[i] >= 'A' && t.p[i] <= 'Z' ? (char)(t.p[i] + 32) : t.p[i];
	return hash_bytes(s, n);
}

uint64_t cellhash_text(struct view t, enum fold fold)
{
	if (fold == FOLD_NOCASE)
		return hash_nocase(t);
	while (fold == FOLD_RTRIM && t.n && t.p[t.n - 1] == ' ')
		t.n--;
	return hash_bytes(t.p, t.n);
}

/* A date, however its parts are kept apart: only digits and what stands between them,
 * the first in front. 0: it is none. */
static uint64_t hash_date(struct view t)
{
	char digits[32];
	size_t n = 0;

	if (t.n < DATE_DIGITS || t.n > sizeof digits)
		return 0;
	for (size_t i = 0; i < t.n; i++) {
		if (t.p[i] >= '0' && t.p[i] <= '9')
			digits[n++] = t.p[i];
		else if (!i || !memchr(date_marks, t.p[i], sizeof date_marks - 1))
			return 0;
	}
	return n >= DATE_DIGITS && t.n >= n + 2 ? hash_bytes(digits, n) : 0;
}

uint64_t cellhash_loose(struct view t)
{
	uint64_t date;

	t = view_trim(t, VIEW_SPACE);
	date = hash_date(t);
	return date ? date : hash_nocase(t);
}

uint64_t cellhash_blob(struct view b)
{
	struct sip s = sip_of(b.p, b.n);

	return s.lo ? s.lo : 1;
}

static size_t digits_at(const char *s, size_t i)
{
	size_t n = 0;

	while (s[i + n] >= '0' && s[i + n] <= '9')
		n++;
	return n;
}

/* [+-]digits[.digits][e[+-]digits] or [+-].digits...: all of s. */
static int is_number(const char *s, int *ret_whole)
{
	size_t i = s[0] == '+' || s[0] == '-', whole, part = 0, e;

	whole = digits_at(s, i);
	i += whole;
	*ret_whole = 1;
	if (s[i] == '.') {
		*ret_whole = 0;
		part = digits_at(s, ++i);
		i += part;
	}
	if (whole + part == 0)
		return 0;
	if (s[i] == 'e' || s[i] == 'E') {
		*ret_whole = 0;
		i += 1 + (s[i + 1] == '+' || s[i + 1] == '-');
		e = digits_at(s, i);
		if (!e)
			return 0;
		i += e;
	}
	return s[i] == 0;
}

uint64_t cellhash_numeric(struct view text)
{
	char s[NUMBER_TEXT];
	long long i;
	int whole;

	text = view_trim(text, VIEW_SPACE);
	if (!text.n || text.n >= sizeof s || memchr(text.p, 0, text.n))
		return 0;
	memcpy(s, text.p, text.n);
	s[text.n] = 0;
	if (!is_number(s, &whole))
		return 0;
	errno = 0;
	if (whole && (i = strtoll(s, NULL, 10), errno == 0))
		return cellhash_int(i);
	return cellhash_real(strtod(s, NULL));
}
