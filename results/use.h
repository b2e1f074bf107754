/* use.h - what a run's choices cost, task by task
 *
 * Methods are compared by what each would have paid alone, though they share tasks. So
 * usage is not summed over requests but replayed: the distinct tasks of a run's
 * choices, each with the answered requests it took. A task that several questions of a
 * run need counts at the first in benchmark order, so the sums over questions and over
 * requests are the same number.
 *
 * Units:   tokens; money in 1e-9, so that sums are exact.
 * Memory:  a table of the distinct tasks, about 100 bytes each and a bit a run.
 * Errors:  ERR_NOMEM.
 */
#ifndef USE_H
#define USE_H

#include "common/base/err.h"
#include "common/base/hash.h"
#include "proto/choice.h"
#include "proto/usage.h"
#include "results/jsonw.h"
#include "results/results.h"

/* Who is called, by the kind of a task. Names are keys of by_role. */
#define CALLED_LIST(X) X(llm) X(reward) X(embed)
enum called {
#define X(name) CALLED_##name,
	CALLED_LIST(X)
#undef X
		CALLED
};

enum called called_of(uint8_t kind);
const char *called_name(enum called c);
const struct price *called_price(enum called c, const struct prices *p);

struct use_part {
	uint64_t calls, prompt, completion, cached;
	int64_t nano;
};

struct use {
	uint64_t asks;  /* whoever answered */
	uint64_t calls; /* answered requests of distinct tasks */
	uint64_t prompt, completion, cached;
	uint64_t shared;            /* calls whose task another run asks too */
	uint64_t estimated;         /* calls whose tokens are our guess */
	int64_t nano;               /* cost */
	struct use_part by[CALLED]; /* the same, by role */
};

void use_add(struct use *a, const struct use *b);

/* The members of a JSON object; by role only where there were calls. */
void use_json(struct jsonw *w, const struct use *u);

struct use_task {
	struct hash key;
	uint32_t question; /* the first that asks, by index in the sweep */
	uint32_t runs;     /* how many ask it */
	uint16_t pass, window;
	uint8_t kind;
	struct use use; /* asks 0 */
};

struct use_table;

int use_table_new(uint32_t nrun, struct use_table **ret);
void use_table_free(struct use_table **t); /* NULL-safe */

/* Call in benchmark order: all runs of a question, then the next. */
int use_table_ask(struct use_table *t, const struct choice_ask *ask, uint32_t run,
		  uint32_t question);
void use_table_pay(struct use_table *t, const struct hash *task, const struct usage *u,
		   const struct prices *p); /* an answered request; unknown ones are not
					      counted */

/* NULL: nobody asks it. */
const struct use_task *use_table_find(const struct use_table *t,
				      const struct hash *key);
int use_table_asks(const struct use_table *t, const struct use_task *task,
		   uint32_t run);

/* Adds a task's use to `sum`, unless this run has taken it before. */
void use_table_take(struct use_table *t, const struct hash *key, uint32_t run,
		    struct use *sum);

int64_t price_nano(const struct price *p, const struct usage *u);

#endif
