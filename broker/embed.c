/* embed.c - see embed.h */
#include "broker/embed.h"

#include "common/base/pack.h"

#include <assert.h>

struct fact embed_need(struct plan *p, const struct view *text, uint32_t n,
		       struct hash *ret_key)
{
	struct blob blob[EMBED_TEXTS + 1];
	struct buf spec = { 0 };
	struct fact f;

	assert(n <= EMBED_TEXTS);
	spec_begin(&spec, KIND_embed, 2);
	pack_hash(&spec, &p->sweep->embed.hash);
	pack_array(&spec, n);
	blob[0] = (struct blob){ p->sweep->embed.hash, p->sweep->embed.blob, 0 };
	for (uint32_t i = 0; i < n; i++) {
		blob[i + 1] =
			(struct blob){ hash_of(text[i].p, text[i].n), text[i], 0 };
		pack_hash(&spec, &blob[i + 1].hash);
	}
	*ret_key = task_key(buf_view(&spec));
	f = plan_need(p, &spec, blob, n + 1);
	buf_free(&spec);
	return f;
}
