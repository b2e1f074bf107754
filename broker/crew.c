/* crew.c - see crew.h */
#include "broker/crew.h"

#include "common/base/mem.h"

#include <signal.h>

enum { RESTARTS_PER_WORKER = 20 };

struct member {
	uv_process_t process;
	struct crew *crew;
	int alive, again; /* again: start another in its place */
};

struct crew {
	uv_loop_t *loop;
	char *const *argv;
	struct member *member;
	unsigned n, alive, restarts;
	int stopping;
	crew_exit_fn *on_exit;
	void *arg;
};

static int start(struct member *m);

/* The handle may be used again only now. */
static void on_closed(uv_handle_t *h)
{
	struct member *m = h->data;

	if (m->again && !m->crew->stopping)
		start(m);
}

static void on_process_exit(uv_process_t *p, int64_t status, int signal)
{
	struct member *m = p->data;
	struct crew *c = m->crew;
	int pid = p->pid, died = !c->stopping, gave_up = 0;

	(void)status, (void)signal;
	m->alive = 0;
	c->alive--;
	if (died && c->restarts++ >= RESTARTS_PER_WORKER * c->n)
		gave_up = 1;
	m->again = died && !gave_up;
	uv_close((uv_handle_t *)p, on_closed);
	c->on_exit(c->arg, pid, died, gave_up);
}

static int start(struct member *m)
{
	struct crew *c = m->crew;
	uv_stdio_container_t stdio[3] = {
		{ .flags = UV_IGNORE },
		{ .flags = UV_INHERIT_FD, .data = { .fd = 2 } },
		{ .flags = UV_INHERIT_FD, .data = { .fd = 2 } },
	};
	uv_process_options_t o = { .file = c->argv[0],
				   .args = (char **)c->argv,
				   .exit_cb = on_process_exit,
				   .stdio_count = 3,
				   .stdio = stdio };
	int rc = uv_spawn(c->loop, &m->process, &o);

	m->process.data = m;
	m->again = 0;
	if (rc) {
		uv_close((uv_handle_t *)&m->process, on_closed);
		return rc;
	}
	m->alive = 1;
	c->alive++;
	return 0;
}

int crew_start(uv_loop_t *loop, char *const *argv, unsigned n, crew_exit_fn *on_exit,
	       void *arg, struct crew **ret, struct err *e)
{
	struct crew *c = mem_alloc(1, sizeof *c);
	int rc = 0;

	if (c)
		c->member = mem_alloc(n + 1, sizeof *c->member);
	if (!c || !c->member) {
		mem_free(c);
		return err_set(e, ERR_NOMEM, "out of memory");
	}
	*c = (struct crew){ .loop = loop,
			    .argv = argv,
			    .member = c->member,
			    .n = n,
			    .on_exit = on_exit,
			    .arg = arg };
	*ret = c;
	for (unsigned i = 0; i < n && !rc; i++) {
		c->member[i].crew = c;
		rc = start(&c->member[i]);
	}
	if (rc)
		return err_set(e, ERR_SANDBOX, "%s: cannot start a worker: %s", argv[0],
			       uv_strerror(rc));
	return 0;
}

void crew_stop(struct crew *c, int signal)
{
	c->stopping = 1;
	for (unsigned i = 0; i < c->n; i++)
		if (c->member[i].alive)
			uv_process_kill(&c->member[i].process, signal);
}

unsigned crew_alive(const struct crew *c)
{
	return c->alive;
}

void crew_free(struct crew **cp)
{
	struct crew *c = *cp;

	if (!c)
		return;
	mem_free(c->member);
	mem_free(c);
	*cp = NULL;
}
