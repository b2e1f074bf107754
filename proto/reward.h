/* reward.h - the reward role: a model that scores one candidate
 *
 * What kinds of servers there are for it, what names the model in a spec, and what a
 * task `reward` gives. Scores of one model compare with each other and nothing else:
 * some are probabilities, some are raw numbers of any size. Higher is better.
 *
 * Memory: views are lent; after decoding they point into the bytes.
 */
#ifndef REWARD_H
#define REWARD_H

#include "proto/usage.h"

/* Numbers are in specs, hence on disk: never reused.
 * Columns: C name, number, word of --reward-kind, what is asked. */
#define REWARD_LIST(X) \
	X(classify, 1, "classify", "POST /classify: a sequence classifier") \
	X(pooling, 2, "pooling", \
	  "POST /pooling: a reward head, of the text or of tokens") \
	X(score, 3, "score", "POST /score: a cross-encoder over pairs") \
	X(rerank, 4, "rerank", "POST /rerank: a cross-encoder over a list") \
	X(yes_no, 5, "yes-no", \
	  "chat, one token with log-probabilities: Yes against No") \
	X(grade, 6, "grade", "chat: a number from 0 to 100")

enum reward_kind {
	REWARD_NONE,
#define X(name, number, word, what) REWARD_##name = number,
	REWARD_LIST(X)
#undef X
		REWARD_KINDS
};

const char *reward_kind_word(enum reward_kind k);       /* "yes-no"; "?" */
enum reward_kind reward_kind_by_word(const char *word); /* REWARD_NONE: unknown */

static inline int reward_chats(enum reward_kind k)
{
	return k == REWARD_yes_no || k == REWARD_grade;
}

enum { REWARD_LAST_LABEL = -1 };

struct reward_model {
	struct view name, revision;
	enum reward_kind kind;
	int32_t label; /* of classify and pooling: the class that means right */
};

void reward_model_encode(const struct reward_model *m, struct buf *ret);
int reward_model_decode(struct view bytes, struct reward_model *ret); /* 1, or 0 */

/* Numbers are on disk: never reused. */
enum reward_state {
	REWARD_SCORED = 1,
	REWARD_TOO_LONG = 2, /* the prompt does not fit */
	REWARD_UNREAD = 3    /* an answer without a number in it: may be asked again */
};

struct reward_out {
	enum reward_state state;
	double score;
	struct view note; /* "neither Yes nor No"; empty: none */
	struct usage usage;
	struct view reply; /* the body of the HTTP response */
};

void reward_out_encode(const struct reward_out *out, struct buf *ret);
int reward_out_decode(struct view bytes, struct reward_out *ret, struct err *e);

#endif
