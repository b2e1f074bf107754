/* chat_reply.c - any bytes as the response of a model server: no crash, no endless
 * loop, and what is said is said in bounds */
#include "tests/fuzz/fuzz.h"

#include "common/base/utf8.h"
#include "worker/chat_refusal.h"
#include "worker/chat_reply.h"
#include "worker/reward_wire.h"

#include <assert.h>
#include <stdlib.h>

static void read_scores(struct view body)
{
	static const struct view text[3];
	struct reward_ask ask = { .label = REWARD_LAST_LABEL, .text = text };
	double score[3];
	uint32_t classes;

	for (ask.kind = 1; ask.kind < REWARD_yes_no; ask.kind++)
		for (ask.n = 1; ask.n <= 3; ask.n++)
			if (reward_scores(&ask, body, score, &classes, NULL) == 0)
				for (uint32_t i = 0; i < ask.n; i++)
					assert(score[i] - score[i] == 0); /* finite */
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct view header[HTTP_HEADERS] = { { 0 } };
	struct view body = { (const char *)data, n }, error, text;
	struct arena a = { 0 };
	struct chat_out out;
	struct refusal r;
	char *line = calloc(1, n + 1);

	if (n)
		memcpy(line, data, n);
	line[strcspn(line, "\r\n")] = '\0';
	for (int i = 0; i < 2; i++)
		if (chat_reply_read(view_of(i ? "text/event-stream" : ""), body, 100,
				    &a, &out, &error, NULL) == 0)
			assert(out.answer.p && out.finish.p && out.kind >= CHAT_ANSWER);
	refusal_read(400, body, 64, &r);
	text = view_of(r.text);
	assert(text.n < sizeof r.text && !strchr(r.text, '\n'));
	for (size_t at = 0; at < text.n;
	     at += utf8_point(text.p + at, text.n - at, NULL))
		assert(utf8_point(text.p + at, text.n - at, NULL));
	read_scores(body);
	for (int i = 0; i < HTTP_HEADERS; i++)
		header[i] = view_of(line);
	assert(refusal_wait_ms(header, body, 0) <= 86400000);
	arena_free(&a);
	free(line);
	return 0;
}
