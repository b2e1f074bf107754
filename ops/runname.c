/* runname.c - see runname.h */
#include "ops/runname.h"

#include "common/base/buf.h"
#include "proto/reward.h"

#include <ctype.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

enum { NAME_BYTES = 120 };

static void number(struct buf *b, double v)
{
	buf_addf(b, "%.15g", v);
}

struct parts {
	struct buf b[16 + RUN_OWN];
	size_t n;
};

static struct buf *part(struct parts *p, const char *key)
{
	struct buf *b = &p->b[p->n++];

	buf_addf(b, "%s=", key);
	return b;
}

static int part_cmp(const void *a, const void *b)
{
	return view_cmp(buf_view(a), buf_view(b));
}

static void hex8(const struct hash *h, char ret[9])
{
	char hex[HASH_HEX + 1];

	hash_hex(h, hex);
	memcpy(ret, hex, 8);
	ret[8] = 0;
}

static void judge_parts(const struct sweep *s, const struct run *r, struct parts *p)
{
	char hex[9];

	if (r->judge == JUDGE_simulated && r->accuracy != 0.8)
		number(part(p, "accuracy"), r->accuracy);
	if (r->judge == JUDGE_simulated && r->bias != 0)
		number(part(p, "bias"), r->bias);
	if (r->judge == JUDGE_simulated && r->shared != 0.5)
		number(part(p, "shared"), r->shared);
	if (r->judge == JUDGE_llm)
		buf_add(part(p, "model"), s->model.name.p, s->model.name.n);
	if (r->judge == JUDGE_llm && s->model.scores_yes)
		buf_add_str(part(p, "score"), "yes");
	if (s->bank.path && r->judge != JUDGE_simulated) {
		hex8(&s->bank.hash, hex);
		buf_add_str(part(p, "memory"), hex);
	}
	if (s->own_weights && r->judge == JUDGE_evidence) {
		hex8(&s->weights_identity, hex);
		buf_add_str(part(p, "weights"), hex);
	}
}

static void own_parts(const struct run *r, const struct method *m, struct parts *p)
{
	for (size_t i = 0; i < method_keys(m); i++)
		if (r->own[i] != m->key[i].standard)
			method_key_text(&m->key[i], r->own[i], part(p, m->key[i].name));
}

/* The keys that differ from their defaults. */
static void key_parts(const struct sweep *s, const struct run *r,
		      const struct method *m, struct parts *p)
{
	if (m->reads & READS_WINDOW && r->window != 8)
		buf_addf(part(p, "window"), "%u", r->window);
	if (m->reads & READS_WINDOW && r->step != 4)
		buf_addf(part(p, "step"), "%u", r->step);
	if (m->reads & READS_PERMUTE && r->permute != PERMUTE_within)
		buf_add_str(part(p, "permute"), permute_words[r->permute]);
	if (m->reads & READS_TIE && r->unit != UNIT_group)
		buf_add_str(part(p, "unit"), unit_words[r->unit]);
	if (m->reads & READS_TIE && r->confidence != 0.95)
		number(part(p, "confidence"), r->confidence);
	if (m->reads & READS_TIE && r->tie_break != TIE_judge)
		buf_add_str(part(p, "tie_break"), tie_words[r->tie_break]);
	if (m->reads & READS_STOP && r->stop != STOP_t)
		buf_add_str(part(p, "stop"), stop_words[r->stop]);
	if (r->has_budget)
		buf_addf(part(p, "budget"), "%" PRIu64, r->budget);
	if (m->reads & READS_TIE && r->tie_break == TIE_reward)
		buf_add(part(p, "reward"), s->reward.name.p, s->reward.name.n);
	if (m->reads & READS_JUDGE)
		judge_parts(s, r, p);
	own_parts(r, m, p);
	qsort(p->b, p->n, sizeof *p->b, part_cmp);
}

static void clean(struct buf *b, size_t from)
{
	for (size_t i = from; i < b->n; i++)
		if (!isalnum((unsigned char)b->p[i]) && !strchr("._", b->p[i]))
			b->p[i] = '_';
}

static void add_key(struct buf *b, const struct buf *p)
{
	size_t key = (size_t)(strchr(p->p, '=') - p->p), at;

	buf_add_char(b, '-');
	at = b->n;
	buf_add(b, p->p, key);
	clean(b, at);
	buf_add_char(b, '=');
	at = b->n;
	buf_add(b, p->p + key + 1, p->n - key - 1);
	clean(b, at);
}

static void add_stem(const struct sweep *s, const struct run *r, const struct method *m,
		     struct buf *b)
{
	struct parts p = { 0 };

	buf_add_str(b, r->method);
	if (m->reads & READS_PASSES && r->passes_min != r->passes_max)
		buf_addf(b, "-k%u..%u", r->passes_min, r->passes_max);
	else if (m->reads & READS_PASSES && r->passes_min != 4)
		buf_addf(b, "-k%u", r->passes_min);
	if (r->candidates)
		buf_addf(b, "-n%u", r->candidates);
	if (m->reads & READS_JUDGE && r->judge != JUDGE_evidence)
		buf_addf(b, "-%s", judge_words[r->judge]);
	key_parts(s, r, m, &p);
	for (size_t i = 0; i < p.n; i++) {
		add_key(b, &p.b[i]);
		buf_free(&p.b[i]);
	}
}

const char *run_stem(struct sweep *s, const struct run *r, const struct method *m)
{
	struct buf b = { 0 };
	const char *kept;

	add_stem(s, r, m, &b);
	kept = b.bad ? NULL : arena_str(&s->arena, b.p);
	buf_free(&b);
	return kept;
}

static void put_word(json_t *o, const char *key, const char *word)
{
	json_object_set_new(o, key, json_string(word));
}

/* With the sampling that is asked for. */
static void model_parameters(const struct model *m, json_t *o)
{
	json_object_set_new(o, "model", json_stringn(m->name.p, m->name.n));
	if (m->revision.n)
		json_object_set_new(o, "model_revision",
				    json_stringn(m->revision.p, m->revision.n));
	json_object_set_new(o, "temperature", json_real(m->temperature));
	json_object_set_new(o, "top_p", json_real(m->top_p));
	json_object_set_new(o, "max_tokens", json_integer(m->max_tokens));
	if (m->scores_yes)
		put_word(o, "score_kind", "yes-no");
}

static void reward_parameters(const struct reward_role *r, json_t *o)
{
	json_object_set_new(o, "reward_model", json_stringn(r->name.p, r->name.n));
	if (r->kind)
		json_object_set_new(
			o, "reward_kind",
			json_string(reward_kind_word((enum reward_kind)r->kind)));
}

static void judge_parameters(const struct sweep *s, const struct run *r, json_t *o)
{
	char hex[9];

	if (r->judge == JUDGE_simulated) {
		json_object_set_new(o, "accuracy", json_real(r->accuracy));
		json_object_set_new(o, "bias", json_real(r->bias));
		json_object_set_new(o, "shared", json_real(r->shared));
	}
	if (r->judge == JUDGE_llm)
		model_parameters(&s->model, o);
	if (s->bank.path && r->judge != JUDGE_simulated) {
		hex8(&s->bank.hash, hex);
		put_word(o, "memory", hex);
	}
	if (s->own_weights && r->judge == JUDGE_evidence) {
		hex8(&s->weights_identity, hex);
		put_word(o, "weights", hex);
	}
}

static void pass_parameters(const struct sweep *s, const struct run *r, unsigned reads,
			    json_t *o)
{
	char text[32];

	snprintf(text, sizeof text, "%u..%u", r->passes_min, r->passes_max);
	if (reads & READS_PASSES)
		json_object_set_new(o, "passes",
				    r->passes_min == r->passes_max
					    ? json_integer(r->passes_min)
					    : json_string(text));
	if (reads & READS_WINDOW) {
		json_object_set_new(o, "window", json_integer(r->window));
		json_object_set_new(o, "step", json_integer(r->step));
	}
	if (reads & READS_PERMUTE)
		put_word(o, "permute", permute_words[r->permute]);
	if (reads & READS_TIE) {
		put_word(o, "unit", unit_words[r->unit]);
		json_object_set_new(o, "confidence", json_real(r->confidence));
		put_word(o, "tie_break", tie_words[r->tie_break]);
	}
	if (reads & READS_STOP)
		put_word(o, "stop", stop_words[r->stop]);
	if (r->has_budget)
		json_object_set_new(o, "budget", json_integer((json_int_t)r->budget));
	if (reads & READS_TIE && r->tie_break == TIE_reward)
		reward_parameters(&s->reward, o);
}

static void own_parameters(const struct run *r, const struct method *m, json_t *o)
{
	for (size_t i = 0; i < method_keys(m); i++) {
		struct buf b = { 0 };

		method_key_text(&m->key[i], r->own[i], &b);
		json_object_set_new(o, m->key[i].name,
				    m->key[i].words ? json_stringn(b.p, b.n)
						    : json_real(r->own[i]));
		buf_free(&b);
	}
}

const char *run_parameters(struct sweep *s, const struct run *r, const struct method *m)
{
	json_t *o = json_object();
	char *text;
	const char *kept = NULL;

	pass_parameters(s, r, m->reads, o);
	own_parameters(r, m, o);
	if (m->reads & READS_JUDGE)
		judge_parameters(s, r, o);
	text = json_dumps(o, JSON_COMPACT | JSON_SORT_KEYS | JSON_REAL_PRECISION(15));
	if (text)
		kept = arena_str(&s->arena, text);
	free(text);
	json_decref(o);
	return kept;
}

int runs_name(struct sweep *s, struct err *e)
{
	uint8_t *clash = arena_alloc(&s->arena, s->nrun + 1, 1);

	if (!clash)
		return err_set(e, ERR_NOMEM, "runs");
	for (uint32_t i = 0; i < s->nrun; i++)
		for (uint32_t k = 0; k < s->nrun; k++)
			clash[i] |= i != k && s->run[i].seed == s->run[k].seed &&
				    strcmp(s->run[i].stem, s->run[k].stem) == 0;
	for (uint32_t i = 0; i < s->nrun; i++) {
		struct run *r = &s->run[i];
		struct hash h = hash_of(r->parameters, strlen(r->parameters));
		char hex[9];
		struct buf b = { 0 };

		hex8(&h, hex);
		if (clash[i] || strlen(r->stem) + 24 > NAME_BYTES)
			buf_addf(&b, "%.*s~%s", NAME_BYTES - 40, r->stem, hex);
		else
			buf_add_str(&b, r->stem);
		r->stem = b.bad ? NULL : arena_str(&s->arena, b.p);
		buf_addf(&b, "-s%" PRIu64, r->seed);
		r->name = b.bad ? NULL : arena_str(&s->arena, b.p);
		buf_free(&b);
		if (!r->stem || !r->name)
			return err_set(e, ERR_NOMEM, "runs");
	}
	return 0;
}
