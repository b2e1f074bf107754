/* predfile.c - see predfile.h */
#include "results/predfile.h"

#include "common/sql/rewrite.h"
#include "results/jsonw.h"

#define NOTHING "SELECT NULL"
#define NO_ROWS "SELECT NULL WHERE 0"
#define BIRD_SEPARATOR "\t----- bird -----\t"

static int blank(struct view v)
{
	for (size_t i = 0; i < v.n; i++)
		if (!strchr(" \t\r\n\f\v", v.p[i]) || v.p[i] == '\0')
			return 0;
	return 1;
}

static struct view text_of(const struct prediction *p)
{
	if (!p->chosen)
		return view_of(NOTHING);
	return blank(p->sql) ? view_of(NO_ROWS) : p->sql;
}

static void begin_item(struct buf *b, const char *open)
{
	buf_add_str(b, b->n ? ",\n" : open);
}

static void bird(struct buf *b, const struct prediction *p)
{
	struct buf value = { 0 };
	struct jsonw w = jsonw_of(b, 0);
	struct view sql = text_of(p), db = p->db;

	buf_add(&value, sql.p, sql.n);
	buf_add_str(&value, BIRD_SEPARATOR);
	buf_add(&value, db.p, db.n);
	begin_item(b, "{\n");
	buf_addf(b, " \"%u\": ", p->at);
	jw_str(&w, buf_view(&value));
	buf_fail(b, value.bad);
	buf_free(&value);
}

static void ehrsql(struct buf *b, const struct prediction *p)
{
	struct jsonw w = jsonw_of(b, 0);
	struct view id = p->id;

	begin_item(b, "{\n");
	buf_add_char(b, ' ');
	if (id.n && id.p[0] == '"')
		jw_raw(&w, id);
	else
		jw_str(&w, id);
	buf_add_str(b, ": ");
	jw_str(&w, p->chosen ? text_of(p) : view_of("null"));
}

/* As near as one line can be where a quoted name holds a newline. */
static void folded(struct buf *b, struct view sql)
{
	for (size_t i = 0; i < sql.n; i++)
		buf_add_char(b,
			     sql.p[i] && strchr("\t\r\n", sql.p[i]) ? ' ' : sql.p[i]);
}

static void spider(struct buf *b, const struct prediction *p)
{
	struct buf line = { 0 };
	int rc = one_line(&line, text_of(p), NULL);

	if (rc == ERR_NOMEM)
		buf_fail(b, rc);
	buf_fail(b, line.bad);
	if (rc) {
		buf_clear(&line);
		folded(&line, text_of(p));
		buf_fail(b, line.bad);
	}
	if (blank(buf_view(&line)))
		buf_add_str(b, NO_ROWS);
	else
		buf_add(b, line.p, line.n);
	buf_add_char(b, '\n');
	buf_free(&line);
}

static void plain(struct buf *b, const struct prediction *p)
{
	struct jsonw w = jsonw_of(b, 0);

	jw_object(&w);
	jw_key(&w, "question_id");
	jw_raw(&w, p->id);
	jw_kview(&w, "db_id", p->db);
	jw_kview(&w, "sql", text_of(p));
	jw_end(&w);
	buf_add_char(b, '\n');
}

/* Columns: the file's name, what stands behind the last item, an item. */
static const struct format {
	const char *name, *close;
	void (*add)(struct buf *b, const struct prediction *p);
} format[RULES] = {
	[RULE_bird] = { "predict_dev.json", "\n}\n", bird },
	[RULE_spider] = { "pred.sql", "", spider },
	[RULE_ehrsql] = { "prediction.json", "\n}\n", ehrsql },
	[RULE_ehrsql_v1] = { "prediction.json", "\n}\n", ehrsql },
	[RULE_plain] = { "predictions.jsonl", "", plain },
};

const char *predfile_name(enum rule r)
{
	return format[r].name;
}

void predfile_add(enum rule r, struct buf *b, const struct prediction *p)
{
	format[r].add(b, p);
}

void predfile_end(enum rule r, struct buf *b)
{
	if (b->n == 0 && format[r].close[0])
		buf_add_str(b, "{");
	buf_add_str(b, format[r].close);
}
