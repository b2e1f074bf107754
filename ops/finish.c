/* finish.c - see finish.h */
#include "ops/finish.h"

#include "common/base/buf.h"
#include "common/base/clock.h"
#include "common/base/crash.h"
#include "ops/notice.h"
#include "ops/plan.h"
#include "ops/setting.h"

#include <inttypes.h>
#include <jansson.h>
#include <limits.h>
#include <sqlite3.h>
#include <sys/utsname.h>
#include <unistd.h>

enum { EXIT_UNSOUND = 2, EXIT_INTERRUPTED = 130 };

/* As typed, but for what is secret; only what flags said. */
static const char *command_line(const struct finish *f)
{
	struct options *o = f->options;
	struct arena *a = &f->job->sweep.arena;
	struct buf b = { 0 };
	const char *kept;

	buf_addf(&b, "mapfleet %s", f->verb);
	for (int i = 0; i < o->nargs; i++)
		buf_addf(&b, " %s", o->arg[i]);
	for (enum flag i = 0; i < FLAGS; i++)
		if (o->from[i] == FROM_FLAG)
			buf_addf(&b, " --%s=%s", flag_name(i),
				 setting_shown(a, i, opt_text(o, i)));
	kept = b.bad ? NULL : arena_str(a, b.p);
	buf_free(&b);
	return kept;
}

static const char *working_directory(struct arena *a)
{
	char path[PATH_MAX];

	return getcwd(path, sizeof path) ? arena_str(a, path) : NULL;
}

static const char *machines(struct arena *a)
{
	struct utsname u;
	const char *kept = NULL;
	json_t *list;
	char *text;

	if (uname(&u))
		return NULL;
	list = json_pack("[{s:s,s:s,s:s,s:s,s:i}]", "host", u.nodename, "system",
			 u.sysname, "release", u.release, "machine", u.machine, "cores",
			 (int)setting_cores());
	text = list ? json_dumps(list, JSON_COMPACT) : NULL;
	if (text)
		kept = arena_str(a, text);
	free(text);
	json_decref(list);
	return kept;
}

int finish_facts(const struct finish *f, int code, struct run_facts *ret, struct err *e)
{
	const char *prices = opt_text(f->options, FLAG_price_file);
	const struct sweep *s = &f->job->sweep;
	struct price_of price = { 0 }, reward = { 0 }, embed = { 0 };
	int rc = prices ? plan_price(prices, s->model.name, &price, e) : 0;

	if (!rc && prices && s->reward.name.n)
		rc = plan_price(prices, s->reward.name, &reward, e);
	if (!rc && prices && s->embed.name.n)
		rc = plan_price(prices, s->embed.name, &embed, e);
	if (rc)
		return rc;
	*ret = (struct run_facts){
		.version = MAPFLEET_VERSION,
		.sqlite_version = sqlite3_libversion(),
		.sqlite_source_id = sqlite3_sourceid(),
		.command = command_line(f),
		.cwd = working_directory(&f->job->sweep.arena),
		.machines = machines(&f->job->sweep.arena),
		.started_ms = f->started_ms,
		.ended_ms = clock_wall_ms(),
		.code = code,
		.price = { { price.prompt, price.prompt, price.completion },
			   { reward.prompt, reward.prompt, reward.completion },
			   { embed.prompt, embed.prompt, embed.completion } },
	};
	return 0;
}

int finish_code(uint64_t unsound, uint64_t all, double most)
{
	double allowed = most < 1 ? most * (double)all : most;

	return (double)unsound > allowed ? EXIT_UNSOUND : 0;
}

static void print(const struct finish *f, const struct results *r)
{
	struct view json;

	if (opt_on(f->options, FLAG_json)) {
		json = results_json(r);
		fwrite(json.p, 1, json.n, stdout);
		if (json.n && json.p[json.n - 1] != '\n')
			putchar('\n');
		return;
	}
	results_table(stdout, r);
	printf("report: %s/report.html\n", f->job->sweep.output_dir);
}

int finish_run(const struct finish *f, const struct fleet_result *done, struct err *e)
{
	const struct sweep *s = &f->job->sweep;
	struct results *r = NULL;
	struct run_facts facts;
	uint64_t unsound, all = 0;
	int code = done->interrupted ? EXIT_INTERRUPTED : 0;
	int rc = finish_facts(f, code, &facts, e);

	/* Interrupted: the journal keeps what there is; results are written when the
	 * sweep is done, not half. */
	if (!rc && done->interrupted) {
		notice_say(
			"interrupted; what is done is kept, the same command goes on");
		f->options->exit = EXIT_INTERRUPTED;
		return 0;
	}
	if (!rc) {
		crash_at(CRASH_results_write);
		rc = results_write(s, f->gold, s->journal, done->broker.sweep, &facts,
				   &r, e);
	}
	if (rc)
		return rc;
	print(f, r);
	unsound = results_unsound(r, &all);
	f->options->exit = finish_code(unsound, all, s->fail_on_error);
	if (unsound)
		notice_say("%" PRIu64 " of %" PRIu64
			   " choices failed or were degraded%s",
			   unsound, all,
			   f->options->exit
				   ? ": exit 2 (--fail-on-error says how many may)"
				   : "");
	results_free(&r);
	return 0;
}
