/* pynum.c - see pynum.h */
#include "common/select/pynum.h"

#include "common/base/mem.h"
#include "common/base/utf8.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

/* Where a script's ten decimal digits begin (Unicode 14, category Nd). */
/* clang-format off */
static const uint32_t zeros[] = {
	0x660, 0x6f0, 0x7c0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66,
	0xde6, 0xe50, 0xed0, 0xf20, 0x1040, 0x1090, 0x17e0, 0x1810, 0x1946, 0x19d0, 0x1a80,
	0x1a90, 0x1b50, 0x1bb0, 0x1c40, 0x1c50, 0xa620, 0xa8d0, 0xa900, 0xa9d0, 0xa9f0,
	0xaa50, 0xabf0, 0xff10, 0x104a0, 0x10d30, 0x11066, 0x110f0, 0x11136, 0x111d0,
	0x112f0, 0x11450, 0x114d0, 0x11650, 0x116c0, 0x11730, 0x118e0, 0x11950, 0x11c50,
	0x11d50, 0x11da0, 0x16a60, 0x16ac0, 0x16b50, 0x1d7ce, 0x1d7d8, 0x1d7e2, 0x1d7ec,
	0x1d7f6, 0x1e140, 0x1e2f0, 0x1e950, 0x1fbf0,
};
/* clang-format on */

static int is_space(uint32_t u)
{
	return u == 0x85 || u == 0xa0 || u == 0x1680 || (u >= 0x2000 && u <= 0x200a) ||
	       u == 0x2028 || u == 0x2029 || u == 0x202f || u == 0x205f || u == 0x3000;
}

/* The ASCII character that a code point above 126 stands for; 0: none. */
static char ascii_of(uint32_t u)
{
	if (is_space(u))
		return ' ';
	for (size_t i = 0; i < sizeof zeros / sizeof *zeros; i++)
		if (u >= zeros[i] && u < zeros[i] + 10)
			return (char)('0' + (u - zeros[i]));
	return 0;
}

static int is_ascii_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static int is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Most text is no number, and its first byte says so. */
static int may_be_number(struct view t)
{
	size_t i = 0;
	char c;

	while (i < t.n && is_ascii_space(t.p[i]))
		i++;
	if (i == t.n)
		return 0;
	c = t.p[i];
	return is_digit(c) || c == '.' || c == '+' || c == '-' || (c & 0x80) ||
	       (c | 32) == 'n' || (c | 32) == 'i';
}

/* Copies to `to` as ASCII, underscores between digits dropped; 0: not a number. */
static size_t to_ascii(struct view t, int is_bytes, char *to)
{
	size_t n = 0;
	int had_digit = 0; /* the last character was one */
	int owed = 0;      /* an underscore waits for a digit */

	for (size_t at = 0; at < t.n;) {
		uint32_t u = (unsigned char)t.p[at];
		size_t k = u < 0x7f   ? 1
			   : is_bytes ? 0
				      : utf8_point(t.p + at, t.n - at, &u);
		char c = k == 1 ? (char)u : k ? ascii_of(u) : 0;

		if (!c || (c == '_' && !had_digit) || (owed && !is_digit(c)))
			return 0;
		at += k;
		owed = c == '_';
		had_digit = is_digit(c);
		if (!owed)
			to[n++] = c;
	}
	return owed ? 0 : n;
}

static size_t digits(const char *s)
{
	size_t n = 0;

	while (is_digit(s[n]))
		n++;
	return n;
}

/* 1 if s, without its sign, is digits with a point and an exponent where they may be.
 */
static int is_decimal(const char *s)
{
	size_t whole = digits(s), part = 0;

	s += whole;
	if (*s == '.') {
		part = digits(s + 1);
		s += 1 + part;
	}
	if (whole + part == 0)
		return 0;
	if (*s == 'e' || *s == 'E') {
		s++;
		s += *s == '+' || *s == '-';
		if (!digits(s))
			return 0;
		s += digits(s);
	}
	return *s == '\0';
}

static int read_ascii(char *s, size_t n, double *ret)
{
	const char *word;

	while (n && is_ascii_space(s[n - 1]))
		n--;
	s[n] = '\0';
	while (is_ascii_space(*s))
		s++;
	word = s + (*s == '+' || *s == '-');
	if (!strcasecmp(word, "nan"))
		*ret = NAN;
	else if (!strcasecmp(word, "inf") || !strcasecmp(word, "infinity"))
		*ret = *s == '-' ? -INFINITY : INFINITY;
	else if (is_decimal(word))
		*ret = strtod(s, NULL);
	else
		return 0;
	return 1;
}

int py_float(struct view t, int is_bytes, double *ret)
{
	char small[128], *s = small;
	size_t n;
	int ok;

	if (!may_be_number(t))
		return 0;
	if (t.n >= sizeof small)
		s = mem_alloc(t.n + 1, 1);
	if (!s)
		return 0;
	n = to_ascii(t, is_bytes, s);
	ok = n && read_ascii(s, n, ret);
	if (s != small)
		mem_free(s);
	return ok;
}

static size_t put(char ret[PY_REPR], const char *s)
{
	size_t n = strlen(s);

	memcpy(ret, s, n + 1);
	return n;
}

/* Significant digits of d, shortest that reads back, and the decimal exponent. */
static int shortest(double d, char digit[20])
{
	char s[40];
	size_t n = 0;

	/* 15 digits always read back as themselves, but of the subnormal numbers not
	 * all have so many. */
	for (int precision = d < 1e-300 ? 0 : 14; precision <= 16; precision++) {
		snprintf(s, sizeof s, "%.*e", precision, d);
		if (strtod(s, NULL) == d)
			break;
	}
	for (const char *p = s; *p != 'e'; p++)
		if (is_digit(*p) && n < 17)
			digit[n++] = *p;
	while (n > 1 && digit[n - 1] == '0')
		n--;
	digit[n] = '\0';
	return atoi(strchr(s, 'e') + 1);
}

size_t py_repr(double d, char ret[PY_REPR])
{
	char digit[20], *p = ret;
	int exponent, n;

	if (isnan(d))
		return put(ret, "nan");
	if (isinf(d))
		return put(ret, d < 0 ? "-inf" : "inf");
	if (signbit(d))
		*p++ = '-';
	exponent = shortest(fabs(d), digit);
	n = (int)strlen(digit);
	if (exponent < -4 || exponent >= 16)
		p += sprintf(p, "%c%s%se%+03d", digit[0], n > 1 ? "." : "", digit + 1,
			     exponent);
	else if (exponent < 0)
		p += sprintf(p, "0.%.*s%s", -exponent - 1, "0000", digit);
	else if (n <= exponent + 1)
		p += sprintf(p, "%s%.*s.0", digit, exponent + 1 - n,
			     "0000000000000000");
	else
		p += sprintf(p, "%.*s.%s", exponent + 1, digit, digit + exponent + 1);
	return (size_t)(p - ret);
}

/* thousandths, below 2^53, as a decimal: 12345 -> 12.345, 12000 -> 12.0 */
static size_t put_thousandths(int negative, uint64_t thousandths, char ret[PY_REPR])
{
	char rev[32], *p = ret;
	uint64_t whole = thousandths / 1000;
	unsigned part = (unsigned)(thousandths % 1000);
	int n = 0;

	if (negative)
		*p++ = '-';
	do
		rev[n++] = (char)('0' + whole % 10);
	while (whole /= 10);
	while (n)
		*p++ = rev[--n];
	*p++ = '.';
	*p++ = (char)('0' + part / 100);
	if (part % 100)
		*p++ = (char)('0' + part / 10 % 10);
	if (part % 10)
		*p++ = (char)('0' + part % 10);
	*p = '\0';
	return (size_t)(p - ret);
}

size_t py_repr_round3(double d, char ret[PY_REPR])
{
	double a = fabs(d), scaled = a * 1000, near = nearbyint(scaled);
	char s[64];

	if (!(a < 1e12)) {
		if (a < 1e15) {
			snprintf(s, sizeof s, "%.3f", d);
			d = strtod(s, NULL);
		}
		return py_repr(d, ret);
	}
	/* Away from a half the product's rounding cannot matter: its error is below
	 * scaled * 2^-53 < 0.12. At 1e12 and more the slow way above is taken. */
	if (fabs(fabs(scaled - near) - 0.5) > 0.125 + 1e-6)
		return put_thousandths(signbit(d) != 0, (uint64_t)near, ret);
	/* %.3f is exact, half to even; below 1e12 its digits are the shortest. */
	snprintf(s, sizeof s, "%.3f", a);
	return put_thousandths(signbit(d) != 0,
			       strtoull(s, NULL, 10) * 1000 +
				       strtoull(strchr(s, '.') + 1, NULL, 10),
			       ret);
}
