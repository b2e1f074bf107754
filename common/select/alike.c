/* alike.c - see alike.h */
#include "common/select/alike.h"

#include "common/base/err.h"
#include "common/base/mem.h"
#include "common/base/utf8.h"

struct seen { /* one value of the columns of one name */
	struct sip what;
	uint64_t times[2];
};

struct alike {
	size_t memory;
	enum text_mode text;
	struct sip *column[2]; /* what names each */
	uint32_t cols[2];
	struct seen *seen; /* open addressing; no times: free */
	size_t n, cap;
	char *clean;
	size_t clean_cap;
};

int alike_new(size_t memory, enum text_mode text, struct alike **ret)
{
	struct alike *k = mem_alloc(1, sizeof *k);

	if (!k)
		return ERR_NOMEM;
	k->memory = memory;
	k->text = text;
	*ret = k;
	return 0;
}

void alike_free(struct alike **k_)
{
	struct alike *k = *k_;

	if (!k)
		return;
	mem_free(k->column[ALIKE_A]);
	mem_free(k->column[ALIKE_B]);
	mem_free(k->seen);
	mem_free(k->clean);
	mem_free(k);
	*k_ = NULL;
}

int alike_columns(struct alike *k, enum alike_side side, const struct view *names,
		  uint32_t cols)
{
	struct sip *column = mem_resize(k->column[side], cols + 1, sizeof *column);

	if (!column)
		return ERR_NOMEM;
	for (uint32_t i = 0; i < cols; i++)
		column[i] =
			names ? sip_of(names[i].p, names[i].n) : (struct sip){ i, 0 };
	k->column[side] = column;
	k->cols[side] = cols;
	return 0;
}

/* ---- values ---- */

static int clean_text(struct alike *k, struct view *v)
{
	if (k->text != TEXT_IGNORE || utf8_valid(*v))
		return 0;
	if (v->n > k->clean_cap) {
		char *clean = mem_resize(k->clean, v->n, 1);

		if (!clean)
			return ERR_NOMEM;
		k->clean = clean;
		k->clean_cap = v->n;
	}
	*v = (struct view){ k->clean, utf8_ignore(*v, k->clean) };
	return 0;
}

static int name_of(struct alike *k, const struct sip *column, const struct cell *cell,
		   struct sip *ret)
{
	struct cell c = cell_plain(cell);
	struct {
		struct sip column, value;
		uint64_t type;
	} all = { .column = *column, .type = c.type };
	int r = c.type == CELL_TEXT ? clean_text(k, &c.v) : 0;

	if (c.type >= CELL_TEXT)
		all.value = sip_of(c.v.n ? c.v.p : "", c.v.n);
	else if (c.type == CELL_REAL)
		memcpy(&all.value.lo, &c.d, 8);
	else if (c.type == CELL_INT)
		all.value.lo = (uint64_t)c.i;
	*ret = sip_of(&all, sizeof all);
	return r;
}

static struct seen *place(struct seen *seen, size_t cap, const struct sip *what)
{
	size_t i = what->lo & (cap - 1);

	while ((seen[i].times[0] || seen[i].times[1]) && !sip_eq(&seen[i].what, what))
		i = (i + 1) & (cap - 1);
	return &seen[i];
}

static int grow(struct alike *k)
{
	size_t cap = k->cap ? k->cap * 2 : 64;
	struct seen *seen;

	if (cap * sizeof *seen > k->memory)
		return ERR_LIMIT;
	seen = mem_alloc(cap, sizeof *seen);
	if (!seen)
		return ERR_NOMEM;
	for (size_t i = 0; i < k->cap; i++)
		if (k->seen[i].times[0] || k->seen[i].times[1])
			*place(seen, cap, &k->seen[i].what) = k->seen[i];
	mem_free(k->seen);
	k->seen = seen;
	k->cap = cap;
	return 0;
}

static int count(struct alike *k, enum alike_side side, const struct sip *what)
{
	int r = (k->n + 1) * 2 > k->cap ? grow(k) : 0;
	struct seen *s;

	if (r)
		return r;
	s = place(k->seen, k->cap, what);
	k->n += !s->times[0] && !s->times[1];
	s->what = *what;
	s->times[side]++;
	return 0;
}

int alike_row(struct alike *k, enum alike_side side, const struct cell *cells)
{
	int r = 0;

	for (uint32_t i = 0; i < k->cols[side] && !r; i++) {
		struct sip what;

		r = name_of(k, &k->column[side][i], &cells[i], &what);
		if (!r)
			r = count(k, side, &what);
	}
	return r;
}

void alike_decide(const struct alike *k, uint64_t *ret_same, uint64_t *ret_all)
{
	uint64_t same = 0, all = 0;

	for (size_t i = 0; i < k->cap; i++) {
		const uint64_t *t = k->seen[i].times;

		same += t[0] < t[1] ? t[0] : t[1];
		all += t[0] < t[1] ? t[1] : t[0];
	}
	*ret_same = same;
	*ret_all = all;
}
