/* chatrig.h - a chat over loopback with a mock server, and what its asks gave
 *
 *     struct chatrig g;
 *     chatrig_open(&g, "html502,ok*", NULL);
 *     chatrig_ask(&g, "prompt");
 *     chatrig_run(&g);
 *     g.got[0].answer ...
 *     chatrig_close(&g);
 */
#ifndef CHATRIG_H
#define CHATRIG_H

#include "tests/support/mock_llm.h"
#include "worker/chat.h"

enum { CHATRIG_ASKS = 64, CHATRIG_CALLS = 32 };

struct got {
	int done;
	struct err err;
	enum chat_kind kind;
	char answer[512], finish[64], note[64];
	struct alternatives first; /* only n is of use */
	struct usage usage;
	uint64_t prompt_tokens, context_tokens;
	struct call call[CHATRIG_CALLS];
	size_t n_calls;
	char *reply; /* freed by chatrig_close() */
};

struct chatrig {
	uv_loop_t loop;
	struct http *http;
	struct endpoint *ep;
	struct chat *chat;
	struct mock_llm *mock;
	struct chat_ask ask; /* what chatrig_ask() sends, but for the prompt */
	struct got got[CHATRIG_ASKS];
	struct chat_run *run[CHATRIG_ASKS];
	char prompt[CHATRIG_ASKS][256];
	size_t asked, done;
};

/* Settings' base_urls NULL: the mock's. */
void chatrig_open(struct chatrig *g, const char *script,
		  const struct endpoint_settings *s);
void chatrig_open_reward(struct chatrig *g, const char *script, const char *reward,
			 const struct endpoint_settings *s);
struct got *chatrig_ask(struct chatrig *g, const char *prompt);
void chatrig_run(struct chatrig *g); /* until all asks are done */
void chatrig_run_ms(struct chatrig *g, uint64_t ms);
void chatrig_close(struct chatrig *g);

/* One ask of a fresh rig; the rig stays open. */
struct got *chatrig_one(struct chatrig *g, const char *script);

#endif
