/* dossier.c - see dossier.h */
#include "proto/dossier.h"

#include "common/base/cursor.h"
#include "common/base/pack.h"

static void member_encode(const struct dossier_member *m, struct buf *b)
{
	pack_array(b, 5);
	pack_str(b, m->sql);
	pack_u64(b, m->votes);
	pack_bool(b, m->zero);
	pack_u64(b, m->nulls);
	pack_u64(b, m->cells);
}

void dossier_encode(const struct dossier *d, struct buf *b)
{
	pack_array(b, 7);
	pack_u64(b, DOSSIER_VERSION);
	pack_str(b, d->id);
	pack_str(b, d->text);
	pack_str(b, d->evidence);
	pack_u64(b, d->asked);
	pack_u64(b, d->failed);
	pack_array(b, d->n);
	for (uint32_t i = 0; i < d->n; i++) {
		const struct dossier_group *g = &d->group[i];

		pack_array(b, 3);
		pack_u64(b, g->status);
		pack_u64(b, g->votes);
		pack_array(b, g->n);
		for (uint32_t m = 0; m < g->n; m++)
			member_encode(&g->member[m], b);
	}
}

static struct dossier_member take_member(struct cursor *c)
{
	struct dossier_member m = { 0 };

	cur_array_of(c, 5);
	m.sql = cur_str(c);
	m.votes = cur_u32(c);
	m.zero = (uint8_t)cur_bool(c);
	m.nulls = cur_u64(c);
	m.cells = cur_u64(c);
	if (!m.votes || m.nulls > m.cells)
		c->bad = 1;
	return m;
}

static int take_group(struct cursor *c, struct arena *a, struct dossier_group *ret)
{
	cur_array_of(c, 3);
	ret->status = (enum status)cur_u32(c);
	ret->votes = cur_u32(c);
	ret->n = (uint32_t)cur_array(c);
	if (ret->status >= STATUSES || !status_ok(ret->status) || !ret->votes)
		c->bad = 1;
	if (c->bad)
		return 0;
	ret->member = arena_alloc(a, (size_t)ret->n + 1, sizeof *ret->member);
	if (!ret->member)
		return ERR_NOMEM;
	for (uint32_t i = 0; i < ret->n && !c->bad; i++)
		ret->member[i] = take_member(c);
	return 0;
}

int dossier_decode(struct view bytes, struct arena *a, struct dossier *ret,
		   struct err *e)
{
	struct cursor c = cur_of(bytes);
	struct dossier d = { 0 };
	int code = 0;

	cur_array_of(&c, 7);
	if (cur_u64(&c) != DOSSIER_VERSION)
		c.bad = 1;
	d.id = cur_str(&c);
	d.text = cur_str(&c);
	d.evidence = cur_str(&c);
	d.asked = cur_u32(&c);
	d.failed = cur_u32(&c);
	d.n = (uint32_t)cur_array(&c);
	d.group = arena_alloc(a, (size_t)d.n + 1, sizeof *d.group);
	if (!d.group)
		return err_set(e, ERR_NOMEM, "dossier of %u groups", d.n);
	for (uint32_t i = 0; i < d.n && !c.bad && !code; i++)
		code = take_group(&c, a, &d.group[i]);
	if (code)
		return err_set(e, code, "dossier of %u groups", d.n);
	if (!cur_done(&c))
		return err_set(e, ERR_PROTO, "the bytes are no dossier of version %d",
			       DOSSIER_VERSION);
	*ret = d;
	return 0;
}
