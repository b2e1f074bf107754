/* settings.c - see settings.h */
#include "proto/settings.h"

#include "common/base/cursor.h"
#include "common/base/pack.h"

void settings_encode(const struct settings *s, struct buf *b)
{
	pack_array(b, 7);
	pack_u64(b, s->sql_timeout_ms);
	pack_str(b, s->base_urls);
	pack_str(b, s->api_key_env);
	pack_str(b, s->headers);
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
	s.base_urls = cur_str(&c);
	s.api_key_env = cur_str(&c);
	s.headers = cur_str(&c);
	s.max_connections = cur_u32(&c);
	s.max_retries = cur_u32(&c);
	s.timeout_ms = cur_u64(&c);
	if (!cur_done(&c))
		return 0;
	*ret = s;
	return 1;
}
