/* memory.h - the nine-key memory of one training question, derived from its gold SQL
 *
 * No model: every value is read off the SQL by analysis.h. A key is there only if its
 * construct is; extra_keywords always; query_constraints whenever there is a SELECT.
 * Keys stand in the order of MEMORY_KEYS.
 *
 * Shapes: {"schema_grounding":{"mappings":[{"phrase","column"}]},
 *          "join_path":{"paths":[..],"join_types":[..]},
 *          "filter_semantics":{"conditions":[{"column","operator","value"}]},
 *          "aggregation":{"group_by_columns","aggregate_functions","having_condition",
 *                         "distinct_within_aggregate"},
 *          "ordering_and_scope":{"order_by":[..],"limit","offset"},
 *          "conditional_and_null":{"construct":[..],"expressions":[..]},
 *          "output_form":{"result_shape","return_columns","distinct","format"},
 *          "query_constraints":{..},"extra_keywords":[{"keyword","usage"}]}
 * Inner fields too are there only if there is something to say.
 *
 * Errors: ERR_NOMEM; ERR_VALUE: the SQL holds no SELECT, hence no memory.
 * Source: arXiv:2609.00834, Table 1.
 */
#ifndef MEMORY_H
#define MEMORY_H

#include "common/base/buf.h"
#include "common/base/err.h"
#include "common/sql/schema.h"

#define MEMORY_KEYS(X) \
	X(schema_grounding) \
	X(join_path) \
	X(filter_semantics) \
	X(aggregation) \
	X(ordering_and_scope) \
	X(conditional_and_null) \
	X(output_form) \
	X(query_constraints) \
	X(extra_keywords)

enum memory_key {
#define X(key) MEMORY_##key,
	MEMORY_KEYS(X)
#undef X
		MEMORY_KEY_COUNT
};

/* Compact JSON text, valid whatever bytes the question or the SQL hold (those that are
 * no UTF-8 become U+FFFD). evidence may be empty. Appends to `ret_json`. */
int memory_derive(const struct schema *s, struct view question, struct view evidence,
		  struct view sql, struct buf *ret_json, struct err *e);

const char *memory_key_name(enum memory_key key);

/* Bits 1 << enum memory_key: the keys whose construct this SQL has. */
struct sql_analysis;
unsigned memory_keys_of(const struct sql_analysis *r);
const char *memory_result_shape(const struct sql_analysis *r);

#endif
