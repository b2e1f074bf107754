/* mock_llm.c - the mock model server as a program: tests/support/mock_llm.h tells what
 * it says
 *
 *     mock_llm [--port N] [--script S] [--threads N] [--idle SECONDS] [--latency MS]
 *              [--raw] [--reward KIND]
 *
 * Prints its base URL on stdout and serves until SIGTERM, SIGINT or the end of stdin
 * (with --stdin), then prints its stats.
 */
#include "tests/support/mock_llm.h"

#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void wait_for_end(int of_stdin, const sigset_t *ends)
{
	char byte;
	int sig;

	if (!of_stdin) {
		sigwait(ends, &sig);
		return;
	}
	while (read(0, &byte, 1) > 0)
		;
}

int main(int argc, char **argv)
{
	static const struct option flags[] = {
		{ "port", 1, NULL, 'p' },    { "script", 1, NULL, 's' },
		{ "threads", 1, NULL, 't' }, { "idle", 1, NULL, 'i' },
		{ "latency", 1, NULL, 'l' }, { "raw", 0, NULL, 'r' },
		{ "reward", 1, NULL, 'w' },

		{ "stdin", 0, NULL, 'n' },   { NULL, 0, NULL, 0 },
	};
	struct mock_llm_options o = { 0 };
	struct mock_llm_stats st;
	struct mock_llm *m;
	int c, of_stdin = 0;
	sigset_t ends;

	while ((c = getopt_long(argc, argv, "", flags, NULL)) != -1) {
		switch (c) {
		case 'p': o.port = (uint16_t)atoi(optarg); break;
		case 's': o.script = optarg; break;
		case 't': o.threads = (unsigned)atoi(optarg); break;
		case 'i': o.idle_s = (unsigned)atoi(optarg); break;
		case 'l': o.latency_ms = (unsigned)atoi(optarg); break;
		case 'r': o.raw = 1; break;
		case 'w': o.reward = optarg; break;
		case 'n': of_stdin = 1; break;
		default: return 1;
		}
	}
	sigemptyset(&ends);
	sigaddset(&ends, SIGTERM);
	sigaddset(&ends, SIGINT);
	pthread_sigmask(SIG_BLOCK, &ends, NULL);
	m = mock_llm_start(&o);
	if (!m)
		return 1;
	printf("%s\n", mock_llm_url(m));
	fflush(stdout);
	wait_for_end(of_stdin, &ends);
	st = mock_llm_stats(m);
	printf("total=%llu distinct=%llu repeated=%llu max_in_flight=%llu\n",
	       (unsigned long long)st.total, (unsigned long long)st.distinct,
	       (unsigned long long)st.repeated, (unsigned long long)st.max_in_flight);
	mock_llm_stop(&m);
	return 0;
}
