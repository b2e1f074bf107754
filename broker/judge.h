/* judge.h - who orders a window, picks, compares or scores
 *
 * Methods do not know which judge answers: evidence (all by the scores that one task a
 * pass gives), a model, or the simulated one. All of them are asked through facts, so a
 * judge is as pure as the planner that uses it.
 *
 * An ask is one judgement that a method wants (a window, a pick, a pair, the score of
 * one candidate), whoever answers, and is counted in the choice; the model's tasks are
 * noted there, too. Asks with the same content are the same task, whatever method asks,
 * but for `pass` where answers differ by design (evidence's bootstrap, the simulated
 * judge's noise, a temperature above 0). JUDGE_ONCE is the pass of what is asked once:
 * evidence then answers with its full score.
 *
 * Shapes:  `cand` are candidates as in aggregate.h, in the order shown.
 * Errors:  ASK_VOID: the ask failed or could not be read; the choice's notes say why.
 * Memory:  the plan's arena.
 */
#ifndef JUDGE_H
#define JUDGE_H

#include "broker/aggregate.h"

enum ask_state {
	ASK_WAITS,
	ASK_DONE,
	ASK_VOID, /* counts for nothing; noted */
};

enum { JUDGE_ONCE = 0xfffe }; /* chains of a choice note pass + 1 in 16 bits */

struct judge;

struct judge_code { /* every judge answers all; by `value`, or by `rank` and `pick` */
	enum ask_state (*begin)(struct judge *j);
	/* What is shown in a window or a pick ("rank", "pick"), each by itself: higher
	 * is better. */
	enum ask_state (*value)(struct judge *j, const char *what, uint32_t pass,
				const uint32_t *cand, uint32_t n, double *ret);
	enum ask_state (*rank)(struct judge *j, uint32_t pass, uint32_t window,
			       const uint32_t *cand, uint32_t n, double *ret_rank);
	enum ask_state (*pick)(struct judge *j, uint32_t pass, const uint32_t *cand,
			       uint32_t n, uint32_t want, double *ret_value);
	enum ask_state (*pair)(struct judge *j, uint32_t pass, uint32_t first,
			       uint32_t second, double *ret_p);
	enum ask_state (*score)(struct judge *j, uint32_t cand, double *ret);
	enum ask_state (*cover)(struct judge *j, int *ret);
	/* Two passes over the same order are the same asks. */
	int (*repeats)(const struct judge *j);
};

struct judge {
	struct plan *plan;
	const struct aggregate *g;
	struct choice *choice;
	const struct judge_code *code;
	/* evidence */
	struct hash dossier, profile;
	struct buf dossier_bytes;
	int scored; /* of one pass, the last that was wanted: */
	int64_t scored_pass;
	enum ask_state scored_state;
	const double *score;
	/* llm */
	struct view *memory; /* ids that fit the budget */
	uint32_t nmemory;
	uint8_t by_text; /* a pick goes by what was written, not by probabilities */
	uint32_t *noted; /* tasks that the choice names: a table over them */
	uint32_t noted_cap;
	uint8_t mute; /* that it gives no log-probabilities is noted */
};

/* ASK_VOID: this judge cannot judge this question; the choice's notes say why. */
enum ask_state judge_begin(struct plan *p, const struct aggregate *g, struct choice *c,
			   struct judge *ret);
void judge_end(struct judge *j);

/* The ranks (1 is best, ties shared) of n candidates in the order shown. */
enum ask_state judge_rank(struct judge *j, uint32_t pass, uint32_t window,
			  const uint32_t *cand, uint32_t n, double *ret_rank);

/* Which `want` of n shown? ret_value[i] is 1 for those picked and 0 for the others; of
 * want = 1 it is the label's probability where the judge tells it. */
enum ask_state judge_pick(struct judge *j, uint32_t pass, const uint32_t *cand,
			  uint32_t n, uint32_t want, double *ret_value);

/* How likely is the first shown the better of the two? 1, 0, or a probability where the
 * judge tells it; 0.5: neither. */
enum ask_state judge_pair(struct judge *j, uint32_t pass, uint32_t first,
			  uint32_t second, double *ret_p);

/* How good is one candidate, seen alone? Higher is better. */
enum ask_state judge_score(struct judge *j, uint32_t cand, double *ret);

/* What decides between two that are tied: the reward model where --tie-break says so,
 * else the judge's scores. Two asks. */
enum ask_state judge_tie(struct judge *j, uint32_t a, uint32_t b, double ret[2]);

/* Is a right candidate likely to be among them? */
enum ask_state judge_cover(struct judge *j, int *ret);

int judge_repeats(const struct judge *j);

/* What evidence says of each of the g groups before anyone is asked: log-odds up to a
 * constant, ret[g]. It is no ask. */
enum ask_state evidence_scores(struct plan *p, const struct aggregate *g,
			       struct choice *c, double *ret);

extern const struct judge_code judge_evidence, judge_llm, judge_simulated;

/* For judges: notes a model's task in the choice. */
void judge_note_task(struct judge *j, const struct hash *key, enum kind kind,
		     uint32_t pass, uint32_t window);

#endif
