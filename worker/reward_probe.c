/* reward_probe.c - see reward_probe.h */
#include "worker/reward_probe.h"

#include "worker/reward_wire.h"

#include <stdio.h>

enum { ANSWER_MS = 60000, TOP_LOGPROBS = 20, TOKENS = 8 };

static const struct view texts[] = {
	{ "SELECT 2 + 2", 12 },
	{ "SELECT 'this is no answer to anything'", 38 },
};

static const char question[] = "Is 2 + 2 = 4? Answer with one word, Yes or No.";

struct probe {
	const struct reward_server *server;
	struct reward_ask wire;
	enum reward_kind kind;
	struct err err;
	char text[120];
	uv_loop_t loop;
	struct http *http;
	struct endpoint *ep;
	struct chat *chat;
};

/* ---- what came ------------------------------------------------------------------- */

static void read_chat(struct probe *p, const struct chat_out *out)
{
	double yes;

	if (p->kind == REWARD_yes_no && !out->first.n)
		err_set(&p->err, ERR_REFUSED, "it gives no log-probabilities");
	else if (p->kind == REWARD_yes_no && !alternatives_yes(&out->first, &yes))
		snprintf(p->text, sizeof p->text,
			 "log-probabilities, but neither Yes nor No was likely");
	else if (p->kind == REWARD_yes_no)
		snprintf(p->text, sizeof p->text, "log-probabilities of the answer");
	else
		snprintf(p->text, sizeof p->text, "it chats");
}

static void read_scores(struct probe *p, const struct chat_out *out)
{
	uint32_t classes = 0;
	double v[2];

	if (reward_scores(&p->wire, out->reply, v, &classes, &p->err))
		return;
	if (p->kind == REWARD_classify && classes == 1 && v[0] == 1 && v[1] == 1)
		err_set(&p->err, ERR_REFUSED, "%s", reward_one_label);
	else
		snprintf(p->text, sizeof p->text, "%u number%s a text", classes,
			 classes == 1 ? "" : "s");
}

static void closed(void *arg)
{
	struct probe *p = arg;

	http_close(&p->http, NULL, NULL);
}

static void on_answer(void *arg, const struct chat_result *r)
{
	struct probe *p = arg;

	p->err = r->err;
	if (!r->err.code && r->out.kind == CHAT_TOO_LONG)
		err_set(&p->err, ERR_REFUSED, "its context is too short for a word");
	else if (!r->err.code && reward_chats(p->kind))
		read_chat(p, &r->out);
	else if (!r->err.code)
		read_scores(p, &r->out);
	chat_close(&p->chat, closed, p);
}

/* ---- asking ---------------------------------------------------------------------- */

static struct chat_ask ask_of(struct probe *p)
{
	struct chat_ask ask = { .model = p->server->model, .top_p = 1, .seed = -1 };

	if (reward_chats(p->kind)) {
		ask.user = view_of(question);
		ask.max_tokens = p->kind == REWARD_yes_no ? 1 : TOKENS;
		ask.top_logprobs = p->kind == REWARD_yes_no ? TOP_LOGPROBS : 0;
		ask.no_thinking = 1;
		return ask;
	}
	p->wire = (struct reward_ask){ .kind = p->kind,
				       .label = p->server->label,
				       .query = view_of("What is 2 + 2?"),
				       .text = texts,
				       .n = 2 };
	ask.form = &reward_form;
	ask.of_form = &p->wire;
	return ask;
}

static const char *const *lines_of(struct arena *a, const char *lines)
{
	const char **v = arena_alloc(a, ENDPOINT_HEADERS + 1, sizeof *v);
	char *text = lines ? arena_str(a, lines) : NULL, *save = NULL;
	size_t n = 0;

	for (char *p = text ? strtok_r(text, "\n", &save) : NULL;
	     v && p && n < ENDPOINT_HEADERS; p = strtok_r(NULL, "\n", &save))
		v[n++] = p;
	return v;
}

static int open_server(struct probe *p, const char *url)
{
	const struct reward_server *s = p->server;
	struct arena a = { 0 };
	struct endpoint_settings es = { .base_urls = url,
					.url_flag = "--reward-url",
					.model_flag = "--reward-model",
					.path = reward_path(p->kind),
					.path_at_root = reward_path_at_root(p->kind),
					.key_env = s->key_env,
					.headers = lines_of(&a, s->headers),
					.max_connections = 1,
					.timeout_ms = ANSWER_MS };
	int rc = endpoint_new(&es, &p->ep, &p->err);

	if (!rc)
		rc = http_open(&p->loop, 1, &p->http, &p->err);
	if (!rc)
		rc = chat_open(&p->loop, p->http, p->ep, &p->chat, &p->err);
	arena_free(&a);
	return rc;
}

static void try_kind(struct probe *p, const char *url)
{
	struct chat_ask ask = ask_of(p);

	uv_loop_init(&p->loop);
	if (open_server(p, url)) {
		if (p->http)
			http_close(&p->http, NULL, NULL);
	} else if (chat_start(p->chat, &ask, on_answer, p, NULL, &p->err)) {
		chat_close(&p->chat, closed, p);
	}
	uv_run(&p->loop, UV_RUN_DEFAULT);
	uv_loop_close(&p->loop);
	endpoint_free(&p->ep);
}

/* ---- which it is ----------------------------------------------------------------- */

static int nobody(const struct probe *p)
{
	return p->err.code == ERR_NET || p->err.code == ERR_TIMEOUT;
}

static int none_serves(const struct err *last, struct err *e)
{
	return err_set(e, ERR_REFUSED,
		       "the reward server serves no kind of --reward-kind: is "
		       "--reward-url right? `mapfleet doctor --reward-url URL "
		       "--reward-model NAME` tells each (the last: %.300s)",
		       last->text);
}

static int found(const struct probe *p, enum reward_kind *ret, struct err *e)
{
	if (p->err.code == 0 && !*ret)
		*ret = p->kind;
	if (nobody(p) || strcmp(p->err.text, reward_one_label) == 0)
		return err_set(e, p->err.code, "%s", p->err.text);
	return 0;
}

int reward_detect(const struct reward_server *s, reward_tell_fn *tell, void *arg,
		  enum reward_kind *ret, struct err *e)
{
	struct arena a = { 0 };
	char *url = arena_dup(&a, s->url, strcspn(s->url, ","));
	enum reward_kind which = REWARD_NONE;
	struct err last = { 0 };
	int rc = url ? 0 : err_set(e, ERR_NOMEM, "%s", err_text(ERR_NOMEM));

	for (enum reward_kind k = 1; k < REWARD_KINDS && !rc && (!which || tell); k++) {
		struct probe p = { .server = s, .kind = k };

		if (s->only && s->only != k)
			continue;
		try_kind(&p, url);
		if (tell)
			tell(arg, k, &p.err, p.text);
		rc = found(&p, &which, e);
		if (p.err.code)
			last = p.err;
	}
	arena_free(&a);
	if (!rc && !which)
		rc = none_serves(&last, e);
	if (!rc)
		*ret = which;
	return rc;
}
