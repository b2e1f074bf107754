/* use.c - see use.h; open addressing over the keys, which are hashes already */
#include "results/use.h"

#include "common/base/mem.h"
#include "proto/task.h"

#include <math.h>

struct use_table {
	struct use_task *task;
	uint64_t *runs, *taken; /* bitmaps, `words` a task */
	uint32_t *slot;         /* task number + 1 */
	size_t n, cap, slots;
	uint32_t words;
};

enum called called_of(uint8_t kind)
{
	switch (kind) {
	case KIND_reward: return CALLED_reward;
	case KIND_embed: return CALLED_embed;
	default: return CALLED_llm;
	}
}

const char *called_name(enum called c)
{
	static const char *const names[] = {
#define X(name) #name,
		CALLED_LIST(X)
#undef X
	};

	return names[c];
}

const struct price *called_price(enum called c, const struct prices *p)
{
	const struct price *const price[] = {
#define X(name) &p->name,
		CALLED_LIST(X)
#undef X
	};

	return price[c];
}

static void part_add(struct use_part *a, const struct use_part *b)
{
	a->calls += b->calls;
	a->prompt += b->prompt;
	a->completion += b->completion;
	a->cached += b->cached;
	a->nano += b->nano;
}

void use_add(struct use *a, const struct use *b)
{
	a->asks += b->asks;
	a->calls += b->calls;
	a->prompt += b->prompt;
	a->completion += b->completion;
	a->cached += b->cached;
	a->shared += b->shared;
	a->estimated += b->estimated;
	a->nano += b->nano;
	for (int i = 0; i < CALLED; i++)
		part_add(&a->by[i], &b->by[i]);
}

static void part_json(struct jsonw *w, const struct use_part *u)
{
	jw_ku64(w, "calls", u->calls);
	jw_ku64(w, "prompt_tokens", u->prompt);
	jw_ku64(w, "completion_tokens", u->completion);
	jw_ku64(w, "cached_tokens", u->cached);
	jw_knum(w, "cost", (double)u->nano / 1e9);
}

void use_json(struct jsonw *w, const struct use *u)
{
	const struct use_part all = { u->calls, u->prompt, u->completion, u->cached,
				      u->nano };

	jw_ku64(w, "asks", u->asks);
	part_json(w, &all);
	jw_ku64(w, "shared_calls", u->shared);
	jw_ku64(w, "estimated_calls", u->estimated);
	jw_kobject(w, "by_role");
	for (enum called c = 0; c < CALLED; c++) {
		if (!u->by[c].calls)
			continue;
		jw_kobject(w, called_name(c));
		part_json(w, &u->by[c]);
		jw_end(w);
	}
	jw_end(w);
}

int64_t price_nano(const struct price *p, const struct usage *u)
{
	uint64_t cached = u->cached < u->prompt ? u->cached : u->prompt;
	double micro = (double)(u->prompt - cached) * p->prompt +
		       (double)cached * p->cached +
		       (double)u->completion * p->completion;

	return llround(micro * 1e3);
}

int use_table_new(uint32_t nrun, struct use_table **ret)
{
	struct use_table *t = mem_alloc(1, sizeof *t);

	if (!t)
		return ERR_NOMEM;
	t->words = (nrun + 63) / 64 + !nrun;
	*ret = t;
	return 0;
}

void use_table_free(struct use_table **t)
{
	if (!*t)
		return;
	mem_free((*t)->task);
	mem_free((*t)->runs);
	mem_free((*t)->taken);
	mem_free((*t)->slot);
	mem_free(*t);
	*t = NULL;
}

/* The slot where `key` is or belongs. */
static uint32_t *slot_of(const struct use_table *t, const struct hash *key)
{
	uint64_t h;

	memcpy(&h, key->b, sizeof h);
	for (size_t i = h & (t->slots - 1);; i = (i + 1) & (t->slots - 1))
		if (!t->slot[i] || hash_eq(&t->task[t->slot[i] - 1].key, key))
			return &t->slot[i];
}

static int resize(void *array, size_t n, size_t size)
{
	void *p = mem_resize(*(void **)array, n, size);

	if (!p)
		return ERR_NOMEM;
	*(void **)array = p;
	return 0;
}

static int grow(struct use_table *t)
{
	size_t cap = t->cap ? t->cap * 2 : 256, row = t->words * sizeof(uint64_t);
	uint32_t *slot;

	if (cap > UINT32_MAX / 2 || resize(&t->task, cap, sizeof *t->task) ||
	    resize(&t->runs, cap, row) || resize(&t->taken, cap, row))
		return ERR_NOMEM;
	slot = mem_alloc(cap * 2, sizeof *slot);
	if (!slot)
		return ERR_NOMEM;
	mem_free(t->slot);
	t->slot = slot;
	t->slots = cap * 2;
	t->cap = cap;
	for (uint32_t i = 0; i < t->n; i++)
		*slot_of(t, &t->task[i].key) = i + 1;
	return 0;
}

/* Sets the bit; 1 if it was clear. */
static int mark(uint64_t *row, uint32_t run)
{
	uint64_t bit = (uint64_t)1 << (run % 64);
	int clear = !(row[run / 64] & bit);

	row[run / 64] |= bit;
	return clear;
}

int use_table_ask(struct use_table *t, const struct choice_ask *ask, uint32_t run,
		  uint32_t question)
{
	uint32_t *slot;
	size_t i;

	if (t->n == t->cap && grow(t) != 0)
		return ERR_NOMEM;
	slot = slot_of(t, &ask->key);
	if (!*slot) {
		i = t->n++;
		*slot = (uint32_t)t->n;
		t->task[i] = (struct use_task){ .key = ask->key,
						.question = question,
						.kind = ask->kind,
						.pass = ask->pass,
						.window = ask->window };
		memset(t->runs + i * t->words, 0, t->words * sizeof *t->runs);
		memset(t->taken + i * t->words, 0, t->words * sizeof *t->taken);
	}
	i = *slot - 1;
	t->task[i].runs += (uint32_t)mark(t->runs + i * t->words, run);
	return 0;
}

static struct use_task *find(const struct use_table *t, const struct hash *key)
{
	uint32_t at = t->slots ? *slot_of(t, key) : 0;

	return at ? &t->task[at - 1] : NULL;
}

const struct use_task *use_table_find(const struct use_table *t, const struct hash *key)
{
	return find(t, key);
}

int use_table_asks(const struct use_table *t, const struct use_task *task, uint32_t run)
{
	const uint64_t *row = t->runs + (size_t)(task - t->task) * t->words;

	return (row[run / 64] >> (run % 64)) & 1;
}

void use_table_pay(struct use_table *t, const struct hash *task, const struct usage *u,
		   const struct prices *p)
{
	struct use_task *x = find(t, task);
	enum called who = x ? called_of(x->kind) : CALLED_llm;
	struct use one = { .calls = 1,
			   .prompt = u->prompt,
			   .completion = u->completion,
			   .cached = u->cached,
			   .estimated = (u->flags & USAGE_ESTIMATED) != 0,
			   .nano = price_nano(called_price(who, p), u) };

	one.by[who] = (struct use_part){ one.calls, one.prompt, one.completion,
					 one.cached, one.nano };

	if (x)
		use_add(&x->use, &one);
}

void use_table_take(struct use_table *t, const struct hash *key, uint32_t run,
		    struct use *sum)
{
	struct use_task *x = find(t, key);
	struct use one;

	if (!x || !mark(t->taken + (size_t)(x - t->task) * t->words, run))
		return;
	one = x->use;
	one.shared = x->runs > 1 ? one.calls : 0;
	use_add(sum, &one);
}
