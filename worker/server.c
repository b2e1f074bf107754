/* server.c - see server.h */
#include "worker/server.h"

#include "common/base/arena.h"

#include <string.h>

static char *text_of(struct arena *a, struct view v)
{
	return v.n ? arena_dup(a, v.p, v.n) : NULL;
}

/* "A: b\nC: d" as an array that ends in NULL. */
static const char *const *lines_of(struct arena *a, struct view v)
{
	const char **line = arena_alloc(a, ENDPOINT_HEADERS + 1, sizeof *line);
	char *p = text_of(a, v), *save = NULL;
	size_t n = 0;

	for (p = p ? strtok_r(p, "\n", &save) : NULL; line && p && n < ENDPOINT_HEADERS;
	     p = strtok_r(NULL, "\n", &save))
		line[n++] = p;
	return line;
}

int server_open(struct server *s, uv_loop_t *loop, struct http **http,
		const struct settings *all, const struct settings_role *role,
		struct endpoint_settings how, struct err *e)
{
	struct arena a = { 0 };
	int rc = 0;

	if (s->chat)
		return 0;
	how.base_urls = text_of(&a, role->base_urls);
	how.key_env = text_of(&a, role->api_key_env);
	how.headers = lines_of(&a, role->headers);
	how.max_connections = all->max_connections;
	how.max_retries = all->max_retries;
	how.timeout_ms = (uint32_t)all->timeout_ms;
	if (!*http)
		rc = http_open(loop, all->max_connections, http, e);
	if (!rc)
		rc = endpoint_new(&how, &s->endpoint, e);
	if (!rc)
		rc = chat_open(loop, *http, s->endpoint, &s->chat, e);
	arena_free(&a);
	return rc;
}
