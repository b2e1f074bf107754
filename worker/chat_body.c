/* chat_body.c - see chat_body.h */
#include "worker/chat_body.h"

#include "common/base/utf8.h"

#include <stdio.h>
#include <stdlib.h>

static void escape(struct buf *b, unsigned char c)
{
	switch (c) {
	case '"': buf_add_str(b, "\\\""); break;
	case '\\': buf_add_str(b, "\\\\"); break;
	case '\n': buf_add_str(b, "\\n"); break;
	case '\r': buf_add_str(b, "\\r"); break;
	case '\t': buf_add_str(b, "\\t"); break;
	default: buf_addf(b, "\\u%04x", c);
	}
}

void chat_body_text(struct buf *b, struct view v)
{
	size_t from = 0, i = 0;

	buf_add_char(b, '"');
	while (i < v.n) {
		unsigned char c = (unsigned char)v.p[i];
		size_t len = c < 0x80 ? 1 : utf8_point(v.p + i, v.n - i, NULL);

		if (len && c >= ' ' && c != '"' && c != '\\') {
			i += len;
			continue;
		}
		buf_add(b, v.p + from, i - from);
		if (len)
			escape(b, c);
		else
			buf_add_str(b, "\xef\xbf\xbd");
		from = ++i;
	}
	buf_add(b, v.n ? v.p + from : "", v.n - from);
	buf_add_char(b, '"');
}

static void add_message(struct buf *b, const char *role, struct view text)
{
	buf_addf(b, "{\"role\":\"%s\",\"content\":", role);
	chat_body_text(b, text);
	buf_add_char(b, '}');
}

/* The shortest of two forms that reads back as the same number. */
static void add_number(struct buf *b, const char *name, double v)
{
	char s[32];

	snprintf(s, sizeof s, "%.15g", v);
	if (strtod(s, NULL) != v)
		snprintf(s, sizeof s, "%.17g", v);
	buf_addf(b, ",\"%s\":%s", name, s);
}

static void add_sampling(struct buf *b, const struct chat_ask *ask,
			 const struct endpoint_facts *facts)
{
	if (ask->temperature >= 0 && !facts->no_temperature)
		add_number(b, "temperature", ask->temperature);
	if (ask->top_p >= 0 && !facts->no_top_p)
		add_number(b, "top_p", ask->top_p);
	if (ask->seed >= 0 && !facts->no_seed)
		buf_addf(b, ",\"seed\":%lld", (long long)ask->seed);
	if (ask->top_logprobs && !facts->no_logprobs)
		buf_addf(b, ",\"logprobs\":true,\"top_logprobs\":%u",
			 facts->most_logprobs &&
					 facts->most_logprobs < ask->top_logprobs
				 ? facts->most_logprobs
				 : ask->top_logprobs);
	if (ask->no_thinking && !facts->no_template_kwargs)
		buf_add_str(b, ",\"chat_template_kwargs\":{\"enable_thinking\":false}");
}

void chat_body(struct buf *b, const struct chat_ask *ask,
	       const struct endpoint_facts *facts, uint32_t max_tokens)
{
	buf_add_str(b, "{\"model\":");
	chat_body_text(b, view_of(ask->model));
	buf_add_str(b, ",\"messages\":[");
	if (ask->system.n) {
		add_message(b, "system", ask->system);
		buf_add_char(b, ',');
	}
	add_message(b, "user", ask->user);
	buf_add_char(b, ']');
	add_sampling(b, ask, facts);
	if (max_tokens)
		buf_addf(b, ",\"%s\":%u",
			 facts->completion_name ? "max_completion_tokens"
						: "max_tokens",
			 max_tokens);
	buf_add_str(b, facts->stream ? ",\"stream\":true" : ",\"stream\":false");
	if (facts->stream && !facts->no_stream_options)
		buf_add_str(b, ",\"stream_options\":{\"include_usage\":true}");
	buf_add_char(b, '}');
}
