/* http.c - requests on the loop: limits, bounds, cancelling, closing */
#include "tests/support/cm.h"

#include "common/io/http.h"
#include "tests/support/mock_llm.h"

#include <stdio.h>

enum { MOST = 100 };

static struct mock_llm *mock;
static uv_loop_t loop;
static struct http *h;
static char url[100];
static const char body[] = "{\"messages\":[{\"role\":\"user\",\"content\":\"x\"}]}";

static struct seen {
	int done, code, status, phase;
	size_t n;
	char text[300], type[64];
	uint32_t resent;
} seen[MOST];

static void on_done(void *arg, const struct http_response *r)
{
	struct seen *s = arg;

	s->done++;
	s->code = r->err.code;
	s->status = r->status;
	s->phase = r->phase;
	s->n = r->body.n;
	s->resent = r->resent;
	snprintf(s->text, sizeof s->text, "%.299s",
		 r->err.code ? r->err.text : r->body.p);
	snprintf(s->type, sizeof s->type, "%s",
		 r->header[HTTP_CONTENT_TYPE].p ? r->header[HTTP_CONTENT_TYPE].p : "");
}

static void start(const char *script, unsigned max)
{
	struct mock_llm_options o = { .script = script };

	memset(seen, 0, sizeof seen);
	mock = mock_llm_start(&o);
	snprintf(url, sizeof url, "%s/chat/completions", mock_llm_url(mock));
	uv_loop_init(&loop);
	assert_int_equal(http_open(&loop, max, &h, NULL), 0);
}

static void stop(void)
{
	http_close(&h, NULL, NULL);
	uv_run(&loop, UV_RUN_DEFAULT);
	assert_int_equal(uv_loop_close(&loop), 0);
	mock_llm_stop(&mock);
}

static struct http_request request(void)
{
	return (struct http_request){ .url = url, .body = { body, sizeof body - 1 } };
}

static void wait_for(int n)
{
	for (int done = 0; done < n;) {
		uv_run(&loop, UV_RUN_ONCE);
		done = 0;
		for (int i = 0; i < MOST; i++)
			done += seen[i].done;
	}
}

static void a_hundred_requests_share_eight_connections(void **unused)
{
	struct http_request r = request();

	(void)unused;
	start("slow:2*", 8);
	for (int i = 0; i < MOST; i++)
		assert_int_equal(http_send(h, &r, on_done, seen + i, NULL, NULL), 0);
	assert_int_equal(http_in_flight(h), 8);
	assert_int_equal(seen[0].done, 0);
	wait_for(MOST);
	for (int i = 0; i < MOST; i++) {
		assert_int_equal(seen[i].done, 1);
		assert_int_equal(seen[i].status, 200);
		assert_string_equal(seen[i].type, "application/json");
	}
	assert_int_equal(mock_llm_stats(mock).max_in_flight, 8);
	assert_int_equal(mock_llm_stats(mock).connections, 8);
	stop();
}

static void a_body_over_its_bound_is_refused(void **unused)
{
	struct http_request r = request();

	(void)unused;
	start(NULL, 2);
	r.max_bytes = 10;
	assert_int_equal(http_send(h, &r, on_done, seen, NULL, NULL), 0);
	wait_for(1);
	assert_int_equal(seen[0].code, ERR_LIMIT);
	assert_string_equal(seen[0].text, "answer longer than 10 bytes");
	stop();
}

static void errors_tell_the_phase(void **unused)
{
	struct http_request r = request();

	(void)unused;
	start("never,short_body,reset", 4);
	r.total_ms = 100;
	http_send(h, &r, on_done, seen, NULL, NULL);
	wait_for(1);
	assert_int_equal(seen[0].code, ERR_TIMEOUT);
	assert_int_equal(seen[0].phase, HTTP_FIRST_BYTE);
	r.total_ms = 0;
	http_send(h, &r, on_done, seen + 1, NULL, NULL);
	wait_for(2);
	assert_int_equal(seen[1].code, ERR_NET);
	assert_int_equal(seen[1].phase, HTTP_BODY);
	http_send(h, &r, on_done, seen + 2, NULL, NULL);
	wait_for(3);
	assert_int_equal(seen[2].code, ERR_NET);
	assert_int_equal(seen[2].phase, HTTP_FIRST_BYTE);
	r.url = "http://127.0.0.1:1/";
	http_send(h, &r, on_done, seen + 3, NULL, NULL);
	wait_for(4);
	assert_int_equal(seen[3].code, ERR_NET);
	assert_int_equal(seen[3].phase, HTTP_CONNECT);
	stop();
}

static void a_url_that_is_none_is_told_without_showing_it(void **unused)
{
	static const char *const urls[] = { "gopher://user:secret@x/",
					    "http://a b:secret/", "" };
	struct http_request r = request();

	(void)unused;
	start(NULL, 4);
	for (int i = 0; i < 3; i++) {
		r.url = urls[i];
		assert_int_equal(http_send(h, &r, on_done, seen + i, NULL, NULL), 0);
		assert_int_equal(seen[i].done, 0);
		wait_for(i + 1);
		assert_int_equal(seen[i].code, ERR_VALUE);
		assert_null(strstr(seen[i].text, "secret"));
	}
	stop();
}

static void a_stale_pooled_connection_is_replaced_unseen(void **unused)
{
	struct http_request r = request();

	(void)unused;
	start("reset_reused*", 4);
	for (int i = 0; i < 6; i++) {
		http_send(h, &r, on_done, seen + i, NULL, NULL);
		wait_for(i + 1);
		assert_int_equal(seen[i].code, 0);
		assert_int_equal(seen[i].resent, i > 0);
	}
	stop();
}

static void cancelled_requests_say_nothing_and_make_room(void **unused)
{
	struct http_call *call[3];
	struct http_request r = request();

	(void)unused;
	start("never,ok*", 1);
	for (int i = 0; i < 3; i++)
		http_send(h, &r, on_done, seen + i, call + i, NULL);
	for (int i = 0; i < 20; i++)
		uv_run(&loop, UV_RUN_NOWAIT);
	http_cancel(h, call + 1); /* waits */
	http_cancel(h, call);     /* flies */
	assert_null(call[0]);
	http_cancel(h, call);
	wait_for(1);
	assert_int_equal(seen[2].done, 1);
	assert_int_equal(seen[0].done + seen[1].done, 0);
	stop();
}

static void closing_cancels_all(void **unused)
{
	struct http_request r = request();

	(void)unused;
	start("never*", 2);
	for (int i = 0; i < 5; i++)
		http_send(h, &r, on_done, seen + i, NULL, NULL);
	for (int i = 0; i < 20; i++)
		uv_run(&loop, UV_RUN_NOWAIT);
	stop();
	for (int i = 0; i < 5; i++)
		assert_int_equal(seen[i].done, 0);
}

static void close_it(void *arg, const struct http_response *r)
{
	on_done(arg, r);
	http_close(&h, NULL, NULL);
}

static void a_callback_may_close(void **unused)
{
	struct http_request r = request();

	(void)unused;
	start(NULL, 2);
	for (int i = 0; i < 5; i++)
		http_send(h, &r, close_it, seen + i, NULL, NULL);
	uv_run(&loop, UV_RUN_DEFAULT);
	assert_int_equal(seen[0].done + seen[1].done, 1);
	assert_int_equal(uv_loop_close(&loop), 0);
	mock_llm_stop(&mock);
}

static void a_page_is_fetched_by_get(void **unused)
{
	struct http_request r = { .url = url, .get = 1 };

	(void)unused;
	start(NULL, 2);
	snprintf(url, sizeof url, "http://127.0.0.1:%u/stats", mock_llm_port(mock));
	http_send(h, &r, on_done, seen, NULL, NULL);
	wait_for(1);
	assert_int_equal(seen[0].status, 200);
	assert_non_null(strstr(seen[0].text, "\"total\":0"));
	stop();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_hundred_requests_share_eight_connections),
		cmocka_unit_test(a_body_over_its_bound_is_refused),
		cmocka_unit_test(errors_tell_the_phase),
		cmocka_unit_test(a_url_that_is_none_is_told_without_showing_it),
		cmocka_unit_test(a_stale_pooled_connection_is_replaced_unseen),
		cmocka_unit_test(cancelled_requests_say_nothing_and_make_room),
		cmocka_unit_test(closing_cancels_all),
		cmocka_unit_test(a_callback_may_close),
		cmocka_unit_test(a_page_is_fetched_by_get),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
