/* kinds.c - which code runs which kind: one row each */
#include "worker/kinds.h"

const struct kind_code *kind_code(enum kind k)
{
	static const struct kind_code *const table[KIND_END] = {
		[KIND_noop] = &code_noop,         [KIND_sleep] = &code_sleep,
		[KIND_exec] = &code_exec,         [KIND_equal] = &code_equal,
		[KIND_match] = &code_equal,       [KIND_profile] = &code_profile,
		[KIND_mbr] = &code_equal,         [KIND_search] = &code_search,
		[KIND_score] = &code_score,       [KIND_simrank] = &code_simulated,
		[KIND_simflat] = &code_simulated, [KIND_kemeny] = &code_kemeny,
		[KIND_rank] = &code_ask,          [KIND_point] = &code_ask,
		[KIND_pick] = &code_ask,          [KIND_pair] = &code_ask,
		[KIND_yes] = &code_ask,           [KIND_cover] = &code_ask,
		[KIND_reward] = &code_reward,     [KIND_memory] = &code_learn,
		[KIND_regenerate] = &code_learn,  [KIND_embed] = &code_embed,
		[KIND_softf1] = &code_equal,
	};

	return k > KIND_NONE && k < KIND_END ? table[k] : 0;
}
