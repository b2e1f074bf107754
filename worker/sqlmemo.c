/* sqlmemo.c - see sqlmemo.h */
#include "worker/sqlmemo.h"

static size_t place(const struct hash *key)
{
	return key->b[0] % SQLMEMO_SLOTS;
}

struct view sqlmemo_get(const struct sqlmemo *m, const struct hash *key)
{
	const struct sqlmemo_slot *s = &m->slot[place(key)];

	return s->answer.n && hash_eq(&s->key, key) ? buf_view(&s->answer)
						    : (struct view){ "", 0 };
}

void sqlmemo_put(struct sqlmemo *m, const struct hash *key, struct view answer)
{
	struct sqlmemo_slot *s = &m->slot[place(key)];

	buf_clear(&s->answer);
	if (answer.n > SQLMEMO_BYTES)
		return;
	s->key = *key;
	buf_add(&s->answer, answer.p, answer.n);
	if (s->answer.bad)
		buf_clear(&s->answer);
}

void sqlmemo_forget(struct sqlmemo *m)
{
	for (size_t i = 0; i < SQLMEMO_SLOTS; i++)
		buf_clear(&m->slot[i].answer);
}

void sqlmemo_free(struct sqlmemo *m)
{
	for (size_t i = 0; i < SQLMEMO_SLOTS; i++)
		buf_free(&m->slot[i].answer);
}
