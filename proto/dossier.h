/* dossier.h - what the evidence judge is told of one question's candidates
 *
 * A blob: the planner packs it from outputs of `exec` and names it in the specs of
 * `score`. It holds no index, source or order of the pool file: the same candidates in
 * another order are the same bytes, if members are given in H order (draw.h) and
 * groups in the order the method begins with.
 *
 * Invariants: (1) groups are those that vote: rows, empty or abstain; at most one
 *             abstains; what failed is only counted. (2) No group is without votes.
 * Memory:     after dossier_decode() arrays are in the arena, views in the bytes.
 */
#ifndef DOSSIER_H
#define DOSSIER_H

#include "common/base/arena.h"
#include "common/base/buf.h"
#include "common/base/err.h"
#include "proto/status.h"

#include <stdint.h>

enum { DOSSIER_VERSION = 1 };

struct dossier_member {        /* a candidate, or several with the same text */
	struct view sql;       /* the text that ran */
	uint32_t votes;        /* how many candidates it stands for, at least 1 */
	uint8_t zero;          /* the result is one cell that equals 0 */
	uint64_t nulls, cells; /* of the result */
};

struct dossier_group {
	enum status status; /* rows, empty, abstain */
	uint32_t votes;     /* candidates in it: the sum of its members' */
	struct dossier_member *member;
	uint32_t n; /* 0 for a group that abstains, if one likes */
};

struct dossier {
	struct view id; /* of the question, as JSON text */
	struct view text, evidence;
	uint32_t asked;  /* candidates drawn, failed ones included */
	uint32_t failed; /* error, timeout, limit, refused */
	struct dossier_group *group;
	uint32_t n;
};

void dossier_encode(const struct dossier *d, struct buf *ret);
int dossier_decode(struct view bytes, struct arena *a, struct dossier *ret,
		   struct err *e); /* ERR_PROTO, ERR_NOMEM */

#endif
