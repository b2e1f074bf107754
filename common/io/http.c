/* http.c - see http.h
 *
 * libcurl tells which sockets to watch (on_socket) and when to be woken (on_timer);
 * libuv watches and wakes; both end in turn(), which lets libcurl work and then hands
 * out what is finished. Finished requests are handed out after libcurl has returned, so
 * a callback may send, cancel or close as it likes.
 */
#include "common/io/http.h"

#include "common/base/buf.h"
#include "common/base/clock.h"
#include "common/base/mem.h"

#include <assert.h>
#include <curl/curl.h>
#include <pthread.h>
#include <strings.h>

enum { CONNECT_MS = 10000, HEADER_MAX = 128 };

struct http_call {
	struct http *http;
	struct http_call *prev, *next; /* in http.waiting or http.flying */
	struct http_request req;
	http_done_fn *done;
	void *arg;
	CURL *easy;               /* NULL while waiting */
	struct curl_slist *lines; /* nodes only: the strings are the caller's */
	struct buf body;
	char header[HTTP_HEADERS][HEADER_MAX];
	char has[HTTP_HEADERS];
	char text[CURL_ERROR_SIZE];
	uint64_t sent_ms;
	unsigned writes; /* times the request went out */
	int answered;    /* 1: a byte of response came */
	int fresh;       /* 1: was sent again by us */
};

struct list {
	struct http_call *first, *last;
};

/* One watched socket. It outlives libcurl's interest in it until libuv lets go. */
struct sock {
	uv_poll_t poll;
	struct http *http;
	curl_socket_t fd;
};

struct http {
	uv_loop_t *loop;
	CURLM *multi;
	uv_timer_t timer;
	unsigned max, n_flying, n_spare;
	struct list waiting, flying;
	CURL **spare;     /* easy handles for use again; room for max */
	unsigned handles; /* of libuv, not yet closed */
	int closing;
	http_closed_fn *on_close;
	void *arg;
};

static const struct view names[] = {
#define X(id, name) [HTTP_##id] = { name, sizeof name - 1 },
	HTTP_HEADER_LIST(X)
#undef X
};

static pthread_once_t once = PTHREAD_ONCE_INIT;

static void init_curl(void)
{
	curl_global_init(CURL_GLOBAL_DEFAULT);
}

/* ---- lists ---- */

static void append(struct list *l, struct http_call *c)
{
	c->prev = l->last;
	c->next = NULL;
	*(l->last ? &l->last->next : &l->first) = c;
	l->last = c;
}

static void unlink_from(struct list *l, struct http_call *c)
{
	*(c->prev ? &c->prev->next : &l->first) = c->next;
	*(c->next ? &c->next->prev : &l->last) = c->prev;
}

/* ---- what libcurl calls ---- */

/* The request is about to go out, the first time or again. */
static int on_request(void *arg, char *a, char *b, int c, int d)
{
	(void)a, (void)b, (void)c, (void)d;
	((struct http_call *)arg)->writes++;
	return CURL_PREREQFUNC_OK;
}

static size_t on_body(char *p, size_t size, size_t n, void *arg)
{
	struct http_call *c = arg;

	buf_add(&c->body, p, size * n);
	return c->body.bad ? 0 : size * n;
}

static void keep_header(struct http_call *c, int id, const char *p, size_t n)
{
	while (n && (*p == ' ' || *p == '\t'))
		p++, n--;
	while (n && strchr(" \t\r\n", p[n - 1]))
		n--;
	if (n >= HEADER_MAX)
		n = HEADER_MAX - 1;
	memcpy(c->header[id], p, n);
	c->header[id][n] = '\0';
	c->has[id] = 1;
}

static size_t on_header(char *p, size_t size, size_t n, void *arg)
{
	struct http_call *c = arg;
	const char *colon = memchr(p, ':', size * n);

	c->answered = 1;
	if (size * n >= 5 && strncmp(p, "HTTP/", 5) == 0) /* after a 1xx, say */
		memset(c->has, 0, sizeof c->has);
	for (int i = 0; colon && i < HTTP_HEADERS; i++)
		if ((size_t)(colon - p) == names[i].n &&
		    strncasecmp(p, names[i].p, names[i].n) == 0)
			keep_header(c, i, colon + 1,
				    (size_t)(p + size * n - colon) - 1);
	return size * n;
}

static void turn(struct http *h, curl_socket_t fd, int events);

static void on_timeout(uv_timer_t *t)
{
	turn(t->data, CURL_SOCKET_TIMEOUT, 0);
}

static int on_timer(CURLM *multi, long ms, void *arg)
{
	struct http *h = arg;

	(void)multi;
	if (ms < 0 || h->closing)
		uv_timer_stop(&h->timer);
	else
		uv_timer_start(&h->timer, on_timeout, (uint64_t)ms, 0);
	return 0;
}

static void on_poll(uv_poll_t *p, int status, int events)
{
	struct sock *s = p->data;
	int flags = 0;

	if (status < 0)
		flags = CURL_CSELECT_ERR;
	if (events & UV_READABLE)
		flags |= CURL_CSELECT_IN;
	if (events & UV_WRITABLE)
		flags |= CURL_CSELECT_OUT;
	turn(s->http, s->fd, flags);
}

static void gone(struct http *h)
{
	http_closed_fn *on_close = h->on_close;
	void *arg = h->arg;

	if (--h->handles || !h->closing)
		return;
	mem_free(h->spare);
	mem_free(h);
	if (on_close)
		on_close(arg);
}

static void on_timer_closed(uv_handle_t *t)
{
	gone(t->data);
}

static void on_sock_closed(uv_handle_t *p)
{
	struct sock *s = p->data;
	struct http *h = s->http;

	mem_free(s);
	gone(h);
}

static struct sock *watch(struct http *h, curl_socket_t fd)
{
	struct sock *s = mem_alloc(1, sizeof *s);

	if (!s)
		return NULL;
	s->http = h;
	s->fd = fd;
	s->poll.data = s;
	if (uv_poll_init_socket(h->loop, &s->poll, fd) != 0) {
		mem_free(s);
		return NULL;
	}
	h->handles++;
	curl_multi_assign(h->multi, fd, s);
	return s;
}

static int on_socket(CURL *easy, curl_socket_t fd, int what, void *arg, void *of_fd)
{
	struct http *h = arg;
	struct sock *s = of_fd;
	int events = 0;

	(void)easy;
	if (what == CURL_POLL_REMOVE) {
		if (s)
			uv_close((uv_handle_t *)&s->poll, on_sock_closed);
		curl_multi_assign(h->multi, fd, NULL);
		return 0;
	}
	if (!s && !(s = watch(h, fd)))
		return -1;
	if (what & CURL_POLL_IN)
		events |= UV_READABLE;
	if (what & CURL_POLL_OUT)
		events |= UV_WRITABLE;
	return uv_poll_start(&s->poll, events, on_poll) == 0 ? 0 : -1;
}

/* ---- one request ---- */

/* The easy handle is kept for the next request, if there is room. */
static void drop_easy(struct http_call *c)
{
	struct http *h = c->http;

	curl_easy_setopt(c->easy, CURLOPT_ERRORBUFFER,
			 NULL); /* it dies with the call */
	curl_easy_setopt(c->easy, CURLOPT_HTTPHEADER, NULL);
	if (h->n_spare < h->max && !h->closing)
		h->spare[h->n_spare++] = c->easy;
	else
		curl_easy_cleanup(c->easy);
	c->easy = NULL;
}

static void call_free(struct http_call *c)
{
	if (c->easy)
		drop_easy(c);
	mem_free(c->lines);
	buf_free(&c->body);
	mem_free(c);
}

/* libcurl only reads the list, so its nodes can point to strings that are lent. */
static int make_lines(struct http_call *c)
{
	/* Without Expect: a large POST would wait a second for "100 Continue". */
	static char expect[] = "Expect:";
	const char *const *line = c->req.headers;
	size_t n = 0;

	while (line && line[n])
		n++;
	c->lines = mem_alloc(n + 1, sizeof *c->lines);
	if (!c->lines)
		return ERR_NOMEM;
	c->lines[0].data = expect;
	for (size_t i = 0; i < n; i++) {
		c->lines[i].next = c->lines + i + 1;
		memcpy(&c->lines[i + 1].data, line + i, sizeof(char *));
	}
	return 0;
}

/* What is the same for all requests, once in a handle's life. */
static void set_once(CURL *e)
{
	curl_easy_setopt(e, CURLOPT_PROTOCOLS_STR, "http,https");
	curl_easy_setopt(e, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
	curl_easy_setopt(e, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(e, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
	curl_easy_setopt(e, CURLOPT_MAXAGE_CONN, (long)HTTP_IDLE_S);
	curl_easy_setopt(e, CURLOPT_PREREQFUNCTION, on_request);
	curl_easy_setopt(e, CURLOPT_WRITEFUNCTION, on_body);
	curl_easy_setopt(e, CURLOPT_HEADERFUNCTION, on_header);
}

static void set_options(struct http_call *c)
{
	const struct http_request *r = &c->req;
	CURL *e = c->easy;

	curl_easy_setopt(e, CURLOPT_PRIVATE, c);
	curl_easy_setopt(e, CURLOPT_URL, r->url);
	curl_easy_setopt(e, CURLOPT_HTTPHEADER, c->lines);
	curl_easy_setopt(e, CURLOPT_ERRORBUFFER, c->text);
	curl_easy_setopt(e, CURLOPT_CONNECTTIMEOUT_MS,
			 (long)(r->connect_ms ? r->connect_ms : CONNECT_MS));
	curl_easy_setopt(e, CURLOPT_TIMEOUT_MS, (long)r->total_ms);
	curl_easy_setopt(e, CURLOPT_FRESH_CONNECT, 0L);
	curl_easy_setopt(e, CURLOPT_PREREQDATA, c);
	curl_easy_setopt(e, CURLOPT_WRITEDATA, c);
	curl_easy_setopt(e, CURLOPT_HEADERDATA, c);
	if (r->get) {
		curl_easy_setopt(e, CURLOPT_HTTPGET, 1L);
		return;
	}
	curl_easy_setopt(e, CURLOPT_POST, 1L);
	curl_easy_setopt(e, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)r->body.n);
	curl_easy_setopt(e, CURLOPT_POSTFIELDS, r->body.p ? r->body.p : "");
}

static CURL *easy_of(struct http *h)
{
	CURL *e;

	if (h->n_spare)
		return h->spare[--h->n_spare];
	e = curl_easy_init();
	if (e)
		set_once(e);
	return e;
}

static int take_off(struct http_call *c)
{
	struct http *h = c->http;

	c->easy = easy_of(h);
	if (!c->easy || make_lines(c))
		return ERR_NOMEM;
	set_options(c);
	if (curl_multi_add_handle(h->multi, c->easy) != CURLM_OK)
		return ERR_NOMEM;
	c->sent_ms = clock_ms();
	append(&h->flying, c);
	h->n_flying++;
	return 0;
}

static void land(struct http_call *c)
{
	curl_multi_remove_handle(c->http->multi, c->easy);
	unlink_from(&c->http->flying, c);
	c->http->n_flying--;
}

static enum http_phase phase_of(const struct http_call *c)
{
	return c->answered ? HTTP_BODY : c->writes ? HTTP_FIRST_BYTE : HTTP_CONNECT;
}

static int code_of(const struct http_call *c, CURLcode why)
{
	switch (why) {
	case CURLE_OK: return 0;
	case CURLE_OPERATION_TIMEDOUT: return ERR_TIMEOUT;
	case CURLE_OUT_OF_MEMORY: return ERR_NOMEM;
	case CURLE_URL_MALFORMAT:
	case CURLE_UNSUPPORTED_PROTOCOL: return ERR_VALUE;
	case CURLE_WRITE_ERROR: return c->body.bad ? c->body.bad : ERR_NET;
	default: return ERR_NET;
	}
}

static void describe(struct http_call *c, CURLcode why, struct err *e)
{
	int code = code_of(c, why);

	if (code == ERR_LIMIT)
		err_set(e, code, "answer longer than %zu bytes", c->body.max);
	else if (code)
		err_set(e, code, "%s", c->text[0] ? c->text : curl_easy_strerror(why));
}

/* The socket had been closed by the other side while it lay in the pool: nobody saw
 * the request. libcurl sends it again by itself in most cases; here is the rest. */
static int send_again(struct http_call *c, CURLcode why)
{
	long made = 0;

	if (c->answered || c->body.n || c->fresh)
		return 0;
	if (why != CURLE_RECV_ERROR && why != CURLE_SEND_ERROR &&
	    why != CURLE_GOT_NOTHING)
		return 0;
	curl_easy_getinfo(c->easy, CURLINFO_NUM_CONNECTS, &made);
	if (made > 0)
		return 0;
	c->fresh = 1;
	c->text[0] = '\0';
	curl_multi_remove_handle(c->http->multi, c->easy);
	curl_easy_setopt(c->easy, CURLOPT_FRESH_CONNECT, 1L);
	return curl_multi_add_handle(c->http->multi, c->easy) == CURLM_OK;
}

static void finish(struct http_call *c, CURLcode why)
{
	struct http_response r = { .phase = phase_of(c) };
	long status = 0;

	curl_easy_getinfo(c->easy, CURLINFO_RESPONSE_CODE, &status);
	r.status = (int)status;
	r.elapsed_ms = (uint32_t)(clock_ms() - c->sent_ms);
	r.resent = c->writes > 1 ? c->writes - 1 : 0;
	r.body = c->body.p ? buf_view(&c->body) : view_of("");
	for (int i = 0; i < HTTP_HEADERS; i++)
		if (c->has[i])
			r.header[i] = view_of(c->header[i]);
	describe(c, why, &r.err);
	land(c);
	c->done(c->arg, &r);
	call_free(c);
}

static void fail_waiting(struct http_call *c, int code)
{
	struct http_response r = { .body = view_of("") };

	err_set(&r.err, code, "%s", err_text(code));
	c->done(c->arg, &r);
	call_free(c);
}

static void fill_up(struct http *h)
{
	while (!h->closing && h->waiting.first && h->n_flying < h->max) {
		struct http_call *c = h->waiting.first;

		unlink_from(&h->waiting, c);
		if (take_off(c))
			fail_waiting(c, ERR_NOMEM);
	}
}

static void hand_out(struct http *h)
{
	CURLMsg *m;
	int left;

	while (!h->closing && (m = curl_multi_info_read(h->multi, &left))) {
		CURLcode why = m->data.result;
		void *c = NULL;

		if (m->msg != CURLMSG_DONE)
			continue;
		curl_easy_getinfo(m->easy_handle, CURLINFO_PRIVATE, &c);
		if (!send_again(c, why))
			finish(c, why);
	}
}

static void turn(struct http *h, curl_socket_t fd, int events)
{
	int running;

	if (h->closing)
		return;
	curl_multi_socket_action(h->multi, fd, events, &running);
	hand_out(h);
	fill_up(h);
}

/* ---- public ---- */

int http_open(uv_loop_t *loop, unsigned max_connections, struct http **ret,
	      struct err *e)
{
	struct http *h;

	assert(max_connections > 0);
	pthread_once(&once, init_curl);
	h = mem_alloc(1, sizeof *h);
	if (!h)
		return err_set(e, ERR_NOMEM, "%s", err_text(ERR_NOMEM));
	h->loop = loop;
	h->max = max_connections;
	h->spare = mem_alloc(max_connections, sizeof(CURL *));
	h->multi = curl_multi_init();
	if (!h->spare || !h->multi) {
		curl_multi_cleanup(h->multi);
		mem_free(h->spare);
		mem_free(h);
		return err_set(e, ERR_NOMEM, "%s", err_text(ERR_NOMEM));
	}
	uv_timer_init(loop, &h->timer);
	h->timer.data = h;
	h->handles = 1;
	curl_multi_setopt(h->multi, CURLMOPT_SOCKETFUNCTION, on_socket);
	curl_multi_setopt(h->multi, CURLMOPT_SOCKETDATA, h);
	curl_multi_setopt(h->multi, CURLMOPT_TIMERFUNCTION, on_timer);
	curl_multi_setopt(h->multi, CURLMOPT_TIMERDATA, h);
	curl_multi_setopt(h->multi, CURLMOPT_MAXCONNECTS, (long)max_connections);
	*ret = h;
	return 0;
}

void http_close(struct http **hp, http_closed_fn *on_close, void *arg)
{
	struct http *h = *hp;

	*hp = NULL;
	h->closing = 1;
	h->on_close = on_close;
	h->arg = arg;
	while (h->waiting.first) {
		struct http_call *c = h->waiting.first;

		unlink_from(&h->waiting, c);
		call_free(c);
	}
	while (h->flying.first) {
		struct http_call *c = h->flying.first;

		land(c);
		call_free(c);
	}
	while (h->n_spare)
		curl_easy_cleanup(h->spare[--h->n_spare]);
	curl_multi_cleanup(h->multi);
	uv_close((uv_handle_t *)&h->timer, on_timer_closed);
}

int http_send(struct http *h, const struct http_request *r, http_done_fn *done,
	      void *arg, struct http_call **ret_call, struct err *e)
{
	struct http_call *c = mem_alloc(1, sizeof *c);

	if (!c)
		return err_set(e, ERR_NOMEM, "%s", err_text(ERR_NOMEM));
	c->http = h;
	c->req = *r;
	c->done = done;
	c->arg = arg;
	c->body.max = r->max_bytes ? r->max_bytes : HTTP_MAX_BYTES;
	if (h->waiting.first || h->n_flying >= h->max) {
		append(&h->waiting, c);
	} else if (take_off(c)) {
		call_free(c);
		return err_set(e, ERR_NOMEM, "%s", err_text(ERR_NOMEM));
	}
	if (ret_call)
		*ret_call = c;
	return 0;
}

void http_cancel(struct http *h, struct http_call **call)
{
	struct http_call *c = *call;

	if (!c)
		return;
	*call = NULL;
	if (c->easy)
		land(c);
	else
		unlink_from(&h->waiting, c);
	call_free(c);
	/* A place came free; whoever waits for it is started from the loop. */
	if (h->waiting.first)
		uv_timer_start(&h->timer, on_timeout, 0, 0);
}

unsigned http_in_flight(const struct http *h)
{
	return h->n_flying;
}

const char *http_phase_name(enum http_phase phase)
{
	static const char *const name[] = { "connect", "first_byte", "body" };

	return name[phase];
}
