/* write_predictions.c - the prediction file that the benchmark's own script reads
 *
 * Line formats drop or misplace blank lines, so an item is never blank: SELECT NULL
 * where nothing was chosen, and for a chosen text without a statement a query that
 * returns the same no rows.
 */
#include "results/write.h"

#include "common/base/mem.h"
#include "common/sql/rewrite.h"
#include "results/outfile.h"

#define NOTHING "SELECT NULL"
#define NO_ROWS "SELECT NULL WHERE 0"
#define BIRD_SEPARATOR "\t----- bird -----\t"

int predictions_begin(struct predictions *p, const struct sweep *s)
{
	*p = (struct predictions){ .sweep = s,
				   .file = mem_alloc(s->nrun + 1, sizeof *p->file) };
	return p->file ? 0 : ERR_NOMEM;
}

void predictions_free(struct predictions *p)
{
	for (uint32_t r = 0; p->file && r < p->sweep->nrun; r++)
		buf_free(&p->file[r]);
	mem_free(p->file);
	*p = (struct predictions){ 0 };
}

static int blank(struct view v)
{
	for (size_t i = 0; i < v.n; i++)
		if (!strchr(" \t\r\n\f\v", v.p[i]) || v.p[i] == '\0')
			return 0;
	return 1;
}

static struct view text_of(const struct sample *x)
{
	const struct candidate *c = sample_chosen(x);

	if (!c)
		return view_of(NOTHING);
	return blank(c->sql) ? view_of(NO_ROWS) : c->sql;
}

static void begin_item(struct buf *b, const char *open)
{
	buf_add_str(b, b->n ? ",\n" : open);
}

static void bird(struct buf *b, const struct sample *x)
{
	struct buf value = { 0 };
	struct jsonw w = jsonw_of(b, 0);
	struct view sql = text_of(x), db = x->sweep->db[x->question->db].id;

	buf_add(&value, sql.p, sql.n);
	buf_add_str(&value, BIRD_SEPARATOR);
	buf_add(&value, db.p, db.n);
	begin_item(b, "{\n");
	buf_addf(b, " \"%u\": ", x->q);
	jw_str(&w, buf_view(&value));
	buf_fail(b, value.bad);
	buf_free(&value);
}

static void ehrsql(struct buf *b, const struct sample *x)
{
	struct jsonw w = jsonw_of(b, 0);
	struct view id = x->question->id;

	begin_item(b, "{\n");
	buf_add_char(b, ' ');
	if (id.n && id.p[0] == '"')
		jw_raw(&w, id);
	else
		jw_str(&w, id);
	buf_add_str(b, ": ");
	jw_str(&w, sample_chosen(x) ? text_of(x) : view_of("null"));
}

/* As near as one line can be where a quoted name holds a newline. */
static void folded(struct buf *b, struct view sql)
{
	for (size_t i = 0; i < sql.n; i++)
		buf_add_char(b,
			     sql.p[i] && strchr("\t\r\n", sql.p[i]) ? ' ' : sql.p[i]);
}

static void spider(struct buf *b, const struct sample *x)
{
	struct buf line = { 0 };
	int rc = one_line(&line, text_of(x), NULL);

	if (rc == ERR_NOMEM)
		buf_fail(b, rc);
	buf_fail(b, line.bad);
	if (rc) {
		buf_clear(&line);
		folded(&line, text_of(x));
		buf_fail(b, line.bad);
	}
	if (blank(buf_view(&line)))
		buf_add_str(b, NO_ROWS);
	else
		buf_add(b, line.p, line.n);
	buf_add_char(b, '\n');
	buf_free(&line);
}

static void plain(struct buf *b, const struct sample *x)
{
	struct jsonw w = jsonw_of(b, 0);

	jw_object(&w);
	jw_key(&w, "question_id");
	jw_raw(&w, x->question->id);
	jw_kview(&w, "db_id", x->sweep->db[x->question->db].id);
	jw_kview(&w, "sql", text_of(x));
	jw_end(&w);
	buf_add_char(b, '\n');
}

/* Columns: the file's name, what stands behind the last item, an item. */
static const struct format {
	const char *name, *close;
	void (*add)(struct buf *b, const struct sample *x);
} format[RULES] = {
	[RULE_bird] = { "predict_dev.json", "\n}\n", bird },
	[RULE_spider] = { "pred.sql", "", spider },
	[RULE_ehrsql] = { "prediction.json", "\n}\n", ehrsql },
	[RULE_ehrsql_v1] = { "prediction.json", "\n}\n", ehrsql },
	[RULE_plain] = { "predictions.jsonl", "", plain },
};

/* The benchmark's files, whatever rule scores it. */
static const struct format *format_of(const struct sweep *s)
{
	int rule = s->benchmark ? rule_by_name(s->benchmark) : -1;

	return &format[rule >= 0 ? (enum rule)rule : s->rule];
}

void predictions_add(struct predictions *p, const struct sample *x)
{
	format_of(p->sweep)->add(&p->file[x->r], x);
}

int predictions_end(struct predictions *p, const char *dir, struct err *e)
{
	const struct format *f = format_of(p->sweep);
	int rc = 0;

	for (uint32_t r = 0; rc == 0 && r < p->sweep->nrun; r++) {
		struct buf *b = &p->file[r], name = { 0 };

		if (b->n == 0 && f->close[0])
			buf_add_str(b, "{");
		buf_add_str(b, f->close);
		buf_addf(&name, "predictions/%s/%s", p->sweep->run[r].name, f->name);
		if (b->bad || name.bad)
			rc = err_set(e, ERR_NOMEM, "predictions of %s",
				     p->sweep->run[r].name);
		else
			rc = outfile_put(dir, name.p, buf_view(b), e);
		buf_free(&name);
	}
	return rc;
}
