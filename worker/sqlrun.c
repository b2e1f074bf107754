/* sqlrun.c - see sqlrun.h */
#include "worker/sqlrun.h"

#include "common/base/mem.h"

#include <stdio.h>
#include <stdlib.h>

/* SQLite's log has one receiver per process; a warning belongs to what is prepared. */
static struct sqlrun *preparing;

/* Steps between two looks at the budget. */
enum { TICK = 1000 };

/* `double-quoted string literal: "Colour"` -> `dqs_literal:"Colour"` */
static void add_warning(struct sqlrun *r, const char *literal)
{
	struct exec_out *o = &r->out;
	size_t used = 0;
	struct view w;

	for (uint32_t i = 0; i < o->n_warnings; i++)
		used += r->warnings[i].n;
	w.p = r->warning_text + used;
	w.n = sizeof r->warning_text - used;
	if (o->n_warnings == EXEC_WARNINGS || strlen(literal) + 13 > w.n)
		return;
	w.n = (size_t)snprintf(r->warning_text + used, w.n, "dqs_literal:%s", literal);
	for (uint32_t i = 0; i < o->n_warnings; i++)
		if (view_eq(r->warnings[i], w))
			return;
	r->warnings[o->n_warnings++] = w;
}

static void on_log(void *unused, int code, const char *text)
{
	static const char intro[] = "double-quoted string literal: ";

	(void)unused;
	if (preparing && code == SQLITE_WARNING &&
	    !strncmp(text, intro, sizeof intro - 1))
		add_warning(preparing, text + sizeof intro - 1);
}

int sqlrun_setup(void)
{
	return sqlite3_config(SQLITE_CONFIG_LOG, on_log, NULL);
}

/* ---- how it ended ---- */

static void end(struct sqlrun *r, enum status status, const char *note,
		const char *text)
{
	r->out.status = status;
	r->out.note = view_of(note);
	r->out.error = view_of(text);
}

static void end_with(struct sqlrun *r, struct sqlconn *c, int code)
{
	const char *text = sqlite3_errmsg(c->db);

	r->out.error_at = sqlite3_error_offset(c->db);
	switch (code & 0xff) {
	case SQLITE_ERROR:
	case SQLITE_AUTH:
		if (c->guard.note)
			end(r, STATUS_refused, c->guard.note, text);
		else if (strstr(text, "may not be modified"))
			end(r, STATUS_refused, "write", text);
		else
			end(r, STATUS_error, "", text);
		break;
	case SQLITE_READONLY: end(r, STATUS_refused, "write", text); break;
	case SQLITE_INTERRUPT: end(r, STATUS_timeout, "steps", text); break;
	case SQLITE_NOMEM: end(r, STATUS_limit, "memory", text); break;
	case SQLITE_TOOBIG: end(r, STATUS_limit, "length", text); break;
	case SQLITE_CORRUPT:
	case SQLITE_NOTADB:
	case SQLITE_IOERR:
	case SQLITE_CANTOPEN: end(r, STATUS_error, "database", text); break;
	default: end(r, STATUS_error, "", text); break;
	}
}

static void end_sink(struct sqlrun *r, int code)
{
	(void)code;
	end(r, STATUS_limit, "memory", "the result does not fit the memory limit");
}

/* ---- before the first row ---- */

/* What is left of p after white space and comments; as CPython's lstrip_sql(). */
static const char *after_space(const char *p)
{
	for (;; p++) {
		if (*p && strchr(" \t\f\n\r", *p))
			continue;
		if (p[0] == '-' && p[1] == '-') {
			p = strchr(p, '\n');
			if (!p)
				return "";
		} else if (p[0] == '/' && p[1] == '*') {
			p = strstr(p + 2, "*/");
			if (!p)
				return "";
			p++;
		} else {
			return p;
		}
	}
}

static int prepare(struct sqlrun *r, struct sqlconn *c, struct view sql)
{
	const char *tail = "";
	int code;

	if (memchr(sql.p, '\0', sql.n)) {
		end(r, STATUS_error, "nul", "the SQL holds a NUL byte");
		return 0;
	}
	preparing = r;
	c->guard.note = NULL;
	code = sqlite3_prepare_v2(c->db, sql.p, (int)sql.n + 1, &r->stmt, &tail);
	preparing = NULL;
	if (code) {
		end_with(r, c, code);
		return 0;
	}
	if (*after_space(tail)) {
		end(r, STATUS_error, "multi-statement",
		    "you can only execute one statement at a time");
		r->out.error_at = tail - sql.p;
		return 0;
	}
	if (sqlite3_bind_parameter_count(r->stmt)) {
		end(r, STATUS_error, "parameter",
		    "the SQL has a parameter without value");
		return 0;
	}
	if (r->stmt && !sqlite3_stmt_readonly(r->stmt)) {
		end(r, STATUS_refused, "write", "not authorized");
		return 0;
	}
	return 1;
}

static int columns(struct sqlrun *r)
{
	uint32_t n = (uint32_t)sqlite3_column_count(r->stmt);

	if (n > r->cap) {
		struct cell *cells = mem_resize(r->cells, n, sizeof *cells);
		struct view *names = mem_resize(r->names, n, sizeof *names);

		r->cells = cells ? cells : r->cells;
		r->names = names ? names : r->names;
		if (!cells || !names)
			return ERR_NOMEM;
		r->cap = n;
	}
	for (uint32_t i = 0; i < n; i++)
		r->names[i] = view_of(sqlite3_column_name(r->stmt, (int)i));
	r->out.cols = n;
	r->out.names = r->names;
	return 0;
}

static int on_tick(void *r_)
{
	struct sqlrun *r = r_;

	if (r->tick && (r->ticks & 15) == 15)
		r->tick(r->tick_arg);
	return ++r->ticks >= r->ticks_max;
}

static void set_limits(struct sqlrun *r, struct sqlconn *c, const struct sql_limits *l)
{
	uint64_t tick = l->steps < TICK ? l->steps : TICK;
	int length = l->length < INT32_MAX ? (int)l->length : INT32_MAX;

	r->ticks = 0;
	r->ticks_max = tick ? l->steps / tick : 1;
	sqlite3_progress_handler(c->db, tick ? (int)tick : 1, on_tick, r);
	sqlite3_limit(c->db, SQLITE_LIMIT_LENGTH, length);
	sqlite3_hard_heap_limit64(r->heap + (sqlite3_int64)l->memory);
}

/* ---- rows ---- */

static int take_cell(sqlite3_value *v, struct cell *c)
{
	c->whole = 0;
	switch (sqlite3_value_type(v)) {
	case SQLITE_INTEGER:
		c->type = CELL_INT;
		c->i = sqlite3_value_int64(v);
		break;
	case SQLITE_FLOAT:
		c->type = CELL_REAL;
		c->d = sqlite3_value_double(v);
		break;
	case SQLITE_TEXT:
		c->type = CELL_TEXT;
		c->v.p = (const char *)sqlite3_value_text(v);
		c->v.n = (size_t)sqlite3_value_bytes(v);
		return c->v.p ? 0 : SQLITE_NOMEM;
	case SQLITE_BLOB:
		c->type = CELL_BLOB;
		c->v.p = sqlite3_value_blob(v);
		c->v.n = (size_t)sqlite3_value_bytes(v);
		if (!c->v.p)
			c->v = (struct view){ "", 0 };
		break;
	default: c->type = CELL_NULL;
	}
	return 0;
}

static int take_row(struct sqlrun *r)
{
	int code = 0;

	for (uint32_t i = 0; i < r->out.cols && !code; i++)
		code = take_cell(sqlite3_column_value(r->stmt, (int)i), &r->cells[i]);
	return code;
}

static void rows(struct sqlrun *r, struct sqlconn *c, uint64_t max,
		 struct sqlrun_sink sink)
{
	int code;

	while ((code = sqlite3_step(r->stmt)) == SQLITE_ROW) {
		if (r->out.rows == max) {
			end(r, STATUS_limit, "rows", "more rows than the limit");
			return;
		}
		if (take_row(r)) {
			end_with(r, c, SQLITE_NOMEM);
			return;
		}
		code = sink.row(sink.to, r->cells);
		if (code) {
			end_sink(r, code);
			return;
		}
		r->out.rows++;
	}
	if (code != SQLITE_DONE)
		end_with(r, c, code);
	else
		end(r, r->out.rows ? STATUS_rows : STATUS_empty, "", "");
}

/* From the first row to the last, of a statement that is prepared and begun. */
static void run(struct sqlrun *r, struct sqlconn *c, const struct sql_limits *l,
		struct sqlrun_sink sink)
{
	int code = 0;

	if (r->stmt)
		code = columns(r);
	if (!code)
		code = sink.begin(sink.to, r->out.cols);
	if (code)
		end_sink(r, code);
	else if (r->stmt)
		rows(r, c, l->rows, sink);
	else
		end(r, STATUS_empty, "", "");
	if (r->stmt)
		r->out.steps = (uint64_t)sqlite3_stmt_status(
			r->stmt, SQLITE_STMTSTATUS_VM_STEP, 1);
}

void sqlrun_exec(struct sqlrun *r, struct sqlconn *c, struct view sql,
		 const struct sql_limits *limits, struct sqlrun_sink sink)
{
	r->out = (struct exec_out){ .error_at = -1, .warnings = r->warnings };
	r->stmt = NULL;
	r->heap = sqlite3_memory_used();
	set_limits(r, c, limits);
	if (prepare(r, c, sql))
		run(r, c, limits, sink);
}

void sqlrun_again(struct sqlrun *r, struct sqlconn *c, const struct sql_limits *limits,
		  struct sqlrun_sink sink)
{
	r->out.error_at = -1;
	r->out.rows = 0;
	sqlite3_reset(r->stmt);
	set_limits(r, c, limits);
	run(r, c, limits, sink);
}

void sqlrun_end(struct sqlrun *r)
{
	sqlite3_finalize(r->stmt);
	r->stmt = NULL;
}

void sqlrun_free(struct sqlrun *r)
{
	sqlrun_end(r);
	mem_free(r->cells);
	mem_free(r->names);
	*r = (struct sqlrun){ 0 };
}
