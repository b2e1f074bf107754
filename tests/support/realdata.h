/* realdata.h - the pools of ../shared/data, executed and grouped in plain SQLite
 *
 * For measurements of the judge alone, without the fleet: candidates run one after
 * another in this process under a budget of VM steps, and results are grouped by the
 * pool's rule (Spider's column permutation by a signature of sorted columns).
 *
 * Memory: everything lives until realdata_free().
 */
#ifndef TESTS_REALDATA_H
#define TESTS_REALDATA_H

#include "common/base/arena.h"
#include "common/io/train.h"
#include "common/sql/schema.h"
#include "proto/dossier.h"
#include "tests/support/damage.h"
#include "worker/bank_make.h"
#include "worker/profile.h"

#include <stdint.h>

enum realdata_pool { REAL_SPIDER, REAL_BIRD, REAL_EHRSQL, REAL_POOLS };
const char *realdata_name(enum realdata_pool p); /* "spider" */

struct real_candidate {
	struct view run;
	enum status status;
	uint64_t digest; /* equal: one group */
	uint8_t zero;
	uint64_t nulls, cells;
	int right; /* by expected.jsonl under the pool's rule */
};

struct real_question {
	struct view id, db_id, text, evidence;
	struct real_candidate *cand, gold;
	uint32_t n;
	uint32_t db;
};

struct real_db {
	struct view id;
	char *path;
	struct buf bytes; /* the profile's */
	struct profile profile;
};

struct realdata {
	struct arena a;
	enum realdata_pool pool;
	enum damage damage;
	struct real_question *q;
	uint32_t nq;
	struct real_db *db;
	uint32_t ndb;
};

/* 0, or an error code with its text on stderr. `limit` 0: all questions. */
int realdata_load(enum realdata_pool p, uint32_t limit, enum damage damage,
		  struct realdata *ret);
void realdata_free(struct realdata *d);

/* The dossier of the candidates `pick` (NULL: the first n), grouped, largest first;
 * ret_right: of each group, how many members are right. */
int realdata_dossier(const struct real_question *q, const uint32_t *pick, uint32_t n,
		     struct arena *a, struct dossier *ret, uint32_t **ret_right);

/* The pool's training questions as a bank at `path`; questions of a pool whose gold
 * stands in its training file are left out. */
int realdata_bank(const struct realdata *d, const char *path, struct bank_made *ret,
		  struct err *e);

#endif
