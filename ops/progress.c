/* progress.c - see progress.h */
#include "ops/progress.h"

#include "common/base/clock.h"

#include <inttypes.h>
#include <unistd.h>

enum { PLAIN_MS = 10000 };

static void span(uint64_t ms, char ret[24])
{
	uint64_t s = (ms + 500) / 1000;

	if (s < 60)
		snprintf(ret, 24, "%" PRIu64 "s", s);
	else if (s < 3600)
		snprintf(ret, 24, "%" PRIu64 "m%02" PRIu64 "s", s / 60, s % 60);
	else
		snprintf(ret, 24, "%" PRIu64 "h%02" PRIu64 "m", s / 3600, s / 60 % 60);
}

static void count(uint64_t n, char ret[24])
{
	if (n < 10000)
		snprintf(ret, 24, "%" PRIu64, n);
	else if (n < 10000000)
		snprintf(ret, 24, "%.1fk", (double)n / 1e3);
	else
		snprintf(ret, 24, "%.1fM", (double)n / 1e6);
}

const char *progress_text(const struct broker_progress *b, const char *what,
			  char ret[PROGRESS_LINE])
{
	double share = b->units ? (double)b->units_done / b->units : 0;
	double rate =
		b->elapsed_ms ? (double)b->tasks * 1000 / (double)b->elapsed_ms : 0;
	char left[24] = "?", tasks[24], calls[24], tokens[24];
	int n;

	if (share > 0)
		span((uint64_t)((double)b->elapsed_ms * (1 - share) / share), left);
	count(b->tasks, tasks);
	count(b->calls, calls);
	count(b->prompt_tokens + b->completion_tokens, tokens);
	n = snprintf(ret, PROGRESS_LINE, "%s %u/%u  %s tasks %.0f/s", what,
		     b->units_done, b->units, tasks, rate);
	if (b->calls)
		n += snprintf(ret + n, PROGRESS_LINE - (size_t)n,
			      "  %s calls  %s tokens", calls, tokens);
	if (b->failures)
		n += snprintf(ret + n, PROGRESS_LINE - (size_t)n,
			      "  %" PRIu64 " failures", b->failures);
	snprintf(ret + n, PROGRESS_LINE - (size_t)n, "%s%s",
		 b->paused ? "  stopping" : "  left ", b->paused ? "" : left);
	return ret;
}

void progress_begin(struct progress *p, FILE *to, int quiet)
{
	*p = (struct progress){ .to = to, .quiet = quiet };
	p->terminal = isatty(fileno(to));
	p->next_ms = clock_ms() + PLAIN_MS;
}

void progress_show(struct progress *p, const struct broker_progress *b,
		   const char *what)
{
	char line[PROGRESS_LINE];

	if (p->quiet)
		return;
	progress_text(b, what, line);
	if (p->terminal) {
		fprintf(p->to, "\r%s\033[K", line);
		fflush(p->to);
	} else if (clock_ms() >= p->next_ms) {
		fprintf(p->to, "%s\n", line);
		p->next_ms = clock_ms() + PLAIN_MS;
	}
	p->shown = 1;
}

void progress_end(struct progress *p)
{
	if (p->terminal && p->shown)
		fputs("\r\033[K", p->to);
	p->shown = 0;
}
