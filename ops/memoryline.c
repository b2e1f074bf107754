/* memoryline.c - see memoryline.h */
#include "ops/memoryline.h"

#include "ops/plaintext.h"

#include <math.h>
#include <stdlib.h>

int memory_lines_begin(struct memory_lines *m, int json, struct err *e)
{
	*m = (struct memory_lines){ .json = json ? json_array() : NULL };
	if (!json)
		m->text = open_memstream(&m->bytes, &m->n);
	return m->json || m->text ? 0 : err_set(e, ERR_NOMEM, "memories");
}

static void set_text(json_t *o, const char *key, struct view v)
{
	json_object_set_new(o, key, v.n ? json_stringn_nocheck(v.p, v.n) : json_null());
}

/* A value that the bank keeps as JSON text. */
static void set_json(json_t *o, const char *key, struct view v)
{
	json_t *x = v.n ? json_loadb(v.p, v.n, JSON_DECODE_ANY, NULL) : NULL;

	json_object_set_new(o, key, x ? x : json_null());
}

void memory_lines_add(struct memory_lines *m, const struct bank_item *i, double cosine,
		      uint32_t tokens)
{
	json_t *o = json_object();

	set_json(o, "id", i->id);
	if (cosine >= -1)
		json_object_set_new(o, "cosine", json_real(cosine));
	set_text(o, "db_id", i->db_id);
	set_text(o, "question", i->question);
	set_text(o, "evidence", i->evidence);
	set_text(o, "sql", i->sql);
	set_json(o, "memory", i->memory);
	set_text(o, "text", i->text);
	set_text(o, "flag", i->flag);
	json_object_set_new(o, "tokens", json_integer(tokens));
	json_array_append_new(m->json, o);
}

int memory_lines_end(struct memory_lines *m, struct err *e)
{
	int rc = 0;

	if (m->json) {
		rc = json_dumpf(m->json, stdout,
				JSON_INDENT(1) | JSON_REAL_PRECISION(9));
		putchar('\n');
		json_decref(m->json);
	} else {
		rc = fclose(m->text);
		if (!rc)
			plaintext_put(stdout, m->bytes, m->n);
		free(m->bytes);
	}
	return rc ? err_set(e, ERR_NOMEM, "memories") : 0;
}
