/* answer.c - see answer.h */
#include "common/select/answer.h"

#include <stdint.h>
#include <strings.h>

/* clang-format off */
static const char *const think_close[] = { "</think>", "</thinking>", "</thought>" };
static const char *const think_open[] = { "<think>", "<thinking>", "<thought>" };

/* CHAR, FIXED: one that may touch others (x¹² is x12); counted from `base`, or the same
 * for the whole range. LETTER, NUMBER: one that stands alone
 * wherever it is written. */
enum kind { CHAR, FIXED, LETTER, NUMBER, MATH_LETTER, MATH_DIGIT, NOTHING, SPACE, WORD };

static const struct range {
	uint32_t first, last;
	enum kind kind;
	int base;
} ranges[] = {
	{ 0xA0, 0xBF, SPACE, 0 },
	{ 0x200B, 0x200F, NOTHING, 0 },  { 0x2018, 0x2019, FIXED, '\'' },
	{ 0x2028, 0x2029, FIXED, '\n' },  { 0x2000, 0x206F, SPACE, 0 },
	{ 0x2074, 0x2079, CHAR, '4' },   { 0x2080, 0x2089, CHAR, '0' },
	{ 0x20D0, 0x20F0, NOTHING, 0 },
	{ 0x2460, 0x2473, NUMBER, 1 },   { 0x2474, 0x2487, NUMBER, 1 },
	{ 0x2488, 0x249B, NUMBER, 1 },   { 0x249C, 0x24B5, LETTER, 'A' },
	{ 0x24B6, 0x24CF, LETTER, 'A' }, { 0x24D0, 0x24E9, LETTER, 'A' },
	{ 0x24EA, 0x24EA, NUMBER, 0 },   { 0x24EB, 0x24F4, NUMBER, 11 },
	{ 0x24F5, 0x24FE, NUMBER, 1 },   { 0x2776, 0x277F, NUMBER, 1 },
	{ 0x2780, 0x2789, NUMBER, 1 },   { 0x278A, 0x2793, NUMBER, 1 },
	{ 0x2190, 0x2BFF, SPACE, 0 },    { 0x3000, 0x303F, SPACE, 0 },
	{ 0x3251, 0x325F, NUMBER, 21 },  { 0x32B1, 0x32BF, NUMBER, 36 },
	{ 0x2E80, 0xA4CF, WORD, 0 },     { 0xAC00, 0xD7AF, WORD, 0 },
	{ 0xFE00, 0xFE0F, NOTHING, 0 },  { 0xFEFF, 0xFEFF, NOTHING, 0 },
	{ 0xFF01, 0xFF5E, CHAR, '!' },
	{ 0x1D400, 0x1D6A3, MATH_LETTER, 0 }, { 0x1D7CE, 0x1D7FF, MATH_DIGIT, 0 },
	{ 0x1F110, 0x1F129, LETTER, 'A' }, { 0x1F130, 0x1F149, LETTER, 'A' },
	{ 0x1F150, 0x1F169, LETTER, 'A' }, { 0x1F170, 0x1F189, LETTER, 'A' },
	{ 0x1F1E6, 0x1F1FF, LETTER, 'A' }, { 0x1F000, 0x1FAFF, SPACE, 0 },
};

/* Single characters, looked up before the ranges. */
static const struct {
	char plain;
	const char *written; /* UTF-8, separated by nothing */
} singles[] = {
	{ '0', "⁰" }, { '1', "¹" }, { '2', "²" }, { '3', "³" },
	{ '>', "≻≽≿⪰≫≥⩾→⇒⟶⟹➔➜➡＞" }, { '<', "≺≼≾⪯≪≤⩽←⇐⟵＜" }, { '=', "≈≡∼≃≅⁼＝" },
	{ '[', "【〔「『⟦［" }, { ']', "】〕」』⟧］" }, { ',', "、，" }, { '.', "。" },
	{ 'A', "ᴬᵃ" }, { 'B', "ᴮᵇℬ" }, { 'C', "ᶜℭℂ" }, { 'D', "ᴰᵈ" }, { 'E', "ᴱᵉℰℯ" },
	{ 'F', "ᶠℱ" }, { 'G', "ᴳᵍℊ" }, { 'H', "ᴴʰℋℌℍℎ" }, { 'I', "ᴵⁱℐℑ" }, { 'J', "ᴶʲ" },
	{ 'K', "ᴷᵏ" }, { 'L', "ᴸˡℒ" }, { 'M', "ᴹᵐℳ" }, { 'N', "ᴺⁿℕ" }, { 'O', "ᴼᵒℴ" },
	{ 'P', "ᴾᵖℙ" }, { 'Q', "ℚ" }, { 'R', "ᴿʳℛℜℝ" }, { 'S', "ˢ" }, { 'T', "ᵀᵗ" },
	{ 'U', "ᵁᵘ" }, { 'V', "ⱽᵛ" }, { 'W', "ᵂʷ" }, { 'X', "ˣ" }, { 'Y', "ʸ" },
	{ 'Z', "ᶻℤℨ" },
};

static const struct {
	const char *written;
	char plain;
} names[] = {
	{ "&gt;", '>' }, { "&lt;", '<' }, { "&#62;", '>' }, { "&#60;", '<' },
	{ "\\succ", '>' }, { "\\prec", '<' }, { "\\gt", '>' }, { "\\lt", '<' },
	{ "\\rightarrow", '>' }, { "\\to", '>' }, { "\\sim", '=' }, { "\\approx", '=' },
};
/* clang-format on */

#define COUNT(a) (sizeof(a) / sizeof *(a))

static size_t begins_with(struct view v, const char *s)
{
	size_t n = strlen(s);

	return v.n >= n && strncasecmp(v.p, s, n) == 0 ? n : 0;
}

static size_t any_tag(struct view v, const char *const *tags, size_t count)
{
	for (size_t i = 0; *v.p == '<' && i < count; i++)
		if (begins_with(v, tags[i]))
			return strlen(tags[i]);
	return 0;
}

struct view answer_after_thinking(struct view answer)
{
	struct view rest = answer;

	for (size_t i = answer.n; i-- > 0;) {
		struct view at = { answer.p + i, answer.n - i };
		size_t tag = any_tag(at, think_close, COUNT(think_close));

		if (tag) {
			rest = (struct view){ at.p + tag, at.n - tag };
			break;
		}
	}
	for (size_t i = 0; i < rest.n; i++)
		if (any_tag((struct view){ rest.p + i, rest.n - i }, think_open,
			    COUNT(think_open)))
			return (struct view){ rest.p, i };
	return rest;
}

/* One code point; its bytes, or 0 if they are not UTF-8. */
static size_t decode(struct view v, uint32_t *ret)
{
	unsigned char b = (unsigned char)v.p[0];
	size_t n = b < 0x80 ? 1 : b >= 0xF0 ? 4 : b >= 0xE0 ? 3 : b >= 0xC2 ? 2 : 0;
	uint32_t c = n == 1 ? b : b & (0xFFu >> (n + 1));

	if (!n || n > v.n)
		return 0;
	for (size_t i = 1; i < n; i++) {
		if (((unsigned char)v.p[i] & 0xC0) != 0x80)
			return 0;
		c = c << 6 | ((unsigned char)v.p[i] & 0x3F);
	}
	*ret = c;
	return n;
}

static char single(const char *p, size_t n)
{
	for (size_t i = 0; i < COUNT(singles); i++)
		for (const char *s = singles[i].written; *s;) {
			uint32_t c;
			size_t len = decode(view_of(s), &c);

			if (len == n && memcmp(s, p, n) == 0)
				return singles[i].plain;
			s += len;
		}
	return 0;
}

static size_t put_alone(int number, char letter, char *ret)
{
	size_t n = 0;

	ret[n++] = ' ';
	if (letter)
		ret[n++] = letter;
	else if (number >= 10)
		ret[n++] = (char)('0' + number / 10);
	if (!letter)
		ret[n++] = (char)('0' + number % 10);
	ret[n++] = ' ';
	return n;
}

static size_t put_char(char c, char *ret)
{
	ret[0] = c;
	return 1;
}

static size_t put_range(const struct range *r, uint32_t c, char *ret)
{
	int by = (int)(c - r->first);

	switch (r->kind) {
	case CHAR: return put_char((char)(r->base + by), ret);
	case FIXED: return put_char((char)r->base, ret);
	case LETTER: return put_alone(0, (char)(r->base + by), ret);
	case NUMBER: return put_alone(r->base + by, 0, ret);
	case MATH_LETTER: return put_char((char)('A' + by % 26), ret);
	case MATH_DIGIT: return put_char((char)('0' + by % 10), ret);
	case NOTHING: return 0;
	case SPACE: return put_char(' ', ret);
	case WORD: return put_alone(0, (char)ANSWER_OTHER, ret);
	}
	return 0;
}

static size_t put_code_point(const char *p, size_t n, uint32_t c, char *ret)
{
	char plain = single(p, n);

	if (plain)
		return put_char(plain, ret);
	for (size_t i = 0; i < COUNT(ranges); i++)
		if (c >= ranges[i].first && c <= ranges[i].last)
			return put_range(&ranges[i], c, ret);
	return put_char((char)ANSWER_OTHER, ret);
}

/* Writes at most 4 bytes for at least 2 read, or as many as are read. */
static size_t put_next(struct view v, size_t *used, char *ret)
{
	uint32_t c;

	for (size_t i = 0; i < COUNT(names); i++)
		if ((*used = begins_with(v, names[i].written)) != 0)
			return put_char(names[i].plain, ret);
	*used = decode(v, &c);
	if (!*used) {
		*used = 1;
		return put_char((char)ANSWER_OTHER, ret);
	}
	if (c < 0x80)
		return put_char(c ? (char)c : ' ', ret);
	return put_code_point(v.p, *used, c, ret);
}

size_t answer_plain(struct view answer, char *ret, size_t cap)
{
	size_t at = answer.n > cap / 2 ? answer.n - cap / 2 : 0, n = 0, used;

	for (; at < answer.n; at += used)
		n += put_next((struct view){ answer.p + at, answer.n - at }, &used,
			      ret + n);
	return n;
}
