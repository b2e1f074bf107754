/* reward.c - see reward.h */
#include "proto/reward.h"

#include "common/base/pack.h"

#include <math.h>

enum { OUT_VERSION = 1, OUT_FIELDS = 6, MODEL_FIELDS = 4 };

static const struct {
	enum reward_kind kind;
	const char *word;
} kinds[] = {
#define X(name, number, word, what) { REWARD_##name, word },
	REWARD_LIST(X)
#undef X
};

const char *reward_kind_word(enum reward_kind k)
{
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (kinds[i].kind == k)
			return kinds[i].word;
	return "?";
}

enum reward_kind reward_kind_by_word(const char *word)
{
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (strcmp(kinds[i].word, word) == 0)
			return kinds[i].kind;
	return REWARD_NONE;
}

void reward_model_encode(const struct reward_model *m, struct buf *b)
{
	pack_array(b, MODEL_FIELDS);
	pack_str(b, m->name);
	pack_str(b, m->revision);
	pack_u64(b, m->kind);
	pack_i64(b, m->label);
}

int reward_model_decode(struct view bytes, struct reward_model *ret)
{
	struct cursor c = cur_of(bytes);
	struct reward_model m;
	uint32_t kind;
	int64_t label;

	cur_array_of(&c, MODEL_FIELDS);
	m.name = cur_str(&c);
	m.revision = cur_str(&c);
	kind = cur_u32(&c);
	label = cur_i64(&c);
	if (!cur_done(&c) || kind == REWARD_NONE || kind >= REWARD_KINDS ||
	    label < REWARD_LAST_LABEL || label > INT32_MAX)
		return 0;
	m.kind = (enum reward_kind)kind;
	m.label = (int32_t)label;
	*ret = m;
	return 1;
}

void reward_out_encode(const struct reward_out *out, struct buf *b)
{
	pack_array(b, OUT_FIELDS);
	pack_u64(b, OUT_VERSION);
	pack_u64(b, out->state);
	pack_f64(b, out->score);
	pack_str(b, out->note);
	usage_pack(b, &out->usage);
	pack_bin(b, out->reply);
}

int reward_out_decode(struct view bytes, struct reward_out *ret, struct err *e)
{
	struct cursor c = cur_of(bytes);
	struct reward_out out;
	uint32_t version, state;

	cur_array_of(&c, OUT_FIELDS);
	version = cur_u32(&c);
	state = cur_u32(&c);
	out.score = cur_f64(&c);
	out.note = cur_str(&c);
	out.usage = usage_take(&c);
	out.reply = cur_bin(&c);
	if (!cur_done(&c) || version != OUT_VERSION || state < REWARD_SCORED ||
	    state > REWARD_UNREAD || !isfinite(out.score))
		return err_set(e, ERR_PROTO, "not the output of a reward task");
	out.state = (enum reward_state)state;
	*ret = out;
	return 0;
}
