/* candidate.c - see candidate.h */
#include "proto/candidate.h"

#include "common/base/cursor.h"
#include "common/base/pack.h"

#include <inttypes.h>
#include <stdio.h>

static void print_blob(struct view v, struct buf *b)
{
	buf_add_str(b, "X'");
	for (size_t i = 0; i < v.n; i++)
		buf_addf(b, "%02X", (unsigned char)v.p[i]);
	buf_add_char(b, '\'');
}

/* The shortest of %.15g, %.16g and %.17g that reads back as the same double. */
static void print_real(double d, struct buf *b)
{
	char text[40];

	for (int digits = 15; digits <= 17; digits++) {
		double again;

		snprintf(text, sizeof text, "%.*g", digits, d);
		if (sscanf(text, "%lf", &again) == 1 && again == d)
			break;
	}
	buf_add_str(b, text);
	if (!strpbrk(text, ".eEni"))
		buf_add_str(b, ".0");
}

static void pack_printed(const struct cell *c, struct buf *b)
{
	struct buf text = { 0 };

	switch (c->type) {
	case CELL_NULL: pack_nil(b); return;
	case CELL_INT: buf_addf(&text, "%" PRId64, c->i); break;
	case CELL_REAL: print_real(c->d, &text); break;
	case CELL_TEXT: buf_add(&text, c->v.p, c->v.n); break;
	case CELL_BLOB: print_blob(c->v, &text); break;
	}
	pack_str(b, buf_view(&text));
	buf_free(&text);
}

void shown_encode(struct view sql, const struct exec_out *out, struct buf *b)
{
	static const struct exec_out abstains = { .status = STATUS_abstain };
	const struct exec_out *o = out ? out : &abstains;
	uint32_t cells = o->preview_rows * o->cols;

	pack_array(b, 8);
	pack_str(b, sql);
	pack_u64(b, o->status);
	pack_str(b, o->error.n ? o->error : o->note);
	pack_u64(b, o->rows);
	pack_u64(b, o->cols);
	pack_array(b, o->names ? o->cols : 0);
	for (uint32_t i = 0; o->names && i < o->cols; i++)
		pack_str(b, o->names[i]);
	pack_u64(b, o->preview_rows);
	pack_array(b, cells);
	for (uint32_t i = 0; i < cells; i++)
		pack_printed(&o->preview[i], b);
}

int shown_decode(struct view bytes, struct arena *a, struct shown *ret)
{
	struct cursor c = cur_of(bytes);
	struct shown s = { 0 };
	size_t names, cells;

	cur_array_of(&c, 8);
	s.sql = cur_str(&c);
	s.status = cur_u32(&c);
	s.note = cur_str(&c);
	s.rows = cur_u64(&c);
	s.cols = cur_u32(&c);
	names = cur_array(&c);
	s.name = arena_alloc(a, names + 1, sizeof *s.name);
	for (size_t i = 0; s.name && i < names; i++)
		s.name[i] = cur_str(&c);
	s.preview_rows = cur_u32(&c);
	cells = cur_array(&c);
	s.cell = arena_alloc(a, cells + 1, sizeof *s.cell);
	for (size_t i = 0; s.cell && i < cells; i++)
		if (!cur_nil(&c))
			s.cell[i] = cur_str(&c);
	if (!s.name || !s.cell)
		return ERR_NOMEM;
	if (!cur_done(&c) || cells != (size_t)s.preview_rows * s.cols ||
	    (names && names != s.cols))
		return ERR_PROTO;
	if (!names)
		s.cols = 0;
	*ret = s;
	return 0;
}

void asked_question_encode(const struct asked_question *q, struct buf *b)
{
	pack_array(b, 2);
	pack_str(b, q->text);
	pack_str(b, q->evidence);
}

int asked_question_decode(struct view bytes, struct asked_question *ret)
{
	struct cursor c = cur_of(bytes);
	struct asked_question q;

	cur_array_of(&c, 2);
	q.text = cur_str(&c);
	q.evidence = cur_str(&c);
	if (!cur_done(&c))
		return ERR_PROTO;
	*ret = q;
	return 0;
}
