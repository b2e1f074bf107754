/* reward.c - see reward.h */
#include "broker/reward.h"

#include "broker/asked_blob.h"
#include "common/base/pack.h"
#include "proto/reward.h"

enum { ASK_AGAIN = 2, BLOBS = 5 };

static void pack_ask(const struct judge *j, uint32_t cand, uint32_t attempt,
		     struct buf *spec, struct blob blob[BLOBS])
{
	const struct sweep *s = j->plan->sweep;
	const struct reward_role *r = &s->reward;
	const struct database *db = &s->db[j->plan->q->db];

	blob[0] = (struct blob){ r->model_hash, r->model_blob, 0 };
	blob[1] = (struct blob){ r->template_hash, r->template, 0 };
	blob[2] = (struct blob){ db->schema_hash, db->schema, 0 };
	blob[3] = asked_question_blob(j->plan);
	blob[4] = asked_candidate_blob(j->plan, j->g, cand);
	spec_begin(spec, KIND_reward, 10);
	for (int i = 0; i < 4; i++)
		pack_hash(spec, &blob[i].hash);
	pack_nil(spec);
	pack_array(spec, 0);
	pack_array(spec, 1);
	pack_hash(spec, &blob[4].hash);
	pack_u64(spec, s->preview_rows);
	pack_u64(spec, attempt);
	pack_u64(spec, 0);
}

static struct fact ask(struct judge *j, uint32_t cand, uint32_t attempt)
{
	struct blob blob[BLOBS];
	struct buf spec = { 0 };
	struct hash key;
	struct fact f;

	pack_ask(j, cand, attempt, &spec, blob);
	key = task_key(buf_view(&spec));
	f = plan_need(j->plan, &spec, blob, BLOBS);
	buf_free(&spec);
	judge_note_task(j, &key, KIND_reward, 0, 0);
	return f;
}

static enum ask_state none(struct judge *j, const char *why, struct view text)
{
	choice_note(j->plan, j->choice, "%s: %.*s", why, (int)text.n,
		    text.p ? text.p : "");
	return ASK_VOID;
}

enum ask_state reward_score(struct judge *j, uint32_t cand, double *ret)
{
	j->choice->asks++;
	for (uint32_t attempt = 0; attempt <= ASK_AGAIN; attempt++) {
		struct fact f = ask(j, cand, attempt);
		struct err e = { .text = "" };
		struct reward_out out;

		if (f.state == FACT_PENDING)
			return ASK_WAITS;
		if (f.state == FACT_FAILED)
			return none(j, "a reward failed", f.text);
		if (reward_out_decode(f.output, &out, &e))
			return none(j, "a reward failed", view_of(e.text));
		if (out.state == REWARD_TOO_LONG)
			return none(j, "a reward", view_of("the prompt was too long"));
		if (out.state == REWARD_SCORED) {
			if (out.note.n)
				none(j, "a reward", out.note);
			*ret = out.score;
			return ASK_DONE;
		}
		j->choice->parse_failed++;
	}
	return none(j, "a reward", view_of("no readable number in 3 asks"));
}
