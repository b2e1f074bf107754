/* chat_out.c - see chat_out.h */
#include "proto/chat_out.h"

#include "common/base/pack.h"

enum { VERSION = 2, FIELDS = 12 };

const char *chat_kind_name(enum chat_kind kind)
{
	switch (kind) {
	case CHAT_ANSWER: return "answer";
	case CHAT_TOO_LONG: return "too_long";
	case CHAT_EMPTY_AFTER_REASONING: return "empty_after_reasoning";
	case CHAT_EMPTY: return "empty";
	}
	return "?";
}

void chat_out_encode(struct buf *b, const struct chat_out *out)
{
	pack_array(b, FIELDS);
	pack_u64(b, VERSION);
	pack_u64(b, out->kind);
	pack_str(b, out->answer);
	pack_str(b, out->finish);
	usage_pack(b, &out->usage);
	pack_u64(b, out->prompt_tokens);
	pack_u64(b, out->context_tokens);
	pack_bool(b, out->truncated);
	pack_str(b, out->model);
	pack_str(b, out->note);
	alternatives_pack(b, &out->first);
	pack_bin(b, out->reply);
}

int chat_out_decode(struct view bytes, struct chat_out *ret, struct err *e)
{
	struct cursor c = cur_of(bytes);
	struct chat_out out = { 0 };
	uint32_t version, kind;

	cur_array_of(&c, FIELDS);
	version = cur_u32(&c);
	kind = cur_u32(&c);
	out.answer = cur_str(&c);
	out.finish = cur_str(&c);
	out.usage = usage_take(&c);
	out.prompt_tokens = cur_u64(&c);
	out.context_tokens = cur_u64(&c);
	out.truncated = cur_bool(&c);
	out.model = cur_str(&c);
	out.note = cur_str(&c);
	out.first = alternatives_take(&c);
	out.reply = cur_bin(&c);
	if (!cur_done(&c) || version != VERSION)
		return err_set(e, ERR_PROTO, "not the output of a model task");
	if (kind < CHAT_ANSWER || kind > CHAT_EMPTY)
		return err_set(e, ERR_PROTO, "output of a model task of kind %u", kind);
	out.kind = (enum chat_kind)kind;
	*ret = out;
	return 0;
}
