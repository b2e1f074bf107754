/* candidate.h - what a candidate's SQL, result and database say of it
 *
 * The evidence judge's features of one candidate alone, before votes and groups come
 * in. evidence.h says what is made of them.
 *
 * Words: a stem of the question or its evidence is `asked` if some table's or column's
 * name has it; `named` columns are those that the SQL reads and spells out, so not
 * those of a star.
 *
 * Memory: all in the arena.
 * Errors: ERR_NOMEM only.
 */
#ifndef CANDIDATE_H
#define CANDIDATE_H

#include "common/base/arena.h"
#include "common/sql/words.h"
#include "proto/dossier.h"
#include "proto/feature.h"
#include "worker/profile.h"

struct reading; /* of one SQL: what it names, joins and compares; opaque */
int candidate_read(const struct profile *p, struct view sql, struct arena *a,
		   struct reading **ret);

struct spelled { /* a literal that its column holds just so */
	int table, column;
	uint64_t loose; /* cellhash_loose */
	struct spelled *next;
};

struct asked {                /* of one question */
	struct words all;     /* stems of question and evidence */
	struct words asked;   /* those that some name of the schema has, each once */
	struct view evidence; /* lower case */
	struct spelled *spelled;
};
int asked_of(const struct dossier *d, const struct profile *p, struct arena *a,
	     struct asked *ret);

/* A literal that is excluded (!=, NOT IN) and nowhere is missed only if some candidate
 * of the question names another value of its column, or the same of another column.
 *
 * A literal that its column holds in another case or with other blanks is the data's
 * fault, unless some candidate of the question spells it as the column does: so all
 * candidates are added before the facts of the first are asked. */
int asked_add(struct asked *q, const struct reading *r, struct arena *a);

struct candidate_facts {
	double value[FEATURES]; /* group features (lsize, isabs, abs_fail, mp_cmp): 0 */
	unsigned compares;      /* bits of sql_analysis.compares */
	int explained;          /* the guard: the data explain an empty answer */
};
int candidate_facts(const struct asked *q, const struct reading *r, enum status status,
		    const struct dossier_member *m, struct arena *a,
		    struct candidate_facts *ret);

#endif
