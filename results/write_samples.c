/* write_samples.c - samples.jsonl: every decision, so that it can be drawn again */
#include "results/write.h"

static void uints(struct jsonw *w, const uint32_t *v, uint32_t n)
{
	jw_array(w);
	for (uint32_t i = 0; i < n; i++)
		jw_u64(w, v[i]);
	jw_end(w);
}

static void hex(struct jsonw *w, const char *key, const uint8_t *p, size_t n)
{
	char text[2 * 16 + 1];

	for (size_t i = 0; i < n; i++)
		snprintf(text + 2 * i, 3, "%02x", p[i]);
	jw_kstr(w, key, text);
}

static void right_json(struct jsonw *w, const struct sample *x,
		       const struct choice_group *g)
{
	uint64_t right = 0;

	jw_key(w, "right");
	for (uint32_t i = 0; x->verdict && i < g->size; i++)
		right +=
			g->member[i] < x->verdict->n && x->verdict->right[g->member[i]];
	if (x->verdict)
		jw_u64(w, right);
	else
		jw_null(w);
}

/* What the evidence judge saw, where it is not 0, and what of the score it made. */
static void evidence_json(struct jsonw *w, const struct choice_evidence *v, uint32_t i,
			  uint32_t g)
{
	const double *feature = v->feature + (size_t)i * v->features;

	if (i >= g)
		return;
	jw_knum9(w, "score", v->score[i]);
	jw_kobject(w, "features");
	for (uint32_t f = 0; f < v->features; f++)
		if (feature[f] != 0) {
			jw_key_view(w, v->name[f]);
			jw_num9(w, feature[f]);
		}
	jw_end(w);
	jw_kobject(w, "points");
	for (uint32_t f = 0; f < v->features; f++)
		if (feature[f] * v->weight[f] != 0) {
			jw_key_view(w, v->name[f]);
			jw_num9(w, feature[f] * v->weight[f]);
		}
	jw_end(w);
}

static void group_json(struct jsonw *w, const struct sample *x,
		       const struct choice_group *g)
{
	jw_object(w);
	jw_ku64(w, "size", g->size);
	jw_key(w, "members");
	uints(w, g->member, g->size);
	jw_kstr(w, "status", status_name(g->status));
	if (g->note.n)
		jw_kview(w, "note", g->note);
	jw_ku64(w, "rows", g->rows);
	jw_ku64(w, "columns", g->columns);
	hex(w, "digest", g->digest, sizeof g->digest);
	jw_key(w, "mean_rank");
	if (g->mean_rank >= 0)
		jw_num9(w, g->mean_rank);
	else
		jw_null(w);
	right_json(w, x, g);
	if (x->choice->evidence.features && !g->failed)
		evidence_json(w, &x->choice->evidence, (uint32_t)(g - x->choice->group),
			      x->choice->g);
	if (g->size && g->member[0] < x->question->n)
		jw_kview(w, "sql", x->question->cand[g->member[0]].sql);
	jw_end(w);
}

static void pass_json(struct jsonw *w, const struct choice_pass *p)
{
	const uint32_t *c = p->cand;

	if (p->is_void) {
		jw_null(w);
		return;
	}
	jw_array(w);
	for (uint32_t i = 0; i < p->places; c += p->place[i++])
		uints(w, c, p->place[i]);
	jw_end(w);
}

static void why_json(struct jsonw *w, const struct choice *c)
{
	struct buf b = { 0 };

	buf_add_str(&b, c ? why_text(c->why) : "degraded: not finished");
	if (c && c->reason.n) {
		buf_add_str(&b, ": ");
		buf_add(&b, c->reason.p, c->reason.n);
	}
	jw_kview(w, "why", buf_view(&b));
	buf_fail(w->b, b.bad);
	buf_free(&b);
}

static void chosen_json(struct jsonw *w, const struct sample *x)
{
	const struct candidate *c = sample_chosen(x);
	int right = sample_right(x);

	jw_key(w, "chosen");
	if (c)
		jw_i64(w, x->choice->chosen);
	else
		jw_null(w);
	jw_key(w, "sql");
	if (c)
		jw_str(w, c->sql);
	else
		jw_null(w);
	why_json(w, x->choice);
	jw_key(w, "correct");
	if (right >= 0)
		jw_bool(w, right);
	else
		jw_null(w);
	jw_key(w, "confidence");
	if (x->choice && x->choice->confidence >= 0)
		jw_num9(w, x->choice->confidence);
	else
		jw_null(w);
	jw_key(w, "probability");
	if (x->probability >= 0)
		jw_num9(w, x->probability);
	else
		jw_null(w);
}

static void tie_json(struct jsonw *w, const struct choice *c)
{
	jw_key(w, "tie_break");
	if (!c || !c->has_tie) {
		jw_null(w);
		return;
	}
	jw_object(w);
	jw_ku64(w, "a", c->tie_a);
	jw_ku64(w, "b", c->tie_b);
	jw_karray(w, "scores");
	jw_num9(w, c->tie_score[0]);
	jw_num9(w, c->tie_score[1]);
	jw_end(w);
	jw_end(w);
}

static void lists_json(struct jsonw *w, const struct sample *x)
{
	const struct choice *c = x->choice;

	jw_karray(w, "groups");
	for (uint32_t i = 0; c && i < c->ngroup; i++)
		group_json(w, x, &c->group[i]);
	jw_end(w);
	jw_karray(w, "passes");
	for (uint32_t i = 0; c && i < c->npass; i++)
		pass_json(w, &c->pass[i]);
	jw_end(w);
	jw_karray(w, "memories");
	for (uint32_t i = 0; c && i < c->nmemory; i++)
		jw_raw(w, c->memory[i]);
	jw_end(w);
}

static void notes_json(struct jsonw *w, const struct sample *x)
{
	const struct choice *c = x->choice;

	jw_karray(w, "notes");
	for (uint32_t i = 0; c && i < c->nnote; i++)
		jw_str(w, c->note[i]);
	jw_end(w);
	jw_kobject(w, "parse");
	jw_ku64(w, "failed", c ? c->parse_failed : 0);
	jw_ku64(w, "missing", c ? c->parse_missing : 0);
	jw_ku64(w, "duplicate", c ? c->parse_duplicate : 0);
	jw_ku64(w, "unknown", c ? c->parse_unknown : 0);
	jw_end(w);
}

/* What scoring saw, for show and for people. */
static void scoring_json(struct jsonw *w, const struct sample *x)
{
	const struct verdict *v = x->verdict;
	int64_t i = x->choice ? x->choice->chosen : -1;

	jw_key(w, "scoring");
	if (!v) {
		jw_null(w);
		return;
	}
	jw_object(w);
	jw_kview(w, "gold", x->gold->sql);
	jw_kstr(w, "gold_status", status_name(v->gold));
	if (v->gold_note.n)
		jw_kview(w, "gold_note", v->gold_note);
	jw_ku64(w, "gold_rows", v->gold_rows);
	if (sample_chosen(x) && i < (int64_t)v->n) {
		jw_kstr(w, "status", status_name((enum status)v->status[i]));
		if (v->note[i].n)
			jw_kview(w, "note", v->note[i]);
		jw_kbool(w, "strict", v->strict[i]);
	}
	if (x->gold->level.n)
		jw_kview(w, "difficulty", x->gold->level);
	jw_end(w);
}

void write_sample(struct buf *b, const struct sample *x)
{
	struct jsonw w = jsonw_of(b, 0);

	jw_object(&w);
	jw_kstr(&w, "run", x->run->name);
	jw_key(&w, "question_id");
	jw_raw(&w, x->question->id);
	jw_ku64(&w, "position", x->question->position);
	jw_kview(&w, "db_id", x->sweep->db[x->question->db].id);
	chosen_json(&w, x);
	lists_json(&w, x);
	tie_json(&w, x->choice);
	jw_kobject(&w, "usage");
	use_json(&w, &x->use);
	jw_end(&w);
	notes_json(&w, x);
	jw_kview(&w, "question", x->question->text);
	scoring_json(&w, x);
	jw_end(&w);
	buf_add_char(b, '\n');
}
