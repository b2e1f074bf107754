/* judge_llm.c - a model orders windows, picks, compares and scores candidates
 *
 * A task is one ask of the model. What to do with an answer that cannot be used is
 * decided here, as a new task: an unreadable one is asked again, in another order,
 * twice at most; a prompt that was too long is asked again with half of the memories.
 */
#include "broker/asked_blob.h"
#include "broker/embed.h"
#include "broker/judge.h"
#include "common/base/pack.h"
#include "common/select/grade.h"
#include "common/select/ranking.h"
#include "common/select/ranks.h"
#include "proto/chat_read.h"
#include "proto/search_out.h"

#include <stdio.h>

enum { ASK_AGAIN = 2, MEMORIES = 64, BYTES_A_TOKEN = 4 };

/* ---- memories -------------------------------------------------------------------- */

/* By rank, until the first that does not fit. */
static void take_memories(struct judge *j, const struct search_out *found)
{
	uint64_t left = j->plan->sweep->memory_tokens;
	struct choice *c = j->choice;

	j->memory = arena_alloc(j->plan->arena, found->n + 1, sizeof *j->memory);
	for (uint32_t i = 0; j->memory && i < found->n; i++) {
		uint64_t tokens =
			(found->hit[i].bytes + BYTES_A_TOKEN - 1) / BYTES_A_TOKEN;

		if (tokens > left)
			break;
		left -= tokens;
		j->memory[j->nmemory++] = found->hit[i].id;
	}
	c->memory = j->memory;
	c->nmemory = j->nmemory;
}

static enum ask_state begin(struct judge *j)
{
	const struct sweep *s = j->plan->sweep;
	struct hash text = hash_of(j->plan->q->text.p, j->plan->q->text.n);
	const struct blob blob = { text, j->plan->q->text, 0 };
	struct buf spec = { 0 };
	struct search_out found;
	struct hash embed;
	struct fact f;

	if (!s->bank.path || !s->memory_tokens)
		return ASK_DONE;
	if (s->embed.name.n) {
		f = embed_need(j->plan, &j->plan->q->text, 1, &embed);
		judge_note_task(j, &embed, KIND_embed, 0, 0);
		if (f.state == FACT_PENDING)
			return ASK_WAITS;
		if (f.state == FACT_FAILED) {
			choice_note(j->plan, j->choice, "no memories: %.*s",
				    (int)f.text.n, f.text.p);
			return ASK_DONE;
		}
	}
	spec_begin(&spec, KIND_search, 5);
	pack_hash(&spec, &s->bank.hash);
	pack_hash(&spec, &text);
	if (s->embed.name.n)
		pack_hash(&spec, &embed);
	else
		pack_nil(&spec);
	pack_u64(&spec, MEMORIES);
	pack_array(&spec, 0);
	f = plan_need(j->plan, &spec, &blob, 1);
	buf_free(&spec);
	if (f.state == FACT_PENDING)
		return ASK_WAITS;
	if (f.state == FACT_OUTPUT &&
	    !search_out_decode(f.output, j->plan->arena, &found, NULL))
		take_memories(j, &found);
	else
		choice_note(j->plan, j->choice, "no memories: %.*s", (int)f.text.n,
			    f.text.p);
	return ASK_DONE;
}

/* ---- one ask --------------------------------------------------------------------- */

struct ask {
	enum kind kind;
	uint32_t pass, window; /* from 1; 0: none */
	const uint32_t *cand;  /* in the order shown */
	uint32_t n, memories, attempt;
	uint32_t want;     /* of pick; else 0 */
	const char *lacks; /* the note where no answer could be read */
};

/* A repeat number belongs to the key only where answers differ by design. */
static uint64_t repeat_of(const struct judge *j, const struct ask *k)
{
	if (!(j->plan->sweep->model.temperature > 0))
		return 0;
	return (j->plan->run->seed << 16 | k->pass) + 1;
}

static enum template_of template_of(enum kind kind)
{
	switch (kind) {
	case KIND_point: return TEMPLATE_point;
	case KIND_pick: return TEMPLATE_pick;
	case KIND_pair: return TEMPLATE_pair;
	case KIND_yes: return TEMPLATE_yes;
	case KIND_cover: return TEMPLATE_cover;
	default: return TEMPLATE_rank;
	}
}

static void pack_ask(struct judge *j, const struct ask *k, struct buf *spec,
		     struct blob *blob)
{
	const struct sweep *s = j->plan->sweep;
	const struct database *db = &s->db[j->plan->q->db];
	const struct model *m = &s->model;
	enum template_of t = template_of(k->kind);

	blob[0] = (struct blob){ m->llm_hash, m->llm_blob, 0 };
	blob[1] = (struct blob){ m->template_hash[t], m->template[t], 0 };
	blob[2] = (struct blob){ db->schema_hash, db->schema, 0 };
	blob[3] = asked_question_blob(j->plan);
	spec_begin(spec, k->kind, k->want ? 11 : 10);
	for (int i = 0; i < 4; i++)
		pack_hash(spec, &blob[i].hash);
	if (k->memories)
		pack_hash(spec, &s->bank.hash);
	else
		pack_nil(spec);
	pack_array(spec, k->memories);
	for (uint32_t i = 0; i < k->memories; i++)
		pack_str(spec, j->memory[i]);
	pack_array(spec, k->n);
	for (uint32_t i = 0; i < k->n; i++) {
		blob[4 + i] = asked_candidate_blob(j->plan, j->g, k->cand[i]);
		pack_hash(spec, &blob[4 + i].hash);
	}
	pack_u64(spec, s->preview_rows);
	pack_u64(spec, k->attempt);
	pack_u64(spec, repeat_of(j, k));
	if (k->want)
		pack_u64(spec, k->want);
}

static struct fact ask(struct judge *j, const struct ask *k)
{
	struct blob *blob = arena_alloc(j->plan->arena, k->n + 4, sizeof *blob);
	struct buf spec = { 0 };
	struct hash key;
	struct fact f = { .state = FACT_FAILED, .text = view_of("out of memory") };

	if (!blob)
		return f;
	pack_ask(j, k, &spec, blob);
	key = task_key(buf_view(&spec));
	f = plan_need(j->plan, &spec, blob, k->n + 4);
	buf_free(&spec);
	judge_note_task(j, &key, k->kind, k->pass, k->window);
	return f;
}

/* Once a question is enough. */
static void note_mute(struct judge *j, const struct chat_out *o)
{
	if (o->note.n && !j->mute)
		choice_note(j->plan, j->choice, "%.*s", (int)o->note.n, o->note.p);
	j->mute |= o->note.n > 0;
}

/* Asks until there is an answer to read; halves the memories of a prompt too long. */
static enum ask_state answer(struct judge *j, struct ask *k, struct chat_out *ret)
{
	for (;;) {
		struct fact f = ask(j, k);
		struct err e = { .text = "" };

		if (f.state == FACT_PENDING)
			return ASK_WAITS;
		if (f.state == FACT_FAILED || chat_out_decode(f.output, ret, &e)) {
			choice_note(j->plan, j->choice, "an ask failed: %.*s%s",
				    (int)f.text.n, f.text.p, e.text);
			return ASK_VOID;
		}
		if (ret->kind != CHAT_TOO_LONG) {
			note_mute(j, ret);
			return ASK_DONE;
		}
		choice_note(j->plan, j->choice,
			    "a prompt of pass %u was too long with %u memories",
			    k->pass, k->memories);
		if (!k->memories)
			return ASK_VOID;
		k->memories /= 2;
	}
}

/* ---- an answer that can be read ---------------------------------------------------
 */

typedef int read_fn(struct judge *j, const struct ask *k, const struct chat_out *o,
		    double *ret);

enum turned { AS_IT_STANDS, TURNED }; /* asked again */

static int is_unread(const struct ask *k)
{
	return k->attempt > ASK_AGAIN;
}

/* One value for each of k->cand. What cannot be read is asked again, where `turned`
 * from the second on; ASK_VOID, noted, where that is in vain: is_unread(). */
static enum ask_state ask_until(struct judge *j, struct ask *k, enum turned turned,
				read_fn *read, double *ret)
{
	const uint32_t *cand = k->cand;
	uint32_t *shown = arena_alloc(j->plan->arena, k->n + 1, sizeof *shown);
	double *value = arena_alloc(j->plan->arena, k->n + 1, sizeof *value);

	if (!shown || !value)
		return ASK_WAITS; /* for memory */
	k->cand = shown;
	for (; !is_unread(k); k->attempt++) {
		uint32_t by = turned == TURNED ? k->attempt : 0;
		struct chat_out out;
		enum ask_state s;

		for (uint32_t i = 0; i < k->n; i++)
			shown[i] = cand[(i + by) % k->n];
		s = answer(j, k, &out);
		if (s != ASK_DONE)
			return s;
		if (read(j, k, &out, value)) {
			for (uint32_t i = 0; i < k->n; i++)
				ret[(i + by) % k->n] = value[i];
			return ASK_DONE;
		}
		j->choice->parse_failed++;
	}
	choice_note(j->plan, j->choice, "%s in %d asks", k->lacks, ASK_AGAIN + 1);
	return ASK_VOID;
}

/* ---- windows --------------------------------------------------------------------- */

static int read_ranks(struct judge *j, const struct ask *k, const struct chat_out *o,
		      double *ret)
{
	struct ranking r;

	if (o->kind != CHAT_ANSWER ||
	    !ranking_parse(o->answer, RANKING_LETTERS, k->n, &r))
		return 0;
	j->choice->parse_missing += r.n_missing;
	j->choice->parse_duplicate += r.n_duplicate;
	j->choice->parse_unknown += r.n_out_of_range;
	memcpy(ret, r.rank, k->n * sizeof *ret);
	return 1;
}

static enum ask_state rank(struct judge *j, uint32_t pass, uint32_t number,
			   const uint32_t *cand, uint32_t n, double *ret_rank)
{
	char lacks[64];
	struct ask k = { .kind = KIND_rank,
			 .pass = pass + 1,
			 .window = number + 1,
			 .cand = cand,
			 .n = n,
			 .memories = j->nmemory,
			 .lacks = lacks };

	snprintf(lacks, sizeof lacks, "pass %u: no readable answer", pass + 1);
	return ask_until(j, &k, TURNED, read_ranks, ret_rank);
}

/* ---- picks and pairs ------------------------------------------------------------- */

/* Chains are told by their pass; what is asked once is of none. */
static uint32_t noted_pass(uint32_t pass)
{
	return pass == JUDGE_ONCE ? 0 : pass + 1;
}

/* From the text: as many labels as are wanted, the first named first; fewer are filled
 * up in the order shown. One alone must be named before all others. */
static int text_picks(struct judge *j, struct view said, uint32_t n, uint32_t want,
		      double *ret)
{
	double above[RANKING_LETTERS_MAX];
	struct ranking r;
	uint32_t firsts = 0;

	if (!ranking_parse(said, RANKING_LETTERS, n, &r))
		return 0;
	for (uint32_t i = 0; i < n; i++) {
		above[i] = -r.rank[i];
		firsts += r.rank[i] < 2;
	}
	if (want == 1 && firsts != 1)
		return 0;
	j->choice->parse_missing += want > r.named ? want - r.named : 0;
	j->choice->parse_duplicate += r.n_duplicate;
	j->choice->parse_unknown += r.n_out_of_range;
	ranks_best(above, n, want, ret);
	return 1;
}

/* Asked for one token its alternatives are the answer; asked to talk, the text is. */
static int read_picks(struct judge *j, const struct ask *k, const struct chat_out *o,
		      double *ret)
{
	struct view said = chat_said(o);

	if (k->want > 1 || k->attempt)
		return text_picks(j, said, k->n, k->want ? k->want : 1, ret);
	return (!j->by_text && alternatives_labels(&o->first, k->n, ret)) ||
	       text_picks(j, said, k->n, 1, ret);
}

static enum ask_state pick(struct judge *j, uint32_t pass, const uint32_t *cand,
			   uint32_t n, uint32_t want, double *ret_value)
{
	struct ask k = { .kind = KIND_pick,
			 .pass = noted_pass(pass),
			 .cand = cand,
			 .n = n,
			 .want = want,
			 .memories = j->nmemory,
			 .lacks = "no readable pick" };

	if (n > RANKING_LETTERS_MAX) {
		choice_note(j->plan, j->choice, "%u candidates in one pick, at most %d",
			    n, RANKING_LETTERS_MAX);
		return ASK_VOID;
	}
	return ask_until(j, &k, TURNED, read_picks, ret_value);
}

/* Both orders are asks of their own, so one that is asked again stays in its order. */
static enum ask_state pair(struct judge *j, uint32_t pass, uint32_t first,
			   uint32_t second, double *ret_p)
{
	const uint32_t cand[] = { first, second };
	struct ask k = { .kind = KIND_pair,
			 .pass = noted_pass(pass),
			 .cand = cand,
			 .n = 2,
			 .memories = j->nmemory,
			 .lacks = "a pair: neither A nor B" };
	double value[2] = { 0.5 }; /* of no answer, too */
	enum ask_state s = ask_until(j, &k, AS_IT_STANDS, read_picks, value);

	*ret_p = value[0];
	return is_unread(&k) ? ASK_DONE : s;
}

/* ---- scores ---------------------------------------------------------------------- */

static int read_score(struct judge *j, const struct ask *k, const struct chat_out *o,
		      double *ret)
{
	(void)j;
	if (k->kind == KIND_yes)
		return chat_read_yes(o, k->attempt > 0, ret);
	return o->kind == CHAT_ANSWER && grade_parse(o->answer, ret);
}

static enum ask_state score(struct judge *j, uint32_t cand, double *ret)
{
	int yes = j->plan->sweep->model.scores_yes;
	struct ask k = { .kind = yes ? KIND_yes : KIND_point,
			 .cand = &cand,
			 .n = 1,
			 .memories = j->nmemory,
			 .lacks = yes ? "no readable yes or no" : "no readable grade" };
	enum ask_state s = ask_until(j, &k, AS_IT_STANDS, read_score, ret);

	if (!yes || !is_unread(&k))
		return s;
	*ret = 0.5;
	return ASK_DONE;
}

/* ---- coverage -------------------------------------------------------------------- */

/* A face of each group, the largest first, as many as there are letters. What cannot be
 * read is taken for covered: that costs nothing more. */
static enum ask_state cover(struct judge *j, int *ret)
{
	const struct grouping *g = &j->g->group;
	uint32_t face[RANKING_LETTERS_MAX], n = 0;
	struct ask k = { .kind = KIND_cover, .cand = face, .memories = j->nmemory };

	while (n < g->g && n < RANKING_LETTERS_MAX) {
		face[n] = group_face(g, n);
		n++;
	}
	for (k.n = n; k.attempt <= ASK_AGAIN; k.attempt++) {
		struct chat_out out;
		enum ask_state s = answer(j, &k, &out);

		if (s != ASK_DONE)
			return s;
		if (chat_read_cover(&out, ret))
			return ASK_DONE;
		j->choice->parse_failed++;
	}
	choice_note(j->plan, j->choice, "no readable verdict in %d asks: covered",
		    ASK_AGAIN + 1);
	*ret = 1;
	return ASK_DONE;
}

static int repeats(const struct judge *j)
{
	return !(j->plan->sweep->model.temperature > 0);
}

const struct judge_code judge_llm = { .begin = begin,
				      .rank = rank,
				      .pick = pick,
				      .pair = pair,
				      .score = score,
				      .cover = cover,
				      .repeats = repeats };
