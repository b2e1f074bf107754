/* choice.c - see choice.h */
#include "proto/choice.h"

#include "common/base/cursor.h"
#include "common/base/err.h"
#include "common/base/pack.h"

const char *why_text(enum why w)
{
	static const char *const text[WHYS] = {
#define X(name, words) [WHY_##name] = words,
		WHY_LIST(X)
#undef X
	};

	return (unsigned)w < WHYS ? text[w] : "?";
}

static void pack_u32s(struct buf *b, const uint32_t *v, uint32_t n)
{
	pack_array(b, n);
	for (uint32_t i = 0; i < n; i++)
		pack_u64(b, v[i]);
}

static uint32_t *take_u32s(struct cursor *c, struct arena *a, uint32_t *ret_n)
{
	size_t n = cur_array(c);
	uint32_t *v = arena_alloc(a, n + 1, sizeof *v);

	for (size_t i = 0; v && i < n; i++)
		v[i] = cur_u32(c);
	*ret_n = v ? (uint32_t)n : 0;
	return v;
}

static void pack_group(struct buf *b, const struct choice_group *g)
{
	pack_array(b, 8);
	pack_u32s(b, g->member, g->size);
	pack_u64(b, g->status);
	pack_str(b, g->note);
	pack_u64(b, g->rows);
	pack_u64(b, g->columns);
	pack_bin(b, (struct view){ (const char *)g->digest, sizeof g->digest });
	pack_bool(b, g->failed);
	pack_f64(b, g->mean_rank);
}

static void take_group(struct cursor *c, struct arena *a, struct choice_group *g)
{
	struct view digest;

	cur_array_of(c, 8);
	g->member = take_u32s(c, a, &g->size);
	g->status = cur_u32(c);
	g->note = cur_str(c);
	g->rows = cur_u64(c);
	g->columns = cur_u32(c);
	digest = cur_bin(c);
	if (digest.n == sizeof g->digest)
		memcpy(g->digest, digest.p, digest.n);
	else
		c->bad = 1;
	c->bad |= g->status >= STATUSES;
	g->failed = (uint8_t)cur_bool(c);
	g->mean_rank = cur_f64(c);
}

static uint32_t sum(const uint32_t *v, uint32_t n)
{
	uint32_t s = 0;

	while (n--)
		s += *v++;
	return s;
}

static void pack_pass(struct buf *b, const struct choice_pass *p)
{
	pack_array(b, p->nshown ? 4 : 3);
	pack_u32s(b, p->cand, sum(p->place, p->places));
	pack_u32s(b, p->place, p->places);
	pack_bool(b, p->is_void);
	if (p->nshown)
		pack_u32s(b, p->shown, p->nshown);
}

static void take_pass(struct cursor *c, struct arena *a, struct choice_pass *p)
{
	size_t fields = cur_array(c);
	uint32_t n;

	c->bad |= fields != 3 && fields != 4;
	p->cand = take_u32s(c, a, &n);
	p->place = take_u32s(c, a, &p->places);
	if (!p->cand || !p->place || sum(p->place, p->places) != n)
		c->bad = 1;
	p->is_void = (uint8_t)cur_bool(c);
	if (fields == 4)
		p->shown = take_u32s(c, a, &p->nshown);
}

static void pack_f64s(struct buf *b, const double *v, size_t n)
{
	pack_array(b, n);
	for (size_t i = 0; i < n; i++)
		pack_f64(b, v[i]);
}

/* Of exactly n. */
static double *take_f64s(struct cursor *c, struct arena *a, size_t n)
{
	double *v;

	cur_array_of(c, n);
	v = arena_alloc(a, c->bad ? 1 : n + 1, sizeof *v);
	for (size_t i = 0; v && !c->bad && i < n; i++)
		v[i] = cur_f64(c);
	return v;
}

static void pack_evidence(struct buf *b, const struct choice_evidence *v, uint32_t g)
{
	if (!v->features) {
		pack_nil(b);
		return;
	}
	pack_array(b, 5);
	pack_bool(b, v->memory);
	pack_array(b, v->features);
	for (uint32_t i = 0; i < v->features; i++)
		pack_str(b, v->name[i]);
	pack_f64s(b, v->weight, v->features);
	pack_f64s(b, v->score, g);
	pack_f64s(b, v->feature, (size_t)g * v->features);
}

static struct view *take_views(struct cursor *c, struct arena *a, uint32_t *ret_n)
{
	size_t n = cur_array(c);
	struct view *v = arena_alloc(a, n + 1, sizeof *v);

	for (size_t i = 0; v && i < n; i++)
		v[i] = cur_str(c);
	*ret_n = v ? (uint32_t)n : 0;
	return v;
}

static void take_evidence(struct cursor *c, struct arena *a, uint32_t g,
			  struct choice_evidence *v)
{
	if (cur_nil(c))
		return;
	cur_array_of(c, 5);
	v->memory = (uint8_t)cur_bool(c);
	v->name = take_views(c, a, &v->features);
	v->weight = take_f64s(c, a, v->features);
	v->score = take_f64s(c, a, g);
	v->feature = take_f64s(c, a, (size_t)g * v->features);
	if (!v->features || !v->weight || !v->score || !v->feature)
		c->bad = 1;
}

/* Before evidence was kept there were fewer. */
enum { FIELDS = 22, FIELDS_BEFORE = 21 };

void choice_encode(const struct choice *c, struct buf *b)
{
	pack_array(b, FIELDS);
	pack_i64(b, c->chosen);
	pack_u64(b, c->why);
	pack_str(b, c->reason);
	pack_f64(b, c->confidence);
	pack_bool(b, c->degraded);
	pack_bool(b, c->tied);
	pack_u64(b, c->g);
	pack_array(b, c->ngroup);
	for (uint32_t i = 0; i < c->ngroup; i++)
		pack_group(b, &c->group[i]);
	pack_array(b, c->npass);
	for (uint32_t i = 0; i < c->npass; i++)
		pack_pass(b, &c->pass[i]);
	pack_array(b, c->nmemory);
	for (uint32_t i = 0; i < c->nmemory; i++)
		pack_str(b, c->memory[i]);
	pack_bool(b, c->has_tie);
	pack_u64(b, c->tie_a);
	pack_u64(b, c->tie_b);
	pack_f64(b, c->tie_score[0]);
	pack_f64(b, c->tie_score[1]);
	pack_u64(b, c->asks);
	pack_array(b, c->nasked);
	for (uint32_t i = 0; i < c->nasked; i++) {
		pack_array(b, 4);
		pack_hash(b, &c->asked[i].key);
		pack_u64(b, c->asked[i].kind);
		pack_u64(b, c->asked[i].pass);
		pack_u64(b, c->asked[i].window);
	}
	pack_array(b, c->nnote);
	for (uint32_t i = 0; i < c->nnote; i++)
		pack_str(b, c->note[i]);
	pack_u64(b, c->parse_missing);
	pack_u64(b, c->parse_duplicate);
	pack_array(b, 2);
	pack_u64(b, c->parse_unknown);
	pack_u64(b, c->parse_failed);
	pack_evidence(b, &c->evidence, c->g);
}

static void take_groups(struct cursor *c, struct arena *a, struct choice *r)
{
	size_t n = cur_array(c);

	r->group = arena_alloc(a, n + 1, sizeof *r->group);
	r->ngroup = r->group ? (uint32_t)n : 0;
	for (uint32_t i = 0; i < r->ngroup; i++)
		take_group(c, a, &r->group[i]);
}

static void take_passes(struct cursor *c, struct arena *a, struct choice *r)
{
	size_t n = cur_array(c);

	r->pass = arena_alloc(a, n + 1, sizeof *r->pass);
	r->npass = r->pass ? (uint32_t)n : 0;
	for (uint32_t i = 0; i < r->npass; i++)
		take_pass(c, a, &r->pass[i]);
}

static void take_asked(struct cursor *c, struct arena *a, struct choice *r)
{
	size_t n = cur_array(c);

	r->asked = arena_alloc(a, n + 1, sizeof *r->asked);
	r->nasked = r->asked ? (uint32_t)n : 0;
	for (uint32_t i = 0; i < r->nasked; i++) {
		cur_array_of(c, 4);
		r->asked[i].key = cur_hash(c);
		r->asked[i].kind = (uint8_t)cur_u32(c);
		r->asked[i].pass = (uint16_t)cur_u32(c);
		r->asked[i].window = (uint16_t)cur_u32(c);
	}
}

int choice_decode(struct view bytes, struct arena *a, struct choice *ret)
{
	struct cursor c = cur_of(bytes);
	struct choice r = { 0 };
	size_t fields = cur_array(&c);

	c.bad |= fields != FIELDS && fields != FIELDS_BEFORE;
	r.chosen = cur_i64(&c);
	r.why = cur_u32(&c);
	c.bad |= r.why >= WHYS;
	r.reason = cur_str(&c);
	r.confidence = cur_f64(&c);
	r.degraded = (uint8_t)cur_bool(&c);
	r.tied = (uint8_t)cur_bool(&c);
	r.g = cur_u32(&c);
	take_groups(&c, a, &r);
	take_passes(&c, a, &r);
	r.memory = take_views(&c, a, &r.nmemory);
	r.has_tie = (uint8_t)cur_bool(&c);
	r.tie_a = cur_u32(&c);
	r.tie_b = cur_u32(&c);
	r.tie_score[0] = cur_f64(&c);
	r.tie_score[1] = cur_f64(&c);
	r.asks = cur_u64(&c);
	take_asked(&c, a, &r);
	r.note = take_views(&c, a, &r.nnote);
	r.parse_missing = cur_u32(&c);
	r.parse_duplicate = cur_u32(&c);
	cur_array_of(&c, 2);
	r.parse_unknown = cur_u32(&c);
	r.parse_failed = cur_u32(&c);
	if (fields == FIELDS)
		take_evidence(&c, a, r.g, &r.evidence);
	if (!cur_done(&c))
		return ERR_PROTO;
	*ret = r;
	return 0;
}
