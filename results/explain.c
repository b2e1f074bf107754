/* explain.c - what scoring saw of one question: both results beside each other
 *
 * The same predictions get different accuracies from different tools, and
 * nobody can tell why. The rule, both statuses and the first row that differs tell.
 */
#include "results/results.h"

#include "proto/exec_out.h"
#include "proto/task.h"
#include "proto/verdict.h"
#include "results/fold.h"

struct seen {
	struct exec_out out;
	int there;
};

static int look(const struct sweep *s, struct fold *f, uint32_t db,
		const struct hash *sql, struct arena *a, struct seen *ret,
		struct err *e)
{
	struct buf spec = { 0 };
	struct view body;
	struct hash key;
	int rc;

	*ret = (struct seen){ 0 };
	spec_exec(&spec, &s->env_hash, &s->db[db].hash, sql);
	key = task_key(buf_view(&spec));
	buf_free(&spec);
	rc = fold_output(f, &key, a, &body, &ret->there, e);
	if (rc == 0 && ret->there && exec_out_decode(body, &ret->out, a) != 0)
		ret->there = 0;
	return rc;
}

static void print_cell(struct buf *b, const struct cell *c)
{
	switch (c->type) {
	case CELL_NULL: buf_add_str(b, "NULL"); break;
	case CELL_INT: buf_addf(b, "%lld", (long long)c->i); break;
	case CELL_REAL: buf_addf(b, "%.17g", c->d); break;
	case CELL_TEXT: buf_addf(b, "'%.*s'", (int)c->v.n, c->v.p); break;
	default:
		buf_add_str(b, "X'");
		for (size_t i = 0; i < c->v.n; i++)
			buf_addf(b, "%02X", (unsigned char)c->v.p[i]);
		buf_add_str(b, "'");
	}
}

/* Row `i` of the preview; nothing past its end. */
static struct view row_text(struct buf *b, const struct exec_out *o, uint32_t i)
{
	buf_clear(b);
	buf_add_str(b, i < o->preview_rows ? "" : "(no row shown)");
	for (uint32_t c = 0; i < o->preview_rows && c < o->cols; c++) {
		buf_add_str(b, c ? " | " : "");
		print_cell(b, &o->preview[(size_t)i * o->cols + c]);
	}
	return buf_view(b);
}

static void print_side(FILE *to, const char *what, struct view sql,
		       const struct seen *s)
{
	fprintf(to, "  %s: %.*s\n", what, (int)sql.n, sql.p);
	if (!s->there) {
		fprintf(to, "    no output in the journal\n");
		return;
	}
	fprintf(to, "    status %s, %llu rows, %u columns", status_name(s->out.status),
		(unsigned long long)s->out.rows, s->out.cols);
	if (s->out.note.n)
		fprintf(to, ", %.*s", (int)s->out.note.n, s->out.note.p);
	if (s->out.error.n)
		fprintf(to, ": %.*s", (int)s->out.error.n, s->out.error.p);
	fputc('\n', to);
}

static void print_difference(FILE *to, const struct exec_out *g,
			     const struct exec_out *p)
{
	struct buf x = { 0 }, y = { 0 };
	uint32_t most =
		g->preview_rows > p->preview_rows ? g->preview_rows : p->preview_rows;

	for (uint32_t i = 0; i < most; i++) {
		struct view a = row_text(&x, g, i), b = row_text(&y, p, i);

		if (view_eq(a, b))
			continue;
		fprintf(to,
			"    first row that differs, as retrieved: %u\n      gold: "
			"%.*s\n      file: %.*s\n",
			i + 1, (int)a.n, a.p, (int)b.n, b.p);
		break;
	}
	buf_free(&x);
	buf_free(&y);
}

static int explain_file(FILE *to, const struct sweep *s, struct fold *f, uint32_t q,
			const struct seen *gold, const struct verdict *v,
			const struct score_file *file, uint32_t i, struct arena *a,
			struct err *e)
{
	const struct candidate *c = &s->q[q].cand[i];
	struct seen mine = { 0 };
	int rc = 0;

	if (!c->abstains)
		rc = look(s, f, s->q[q].db, &c->run_hash, a, &mine, e);
	if (rc)
		return rc;
	fprintf(to, "%s: %s under rule %s, %s under rule plain",
		file->source && file->source[0] ? file->source : file->file,
		v->right[i] ? "right" : "wrong", rule_name(s->rule),
		v->strict[i] ? "right" : "wrong");
	if (v->soft_f1)
		fprintf(to, ", soft F1 %g", v->soft_f1[i]);
	fputc('\n', to);
	print_side(to, "ran", c->run, &mine);
	if (gold->there && mine.there)
		print_difference(to, &gold->out, &mine.out);
	return 0;
}

static int explain(FILE *to, const struct sweep *s, const struct gold *g,
		   const struct score_file *file, uint32_t nfile, struct fold *f,
		   uint32_t q, struct err *e)
{
	struct arena a = { 0 };
	struct seen gold = { 0 };
	struct verdict v;
	int found, rc = fold_verdict(f, s->q[q].position, &a, &v, &found, e);

	if (rc == 0 && !found)
		rc = err_set(e, ERR_STORE, "no verdict yet: run the command again");
	if (rc == 0 && !g->item[q].abstains)
		rc = look(s, f, s->q[q].db, &g->item[q].run_hash, &a, &gold, e);
	if (rc == 0) {
		fprintf(to, "question %.*s (%.*s)%s\n", (int)s->q[q].id.n, s->q[q].id.p,
			(int)s->db[s->q[q].db].id.n, s->db[s->q[q].db].id.p,
			g->item[q].ordered ? ", rows in order" : "");
		print_side(to, "gold", g->item[q].run, &gold);
	}
	for (uint32_t i = 0; rc == 0 && i < nfile && i < v.n; i++)
		rc = explain_file(to, s, f, q, &gold, &v, &file[i], i, &a, e);
	arena_free(&a);
	return rc;
}

/* As typed: 717 or x; as JSON text: 717 or "x". */
static int same_id(struct view json, struct view typed)
{
	if (view_eq(json, typed))
		return 1;
	return json.n == typed.n + 2 && json.p[0] == '"' &&
	       memcmp(json.p + 1, typed.p, typed.n) == 0;
}

int score_explain(FILE *to, const struct sweep *s, const struct gold *g,
		  const struct score_file *file, uint32_t nfile, const char *journal,
		  int64_t sweep_id, struct view question_id, struct err *e)
{
	struct fold *f = NULL;
	uint32_t found = 0;
	int rc = fold_open(journal, sweep_id, &f, e);

	for (uint32_t q = 0; rc == 0 && q < s->nq; q++)
		if (same_id(s->q[q].id, question_id)) {
			rc = explain(to, s, g, file, nfile, f, q, e);
			found++;
		}
	if (rc == 0 && !found)
		rc = err_set(e, ERR_INPUT, "no question %.*s here", (int)question_id.n,
			     question_id.p);
	fold_close(&f);
	return rc;
}
