/* json_text.c - see json_text.h */
#include "common/sql/json_text.h"

static void comma(struct json_text *j)
{
	if (j->comma)
		buf_add_char(j->b, ',');
	j->comma = 1;
}

void json_open(struct json_text *j, char bracket)
{
	comma(j);
	buf_add_char(j->b, bracket);
	j->comma = 0;
}

void json_close(struct json_text *j, char bracket)
{
	buf_add_char(j->b, bracket);
	j->comma = 1;
}

void json_key(struct json_text *j, const char *key)
{
	json_str(j, view_of(key));
	buf_add_char(j->b, ':');
	j->comma = 0;
}

/* Bytes of the UTF-8 character that begins here, 0 if none does (Unicode, table 3-7).
 */
static size_t utf8(struct view v)
{
	const unsigned char *p = (const unsigned char *)v.p;
	size_t n = p[0] < 0x80   ? 1
		   : p[0] < 0xc2 ? 0
		   : p[0] < 0xe0 ? 2
		   : p[0] < 0xf0 ? 3
				 : 4;

	if (n == 0 || p[0] > 0xf4 || n > v.n)
		return 0;
	for (size_t i = 1; i < n; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f) ||
	    (p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] > 0x8f))
		return 0;
	return n;
}

void json_str(struct json_text *j, struct view v)
{
	comma(j);
	buf_add_char(j->b, '"');
	for (size_t i = 0, n; i < v.n; i += n ? n : 1) {
		unsigned char c = (unsigned char)v.p[i];

		n = utf8((struct view){ v.p + i, v.n - i });
		if (n == 0)
			buf_add_str(j->b, "\xef\xbf\xbd");
		else if (c == '"' || c == '\\')
			buf_addf(j->b, "\\%c", c);
		else if (c < 0x20)
			buf_addf(j->b, "\\u%04x", c);
		else
			buf_add(j->b, v.p + i, n);
	}
	buf_add_char(j->b, '"');
}
