/* rig.h - a chat over loopback with a mock server, and what its asks gave
 *
 *     struct rig g;
 *     rig_open(&g, "html502,ok*", NULL);
 *     rig_ask(&g, "prompt");
 *     rig_run(&g);
 *     g.got[0].answer ...
 *     rig_close(&g);
 */
#ifndef RIG_H
#define RIG_H

#include "tests/support/mock_llm.h"
#include "worker/chat.h"

enum { RIG_ASKS = 64, RIG_CALLS = 32 };

struct got {
	int done;
	struct err err;
	enum chat_kind kind;
	char answer[512], finish[64];
	struct usage usage;
	uint64_t prompt_tokens, context_tokens;
	struct call call[RIG_CALLS];
	size_t n_calls;
	char *reply; /* freed by rig_close() */
};

struct rig {
	uv_loop_t loop;
	struct http *http;
	struct endpoint *ep;
	struct chat *chat;
	struct mock_llm *mock;
	struct chat_ask ask; /* what rig_ask() sends, but for the prompt */
	struct got got[RIG_ASKS];
	struct chat_run *run[RIG_ASKS];
	char prompt[RIG_ASKS][256];
	size_t asked, done;
};

/* Settings' base_urls NULL: the mock's. */
void rig_open(struct rig *g, const char *script, const struct endpoint_settings *s);
struct got *rig_ask(struct rig *g, const char *prompt);
void rig_run(struct rig *g); /* until all asks are done */
void rig_run_ms(struct rig *g, uint64_t ms);
void rig_close(struct rig *g);

/* One ask of a fresh rig; the rig stays open. */
struct got *rig_one(struct rig *g, const char *script);

#endif
