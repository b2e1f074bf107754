/* fetch.c - see fetch.h */
#include "worker/fetch.h"

#include "common/base/clock.h"
#include "common/base/mem.h"

#include <stdio.h>
#include <unistd.h>

enum { FETCH_AGAIN_MS = 5000 };

struct wish { /* something being fetched */
	struct wish *next;
	struct hash hash;
	enum need what;
	uint64_t asked_ms, got; /* bytes so far */
	uint64_t size;
	struct buf bytes; /* of a text */
};

struct hunger { /* an attempt that waits for it */
	struct hunger *next;
	struct attempt *attempt;
	struct hash hash;
};

struct fetch {
	struct fetch_config cfg;
	struct wish *wish;
	struct hunger *hunger;
};

int fetch_new(const struct fetch_config *cfg, struct fetch **ret)
{
	struct fetch *f = mem_alloc(1, sizeof *f);

	if (!f)
		return ERR_NOMEM;
	f->cfg = *cfg;
	*ret = f;
	return 0;
}

static int is_text(enum need what)
{
	return what == NEED_BLOB || what == NEED_OUTPUT;
}

/* ---- asking ---------------------------------------------------------------------- */

static void ask(struct fetch *f, struct wish *k)
{
	struct msg m = { .tag = MSG_TAG_FETCH };

	m.fetch.hash = (struct view){ (const char *)k->hash.b, HASH_BYTES };
	m.fetch.offset = k->got;
	/* A file's place is asked first. */
	m.fetch.most = is_text(k->what) || k->size ? MSG_CHUNK : 0;
	k->asked_ms = clock_ms();
	f->cfg.send(f->cfg.arg, &m);
}

void fetch_again(struct fetch *f, uint64_t now_ms)
{
	for (struct wish *k = f->wish; k; k = k->next)
		if (now_ms - k->asked_ms >= FETCH_AGAIN_MS)
			ask(f, k);
}

void fetch_all_again(struct fetch *f)
{
	for (struct wish *k = f->wish; k; k = k->next)
		k->asked_ms = 0;
}

static struct wish *wish_for(struct fetch *f, const struct hash *h)
{
	for (struct wish *k = f->wish; k; k = k->next)
		if (hash_eq(&k->hash, h))
			return k;
	return NULL;
}

static int is_here(struct fetch *f, const struct hash *h, enum need what)
{
	switch (what) {
	case NEED_DATABASE: return store_database(f->cfg.store, h) != NULL;
	case NEED_BANK: return store_bank(f->cfg.store, h) != NULL;
	default: return store_get(f->cfg.store, h).p != NULL;
	}
}

static int make_wish(struct fetch *f, const struct hash *h, enum need what)
{
	struct wish *k = mem_alloc(1, sizeof *k);

	if (!k)
		return 0;
	*k = (struct wish){ .next = f->wish, .hash = *h, .what = what };
	f->wish = k;
	ask(f, k);
	return 1;
}

static int make_hunger(struct fetch *f, struct attempt *a, const struct hash *h)
{
	struct hunger *g = mem_alloc(1, sizeof *g);

	if (!g)
		return 0;
	*g = (struct hunger){ f->hunger, a, *h };
	f->hunger = g;
	return 1;
}

int fetch_need(struct fetch *f, struct attempt *a, const struct hash *h, enum need what)
{
	if (is_here(f, h, what))
		return 1;
	if ((!wish_for(f, h) && !make_wish(f, h, what)) || !make_hunger(f, a, h))
		f->cfg.fed(f->cfg.arg, a, ERR_NOMEM, "out of memory");
	return 0;
}

void fetch_forget(struct fetch *f, const struct attempt *a)
{
	struct hunger **p = &f->hunger;

	while (*p) {
		struct hunger *h = *p;

		if (h->attempt != a) {
			p = &h->next;
			continue;
		}
		*p = h->next;
		mem_free(h);
	}
}

/* ---- answers --------------------------------------------------------------------- */

static void end_wish(struct fetch *f, struct wish *k)
{
	struct wish **p = &f->wish;

	while (*p != k)
		p = &(*p)->next;
	*p = k->next;
	buf_free(&k->bytes);
	mem_free(k);
}

static void feed(struct fetch *f, struct wish *k, int code, const char *text)
{
	struct hunger **p = &f->hunger;
	struct hash hash = k->hash;

	end_wish(f, k);
	while (*p) {
		struct hunger *h = *p;
		struct attempt *a = h->attempt;

		if (!hash_eq(&h->hash, &hash)) {
			p = &h->next;
			continue;
		}
		*p = h->next;
		mem_free(h);
		f->cfg.fed(f->cfg.arg, a, code, text);
	}
}

static int open_file(struct fetch *f, const struct wish *k, const char *path,
		     struct err *e)
{
	return k->what == NEED_DATABASE
		       ? store_open_database(f->cfg.store, &k->hash, path, e)
		       : store_open_bank(f->cfg.store, &k->hash, path, e);
}

static void end_with_file(struct fetch *f, struct wish *k, const char *path)
{
	struct err e = { .text = "" };
	int rc = open_file(f, k, path, &e);

	feed(f, k, rc, e.text);
}

/* The broker said where the file lies, and how large it is. */
static void on_file_place(struct fetch *f, struct wish *k, const struct msg *m)
{
	const char *cached = store_file(f->cfg.store, &k->hash);
	char path[4096];

	snprintf(path, sizeof path, "%.*s", (int)m->blob.path.n, m->blob.path.p);
	if (path[0] && access(path, R_OK) == 0) {
		end_with_file(f, k, path);
	} else if (access(cached, R_OK) == 0 && open_file(f, k, cached, NULL) == 0) {
		feed(f, k, 0, "");
	} else {
		k->size = m->blob.size;
		ask(f, k);
	}
}

static void on_file_chunk(struct fetch *f, struct wish *k, const struct msg *m)
{
	struct err e;

	if (m->blob.offset != k->got)
		return; /* an answer to a question asked twice */
	if (store_chunk(f->cfg.store, &k->hash, k->got, m->blob.bytes, &e)) {
		feed(f, k, e.code, e.text);
		return;
	}
	k->got += m->blob.bytes.n;
	if (k->got < k->size && m->blob.bytes.n)
		ask(f, k);
	else
		end_with_file(f, k, store_file(f->cfg.store, &k->hash));
}

static void on_text_chunk(struct fetch *f, struct wish *k, const struct msg *m)
{
	if (m->blob.offset != k->got)
		return;
	buf_add(&k->bytes, m->blob.bytes.p, m->blob.bytes.n);
	k->got += m->blob.bytes.n;
	if (k->got < m->blob.size && m->blob.bytes.n)
		ask(f, k);
	else if (k->bytes.bad || store_put(f->cfg.store, &k->hash, buf_view(&k->bytes)))
		feed(f, k, ERR_NOMEM, "out of memory");
	else
		feed(f, k, 0, "");
}

static void on_missing(struct fetch *f, struct wish *k)
{
	char hex[HASH_HEX + 1];
	struct err e;

	hash_hex(&k->hash, hex);
	err_set(&e, ERR_PROTO, "the broker does not have %.16s...", hex);
	feed(f, k, e.code, e.text);
}

void fetch_blob(struct fetch *f, const struct msg *m)
{
	struct wish *k;
	struct hash h;

	if (m->blob.hash.n != HASH_BYTES)
		return;
	memcpy(h.b, m->blob.hash.p, HASH_BYTES);
	k = wish_for(f, &h);
	if (!k)
		return;
	if (!m->blob.found)
		on_missing(f, k);
	else if (is_text(k->what))
		on_text_chunk(f, k, m);
	else if (!k->size)
		on_file_place(f, k, m);
	else
		on_file_chunk(f, k, m);
}

void fetch_free(struct fetch **f)
{
	if (!*f)
		return;
	while ((*f)->wish)
		end_wish(*f, (*f)->wish);
	while ((*f)->hunger)
		fetch_forget(*f, (*f)->hunger->attempt);
	mem_free(*f);
	*f = NULL;
}
