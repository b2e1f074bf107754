/* evidence.h - the judge that needs no model: which group do the facts speak for?
 *
 * A linear score of features (proto/features.def) of each group of a question, from
 * what execution gave, what the SQL says and what the database holds. A pass is a
 * bootstrap: its weights are multiplied by the counts of a draw with replacement, and
 * its neighbours are redrawn; lsize, isabs and abs_fail stay.
 *
 * The guard: the data explain an empty answer where a literal stands in its column in
 * another case, with other blanks, as a date with other marks or as a blob, and no
 * candidate of the question spells it as the column does (in a database all in one
 * style that says nothing); where numbers are kept as text, or text as numbers, in a
 * column without a type; where a column holds blobs alone; where a join is over a
 * column without values, over such different types, or by a declared key whose sides
 * have nothing in common; where a table has no row. Such a candidate's empty, zero and
 * null are 0. Where a fifth of the votes and more are so explained, the data cannot
 * tell right from wrong: all but lsize, isabs and abs_fail are 0, and the vote stands.
 *
 * Pure: the same arguments give the same bytes, on any machine.
 *
 * Memory: all in the arena, with views into the dossier's.
 * Errors: ERR_NOMEM only. SQL that cannot be read has the features that could be.
 */
#ifndef EVIDENCE_H
#define EVIDENCE_H

#include "common/base/arena.h"
#include "common/base/err.h"
#include "common/sql/analysis.h"
#include "proto/dossier.h"
#include "proto/score_out.h"
#include "proto/weights.h"
#include "worker/candidate.h"
#include "worker/profile.h"

enum { NEIGHBOURS = 16, EVIDENCE_FULL = -1 /* the pass that draws nothing */ };

/* The nearest training questions: what comparisons their SQL makes. */
struct neighbour {
	unsigned compares; /* bits of sql_analysis.compares */
	double cosine;     /* rounded to 2^-20 */
};
struct neighbours {
	struct neighbour near[NEIGHBOURS];
	uint32_t n;
	double share[SQL_COMPARES]; /* of the whole bank's SQL that makes each */
};

/* What does not change between passes. */
struct evidence_group {
	double value[FEATURES];        /* means, not centred yet; mp_cmp apart */
	double compares[SQL_COMPARES]; /* share of votes whose SQL makes each */
	int abstains;
};
struct evidence {
	struct view id;
	struct evidence_group *group;
	uint32_t n, largest;
	double explained; /* share of the votes that answer, by the guard */
	int stands;       /* the vote */
};

int evidence_gather(const struct dossier *d, const struct profile *p, struct arena *a,
		    struct evidence *ret, struct err *e);

/* `near` NULL: no bank. */
int evidence_pass(const struct evidence *v, const struct weights *w,
		  const struct neighbours *near, uint64_t seed, int64_t pass,
		  struct arena *a, struct score_out *ret, struct err *e);

/* Both in one, with the weights that come with the program. */
int evidence_score(const struct dossier *d, const struct profile *p,
		   const struct neighbours *near, uint64_t seed, int64_t pass,
		   struct arena *a, struct score_out *ret, struct err *e);

/* ln of how likely such comparisons are, over SQL_COMPARES bits given as shares. */
double neighbours_likelihood(const struct neighbours *near,
			     const double compares[SQL_COMPARES]);

#endif
