/* task_sql.c - what SQL children do: exec, equal and match, mbr, softf1, profile
 *
 * The spec names what to run; the environment blob says under which limits. The child's
 * answer is the output as it is.
 */
#include "common/base/clock.h"
#include "worker/dbfile.h"
#include "worker/kinds.h"
#include "worker/sqlpool.h"

enum { CALL_PROFILE }; /* rows of the zygote's table, see worker.c */

struct fields { /* of a spec, in its order */
	struct hash env, db, sql, other;
	int ordered; /* of mbr: columns by their place */
};

static int has_other(enum kind k)
{
	return k == KIND_equal || k == KIND_match || k == KIND_mbr || k == KIND_softf1;
}

static int read_fields(const struct attempt *a, struct fields *ret)
{
	struct cursor c;
	struct fields f = { 0 };

	spec_open(a->spec, &c);
	if (a->kind != KIND_profile)
		f.env = cur_hash(&c);
	f.db = cur_hash(&c);
	if (a->kind != KIND_profile)
		f.sql = cur_hash(&c);
	if (has_other(a->kind))
		f.other = cur_hash(&c);
	if (has_other(a->kind) && a->kind != KIND_softf1)
		f.ordered = cur_bool(&c);
	*ret = f;
	return cur_done(&c);
}

static int needs(struct attempt *a, attempt_need_fn *need)
{
	struct fields f;

	if (!read_fields(a, &f))
		return 0;
	need(a, &f.db, NEED_DATABASE);
	if (a->kind == KIND_profile)
		return 1;
	need(a, &f.env, NEED_BLOB);
	need(a, &f.sql, NEED_BLOB);
	if (has_other(a->kind))
		need(a, &f.other, NEED_BLOB);
	return 1;
}

/* The zygote was killed, as by the kernel when memory is short: that is a death of this
 * worker, and no query's failure. */
static int is_lost(struct attempt *a, int code)
{
	struct sqlpool_stats s;

	if (code != ERR_SANDBOX)
		return 0;
	sqlpool_stats(worker_sql(a->worker), &s);
	if (s.lost)
		worker_lost(a->worker, "the SQL zygote is gone");
	return (int)s.lost;
}

static void on_reply(void *arg, const struct sql_reply *r)
{
	struct attempt *a = arg;

	if (is_lost(a, r->code))
		return;
	buf_add(&a->output, r->output.p, r->output.n);
	attempt_done(a, r->code, r->text);
}

static void submit(struct attempt *a, struct sql_request *r, const struct hash *db)
{
	const struct dbfile *f = worker_database(a->worker, db);
	int rc;

	r->db = *db;
	r->db_fd = f->fd;
	r->wall_ms = a->sql_timeout_ms;
	rc = sqlpool_submit(worker_sql(a->worker), r, on_reply, a, &a->request);
	if (rc && !is_lost(a, rc))
		attempt_done(a, rc, "no SQL child can be had; run `mapfleet doctor`");
}

static void start(struct attempt *a)
{
	struct sql_request r = { 0 };
	struct fields f;
	struct env v;

	read_fields(a, &f);
	if (!env_decode(worker_blob(a->worker, &f.env), &v) ||
	    !clock_parse_iso(v.clock.p, v.clock.n, &r.clock_ms)) {
		attempt_done(a, ERR_PROTO, "the environment of a query is malformed");
		return;
	}
	r.op = a->kind == KIND_exec     ? SQL_EXEC
	       : a->kind == KIND_mbr    ? SQL_ALIKE
	       : a->kind == KIND_softf1 ? SQL_SOFTF1
					: SQL_EQUAL;
	r.sql = worker_blob(a->worker, &f.sql);
	if (has_other(a->kind))
		r.other = worker_blob(a->worker, &f.other);
	r.limits =
		(struct sql_limits){ v.steps, v.rows, v.value_bytes, v.memory_bytes };
	r.digests = v.digests;
	r.text = (enum text_mode)v.text;
	r.ordered = f.ordered;
	submit(a, &r, &f.db);
}

static void start_profile(struct attempt *a)
{
	struct sql_request r = { .op = SQL_CALL,
				 .call = CALL_PROFILE,
				 .limits = SQL_LIMITS_DEFAULT };
	struct fields f;

	read_fields(a, &f);
	r.limits.steps = UINT64_MAX >> 1;
	submit(a, &r, &f.db);
}

static void stop(struct attempt *a)
{
	sqlpool_cancel(worker_sql(a->worker), a->request);
}

const struct kind_code code_exec = { needs, start, stop };
const struct kind_code code_equal = { needs, start, stop };
const struct kind_code code_profile = { needs, start_profile, stop };
