/* hits.c - see hits.h */
#include "ops/hits.h"

#include "common/base/mem.h"
#include "ops/textfile.h"

#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

struct counting {
	struct hits hits;
	uint32_t cap;
	const struct hash *bank;
	struct err *e;
};

void hits_free(struct hits *h)
{
	mem_free(h->v);
	arena_free(&h->arena);
}

static int by_id(const void *x, const void *y)
{
	const struct hit *a = x, *b = y;

	return view_cmp(a->id, b->id);
}

const struct hit *hits_find(const struct hits *h, struct view id)
{
	struct hit key = { .id = id };

	return h->n ? bsearch(&key, h->v, h->n, sizeof key, by_id) : NULL;
}

/* One row a mention; they are added up in the end. */
static int mention(struct counting *c, const json_t *id, int right, int vote)
{
	char *text = json_dumps(id, JSON_COMPACT | JSON_ENCODE_ANY);
	struct hit h = { .retrieved = 1,
			 .right = (uint64_t)right,
			 .helped = right && !vote,
			 .misled = !right && vote };

	if (c->hits.n == c->cap) {
		uint32_t cap = c->cap ? c->cap * 2 : 1024;
		struct hit *v = mem_resize(c->hits.v, cap, sizeof *v);

		if (!v) {
			free(text);
			return ERR_NOMEM;
		}
		c->hits.v = v;
		c->cap = cap;
	}
	h.id = text ? arena_view(&c->hits.arena, view_of(text)) : (struct view){ 0 };
	free(text);
	c->hits.v[c->hits.n++] = h;
	return h.id.p ? 0 : ERR_NOMEM;
}

static int take_sample(struct counting *c, const json_t *o)
{
	const json_t *ids = json_object_get(o, "memories"), *id;
	const json_t *correct = json_object_get(o, "correct");
	const json_t *vote = json_array_get(json_object_get(o, "groups"), 0);
	size_t i;
	int rc = 0;

	if (!json_array_size(ids) || !json_is_boolean(correct))
		return 0;
	c->hits.choices++;
	json_array_foreach (ids, i, id)
		if (!rc)
			rc = mention(
				c, id, json_is_true(correct),
				json_integer_value(json_object_get(vote, "right")) > 0);
	return rc;
}

static int take_samples(struct counting *c, const char *dir)
{
	struct arena a = { 0 };
	char path[PATH_MAX];
	struct textfile f;
	struct line l = { .number = 0 };
	size_t at = 0;
	int rc;

	snprintf(path, sizeof path, "%s/samples.jsonl", dir);
	rc = textfile_read(&a, path, &f, c->e);
	while (!rc && textfile_line(&f, &at, &l)) {
		json_t *o = json_loadb(l.text.p, l.text.n, 0, NULL);

		if (line_is_blank(&l))
			continue;
		rc = o ? take_sample(c, o)
		       : err_set(c->e, ERR_INPUT, "%s:%u: not JSON", path, l.number);
		if (rc == ERR_NOMEM)
			err_set(c->e, rc, "%s", path);
		json_decref(o);
	}
	arena_free(&a);
	return rc;
}

/* The hash of the bank in run.json. */
static int check_bank(struct counting *c, const char *dir)
{
	char path[PATH_MAX], want[HASH_HEX + 1];
	json_t *doc;
	const char *bank;
	int rc = 0;

	snprintf(path, sizeof path, "%s/run.json", dir);
	doc = json_load_file(path, 0, NULL);
	bank = json_string_value(
		json_object_get(json_object_get(doc, "inputs"), "memory"));
	if (!doc)
		rc = err_set(c->e, ERR_INPUT, "%s: no finished run's directory", dir);
	else if (!bank)
		rc = err_set(c->e, ERR_INPUT, "%s: its runs had no memory bank", dir);
	if (!rc && c->bank) {
		hash_hex(c->bank, want);
		if (strcmp(want, bank) != 0)
			rc = err_set(c->e, ERR_INPUT,
				     "%s: its runs used bank %.8s, this one is %.8s",
				     dir, bank, want);
	}
	if (!rc && c->hits.bank[0] && strcmp(c->hits.bank, bank) != 0)
		rc = err_set(c->e, ERR_INPUT,
			     "%s: its runs used bank %.8s, those before %.8s: hits of "
			     "two banks do not add up",
			     dir, bank, c->hits.bank);
	if (!rc)
		snprintf(c->hits.bank, sizeof c->hits.bank, "%s", bank);
	json_decref(doc);
	return rc;
}

static void add_up(struct hits *h)
{
	uint32_t n = 0;

	if (h->n)
		qsort(h->v, h->n, sizeof *h->v, by_id);
	for (uint32_t i = 0; i < h->n; i++) {
		const struct hit *from = &h->v[i];
		struct hit *to = n ? &h->v[n - 1] : NULL;

		if (!to || !view_eq(to->id, from->id)) {
			h->v[n++] = *from;
			continue;
		}
		to->retrieved += from->retrieved;
		to->right += from->right;
		to->helped += from->helped;
		to->misled += from->misled;
	}
	h->n = n;
}

int hits_read(const char *const *dir, uint32_t n, const struct hash *bank,
	      struct hits *ret, struct err *e)
{
	struct counting c = { .bank = bank, .e = e };
	int rc = 0;

	for (uint32_t i = 0; i < n && !rc; i++) {
		rc = check_bank(&c, dir[i]);
		if (!rc)
			rc = take_samples(&c, dir[i]);
	}
	if (rc) {
		hits_free(&c.hits);
		return rc;
	}
	add_up(&c.hits);
	*ret = c.hits;
	return 0;
}
