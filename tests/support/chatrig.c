/* chatrig.c - see chatrig.h */
#include "tests/support/chatrig.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

void chatrig_open(struct chatrig *g, const char *script,
		  const struct endpoint_settings *s)
{
	chatrig_open_reward(g, script, NULL, s);
}

void chatrig_open_reward(struct chatrig *g, const char *script, const char *reward,
			 const struct endpoint_settings *s)
{
	struct endpoint_settings set = { .max_retries = 5, .backoff_ms = 10 };
	struct mock_llm_options o = { .script = script, .reward = reward };
	struct err e = { 0 };
	int rc;

	memset(g, 0, sizeof *g);
	g->mock = mock_llm_start(&o);
	assert(g->mock);
	if (s)
		set = *s;
	if (!set.base_urls)
		set.base_urls = mock_llm_url(g->mock);
	uv_loop_init(&g->loop);
	rc = http_open(&g->loop, 64, &g->http, &e);
	if (!rc)
		rc = endpoint_new(&set, &g->ep, &e);
	if (!rc)
		rc = chat_open(&g->loop, g->http, g->ep, &g->chat, &e);
	if (rc)
		fprintf(stderr, "chatrig: %s\n", e.text);
	assert(!rc);
	g->ask = (struct chat_ask){ .model = "mock",
				    .temperature = 0,
				    .top_p = -1,
				    .max_tokens = 64,
				    .seed = -1 };
}

static void keep(char *to, size_t size, struct view v)
{
	snprintf(to, size, "%.*s", (int)v.n, v.p ? v.p : "");
}

static void on_done(void *arg, const struct chat_result *r)
{
	struct got *got = arg;

	assert(!got->done);
	got->done = 1;
	got->err = r->err;
	assert(r->n_calls <= CHATRIG_CALLS);
	got->n_calls = r->n_calls;
	memcpy(got->call, r->calls, r->n_calls * sizeof *r->calls);
	if (r->err.code)
		return;
	got->kind = r->out.kind;
	got->usage = r->out.usage;
	got->prompt_tokens = r->out.prompt_tokens;
	got->context_tokens = r->out.context_tokens;
	keep(got->answer, sizeof got->answer, r->out.answer);
	keep(got->note, sizeof got->note, r->out.note);
	got->first = r->out.first;
	keep(got->finish, sizeof got->finish, r->out.finish);
	got->reply = strndup(r->out.reply.p, r->out.reply.n);
}

struct got *chatrig_ask(struct chatrig *g, const char *prompt)
{
	size_t i = g->asked++;
	struct chat_ask ask = g->ask;
	struct err e;
	int rc;

	assert(i < CHATRIG_ASKS);
	snprintf(g->prompt[i], sizeof g->prompt[i], "%s", prompt);
	ask.user = view_of(g->prompt[i]);
	rc = chat_start(g->chat, &ask, on_done, g->got + i, g->run + i, &e);
	assert(!rc);
	assert(!g->got[i].done);
	return g->got + i;
}

static int all_done(const struct chatrig *g)
{
	for (size_t i = 0; i < g->asked; i++)
		if (!g->got[i].done)
			return 0;
	return 1;
}

void chatrig_run(struct chatrig *g)
{
	while (!all_done(g))
		uv_run(&g->loop, UV_RUN_ONCE);
}

static void on_time(uv_timer_t *t)
{
	*(int *)t->data = 1;
}

void chatrig_run_ms(struct chatrig *g, uint64_t ms)
{
	uv_timer_t t;
	int over = 0;

	uv_timer_init(&g->loop, &t);
	t.data = &over;
	uv_timer_start(&t, on_time, ms, 0);
	while (!over)
		uv_run(&g->loop, UV_RUN_ONCE);
	uv_close((uv_handle_t *)&t, NULL);
	uv_run(&g->loop, UV_RUN_NOWAIT);
}

void chatrig_close(struct chatrig *g)
{
	int rc;

	chat_close(&g->chat, NULL, NULL);
	http_close(&g->http, NULL, NULL);
	uv_run(&g->loop, UV_RUN_DEFAULT);
	rc = uv_loop_close(&g->loop);
	assert(rc == 0);
	endpoint_free(&g->ep);
	mock_llm_stop(&g->mock);
	for (size_t i = 0; i < g->asked; i++)
		free(g->got[i].reply);
}

struct got *chatrig_one(struct chatrig *g, const char *script)
{
	struct got *got;

	chatrig_open(g, script, NULL);
	got = chatrig_ask(g, "which?\nCandidate [A]\n```sql\nSELECT 1\n```\n\n"
			     "Candidate [B]\n```sql\nSELECT 2\n```\n");
	chatrig_run(g);
	return got;
}
