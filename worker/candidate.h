/* candidate.h - what a candidate's SQL, result and database say of it
 *
 * The evidence judge's features of one candidate alone, before votes and groups come
 * in. evidence.h says what is made of them.
 *
 * Words: a stem of the question or its evidence is `asked` if some table's or column's
 * name has it; `named` columns are those that the SQL reads and spells out, so not what
 * a * brings along.
 *
 * Memory: all in the arena.
 * Errors: ERR_NOMEM only.
 */
#ifndef CANDIDATE_H
#define CANDIDATE_H

#include "common/base/arena.h"
#include "common/sql/words.h"
#include "proto/dossier.h"
#include "worker/profile.h"

enum feature {
#define FEATURE(name, with, without, centred, drawn, meaning) FEATURE_##name,
#include "worker/features.def"
#undef FEATURE
	FEATURES
};

struct asked {                /* of one question */
	struct words all;     /* stems of question and evidence */
	struct words asked;   /* those that some name of the schema has, each once */
	struct view evidence; /* lower case */
};
int asked_of(const struct dossier *d, const struct profile *p, struct arena *a,
	     struct asked *ret);

struct candidate_facts {
	double value[FEATURES]; /* group features (lsize, isabs, abs_fail, mp_cmp): 0 */
	unsigned compares;      /* bits of sql_analysis.compares */
	int explained;          /* the guard: the data explain an empty answer */
};
int candidate_facts(const struct asked *q, const struct profile *p, enum status status,
		    const struct dossier_member *m, struct arena *a,
		    struct candidate_facts *ret);

#endif
