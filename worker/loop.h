/* loop.h - the worker's loop, for kinds that need a timer or a thread */
#ifndef LOOP_H
#define LOOP_H

#include <uv.h>

struct worker;

uv_loop_t *worker_loop(struct worker *w);

#endif
