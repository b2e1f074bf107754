/* kinds.h - the codes that kinds.c puts into its table, one file each */
#ifndef KINDS_H
#define KINDS_H

#include "worker/attempt.h"

extern const struct kind_code code_noop;    /* task_noop.c */
extern const struct kind_code code_sleep;   /* task_sleep.c */
extern const struct kind_code code_exec;    /* task_sql.c */
extern const struct kind_code code_equal;   /* task_sql.c: equal, match, mbr, softf1 */
extern const struct kind_code code_profile; /* task_sql.c */
extern const struct kind_code code_search;  /* task_search.c */
extern const struct kind_code code_score;   /* task_score.c */
extern const struct kind_code code_simulated; /* task_simulated.c */
extern const struct kind_code code_kemeny;    /* task_kemeny.c */
extern const struct kind_code code_ask;    /* task_ask.c: all that the llm judge asks */
extern const struct kind_code code_reward; /* task_reward.c */
extern const struct kind_code code_learn;  /* task_learn.c: memory and regenerate */
extern const struct kind_code code_embed;  /* task_embed.c */

#endif
