/* specs.c - whatever the bytes, specs, records and outputs are read or refused */
#include "tests/fuzz/fuzz.h"

#include "common/base/mem.h"
#include "proto/alike_out.h"
#include "proto/candidate.h"
#include "proto/chat_out.h"
#include "proto/choice.h"
#include "proto/dossier.h"
#include "proto/embed_out.h"
#include "proto/equal_out.h"
#include "proto/learnt.h"
#include "proto/reward.h"
#include "proto/score_out.h"
#include "proto/settings.h"
#include "proto/task.h"
#include "proto/usage.h"
#include "proto/verdict.h"

#include <stdlib.h>

static void read_records(struct view v, struct arena *a)
{
	struct choice choice;
	struct verdict verdict;
	struct dossier dossier;
	struct learnt learnt;
	struct embed_out vectors;
	struct buf again = { 0 };

	embed_out_decode(v, a, &vectors, NULL);
	if (learnt_decode(v, &learnt, NULL) == 0) {
		learnt_encode(&learnt, &again);
		if (learnt_decode(buf_view(&again), &learnt, NULL))
			abort();
	}
	buf_clear(&again);

	if (choice_decode(v, a, &choice) == 0) {
		choice_encode(&choice, &again);
		if (choice_decode(buf_view(&again), a, &choice))
			abort();
	}
	buf_clear(&again);
	if (verdict_decode(v, a, &verdict) == 0) {
		verdict_encode(&verdict, &again);
		if (verdict_decode(buf_view(&again), a, &verdict))
			abort();
	}
	dossier_decode(v, a, &dossier, NULL);
	buf_free(&again);
}

static void read_outputs(struct view v, struct arena *a)
{
	struct exec_out exec;
	struct equal_out equal;
	struct alike_out alike;
	struct score_out score;
	struct chat_out chat;
	struct shown shown;
	struct asked_question asked;
	struct call *calls, call;
	struct reward_model model;
	struct reward_out reward;
	size_t n;

	exec_out_decode(v, &exec, a);
	equal_out_decode(v, &equal);
	alike_out_decode(v, &alike);
	score_out_decode(v, a, &score, NULL);
	chat_out_decode(v, &chat, NULL);
	reward_model_decode(v, &model);
	reward_out_decode(v, &reward, NULL);
	shown_decode(v, a, &shown);
	asked_question_decode(v, &asked);
	call_decode(v, &call, NULL);
	calls_decode(v, a, &calls, &n, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct view v = { mem_dup(data, n), n };
	struct arena a = { 0 };
	struct settings settings;
	struct cursor c;
	struct env env;

	if (spec_open(v, &c) != KIND_NONE && c.left > n)
		abort();
	env_decode(v, &env);
	settings_decode(v, &settings);
	read_records(v, &a);
	read_outputs(v, &a);
	arena_free(&a);
	mem_free((char *)v.p);
	return 0;
}
