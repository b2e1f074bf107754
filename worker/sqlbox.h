/* sqlbox.h - a process that can read what it holds, answer, and nothing else
 *
 * Resource limits first, then a seccomp filter: reading at an offset, the size of an
 * open file, the socket, memory, the clocks, and leaving. Any other system call kills
 * the process (SIGSYS). Memory can not be made executable nor mapped from a file.
 *
 * Under sanitizers there is no bound on the address space, and the filter lets their
 * run-time do in addition: mmap and mprotect of any kind, sigaltstack, rt_sigprocmask,
 * rt_sigaction, sched_yield, gettid, getpid, tgkill, readlink, getrandom; openat fails
 * with EACCES instead of killing, unless it would create something.
 *
 * Errors:  ERR_SANDBOX, with what the system refused.
 */
#ifndef SQLBOX_H
#define SQLBOX_H

#include "common/base/err.h"

#include <stdint.h>

enum { SQLBOX_FILES = 96 }; /* descriptors */

/* `socket` is the only descriptor to talk to. `address_space` is what may be mapped
 * beyond what is already (libraries make that large where there are many processors);
 * 0: no bound. */
int sqlbox_enter(int socket, uint64_t address_space, struct err *e);

#endif
