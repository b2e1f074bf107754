/* sweep.h - what a user asks for, read and checked, before anything runs
 *
 * ops/ fills it from flags, sweep file and benchmark files; broker/ plans over it;
 * results/ reports it. It holds no gold: that is results/gold.h's, and only results/
 * may hold one (the exception, `labels`, is for the simulated judge and marks its
 * runs).
 *
 * Memory:  everything is in `arena`, made once, never changed while the fleet runs.
 * Threads: read-only once filled.
 */
#ifndef SWEEP_H
#define SWEEP_H

#include "common/base/arena.h"
#include "common/base/hash.h"
#include "common/base/view.h"
#include "proto/weights.h"

#include <stdint.h>

/* The rules: a rewrite, an equality for groups, a match against gold.
 * Columns: word, name, digest that decides equality, digests computed, text mode. */
#define RULE_LIST(X) \
	X(bird, "bird", SET, DIGEST_SET | DIGEST_BAG | DIGEST_LIST, TEXT_STRICT) \
	X(spider, "spider", BAG, DIGEST_SET | DIGEST_BAG | DIGEST_LIST | DIGEST_SIG, \
	  TEXT_IGNORE) \
	X(ehrsql, "ehrsql", EHR, DIGEST_SET | DIGEST_BAG | DIGEST_LIST | DIGEST_EHR, \
	  TEXT_IGNORE) \
	X(plain, "plain", BAG, DIGEST_SET | DIGEST_BAG | DIGEST_LIST, TEXT_RAW) \
	X(ehrsql_v1, "ehrsql-v1", EHR, \
	  DIGEST_SET | DIGEST_BAG | DIGEST_LIST | DIGEST_EHR1, TEXT_STRICT)

enum rule {
#define X(word, name, digest, digests, text) RULE_##word,
	RULE_LIST(X)
#undef X
		RULES
};

const char *rule_name(enum rule r);
int rule_by_name(const char *s); /* -1: unknown; "strict" is plain */
uint32_t rule_digests(enum rule r);
uint32_t rule_text(enum rule r);
uint32_t rule_digest(enum rule r); /* the one DIGEST_* that decides equality */
int rule_abstains(enum rule r);    /* `null` is an answer: there is none */

struct candidate {
	struct view sql; /* as it stands in the pool */
	struct view run; /* as the rule rewrites it; what is executed and compared */
	struct hash run_hash; /* hash_of(run): the blob's name */
	struct view source;   /* for reports; never reaches a judge */
	double logprob;
	uint64_t tokens;
	uint8_t has_logprob, has_tokens, greedy, abstains;
	uint8_t lent; /* a planner's own: its text ends with the plan */
};

struct question {
	uint32_t position; /* line in the benchmark, from 0 */
	uint32_t db;       /* in sweep.db */
	struct view id;    /* as JSON text: 717, or "x" with its quotes */
	struct view text, evidence;
	struct hash hash; /* of id, db_id, text, evidence: which one it was */
	struct candidate *cand;
	uint32_t n;
};

struct database {
	struct view id;
	const char *path;
	struct hash hash; /* of the file's content */
	uint64_t bytes;
	struct view schema; /* DDL for prompts, with descriptions where there are */
	struct hash schema_hash;
};

/* The words of a run, as a user says them. Every method reads what it needs. */
#define JUDGE_LIST(X) X(evidence) X(llm) X(simulated)
#define PERMUTE_LIST(X) X(within) X(between) X(both)
#define UNIT_LIST(X) X(group) X(candidate)
#define TIE_LIST(X) X(judge) X(none) X(reward)
#define STOP_LIST(X) X(t, "t") X(two_stage, "two-stage") X(beta, "beta") X(e, "e")

#define X(word) JUDGE_##word,
enum judge_kind { JUDGE_LIST(X) JUDGES };
#undef X
#define X(word) PERMUTE_##word,
enum permute_how { PERMUTE_LIST(X) PERMUTES };
#undef X
#define X(word) UNIT_##word,
enum unit_of_rank { UNIT_LIST(X) UNITS };
#undef X
#define X(word) TIE_##word,
enum tie_break { TIE_LIST(X) TIES };
#undef X
#define X(word, text) STOP_##word,
enum stop_how { STOP_LIST(X) STOPS };
#undef X

extern const char *const judge_words[JUDGES];
extern const char *const permute_words[PERMUTES];
extern const char *const unit_words[UNITS];
extern const char *const tie_words[TIES];
extern const char *const stop_words[STOPS];

enum { RUN_OWN = 8 };

struct run {
	const char *name; /* RUN: map-k8-n8-s42 */
	const char *stem; /* without -sSEED: summaries and comparisons key by it */
	const char *method;
	enum judge_kind judge;
	double accuracy, bias, shared; /* simulated judge */
	uint64_t seed;
	uint32_t candidates; /* 0: all */
	uint32_t passes_min, passes_max;
	uint32_t window, step;
	enum permute_how permute;
	enum unit_of_rank unit;
	enum tie_break tie_break;
	enum stop_how stop;
	double confidence;
	uint64_t budget;        /* asks of all its questions together */
	double own[RUN_OWN];    /* values of the method's own keys, in its order */
	const char *parameters; /* JSON object text for results.json */
	uint8_t uses_gold, reads_judge, has_budget;
};

/* What a model is asked, each with a template of its own. */
#define TEMPLATE_LIST(X) X(rank) X(point) X(pick) X(pair) X(yes) X(cover)
#define X(word) TEMPLATE_##word,
enum template_of { TEMPLATE_LIST(X) TEMPLATES };
#undef X

struct model { /* the llm role; an empty name means there is none */
	struct view name, revision;
	struct view base_urls; /* comma list */
	struct view api_key_env;
	struct view headers; /* lines "Name: value", sent with each request */
	double temperature, top_p;
	uint32_t max_tokens;
	uint8_t scores_yes; /* a score is asked for as yes or no, not as a number */
	struct view template[TEMPLATES];                /* texts */
	struct hash template_hash[TEMPLATES], llm_hash; /* of blobs */
	struct view llm_blob; /* [name, revision, temperature, top_p, max_tokens] */
};

struct reward_role { /* an empty name means there is none */
	struct view name, base_urls, api_key_env, headers; /* as of struct model */
	uint32_t kind; /* enum reward_kind; 0: found out when the sweep begins */
	struct view template;
	struct hash template_hash, model_hash; /* of blobs */
	struct view model_blob; /* struct reward_model (proto/reward.h) */
};

struct embed_role { /* an empty name means the built-in embedder */
	struct view name, base_urls, api_key_env, headers; /* as of struct model */
	struct view embedder; /* as banks name it: NAME, or NAME@REVISION */
	struct view blob;     /* struct embedder (proto/embed_out.h) */
	struct hash hash;
};

struct bank_ref { /* path NULL: no memory */
	const char *path;
	struct hash hash;
};

struct sweep {
	struct arena arena;
	const char *name, *benchmark; /* "bird", ... */
	enum rule rule;
	int keep_distinct;
	double float_tol; /* of score: numbers this near are equal; 0: exact */
	struct database *db;
	uint32_t ndb;
	struct question *q;
	uint32_t nq;
	struct run *run;
	uint32_t nrun;
	struct view env; /* encoded struct env (task.h) */
	struct hash env_hash;
	uint64_t sql_timeout_ms; /* wall clock, behind the steps; not in any key */
	struct model model;
	struct reward_role reward;
	struct embed_role embed;
	struct bank_ref bank;
	struct weights weights; /* of the evidence judge */
	int own_weights;        /* the user's, not those that come with the program */
	struct view weights_blob;
	struct hash weights_hash, weights_identity; /* of the blob; of all of them */
	uint32_t memory_tokens, preview_rows;
	uint32_t passes_ahead; /* asked beyond the one waited for; no choice depends on
				  it */
	uint32_t workers, max_connections, max_retries;
	uint64_t timeout_ms;              /* of one model ask, all its attempts */
	uint64_t token_limit, call_limit; /* 0: none */
	double cost_limit; /* 0: none; with these prices per million tokens */
	double price_prompt, price_completion;
	int retry_errors;
	double fail_on_error;
	const char *output_dir, *journal; /* paths */
	const char *config; /* JSON text of all of this as resolved, for run.json */
	struct hash inputs; /* of questions, databases, pool, gold: what a directory
			       belongs to */
	struct hash key;    /* inputs and config: what a command is */
	uint8_t **labels; /* [question][candidate] 1 right; only for the simulated judge
			   */
};

/* What queries see as now, as benchmarks write it: 2105-12-31 23:59:00. */
enum { SWEEP_NOW = 20 };
void sweep_now(const struct sweep *s, char ret[SWEEP_NOW]);

#endif
