/* task_sleep.c - nothing, after a while: for tests of leases, drains and deaths */
#include "common/base/mem.h"
#include "common/base/pack.h"
#include "worker/kinds.h"
#include "worker/loop.h"

static void on_closed(uv_handle_t *h)
{
	mem_free(h);
}

static void on_timer(uv_timer_t *t)
{
	struct attempt *a = t->data;

	uv_close((uv_handle_t *)t, on_closed);
	pack_u64(&a->output, a->task);
	attempt_done(a, 0, "");
}

static void start(struct attempt *a)
{
	uv_timer_t *t = mem_alloc(1, sizeof *t);
	struct cursor c;
	uint64_t ms;

	spec_open(a->spec, &c);
	cur_u64(&c);
	ms = cur_u64(&c);
	if (!t || c.bad) {
		mem_free(t);
		attempt_done(a, c.bad ? ERR_PROTO : ERR_NOMEM, "sleep");
		return;
	}
	uv_timer_init(worker_loop(a->worker), t);
	t->data = a;
	a->state = t;
	uv_timer_start(t, on_timer, ms, 0);
}

static void stop(struct attempt *a)
{
	uv_close(a->state, on_closed);
}

const struct kind_code code_sleep = { .start = start, .stop = stop };
