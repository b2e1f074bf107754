/* sqlrig.h - a zygote, a loop and a pool for tests, and one request after the other
 *
 * sqlrig_start() comes first thing in main(): the zygote must be forked before
 * anything.
 */
#ifndef SQLRIG_H
#define SQLRIG_H

#include "common/base/arena.h"
#include "proto/alike_out.h"
#include "proto/equal_out.h"
#include "proto/exec_out.h"
#include "proto/softf1_out.h"
#include "tests/support/orchard.h"
#include "worker/sqlpool.h"

struct sqlrig {
	uv_loop_t loop;
	struct sqlzygote *zygote;
	struct sqlpool *pool;
	struct arena arena;     /* what answers point into, until sqlrig_end() */
	struct sql_request ask; /* defaults: change what a test needs */
};

/* What came of a request. */
struct sqlrig_answer {
	int called, code;
	char text[1000];
	struct view output;
	struct exec_out exec;   /* of SQL_EXEC without failure */
	struct equal_out equal; /* of SQL_EQUAL without failure */
	struct alike_out alike; /* of SQL_ALIKE without failure */
	struct softf1_out soft; /* of SQL_SOFTF1 without failure */
	struct sqlrig *rig;
	enum sql_op op;
};

void sqlrig_start(struct sqlrig *r, const struct sqlchild_call *calls, size_t n,
		  uint32_t children);
void sqlrig_use(struct sqlrig *r, const struct orchard *o);
void sqlrig_end(struct sqlrig *r);

/* What main() ends with: the group of tests, with an orchard for them. */
#define sqlrig_run_tests(r, o, tests) \
	sqlrig_done(r, o, \
		    (sqlrig_open(r, o), cmocka_run_group_tests(tests, NULL, NULL)))
void sqlrig_open(struct sqlrig *r, struct orchard *o);
int sqlrig_done(struct sqlrig *r, struct orchard *o, int failed); /* `failed` again */

/* Submits without waiting. */
void sqlrig_send(struct sqlrig *r, const struct sql_request *q,
		 struct sqlrig_answer *a);
void sqlrig_wait(struct sqlrig *r); /* until all are answered */

struct sqlrig_answer sqlrig_exec(struct sqlrig *r, const char *sql);
struct sqlrig_answer sqlrig_equal(struct sqlrig *r, const char *a, const char *b);
struct sqlrig_answer sqlrig_alike(struct sqlrig *r, const char *a, const char *b,
				  int by_place);
struct sqlrig_answer sqlrig_softf1(struct sqlrig *r, const char *a, const char *b);

#endif
