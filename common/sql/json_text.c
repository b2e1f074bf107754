/* json_text.c - see json_text.h */
#include "common/sql/json_text.h"

#include "common/base/utf8.h"

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

void json_str(struct json_text *j, struct view v)
{
	comma(j);
	buf_add_char(j->b, '"');
	for (size_t i = 0, n; i < v.n; i += n ? n : 1) {
		unsigned char c = (unsigned char)v.p[i];

		n = utf8_point(v.p + i, v.n - i, NULL);
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
