/* choice.h - what a method decided about one question, and why
 *
 * The record of a selecting planner: everything that samples.jsonl tells, but for what
 * needs gold (`correct`, `right`). Indexes are positions in the pool line, also after a
 * draw. Encoded as msgpack into journal table `choice`; results/ reads it.
 *
 * Memory: after choice_decode() all arrays are in the arena and the views in the bytes.
 */
#ifndef CHOICE_H
#define CHOICE_H

#include "common/base/arena.h"
#include "common/base/buf.h"
#include "common/base/hash.h"
#include "proto/status.h"

#include <stdint.h>

/* Columns: name, text of `why` in samples.jsonl. */
#define WHY_LIST(X) \
	X(ONE_GROUP, "one group") \
	X(MAJORITY, "majority") \
	X(GENERATED, "generated") \
	X(RANKED, "ranked") \
	X(TIE_BREAK, "tie-break") \
	X(DEGRADED, "degraded")

enum why {
#define X(name, text) WHY_##name,
	WHY_LIST(X)
#undef X
		WHYS
};

struct choice_group {
	uint32_t *member; /* in H order */
	uint32_t size;
	enum status status;
	struct view note; /* the finer word: write, memory, rows, steps, ... */
	uint64_t rows;
	uint32_t columns;
	uint8_t digest[16];
	uint8_t failed;   /* the last group, of all that failed: in no vote */
	double mean_rank; /* from 1; < 0: none */
};

/* One ranked pass: places, each a list of tied candidates. */
struct choice_pass {
	uint32_t *cand;  /* all places' candidates, one after the other */
	uint32_t *place; /* how many candidates each place holds */
	uint32_t places;
	uint8_t is_void; /* failed or unreadable: counts for nothing */
	/* Where it is one ask of a judge who may prefer places: the order shown. */
	uint32_t *shown, nshown; /* 0: not told */
};

struct choice_ask { /* a distinct model task that the method asked, in order */
	struct hash key;
	uint8_t kind;          /* enum kind: rank, point, embed, ... */
	uint16_t pass, window; /* from 1; 0: of none (a tie-break, a vector) */
};

/* What the evidence judge saw of the groups that vote: its full score. */
struct choice_evidence {
	uint8_t memory;    /* there was a bank */
	uint32_t features; /* 0: it was not asked */
	struct view *name; /* [features] */
	double *weight;    /* [features] */
	double *score;     /* [g] with the largest group's bonus */
	double *feature;   /* [g * features] as they met the weights */
};

struct choice {
	int64_t chosen; /* -1: null */
	enum why why;
	struct view reason; /* after "degraded: " */
	double confidence;  /* < 0: null */
	uint8_t degraded, tied;
	uint32_t g; /* groups without the failed one */
	struct choice_group *group;
	uint32_t ngroup;
	struct choice_pass *pass;
	uint32_t npass;      /* distinct passes */
	struct view *memory; /* training ids as JSON text, in the order shown */
	uint32_t nmemory;
	uint8_t has_tie;       /* a tie-break was made */
	uint32_t tie_a, tie_b; /* candidates */
	double tie_score[2];
	uint64_t asks; /* judgements wanted, whoever answers */
	struct choice_ask *asked;
	uint32_t nasked;
	struct view *note; /* one line each */
	uint32_t nnote;
	uint32_t parse_missing, parse_duplicate, parse_unknown,
		parse_failed; /* counts */
	struct choice_evidence evidence;
};

void choice_encode(const struct choice *c, struct buf *ret);
int choice_decode(struct view bytes, struct arena *a,
		  struct choice *ret); /* ERR_PROTO */
const char *why_text(enum why w);

#endif
