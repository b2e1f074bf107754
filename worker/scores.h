/* scores.h - what task_score.c keeps between tasks, in its worker */
#ifndef SCORES_H
#define SCORES_H

struct scores; /* opaque */
struct worker;

struct scores *scores_new(void); /* NULL: out of memory */
void scores_free(struct scores **s);

struct scores *worker_scores(struct worker *w);

#endif
