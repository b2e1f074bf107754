/* endpoint.c - see endpoint.h */
#include "worker/endpoint.h"

#include "common/base/clock.h"
#include "common/base/mem.h"

#include <curl/curl.h>
#include <sodium/utils.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <unistd.h>

enum {
	CONNECTIONS = 32,
	TIMEOUT_MS = 600000,
	BACKOFF_MS = 500,
	BACKOFF_MAX_MS = 30000,
	LABEL = 160 /* CALL_ENDPOINT */
};

static const char chat_path[] = "/chat/completions";

static int no_memory(struct err *e)
{
	return err_set(e, ERR_NOMEM, "%s", err_text(ERR_NOMEM));
}

/* ---- secrets ---- */

/* The longest first, so that one which holds another is taken out whole. */
static int add_secret(struct endpoint *ep, const char *p, size_t n)
{
	size_t i;
	char *s;

	if (n < ENDPOINT_SECRET_MIN || ep->secrets == ENDPOINT_SECRETS)
		return 0;
	s = mem_dup(p, n);
	if (!s)
		return ERR_NOMEM;
	for (i = ep->secrets++; i && strlen(ep->secret[i - 1]) < n; i--)
		ep->secret[i] = ep->secret[i - 1];
	ep->secret[i] = s;
	return 0;
}

size_t endpoint_mask(const struct endpoint *ep, char *p, size_t n)
{
	static const char mask[] = "sk-***";
	size_t m = sizeof mask - 1;

	for (size_t i = 0; i < ep->secrets; i++) {
		size_t len = strlen(ep->secret[i]);
		char *at = p;

		while ((at = memmem(at, n - (size_t)(at - p), ep->secret[i], len))) {
			memcpy(at, mask, m);
			memmove(at + m, at + len, n - (size_t)(at - p) - len);
			at += m;
			n -= len - m;
			if (len > m)
				p[n] = '\0';
		}
	}
	return n;
}

/* ---- URLs ---- */

static int secrets_of_query(struct endpoint *ep, const char *query)
{
	for (const char *q = query; q && *q; q += strcspn(q, "&"), q += *q == '&') {
		const char *value = q + strcspn(q, "=&");

		if (*value == '=' && add_secret(ep, value + 1, strcspn(value + 1, "&")))
			return ERR_NOMEM;
	}
	return 0;
}

/* user:password goes over the wire as base64, and comes back so in some errors. */
static int secrets_of_login(struct endpoint *ep, const char *user, const char *password)
{
	char both[512], base64[sodium_base64_ENCODED_LEN(sizeof both, 1)];
	int n = snprintf(both, sizeof both, "%s:%s", user, password ? password : "");

	if (n < 0 || (size_t)n >= sizeof both)
		return ERR_VALUE;
	sodium_bin2base64(base64, sizeof base64, (unsigned char *)both, (size_t)n, 1);
	if (add_secret(ep, base64, strlen(base64)) || add_secret(ep, both, (size_t)n))
		return ERR_NOMEM;
	return password ? add_secret(ep, password, strlen(password)) : 0;
}

static int secrets_of_url(struct endpoint *ep, CURLU *u)
{
	char *user = NULL, *password = NULL, *raw = NULL, *query = NULL;
	int rc = 0;

	if (curl_url_get(u, CURLUPART_USER, &user, CURLU_URLDECODE) == CURLUE_OK) {
		curl_url_get(u, CURLUPART_PASSWORD, &password, CURLU_URLDECODE);
		curl_url_get(u, CURLUPART_PASSWORD, &raw, 0);
		rc = secrets_of_login(ep, user, password);
		if (!rc && raw)
			rc = add_secret(ep, raw, strlen(raw));
	}
	if (!rc && curl_url_get(u, CURLUPART_QUERY, &query, 0) == CURLUE_OK)
		rc = secrets_of_query(ep, query);
	curl_free(user);
	curl_free(password);
	curl_free(raw);
	curl_free(query);
	return rc;
}

/* How much of a base's path stays: without slashes at its end, and without /v1 where
 * what is asked for lies beside it. */
static size_t kept_path(const char *had, const struct endpoint_settings *s)
{
	size_t n = strlen(had);

	while (n && had[n - 1] == '/')
		n--;
	if (s->path_at_root && n >= 3 && memcmp(had + n - 3, "/v1", 3) == 0)
		n -= 3;
	return n;
}

/* A base URL gets the path, unless it has it. */
static int set_path(CURLU *u, const struct endpoint_settings *s)
{
	const char *path = s->path ? s->path : chat_path;
	char *had = NULL, whole[1024];
	size_t n, tail = strlen(path);
	int rc = ERR_VALUE;

	if (curl_url_get(u, CURLUPART_PATH, &had, 0) != CURLUE_OK)
		return ERR_VALUE;
	n = kept_path(had, s);
	if (n + tail < sizeof whole) {
		int has = n >= tail && memcmp(had + n - tail, path, tail) == 0;

		snprintf(whole, sizeof whole, "%.*s%s", (int)n, had, has ? "" : path);
		rc = curl_url_set(u, CURLUPART_PATH, whole, 0) ? ERR_NOMEM : 0;
	}
	curl_free(had);
	return rc;
}

static char *take_text(CURLU *u)
{
	char *text = NULL, *copy;

	if (curl_url_get(u, CURLUPART_URL, &text, 0) != CURLUE_OK)
		return NULL;
	copy = mem_dup(text, strlen(text));
	curl_free(text);
	return copy;
}

static char *take_label(CURLU *u)
{
	char *label;

	curl_url_set(u, CURLUPART_USER, NULL, 0);
	curl_url_set(u, CURLUPART_PASSWORD, NULL, 0);
	curl_url_set(u, CURLUPART_OPTIONS, NULL, 0);
	curl_url_set(u, CURLUPART_QUERY, NULL, 0);
	curl_url_set(u, CURLUPART_FRAGMENT, NULL, 0);
	label = take_text(u);
	if (label && strlen(label) >= LABEL)
		label[LABEL - 1] = '\0';
	return label;
}

static int is_http(CURLU *u)
{
	char *scheme = NULL;
	int yes;

	curl_url_get(u, CURLUPART_SCHEME, &scheme, 0);
	yes = scheme && (strcmp(scheme, "http") == 0 || strcmp(scheme, "https") == 0);
	curl_free(scheme);
	return yes;
}

static int add_parsed(struct endpoint *ep, CURLU *u, const struct endpoint_settings *s,
		      const char *text, struct err *e)
{
	size_t i = ep->urls;
	int rc;

	if (curl_url_set(u, CURLUPART_URL, text, 0) != CURLUE_OK || !is_http(u))
		return err_set(e, ERR_VALUE,
			       "base URL number %zu is not one (not shown: it may hold "
			       "a key): give http://HOST:PORT/v1",
			       i + 1);
	rc = secrets_of_url(ep, u);
	if (!rc)
		rc = set_path(u, s);
	if (rc)
		return err_set(e, rc, "base URL number %zu: %s", i + 1, err_text(rc));
	ep->url[i] = take_text(u);
	ep->label[i] = take_label(u);
	ep->urls++;
	return ep->url[i] && ep->label[i] ? 0 : no_memory(e);
}

static int add_url(struct endpoint *ep, const struct endpoint_settings *s,
		   const char *p, size_t n, struct err *e)
{
	char *text;
	CURLU *u;
	int rc;

	if (ep->urls == ENDPOINT_URLS)
		return err_set(e, ERR_VALUE, "more than %d base URLs", ENDPOINT_URLS);
	text = mem_dup(p, n);
	u = curl_url();
	rc = text && u ? add_parsed(ep, u, s, text, e) : no_memory(e);
	curl_url_cleanup(u);
	mem_free(text);
	return rc;
}

static int add_urls(struct endpoint *ep, const struct endpoint_settings *s,
		    struct err *e)
{
	const char *list = s->base_urls;

	while (list && *list) {
		size_t n = strcspn(list, ", ");
		int rc = n ? add_url(ep, s, list, n, e) : 0;

		if (rc)
			return rc;
		list += n + (list[n] != '\0');
	}
	return ep->urls ? 0 : err_set(e, ERR_VALUE, "no base URL: give --base-url");
}

/* ---- headers ---- */

static int add_header(struct endpoint *ep, const char *name, const char *value,
		      size_t n)
{
	size_t i = 0, room = strlen(name) + n + 1;
	char *line = mem_alloc(room, 1);

	if (!line)
		return ERR_NOMEM;
	snprintf(line, room, "%s%.*s", name, (int)n, value);
	while (ep->header[i])
		i++;
	ep->header[i] = line;
	return 0;
}

static int has_control(const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if ((unsigned char)s[i] < ' ' || s[i] == 127)
			return 1;
	return 0;
}

static int add_extra(struct endpoint *ep, const char *line, struct err *e)
{
	const char *colon = strchr(line, ':'), *value;

	if (!colon || colon == line || has_control(line, strlen(line)))
		return err_set(e, ERR_VALUE, "a --header is not \"Name: value\"");
	value = colon + 1 + strspn(colon + 1, " ");
	if (strncasecmp(value, "bearer ", 7) == 0)
		value += 7;
	if (add_secret(ep, value, strlen(value)) ||
	    add_header(ep, "", line, strlen(line)))
		return no_memory(e);
	return 0;
}

static int is_authorization(const char *line)
{
	return strncasecmp(line, "authorization:", 14) == 0;
}

static int add_key(struct endpoint *ep, struct err *e)
{
	const char *key = getenv(ep->key_env);
	size_t n = key ? strlen(key) : 0;

	while (n && strchr(" \r\n\t", key[n - 1]))
		n--;
	if (!n)
		return 0;
	if (has_control(key, n))
		return err_set(e, ERR_VALUE, "the key in %s holds a control character",
			       ep->key_env);
	if (add_secret(ep, key, n) || add_header(ep, "Authorization: Bearer ", key, n))
		return no_memory(e);
	return 0;
}

static int add_headers(struct endpoint *ep, const char *const *extra, struct err *e)
{
	static const char agent[] = "User-Agent: mapfleet/" MAPFLEET_VERSION;
	static const char type[] = "Content-Type: application/json";
	int own = 0;

	if (add_header(ep, "", type, sizeof type - 1) ||
	    add_header(ep, "", agent, sizeof agent - 1))
		return no_memory(e);
	for (size_t i = 0; extra && extra[i]; i++) {
		int rc = i < ENDPOINT_HEADERS
				 ? add_extra(ep, extra[i], e)
				 : err_set(e, ERR_VALUE, "more than %d --header",
					   ENDPOINT_HEADERS);

		if (rc)
			return rc;
		own |= is_authorization(extra[i]);
	}
	return own ? 0 : add_key(ep, e);
}

/* ---- public ---- */

static void keep_numbers(struct endpoint *ep, const struct endpoint_settings *s)
{
	struct endpoint_settings *own = &ep->set;

	*own = *s;
	own->base_urls = own->key_env = own->path = NULL;
	own->headers = NULL;
	if (!own->url_flag)
		own->url_flag = "--base-url (with its /v1)";
	if (!own->model_flag)
		own->model_flag = "--model";
	if (!own->max_connections)
		own->max_connections = CONNECTIONS;
	if (!own->timeout_ms)
		own->timeout_ms = TIMEOUT_MS;
	if (!own->backoff_ms)
		own->backoff_ms = BACKOFF_MS;
	ep->limit = own->max_connections;
	rng_init(&ep->jitter, "jitter", clock_ns(), view_of(""), (uint64_t)getpid());
}

/* OpenAI's own models refuse the old name; servers that know only the old one ignore
 * the new one silently, so nobody else is asked with it first. */
static int wants_new_name(const struct endpoint *ep)
{
	return strstr(ep->label[0], "//api.openai.com") != NULL;
}

int endpoint_new(const struct endpoint_settings *s, struct endpoint **ret,
		 struct err *e)
{
	const char *env = s->key_env ? s->key_env : "OPENAI_API_KEY";
	struct endpoint *ep = mem_alloc(1, sizeof *ep);
	int rc;

	if (!ep)
		return no_memory(e);
	keep_numbers(ep, s);
	ep->key_env = mem_dup(env, strlen(env));
	rc = ep->key_env ? add_urls(ep, s, e) : no_memory(e);
	if (!rc)
		rc = add_headers(ep, s->headers, e);
	if (rc) {
		endpoint_free(&ep);
		return rc;
	}
	ep->facts.completion_name = wants_new_name(ep);
	*ret = ep;
	return 0;
}

static void wipe(char *s)
{
	if (s)
		sodium_memzero(s, strlen(s));
	mem_free(s);
}

void endpoint_free(struct endpoint **epp)
{
	struct endpoint *ep = *epp;

	if (!ep)
		return;
	*epp = NULL;
	for (size_t i = 0; i < ENDPOINT_URLS; i++) {
		wipe(ep->url[i]);
		mem_free(ep->label[i]);
	}
	for (size_t i = 0; ep->header[i]; i++)
		wipe(ep->header[i]);
	for (size_t i = 0; i < ep->secrets; i++)
		wipe(ep->secret[i]);
	mem_free(ep->key_env);
	mem_free(ep);
}

int endpoint_may_send(const struct endpoint *ep, uint64_t now_ms)
{
	return ep->in_flight < ep->limit && now_ms >= ep->hold_until_ms;
}

void endpoint_sent(struct endpoint *ep)
{
	ep->in_flight++;
}

void endpoint_answered(struct endpoint *ep, int good)
{
	ep->in_flight--;
	if (!good || ep->limit == ep->set.max_connections || ++ep->good < ep->limit)
		return;
	ep->limit++;
	ep->good = 0;
}

void endpoint_slow_down(struct endpoint *ep, uint64_t sent_ms, uint64_t now_ms,
			uint64_t wait_ms)
{
	uint64_t until = now_ms + wait_ms + rng_below(&ep->jitter, wait_ms / 4 + 1);

	if (wait_ms && until > ep->hold_until_ms)
		ep->hold_until_ms = until;
	if (ep->cut_ms && sent_ms <= ep->cut_ms)
		return;
	ep->cut_ms = now_ms;
	ep->limit = ep->limit > 1 ? ep->limit / 2 : 1;
	ep->good = 0;
}

uint64_t endpoint_backoff_ms(struct endpoint *ep, uint32_t attempt)
{
	uint64_t ms = ep->set.backoff_ms;

	while (--attempt && ms < BACKOFF_MAX_MS)
		ms *= 2;
	if (ms > BACKOFF_MAX_MS)
		ms = BACKOFF_MAX_MS;
	return ms - ms / 4 + rng_below(&ep->jitter, ms / 2 + 1);
}
