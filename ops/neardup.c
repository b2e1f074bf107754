/* neardup.c - see neardup.h */
#include "ops/neardup.h"

#include "common/base/buf.h"
#include "worker/recall.h"

#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

enum { MOST = 16, AT_ONCE = 256 };

struct looking {
	const struct sweep *sweep;
	const struct bank *bank;
	double from;
	struct arena arena;
	struct view *why; /* [items] */
	FILE *to;         /* opened with the first */
	char path[PATH_MAX], part[PATH_MAX];
	struct neardup found;
};

static json_t *text_of(struct view v)
{
	json_t *j = json_stringn(v.p, v.n);

	return j ? j : json_string("(not UTF-8)");
}

static json_t *id_of(struct view id)
{
	json_t *j = json_loadb(id.p, id.n, JSON_DECODE_ANY, NULL);

	return j ? j : text_of(id);
}

static int list(struct looking *l, const struct question *q,
		const struct search_hit *hit, const struct bank_item *item)
{
	json_t *o = json_object();

	if (!l->to && !(l->to = fopen(l->part, "w"))) {
		json_decref(o);
		return ERR_STORE;
	}
	json_object_set_new(o, "question_id", id_of(q->id));
	json_object_set_new(o, "memory", id_of(item->id));
	json_object_set_new(o, "cosine", json_real(hit->cosine));
	json_object_set_new(o, "question", text_of(q->text));
	json_object_set_new(o, "memory_question", text_of(item->question));
	json_dumpf(o, l->to, JSON_COMPACT);
	fputc('\n', l->to);
	json_decref(o);
	return 0;
}

static int take(struct looking *l, const struct question *q,
		const struct search_hit *hit)
{
	int64_t i = bank_find(l->bank, hit->id);
	char text[200];

	l->found.nearest =
		hit->cosine > l->found.nearest ? hit->cosine : l->found.nearest;
	if (!l->why[i].n) {
		snprintf(text, sizeof text, "near duplicate of question %.*s",
			 (int)(q->id.n < 100 ? q->id.n : 100), q->id.p);
		l->why[i] = arena_view(&l->arena, view_of(text));
		l->found.memories++;
	}
	return l->why[i].p ? list(l, q, hit, bank_item(l->bank, (uint32_t)i))
			   : ERR_NOMEM;
}

static int look_at(struct looking *l, uint32_t first, uint32_t n, struct err *e)
{
	struct view text[AT_ONCE];
	struct search_out out[AT_ONCE];
	struct arena a = { 0 };
	int rc;

	for (uint32_t i = 0; i < n; i++)
		text[i] = l->sweep->q[first + i].text;
	rc = recall_batch(l->bank, text, n, MOST, &a, out, e);
	for (uint32_t i = 0; i < n && !rc; i++) {
		uint32_t k = 0;

		for (; k < out[i].n && out[i].hit[k].cosine >= l->from && !rc; k++)
			rc = take(l, &l->sweep->q[first + i], &out[i].hit[k]);
		l->found.questions += k > 0;
		if (rc)
			err_set(e, rc, "%s: %s", l->path, strerror(errno));
	}
	arena_free(&a);
	return rc;
}

static int close_list(struct looking *l, struct err *e)
{
	int bad;

	if (!l->to) {
		unlink(l->path); /* of an earlier command */
		return 0;
	}
	bad = ferror(l->to);
	bad |= fclose(l->to) != 0;
	l->to = NULL;
	if (bad || rename(l->part, l->path))
		return err_set(e, ERR_STORE, "%s: %s", l->path, strerror(errno));
	return 0;
}

static int leave_out(struct looking *l, const char *without, struct err *e)
{
	uint32_t left = bank_good(l->bank);

	if (!without || !l->found.memories)
		return 0;
	if (left <= l->found.memories)
		return err_set(e, ERR_INPUT,
			       "%s: without near duplicates nothing is left of it: is "
			       "it a bank of the benchmark itself?",
			       l->sweep->bank.path);
	return bank_leave_out(l->bank, l->why, without, &l->found.bank, e);
}

int neardup(const struct sweep *s, double from, const char *dir, const char *without,
	    struct neardup *ret, struct err *e)
{
	struct looking l = { .sweep = s, .from = from };
	struct bank *bank = NULL;
	int rc = bank_open(s->bank.path, &bank, e);

	if (rc)
		return rc;
	l.bank = bank;
	snprintf(l.path, sizeof l.path, "%s/near_duplicates.jsonl", dir);
	snprintf(l.part, sizeof l.part, "%s/.near_duplicates.jsonl.part", dir);
	l.why = arena_alloc(&l.arena, (size_t)bank_items(bank) + 1, sizeof *l.why);
	if (!l.why)
		rc = err_set(e, ERR_NOMEM, "near duplicates");
	for (uint32_t q = 0; q < s->nq && !rc; q += AT_ONCE)
		rc = look_at(&l, q, s->nq - q < AT_ONCE ? s->nq - q : AT_ONCE, e);
	if (!rc)
		rc = close_list(&l, e);
	if (!rc)
		rc = leave_out(&l, without, e);
	if (l.to)
		fclose(l.to);
	bank_free(&bank);
	arena_free(&l.arena);
	if (!rc)
		*ret = l.found;
	return rc;
}
