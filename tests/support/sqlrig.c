/* sqlrig.c - see sqlrig.h */
#include "tests/support/sqlrig.h"

#include <stdio.h>
#include <stdlib.h>

static void must(int code, const char *what, const struct err *e)
{
	if (!code)
		return;
	fprintf(stderr, "%s: %s %s\n", what, err_name(code), e ? e->text : "");
	abort();
}

void sqlrig_start(struct sqlrig *r, const struct sqlchild_call *calls, size_t n,
		  uint32_t children)
{
	struct err e = { 0 };

	*r = (struct sqlrig){ .ask = { .limits = SQL_LIMITS_DEFAULT,
				       .clock_ms = 1735689600000,
				       .digests = DIGEST_ALL,
				       .wall_ms = 60000 } };
	r->ask.limits.steps = 20000000;
	must(sqlzygote_start(calls, n, &r->zygote, &e), "zygote", &e);
	must(uv_loop_init(&r->loop), "loop", NULL);
	must(sqlpool_new(&r->loop, r->zygote, children, r->ask.limits.memory, &r->pool,
			 &e),
	     "pool", &e);
}

void sqlrig_use(struct sqlrig *r, const struct orchard *o)
{
	r->ask.db = o->hash;
	r->ask.db_fd = o->fd;
}

void sqlrig_end(struct sqlrig *r)
{
	sqlpool_free(&r->pool);
	uv_run(&r->loop, UV_RUN_DEFAULT);
	must(uv_loop_close(&r->loop), "loop close", NULL);
	sqlzygote_stop(&r->zygote);
	arena_free(&r->arena);
}

void sqlrig_open(struct sqlrig *r, struct orchard *o)
{
	orchard_make(o);
	sqlrig_use(r, o);
}

int sqlrig_done(struct sqlrig *r, struct orchard *o, int failed)
{
	sqlrig_end(r);
	orchard_remove(o);
	return failed;
}

static void on_answer(void *a_, const struct sql_reply *reply)
{
	struct sqlrig_answer *a = a_;

	a->called++;
	a->code = reply->code;
	snprintf(a->text, sizeof a->text, "%s", reply->text);
	a->output = arena_view(&a->rig->arena, reply->output);
	if (a->code)
		return;
	if (a->op == SQL_EXEC)
		must(exec_out_decode(a->output, &a->exec, &a->rig->arena), "exec_out",
		     NULL);
	else if (a->op == SQL_EQUAL)
		must(equal_out_decode(a->output, &a->equal), "equal_out", NULL);
	else if (a->op == SQL_ALIKE)
		must(alike_out_decode(a->output, &a->alike), "alike_out", NULL);
	else if (a->op == SQL_SOFTF1)
		must(softf1_out_decode(a->output, &a->soft), "softf1_out", NULL);
}

void sqlrig_send(struct sqlrig *r, const struct sql_request *q, struct sqlrig_answer *a)
{
	*a = (struct sqlrig_answer){ .rig = r, .op = q->op };
	must(sqlpool_submit(r->pool, q, on_answer, a, NULL), "submit", NULL);
}

void sqlrig_wait(struct sqlrig *r)
{
	uv_run(&r->loop, UV_RUN_DEFAULT);
}

static struct sqlrig_answer ask(struct sqlrig *r, const struct sql_request *q)
{
	struct sqlrig_answer a;

	sqlrig_send(r, q, &a);
	sqlrig_wait(r);
	return a;
}

struct sqlrig_answer sqlrig_exec(struct sqlrig *r, const char *sql)
{
	struct sql_request q = r->ask;

	q.op = SQL_EXEC;
	q.sql = view_of(sql);
	return ask(r, &q);
}

static struct sqlrig_answer ask_two(struct sqlrig *r, enum sql_op op, const char *a,
				    const char *b)
{
	struct sql_request q = r->ask;

	q.op = op;
	q.sql = view_of(a);
	q.other = view_of(b);
	return ask(r, &q);
}

struct sqlrig_answer sqlrig_alike(struct sqlrig *r, const char *a, const char *b,
				  int by_place)
{
	struct sql_request q = r->ask;

	q.op = SQL_ALIKE;
	q.sql = view_of(a);
	q.other = view_of(b);
	q.ordered = by_place;
	return ask(r, &q);
}

struct sqlrig_answer sqlrig_equal(struct sqlrig *r, const char *a, const char *b)
{
	return ask_two(r, SQL_EQUAL, a, b);
}

struct sqlrig_answer sqlrig_softf1(struct sqlrig *r, const char *a, const char *b)
{
	return ask_two(r, SQL_SOFTF1, a, b);
}
