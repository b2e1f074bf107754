/* task.h - what a task is: one effect, named by its content
 *
 * A spec is the msgpack array [kind, version, field, ...] with everything that can
 * change the task's answer and nothing else: no address, worker, time, run or
 * wall-clock limit. Its BLAKE2b-256 is the task's key; equal specs are one task, in
 * whatever sweep. Texts are named in it by the hash of a blob, databases and banks by
 * the hash of their file.
 *
 * Specs, field by field behind kind and version (h = hash of 32 bytes as bin):
 *
 *   noop     u64 number, bin payload
 *   sleep    u64 number, u64 milliseconds
 *   exec     h env, h database, h sql
 *   equal    h env, h database, h sql a, h sql b, bool ordered
 *   match    the same; a is the prediction, b is gold
 *   mbr      h env, h database, h sql a, h sql b (a before b), bool by place (columns
 *            told by their place, else by their name)
 *   softf1   h env, h database, h sql a (the prediction), h sql b (gold)
 *   profile  h database
 *   search   h bank, h question text, h key of the embed task whose first vector is
 *            the question's or nil (the built-in embedder), u64 most,
 *            [str excluded id, ...]
 *   rank     h llm, h template, h schema, h question, h bank or nil,
 *            [str memory id, ...], [h candidate, ...] in the order shown,
 *            u64 preview rows, u64 attempt, u64 repeat (0 where temperature is 0)
 *   point    as rank, with one candidate
 *   pick     as rank, and u64 how many to choose
 *   pair, yes, cover
 *            as rank, with two, one and any number of candidates
 *   reward   as point, with h model (proto/reward.h) for h llm, and no memories
 *   memory   h llm, h template, h schema, h question, h sql, str extra constructs,
 *            str why the last answer was unreadable ("": the first ask),
 *            u64 attempt, u64 repeat
 *   regenerate  the same with h memory for h sql, and "" for the constructs
 *   embed    h embedder, [h text, ...]
 *   simrank  f64 accuracy, f64 bias, f64 shared, u64 seed, str question id,
 *            str what (rank, pick), u64 pass, [[h candidate sql, bool right], ...]
 *            as shown
 *   simflat  the same; what is pair, score or cover
 *   score    h dossier, h key of the profile task, h bank or nil, h weights,
 *            u64 seed, i64 pass (-1: the full score)
 *   kemeny   h rankings (rankings.h)
 *
 * Threads: pure.
 */
#ifndef TASK_H
#define TASK_H

#include "common/base/buf.h"
#include "common/base/cursor.h"
#include "common/base/digests.h"
#include "common/base/hash.h"

enum kind {
	KIND_NONE,
#define KIND(name, number, version, lane, what) KIND_##name = number,
#include "proto/kinds.def"
#undef KIND
	KIND_END = 32 /* above every number; not all below it are kinds */
};

enum lane {
#define LANE(name, credit, why) LANE_##name,
#include "proto/lanes.def"
#undef LANE
	LANES
};

enum role {
	ROLE_NONE,
#define ROLE(name, number, who) ROLE_##name = number,
#include "proto/roles.def"
#undef ROLE
};

const char *kind_name(enum kind k);    /* "exec"; "?" for an unknown one */
enum kind kind_by_name(const char *s); /* KIND_NONE for an unknown one */
enum lane kind_lane(enum kind k);
unsigned lane_credit(enum lane l); /* the default of lanes.def */
const char *role_name(enum role r);

/* Begins a spec of `fields` fields behind kind and version. */
void spec_begin(struct buf *b, enum kind k, size_t fields);

/* The cursor stands behind kind and version; KIND_NONE when the head is not of this
 * program (unknown kind or another version). */
enum kind spec_open(struct view spec, struct cursor *ret);

struct hash task_key(struct view spec);

/* The specs that more than one room builds. */
void spec_exec(struct buf *b, const struct hash *env, const struct hash *db,
	       const struct hash *sql);
void spec_equal(struct buf *b, enum kind equal_or_match, const struct hash *env,
		const struct hash *db, const struct hash *a, const struct hash *sql_b,
		int ordered);
void spec_mbr(struct buf *b, const struct hash *env, const struct hash *db,
	      const struct hash *a, const struct hash *sql_b, int by_place);
void spec_softf1(struct buf *b, const struct hash *env, const struct hash *db,
		 const struct hash *prediction, const struct hash *gold);

/* env: the limits and the world that a query runs in, a blob of its own. */
struct env {
	struct view engine; /* SQLite's source id and what we set of its options */
	uint64_t steps;     /* VM steps */
	uint64_t rows;      /* most rows of a result */
	uint64_t value_bytes, memory_bytes;
	struct view clock; /* what queries see as now: 2025-01-01T00:00:00Z */
	uint32_t digests;  /* enum digest_kind bits */
	uint32_t text;     /* enum text_mode */
};

void env_encode(const struct env *v, struct buf *b);
int env_decode(struct view blob, struct env *ret); /* 1, or 0; views into blob */

#endif
