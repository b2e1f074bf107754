/* bare_curl.c - what worker/chat costs beside a bare curl-multi loop
 *
 *     bare_curl [REQUESTS [IN_FLIGHT [ROUNDS]]]      (20000, 64, 5)
 *
 * Both send requests of about 3 kB to the mock server, which runs as a process of its
 * own and answers at once. The bare loop sends one ready-made body and throws answers
 * away; the chat builds each body, masks and parses each answer and keeps its account.
 * Rounds alternate; the median of each counts. Prints requests/s, CPU microseconds a
 * request and the two ratios, bare : chat, as lines and as one JSON object.
 */
#include "common/base/clock.h"
#include "common/base/mem.h"
#include "tests/support/mock_llm.h"
#include "worker/chat.h"
#include "worker/chat_body.h"

#include <assert.h>
#include <curl/curl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PROMPT = 2900, ROUNDS_MAX = 99 };

struct cost {
	double rate, cpu_us; /* requests/s; of this process, a request */
};

static char prompt[PROMPT];
static struct chat_ask ask = { .model = "mock",
			       .user = { prompt, PROMPT },
			       .top_p = -1,
			       .max_tokens = 64,
			       .seed = -1 };

static double cpu_us(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1e6 +
	       (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

static pid_t start_server(char *ret_url, size_t size)
{
	static const struct mock_llm_options o = { .raw = 1 };
	int ends[2];
	pid_t pid;
	ssize_t n;

	if (pipe(ends))
		abort();
	pid = fork();
	if (pid == 0) {
		struct mock_llm *m = mock_llm_start(&o);
		const char *url = m ? mock_llm_url(m) : "";

		if (write(ends[1], url, strlen(url)) < 0)
			_exit(1);
		pause();
		_exit(0);
	}
	n = read(ends[0], ret_url, size - 1);
	ret_url[n > 0 ? n : 0] = '\0';
	return pid;
}

/* ---- the bare loop ---- */

static size_t swallow(char *p, size_t size, size_t n, void *arg)
{
	(void)p, (void)arg;
	return size * n;
}

static CURL *bare_handle(const char *url, struct curl_slist *lines, const char *body)
{
	CURL *e = curl_easy_init();

	curl_easy_setopt(e, CURLOPT_URL, url);
	curl_easy_setopt(e, CURLOPT_HTTPHEADER, lines);
	curl_easy_setopt(e, CURLOPT_POSTFIELDS, body);
	curl_easy_setopt(e, CURLOPT_WRITEFUNCTION, swallow);
	return e;
}

static long bare_loop(CURLM *m, long started, long requests)
{
	long done = 0;

	while (done < requests) {
		CURLMsg *msg;
		int left;

		curl_multi_perform(m, &left);
		while ((msg = curl_multi_info_read(m, &left))) {
			CURL *e = msg->easy_handle;

			assert(msg->data.result == CURLE_OK);
			done++;
			curl_multi_remove_handle(m, e);
			if (started < requests) {
				started++;
				curl_multi_add_handle(m, e);
			}
		}
		curl_multi_poll(m, NULL, 0, 1000, NULL);
	}
	return done;
}

static struct cost run_bare(const char *base, long requests, int in_flight)
{
	struct curl_slist *lines =
		curl_slist_append(NULL, "Content-Type: application/json");
	CURL **e = mem_alloc((size_t)in_flight, sizeof(CURL *));
	CURLM *m = curl_multi_init();
	struct endpoint_facts facts = { 0 };
	struct buf body = { 0 };
	char url[200];
	double cpu = cpu_us();
	uint64_t from = clock_ns();
	struct cost c;

	snprintf(url, sizeof url, "%s/chat/completions", base);
	chat_body(&body, &ask, &facts, ask.max_tokens);
	for (int i = 0; i < in_flight; i++) {
		e[i] = bare_handle(url, lines, body.p);
		curl_multi_add_handle(m, e[i]);
	}
	bare_loop(m, in_flight, requests);
	c.rate = (double)requests / ((double)(clock_ns() - from) * 1e-9);
	c.cpu_us = (cpu_us() - cpu) / (double)requests;
	for (int i = 0; i < in_flight; i++) {
		curl_multi_remove_handle(m, e[i]);
		curl_easy_cleanup(e[i]);
	}
	curl_multi_cleanup(m);
	curl_slist_free_all(lines);
	buf_free(&body);
	mem_free(e);
	return c;
}

/* ---- through worker/chat ---- */

struct load {
	struct chat *chat;
	struct chat_ask ask;
	long to_start, to_finish;
};

static void start_one(struct load *l);

static void on_done(void *arg, const struct chat_result *r)
{
	struct load *l = arg;

	assert(r->err.code == 0 && r->out.kind == CHAT_ANSWER && r->n_calls == 1);
	l->to_finish--;
	start_one(l);
}

static void start_one(struct load *l)
{
	if (l->to_start-- > 0 && chat_start(l->chat, &l->ask, on_done, l, NULL, NULL))
		abort();
}

static struct cost run_chat(const char *base, long requests, int in_flight)
{
	struct endpoint_settings s = { .base_urls = base,
				       .max_connections = (unsigned)in_flight };
	struct load l = { .to_start = requests, .to_finish = requests };
	struct endpoint *ep;
	struct http *h;
	double cpu = cpu_us();
	uint64_t from = clock_ns();
	struct cost c;
	uv_loop_t loop;

	uv_loop_init(&loop);
	if (http_open(&loop, (unsigned)in_flight, &h, NULL) ||
	    endpoint_new(&s, &ep, NULL) || chat_open(&loop, h, ep, &l.chat, NULL))
		abort();
	l.ask = ask;
	for (int i = 0; i < in_flight; i++)
		start_one(&l);
	while (l.to_finish > 0)
		uv_run(&loop, UV_RUN_ONCE);
	c.rate = (double)requests / ((double)(clock_ns() - from) * 1e-9);
	c.cpu_us = (cpu_us() - cpu) / (double)requests;
	chat_close(&l.chat, NULL, NULL);
	http_close(&h, NULL, NULL);
	uv_run(&loop, UV_RUN_DEFAULT);
	uv_loop_close(&loop);
	endpoint_free(&ep);
	return c;
}

/* ---- both ---- */

static int by_rate(const void *a, const void *b)
{
	const struct cost *x = a, *y = b;

	return (x->rate > y->rate) - (x->rate < y->rate);
}

static void print(struct cost bare, struct cost chat)
{
	printf("bare curl-multi loop  %8.0f requests/s  %6.1f us CPU a request\n",
	       bare.rate, bare.cpu_us);
	printf("worker/chat           %8.0f requests/s  %6.1f us CPU a request\n",
	       chat.rate, chat.cpu_us);
	printf("{\"bare_per_s\":%.0f,\"chat_per_s\":%.0f,\"bare_cpu_us\":%.1f,"
	       "\"chat_cpu_us\":%.1f,\"ratio\":%.3f,\"cpu_ratio\":%.3f}\n",
	       bare.rate, chat.rate, bare.cpu_us, chat.cpu_us, chat.rate / bare.rate,
	       bare.cpu_us / chat.cpu_us);
}

int main(int argc, char **argv)
{
	long requests = argc > 1 ? atol(argv[1]) : 20000;
	int in_flight = argc > 2 ? atoi(argv[2]) : 64;
	int rounds = argc > 3 ? atoi(argv[3]) : 5;
	struct cost bare[ROUNDS_MAX], chat[ROUNDS_MAX];
	char url[128];
	pid_t server;

	if (rounds < 1 || rounds > ROUNDS_MAX || in_flight < 1 || requests < in_flight)
		return 1;
	for (size_t i = 0; i < PROMPT; i++)
		prompt[i] =
			"SELECT T1.\"name\", COUNT(*)\nFROM t WHERE x = 'y'\n"[i % 47];
	server = start_server(url, sizeof url);
	for (int i = 0; i < rounds; i++) {
		bare[i] = run_bare(url, requests, in_flight);
		chat[i] = run_chat(url, requests, in_flight);
	}
	kill(server, SIGKILL);
	waitpid(server, NULL, 0);
	qsort(bare, (size_t)rounds, sizeof *bare, by_rate);
	qsort(chat, (size_t)rounds, sizeof *chat, by_rate);
	print(bare[rounds / 2], chat[rounds / 2]);
	return 0;
}
