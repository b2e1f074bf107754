/* settings.c - see settings.h */
#include "proto/settings.h"

#include "common/base/cursor.h"
#include "common/base/pack.h"

static void pack_role(struct buf *b, const struct settings_role *r)
{
	pack_array(b, 3);
	pack_str(b, r->base_urls);
	pack_str(b, r->api_key_env);
	pack_str(b, r->headers);
}

static struct settings_role take_role(struct cursor *c)
{
	struct settings_role r;

	cur_array_of(c, 3);
	r.base_urls = cur_str(c);
	r.api_key_env = cur_str(c);
	r.headers = cur_str(c);
	return r;
}

void settings_encode(const struct settings *s, struct buf *b)
{
	pack_array(b, 7);
	pack_u64(b, s->sql_timeout_ms);
	pack_role(b, &s->llm);
	pack_role(b, &s->reward);
	pack_role(b, &s->embed);
	pack_u64(b, s->max_connections);
	pack_u64(b, s->max_retries);
	pack_u64(b, s->timeout_ms);
}

int settings_decode(struct view bytes, struct settings *ret)
{
	struct cursor c = cur_of(bytes);
	struct settings s;

	cur_array_of(&c, 7);
	s.sql_timeout_ms = cur_u64(&c);
	s.llm = take_role(&c);
	s.reward = take_role(&c);
	s.embed = take_role(&c);
	s.max_connections = cur_u32(&c);
	s.max_retries = cur_u32(&c);
	s.timeout_ms = cur_u64(&c);
	if (!cur_done(&c))
		return 0;
	*ret = s;
	return 1;
}
