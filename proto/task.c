/* task.c - see task.h */
#include "proto/task.h"

#include "common/base/pack.h"

/* clang-format off */
static const struct {
	const char *name;
	unsigned version;
	enum lane lane;
} kinds[KIND_END] = {
#define KIND(name, number, version, lane, what) [number] = { #name, version, LANE_##lane },
#include "proto/kinds.def"
#undef KIND
};

static const unsigned credits[LANES] = {
#define LANE(name, credit, why) [LANE_##name] = credit,
#include "proto/lanes.def"
#undef LANE
};
/* clang-format on */

static int known(enum kind k)
{
	return k > KIND_NONE && k < KIND_END && kinds[k].name;
}

const char *kind_name(enum kind k)
{
	return known(k) ? kinds[k].name : "?";
}

enum kind kind_by_name(const char *s)
{
	for (enum kind k = 1; k < KIND_END; k++)
		if (known(k) && strcmp(kinds[k].name, s) == 0)
			return k;
	return KIND_NONE;
}

enum lane kind_lane(enum kind k)
{
	return known(k) ? kinds[k].lane : LANE_CPU;
}

unsigned lane_credit(enum lane l)
{
	return credits[l];
}

const char *role_name(enum role r)
{
	switch (r) {
#define ROLE(name, number, who) \
	case ROLE_##name: \
		return #name;
#include "proto/roles.def"
#undef ROLE
	default: return "?";
	}
}

void spec_begin(struct buf *b, enum kind k, size_t fields)
{
	buf_clear(b);
	pack_array(b, fields + 2);
	pack_u64(b, k);
	pack_u64(b, kinds[k].version);
}

enum kind spec_open(struct view spec, struct cursor *ret)
{
	struct cursor c = cur_of(spec);
	uint64_t k, version;

	if (cur_array(&c) < 2)
		return KIND_NONE;
	k = cur_u64(&c);
	version = cur_u64(&c);
	if (c.bad || k >= KIND_END || !known((enum kind)k) ||
	    version != kinds[k].version)
		return KIND_NONE;
	*ret = c;
	return (enum kind)k;
}

struct hash task_key(struct view spec)
{
	return hash_of(spec.p, spec.n);
}

void spec_exec(struct buf *b, const struct hash *env, const struct hash *db,
	       const struct hash *sql)
{
	spec_begin(b, KIND_exec, 3);
	pack_hash(b, env);
	pack_hash(b, db);
	pack_hash(b, sql);
}

static void spec_two(struct buf *b, enum kind k, const struct hash *env,
		     const struct hash *db, const struct hash *sql_a,
		     const struct hash *sql_b, int how)
{
	spec_begin(b, k, 5);
	pack_hash(b, env);
	pack_hash(b, db);
	pack_hash(b, sql_a);
	pack_hash(b, sql_b);
	pack_bool(b, how);
}

void spec_equal(struct buf *b, enum kind equal_or_match, const struct hash *env,
		const struct hash *db, const struct hash *a, const struct hash *sql_b,
		int ordered)
{
	spec_two(b, equal_or_match, env, db, a, sql_b, ordered);
}

void spec_mbr(struct buf *b, const struct hash *env, const struct hash *db,
	      const struct hash *a, const struct hash *sql_b, int by_place)
{
	int turn = hash_cmp(a, sql_b) > 0;

	spec_two(b, KIND_mbr, env, db, turn ? sql_b : a, turn ? a : sql_b, by_place);
}

void spec_softf1(struct buf *b, const struct hash *env, const struct hash *db,
		 const struct hash *prediction, const struct hash *gold)
{
	spec_begin(b, KIND_softf1, 4);
	pack_hash(b, env);
	pack_hash(b, db);
	pack_hash(b, prediction);
	pack_hash(b, gold);
}

void env_encode(const struct env *v, struct buf *b)
{
	pack_array(b, 8);
	pack_str(b, v->engine);
	pack_u64(b, v->steps);
	pack_u64(b, v->rows);
	pack_u64(b, v->value_bytes);
	pack_u64(b, v->memory_bytes);
	pack_str(b, v->clock);
	pack_u64(b, v->digests);
	pack_u64(b, v->text);
}

int env_decode(struct view blob, struct env *ret)
{
	struct cursor c = cur_of(blob);
	struct env v;

	cur_array_of(&c, 8);
	v.engine = cur_str(&c);
	v.steps = cur_u64(&c);
	v.rows = cur_u64(&c);
	v.value_bytes = cur_u64(&c);
	v.memory_bytes = cur_u64(&c);
	v.clock = cur_str(&c);
	v.digests = cur_u32(&c);
	v.text = cur_u32(&c);
	if (!cur_done(&c))
		return 0;
	*ret = v;
	return 1;
}
