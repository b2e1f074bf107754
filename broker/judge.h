/* judge.h - who orders a window, and who breaks a tie
 *
 * Methods do not know which judge answers: evidence (sorts by scores that one task a
 * pass gives), a model, or the simulated one. All of them are asked through facts, so a
 * judge is as pure as the planner that uses it.
 *
 * An ask is one judgement that a method wants (a window, the score of one candidate),
 * whoever answers, and is counted in the choice; the model's tasks are noted there,
 * too.
 *
 * Memory:  the plan's arena.
 */
#ifndef JUDGE_H
#define JUDGE_H

#include "broker/aggregate.h"

enum ask_state {
	ASK_WAITS,
	ASK_DONE,
	ASK_VOID, /* it failed or could not be read: counts for nothing; noted */
};

struct judge;

struct judge_code {
	enum ask_state (*begin)(struct judge *j);
	enum ask_state (*window)(struct judge *j, uint32_t pass, uint32_t window,
				 const uint32_t *cand, uint32_t n, double *ret_rank);
	enum ask_state (*grade)(struct judge *j, uint32_t a, uint32_t b, double ret[2]);
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
	/* llm */
	struct view *memory; /* ids that fit the budget */
	uint32_t nmemory;
};

/* ASK_VOID: this judge cannot judge this question; the choice's notes say why. */
enum ask_state judge_begin(struct plan *p, const struct aggregate *g, struct choice *c,
			   struct judge *ret);
void judge_end(struct judge *j);

/* The ranks (1 is best, ties shared) of n candidates in the order shown. */
enum ask_state judge_window(struct judge *j, uint32_t pass, uint32_t window,
			    const uint32_t *cand, uint32_t n, double *ret_rank);

/* What decides between two that are tied: the reward model, or the judge's grades. */
enum ask_state judge_tie(struct judge *j, uint32_t a, uint32_t b, double ret[2]);

/* How good each of two candidates is: higher is better. Counts as two asks. */
enum ask_state judge_grade(struct judge *j, uint32_t a, uint32_t b, double ret[2]);

int judge_repeats(const struct judge *j);

extern const struct judge_code judge_evidence, judge_llm, judge_simulated;

/* For judges: notes a model's task in the choice. */
void judge_note_task(struct judge *j, const struct hash *key, enum kind kind,
		     uint32_t pass, uint32_t window);

#endif
