/* msg.c - messages.def as a table of fields, and loops over it */
#include "proto/msg.h"

#include "common/base/pack.h"

#include <inttypes.h>
#include <stddef.h>

enum kind { K_u32, K_u64, K_str, K_bin, K_any };

static const char *const kind_names[] = { "u32", "u64", "str", "bin", "any" };

struct field {
	const char *name, *meaning;
	enum kind kind;
	size_t at; /* offset in struct msg */
};

#define F(m, kind, field, meaning) \
	{ #field, meaning, K_##kind, offsetof(struct msg, m.field) },
#define M(NAME, name, tag, sender) \
	static const struct field name##_fields[] = { MSG_##NAME(F, name) };
MESSAGES(M)
#undef M
#undef F

static const struct form {
	const char *name, *sender;
	const struct field *field;
	size_t n;
} forms[] = {
#define M(NAME, name, tag, sender) \
	[tag] = { #NAME, sender, name##_fields, \
		  sizeof name##_fields / sizeof *name##_fields },
	MESSAGES(M)
#undef M
};

enum { NFORMS = sizeof forms / sizeof *forms };

static const struct form *form_of(uint64_t tag)
{
	return tag < NFORMS && forms[tag].name ? &forms[tag] : NULL;
}

const char *msg_name(enum msg_tag tag)
{
	const struct form *f = form_of(tag);

	return f ? f->name : "?";
}

static void put(struct buf *b, enum kind kind, const void *v)
{
	const struct view *s = v;

	switch (kind) {
	case K_u32: pack_u64(b, *(const uint32_t *)v); break;
	case K_u64: pack_u64(b, *(const uint64_t *)v); break;
	case K_str: pack_str(b, *s); break;
	case K_bin: pack_bin(b, *s); break;
	case K_any: buf_add(b, s->p, s->n); break;
	}
}

static void get(struct cursor *c, enum kind kind, void *v)
{
	switch (kind) {
	case K_u32: *(uint32_t *)v = cur_u32(c); break;
	case K_u64: *(uint64_t *)v = cur_u64(c); break;
	case K_str: *(struct view *)v = cur_str(c); break;
	case K_bin: *(struct view *)v = cur_bin(c); break;
	case K_any: *(struct view *)v = cur_any(c); break;
	}
}

int msg_encode(const struct msg *m, struct buf *ret, struct err *e)
{
	const struct form *f = form_of(m->tag);

	if (!f)
		return err_set(e, ERR_PROTO, "no message has tag %d", (int)m->tag);
	pack_array(ret, f->n + 1);
	pack_u64(ret, m->tag);
	for (size_t i = 0; i < f->n; i++)
		put(ret, f->field[i].kind, (const char *)m + f->field[i].at);
	return ret->bad ? err_set(e, ret->bad, "encoding %s", f->name) : 0;
}

int msg_decode(struct view frame, struct msg *ret, struct err *e)
{
	struct cursor c = cur_of(frame);
	const struct form *f;
	struct msg m = { 0 };
	uint64_t len, tag;

	len = cur_array(&c);
	tag = cur_u64(&c);
	if (c.bad || !len)
		return err_set(e, ERR_PROTO, "not an array led by a tag");
	f = form_of(tag);
	if (!f)
		return err_set(e, ERR_PROTO, "no message has tag %" PRIu64, tag);
	if (len != f->n + 1)
		return err_set(e, ERR_PROTO, "%s with %" PRIu64 " fields, not %zu",
			       f->name, len - 1, f->n);
	m.tag = (enum msg_tag)tag;
	for (size_t i = 0; i < f->n; i++) {
		get(&c, f->field[i].kind, (char *)&m + f->field[i].at);
		if (c.bad)
			return err_set(e, ERR_PROTO, "%s.%s is not a %s", f->name,
				       f->field[i].name, kind_names[f->field[i].kind]);
	}
	if (c.left)
		return err_set(e, ERR_PROTO, "%s and %zu bytes more", f->name, c.left);
	*ret = m;
	return 0;
}

static void print_field(const struct field *f, const void *v, struct buf *ret)
{
	const struct view *s = v;

	buf_addf(ret, " %s=", f->name);
	switch (f->kind) {
	case K_u32: buf_addf(ret, "%" PRIu32, *(const uint32_t *)v); break;
	case K_u64: buf_addf(ret, "%" PRIu64, *(const uint64_t *)v); break;
	case K_str: buf_addf(ret, "\"%.*s\"", (int)s->n, s->p); break;
	case K_bin:
	case K_any: buf_addf(ret, "<%zu bytes>", s->n); break;
	}
}

void msg_print(const struct msg *m, struct buf *ret)
{
	const struct form *f = form_of(m->tag);

	buf_add_str(ret, msg_name(m->tag));
	for (size_t i = 0; f && i < f->n; i++)
		print_field(&f->field[i], (const char *)m + f->field[i].at, ret);
}

int msg_describe(size_t i, const char **ret_name, unsigned *ret_tag,
		 const char **ret_sender, size_t *ret_fields)
{
	const struct form *f = form_of(i + 1);

	if (!f)
		return 0;
	*ret_name = f->name;
	*ret_tag = (unsigned)i + 1;
	*ret_sender = f->sender;
	*ret_fields = f->n;
	return 1;
}

int msg_describe_field(size_t i, size_t field, const char **ret_kind,
		       const char **ret_name, const char **ret_meaning)
{
	const struct form *f = form_of(i + 1);

	if (!f || field >= f->n)
		return 0;
	*ret_kind = kind_names[f->field[field].kind];
	*ret_name = f->field[field].name;
	*ret_meaning = f->field[field].meaning;
	return 1;
}
