/* doctor_endpoint.c - does the model's server answer, and does it know the model? */
#include "common/base/buf.h"
#include "common/io/http.h"
#include "ops/doctor.h"
#include "ops/setting.h"

#include <stdlib.h>

enum { CONNECT_MS = 5000, TOTAL_MS = 10000 };

struct probe {
	struct checks *c;
	const char *shown, *model; /* shown: the URL without its secrets */
	int has_key;
	struct http *http;
};

static const char start_it[] =
	"start the server, or say another --base-url (it ends in /v1)";

static void answered(struct probe *p, const struct http_response *r)
{
	if (r->err.code)
		check_line(p->c, CHECK_FAIL, "endpoint", start_it, "%s: %s", p->shown,
			   r->err.text);
	else if (r->status == 401 || r->status == 403)
		check_line(p->c, CHECK_FAIL, "endpoint",
			   "put the key into OPENAI_API_KEY, or name its variable by "
			   "--api-key-env",
			   "%s: HTTP %d%s", p->shown, r->status,
			   p->has_key ? "" : ", and no key is set");
	else if (r->status != 200)
		check_line(p->c, CHECK_FAIL, "endpoint", start_it,
			   "%s: HTTP %d to GET /models", p->shown, r->status);
	else if (p->model && !memmem(r->body.p, r->body.n, p->model, strlen(p->model)))
		check_line(p->c, CHECK_NOTE, "endpoint",
			   "--model must be a name that /models lists",
			   "%s answers, but does not list %s", p->shown, p->model);
	else
		check_line(p->c, CHECK_OK, "endpoint", NULL, "%s answers", p->shown);
}

static void closed(void *arg)
{
	(void)arg;
}

static void done(void *arg, const struct http_response *r)
{
	struct probe *p = arg;

	answered(p, r);
	http_close(&p->http, closed, NULL);
}

static void ask(struct probe *p, const char *url, const char *key)
{
	struct buf at = { 0 }, auth = { 0 };
	const char *headers[] = { NULL, NULL };
	struct http_request r = { .get = 1,
				  .connect_ms = CONNECT_MS,
				  .total_ms = TOTAL_MS };
	struct http_call *call;
	struct err e = { 0 };
	uv_loop_t loop;

	buf_addf(&at, "%s%smodels", url, url[strlen(url) - 1] == '/' ? "" : "/");
	if (key && *key) {
		buf_addf(&auth, "Authorization: Bearer %s", key);
		headers[0] = auth.p;
	}
	r.url = at.p;
	r.headers = headers;
	uv_loop_init(&loop);
	if (http_open(&loop, 1, &p->http, &e) ||
	    http_send(p->http, &r, done, p, &call, &e))
		check_line(p->c, CHECK_FAIL, "endpoint", start_it, "%s: %s", p->shown,
			   e.text);
	uv_run(&loop, UV_RUN_DEFAULT);
	uv_loop_close(&loop);
	buf_free(&at);
	buf_free(&auth);
}

void doctor_endpoint(struct checks *c, const char *urls, const char *key_env,
		     const char *model)
{
	const char *key = getenv(key_env);
	struct arena a = { 0 };

	check_line(c, CHECK_OK, "endpoint", NULL, "a key is %sin %s",
		   key && *key ? "" : "not ", key_env);
	while (urls && *urls) {
		size_t n = strcspn(urls, ",");
		char *url = arena_dup(&a, urls, n);
		struct probe p = { c, url ? setting_mask_urls(&a, url) : NULL, model,
				   key && *key, NULL };

		if (url && *url && p.shown)
			ask(&p, url, key);
		urls = urls[n] ? urls + n + 1 : NULL;
	}
	arena_free(&a);
}
