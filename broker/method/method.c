/* method.c - methods.def as a table */
#include "broker/method/method.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const struct method *const table[] = {
#define METHOD(name) &method_##name,
#include "broker/method/methods.def"
#undef METHOD
};

enum { METHODS = sizeof table / sizeof *table };

const struct method *method_at(size_t i)
{
	return i < METHODS ? table[i] : NULL;
}

const struct method *method_by_name(const char *name)
{
	for (size_t i = 0; i < METHODS; i++)
		if (strcmp(table[i]->name, name) == 0)
			return table[i];
	return NULL;
}

size_t method_keys(const struct method *m)
{
	size_t n = 0;

	while (m->key && m->key[n].name)
		n++;
	return n;
}

/* The words are one text: "kemeny|borda|rrf". */
static struct view word_at(const char *words, size_t i)
{
	size_t n;

	for (; i && *words; i--) {
		words += strcspn(words, "|");
		words += *words == '|';
	}
	n = strcspn(words, "|");
	return (struct view){ words, n };
}

void method_key_text(const struct method_key *k, double value, struct buf *ret)
{
	struct view w;

	if (!k->words) {
		buf_addf(ret, "%.15g", value);
		return;
	}
	w = word_at(k->words, (size_t)value);
	buf_add(ret, w.p, w.n);
}

static int number_of(const struct method_key *k, const char *text, double *ret)
{
	char *end;
	unsigned long long x = strtoull(text, &end, 10);

	if (!isdigit((unsigned char)*text) || *end || (double)x < k->lo ||
	    (double)x > k->hi)
		return 0;
	*ret = (double)x;
	return 1;
}

int method_key_parse(const struct method_key *k, const char *text, double *ret)
{
	struct view w;

	if (!k->words)
		return number_of(k, text, ret);
	for (size_t i = 0; (w = word_at(k->words, i)).n; i++)
		if (view_eq(w, view_of(text))) {
			*ret = (double)i;
			return 1;
		}
	return 0;
}
