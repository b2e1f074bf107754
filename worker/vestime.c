/* vestime.c - see vestime.h */
#include "worker/vestime.h"

#include "common/base/clock.h"
#include "common/base/cursor.h"
#include "common/base/mem.h"
#include "proto/task.h"
#include "worker/dbfile.h"
#include "worker/sqlpool.h"

#include <sched.h>
#include <stdio.h>

struct vestime {
	uv_loop_t loop;
	int has_loop;
	struct sqlzygote *zygote;
	struct sqlpool *pool;
	struct dbfiles *files;
	struct sql_request ask;
	/* Of the pair that is timed: */
	uint64_t *prediction, *gold;
	uint32_t repeats;
	int code;
	char text[400];
};

/* The last core that we may use: interrupts like the first. */
static int pin(cpu_set_t *was)
{
	cpu_set_t one;
	int cpu = -1;

	if (sched_getaffinity(0, sizeof *was, was))
		return -1;
	for (int i = 0; i < CPU_SETSIZE; i++)
		if (CPU_ISSET(i, was))
			cpu = i;
	if (cpu < 0)
		return -1;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	return sched_setaffinity(0, sizeof one, &one) ? -1 : cpu;
}

static int limits_of(struct vestime *v, struct view env, struct err *e)
{
	struct env x;

	if (!env_decode(env, &x) ||
	    !clock_parse_iso(x.clock.p, x.clock.n, &v->ask.clock_ms))
		return err_set(e, ERR_VALUE, "the environment of a query is malformed");
	v->ask.op = SQL_TIME;
	v->ask.limits =
		(struct sql_limits){ x.steps, x.rows, x.value_bytes, x.memory_bytes };
	v->ask.text = (enum text_mode)x.text;
	return 0;
}

int vestime_open(struct view env, struct vestime **ret, int *ret_cpu, struct err *e)
{
	struct vestime *v = mem_alloc(1, sizeof *v);
	cpu_set_t was;
	int rc;

	if (!v)
		return err_set(e, ERR_NOMEM, "timing");
	rc = limits_of(v, env, e);
	*ret_cpu = rc ? -1 : pin(&was);
	if (!rc) /* children inherit the core */
		rc = sqlzygote_start(NULL, 0, &v->zygote, e);
	if (*ret_cpu >= 0)
		sched_setaffinity(0, sizeof was, &was);
	if (!rc && dbfiles_new("/tmp", &v->files))
		rc = err_set(e, ERR_NOMEM, "timing");
	if (!rc) {
		v->has_loop = uv_loop_init(&v->loop) == 0;
		rc = v->has_loop ? sqlpool_new(&v->loop, v->zygote, 1,
					       v->ask.limits.memory, &v->pool, e)
				 : err_set(e, ERR_NOMEM, "timing");
	}
	*ret = v;
	if (rc)
		vestime_close(ret);
	return rc;
}

void vestime_close(struct vestime **v_)
{
	struct vestime *v = *v_;

	if (!v)
		return;
	if (v->pool)
		sqlpool_free(&v->pool);
	if (v->has_loop) {
		uv_run(&v->loop, UV_RUN_DEFAULT);
		uv_loop_close(&v->loop);
	}
	sqlzygote_stop(&v->zygote);
	dbfiles_free(&v->files);
	mem_free(v);
	*v_ = NULL;
}

static void take(struct vestime *v, struct view output)
{
	struct cursor c = cur_of(output);

	cur_array_of(&c, 2);
	cur_array_of(&c, v->repeats);
	for (uint32_t i = 0; i < v->repeats; i++)
		v->prediction[i] = cur_u64(&c);
	cur_array_of(&c, v->repeats);
	for (uint32_t i = 0; i < v->repeats; i++)
		v->gold[i] = cur_u64(&c);
	if (!cur_done(&c)) {
		v->code = ERR_VALUE;
		snprintf(v->text, sizeof v->text, "a query did not run to its end");
	}
}

static void on_reply(void *arg, const struct sql_reply *r)
{
	struct vestime *v = arg;

	v->code = r->code;
	snprintf(v->text, sizeof v->text, "%s", r->text);
	if (!r->code)
		take(v, r->output);
}

int vestime_pair(struct vestime *v, const char *database, struct view prediction,
		 struct view gold, uint32_t repeats, uint64_t wall_ms,
		 uint64_t *ret_prediction, uint64_t *ret_gold, struct err *e)
{
	const struct dbfile *f;
	int rc = dbfile_open(v->files, database, &f, e);

	if (rc)
		return rc;
	v->ask.sql = prediction;
	v->ask.other = gold;
	v->ask.db = f->hash;
	v->ask.db_fd = f->fd;
	v->ask.call = repeats;
	v->ask.wall_ms = wall_ms;
	v->prediction = ret_prediction;
	v->gold = ret_gold;
	v->repeats = repeats;
	rc = sqlpool_submit(v->pool, &v->ask, on_reply, v, NULL);
	if (rc)
		return err_set(e, rc, "no SQL child can be had; run `mapfleet doctor`");
	uv_run(&v->loop, UV_RUN_DEFAULT);
	return v->code ? err_set(e, v->code, "%s", v->text) : 0;
}
