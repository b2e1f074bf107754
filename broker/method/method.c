/* method.c - methods.def as a table */
#include "broker/method/method.h"

#include <string.h>

static const struct method table[] = {
#define METHOD(name, asks, what) { #name, method_##name, asks, what },
#include "broker/method/methods.def"
#undef METHOD
};

enum { METHODS = sizeof table / sizeof *table };

const struct method *method_at(size_t i)
{
	return i < METHODS ? &table[i] : NULL;
}

const struct method *method_by_name(const char *name)
{
	for (size_t i = 0; i < METHODS; i++)
		if (strcmp(table[i].name, name) == 0)
			return &table[i];
	return NULL;
}
