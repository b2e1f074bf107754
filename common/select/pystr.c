/* pystr.c - see pystr.h */
#include "common/select/pystr.h"

#include "common/base/err.h"
#include "common/base/mem.h"
#include "common/select/pynum.h"

#include <stdlib.h>

static int has(struct view v, int c)
{
	return v.n && memchr(v.p, c, v.n) != NULL;
}

size_t py_str_bytes(struct view v, char *ret)
{
	static const char hex[] = "0123456789abcdef";
	unsigned char quote = has(v, '\'') && !has(v, '"') ? '"' : '\'';
	char *p = ret;

	*p++ = 'b';
	*p++ = (char)quote;
	for (size_t i = 0; i < v.n; i++) {
		unsigned char c = (unsigned char)v.p[i];
		const char *at = c ? strchr("\tt\nn\rr", c) : NULL;

		if (c == '\\' || c == quote) {
			*p++ = '\\';
			*p++ = (char)c;
		} else if (at && c < ' ') {
			*p++ = '\\';
			*p++ = at[1];
		} else if (c < ' ' || c >= 0x7f) {
			*p++ = '\\';
			*p++ = 'x';
			*p++ = hex[c >> 4];
			*p++ = hex[c & 15];
		} else {
			*p++ = (char)c;
		}
	}
	*p++ = (char)quote;
	return (size_t)(p - ret);
}

static void add_blob(struct buf *b, struct view v)
{
	char *text = mem_alloc(v.n + 1, 4);

	if (text)
		buf_add(b, text, py_str_bytes(v, text));
	else
		b->bad = ERR_NOMEM;
	mem_free(text);
}

static void add_key(struct buf *b, const struct cell *c)
{
	static const char *const type[] = { "NoneType", "int", "float", "str",
					    "bytes" };
	char number[PY_REPR];

	switch (c->type) {
	case CELL_NULL: buf_add_str(b, "None"); break;
	case CELL_INT: buf_addf(b, "%lld", (long long)c->i); break;
	case CELL_REAL: buf_add(b, number, py_repr(c->d, number)); break;
	case CELL_TEXT: buf_add(b, c->v.p, c->v.n); break;
	case CELL_BLOB: add_blob(b, c->v); break;
	}
	buf_addf(b, "<class '%s'>", type[c->type]);
}

/* UTF-8 sorts by bytes as Python's text does by code points. */
static int key_cmp(const void *a_, const void *b_, void *text)
{
	const struct pykey *a = a_, *b = b_;
	struct view x = { (const char *)text + a->at, a->n },
		    y = { (const char *)text + b->at, b->n };
	int d = view_cmp(x, y);

	return d ? d : (a->i > b->i) - (a->i < b->i);
}

static int room(struct pyorder *p, uint32_t n)
{
	struct pykey *key = n > p->cap ? mem_resize(p->key, n, sizeof *key) : p->key;

	if (!key && n)
		return 0;
	p->key = key;
	p->cap = n > p->cap ? n : p->cap;
	return 1;
}

int py_order(struct pyorder *p, const struct cell *cells, uint32_t n, uint32_t *ret)
{
	if (!room(p, n))
		return ERR_NOMEM;
	buf_clear(&p->text);
	for (uint32_t i = 0; i < n; i++) {
		size_t at = p->text.n;

		add_key(&p->text, &cells[i]);
		p->key[i] = (struct pykey){ at, p->text.n - at, i };
	}
	if (p->text.bad)
		return ERR_NOMEM;
	qsort_r(p->key, n, sizeof *p->key, key_cmp, p->text.p);
	for (uint32_t i = 0; i < n; i++)
		ret[i] = p->key[i].i;
	return 0;
}

void py_order_free(struct pyorder *p)
{
	buf_free(&p->text);
	mem_free(p->key);
	*p = (struct pyorder){ .key = NULL };
}
