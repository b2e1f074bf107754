/* crew.h - the workers that this broker starts itself
 *
 * Child processes of the embedded fleet: started, watched, started again when they die
 * (a bounded number of times: a worker that cannot start must not spin), ended with the
 * sweep. Workers of other machines come by themselves and are none of this file's.
 *
 * Threads: the loop's.
 */
#ifndef CREW_H
#define CREW_H

#include "common/base/err.h"

#include <uv.h>

struct crew; /* opaque */

/* `died`: not asked to end. `gave_up`: too many died; nothing is started any more. */
typedef void crew_exit_fn(void *arg, int pid, int died, int gave_up);

/* `argv` (NULL-terminated, argv[0] the program) must stay. */
int crew_start(uv_loop_t *loop, char *const *argv, unsigned n, crew_exit_fn *on_exit,
	       void *arg, struct crew **ret, struct err *e);
void crew_stop(struct crew *c, int signal); /* ends all; starts none any more */
unsigned crew_alive(const struct crew *c);
void crew_free(struct crew **c); /* none alive; NULL-safe */

#endif
