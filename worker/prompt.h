/* prompt.h - from a template and what fills it to the text a model reads
 *
 * A template is plain text with holes in double braces. `{{#hole}}...{{/hole}}` is left
 * out where the hole is empty. What comes before a line `{{user}}` is the system
 * message; without one all is the user message. What comes behind a line
 * `{{assistant}}`, which only templates of the reward role have, is what the model is
 * taken to have answered. Texts put into holes are never searched for holes. The
 * default templates lie in worker/templates and are compiled in; copy one to change it.
 * They go from the most shared text to the least: instructions, schema, memories,
 * question, and the candidates last, so that all windows and passes of a question share
 * a prefix byte for byte.
 *
 * A candidate is shown as its label and SQL, a status line, column names, the number of
 * rows and the first of them: result_chars characters of that, then a marker with the
 * rows left out. Labels are A to Z.
 *
 * Invariants: (1) the same input gives the same bytes; (2) texts are cut between code
 *             points; (3) with preview_rows 0 no value of a database is shown.
 *
 * Memory:     everything is lent for the call. A struct prompt is freed by
 *             prompt_fini().
 *
 * Errors:     ERR_INPUT: unknown or unclosed hole, with its line and the known ones;
 *             ERR_RANGE: over PROMPT_CANDIDATES; ERR_LIMIT: over PROMPT_BYTES.
 *
 * Threads:    no shared state.
 */
#ifndef PROMPT_H
#define PROMPT_H

#include "common/base/buf.h"
#include "common/base/err.h"

#include <stdint.h>

enum { PROMPT_CANDIDATES = 26, PROMPT_BYTES = 16 << 20, PROMPT_SQL_CHARS = 4000 };

/* Every hole: name, what fills it. */
#define PROMPT_HOLE_LIST(X) \
	X(schema, "the database's schema") \
	X(memories, "memories of solved questions, a blank line between two") \
	X(question, "the question") \
	X(evidence, "the benchmark's hint, often empty") \
	X(count, "how many candidates are shown") \
	X(labels, "their labels: [A], [B], [C]") \
	X(want, "how many of them are to be chosen") \
	X(candidates, "the candidates with their results") \
	X(sql, "the SQL of the only candidate") \
	X(result, "the result of the only candidate") \
	X(constructs, \
	  "what the SQL has beside the nine keys' constructs: UNION, ROUND") \
	X(again, "why the last answer could not be read; empty when asked first")

/* Every default template: name, the holes it cannot do without; a|b: one of them. */
#define PROMPT_TEMPLATE_LIST(X) \
	X(rank, "question candidates") \
	X(point, "question candidates|sql") \
	X(yes, "question candidates|sql") \
	X(reward, "question candidates|sql") \
	X(pair, "question candidates") \
	X(pick, "question candidates want") \
	X(cover, "question candidates") \
	X(memory, "schema question sql constructs") \
	X(regenerate, "schema question memories")

struct prompt_candidate {
	struct view sql;
	struct view status; /* rows, empty, error, timeout, ... */
	struct view note;   /* the error's text; empty: none */
	uint64_t rows;
	uint32_t cols;
	const struct view *columns; /* names, `cols` of them */
	uint32_t preview_rows;      /* in `cells` */
	const struct view *cells; /* row by row, preview_rows * cols; p NULL is NULL */
};

struct prompt_fill {
	struct view schema, question, evidence;
	struct view constructs, again; /* n 0: none */
	const struct view *memories;
	size_t n_memories;
	const struct prompt_candidate *candidates;
	size_t n_candidates;
	uint32_t want;
	uint32_t preview_rows; /* 0: shapes only */
	uint32_t result_chars; /* 0: 1000 */
	uint32_t error_chars;  /* 0: 200 */
};

enum { PROMPT_USER = 1, PROMPT_ASSISTANT = 2 };

struct prompt {
	struct buf system, user; /* system is empty where the template has none */
	struct buf assistant;
	int parts; /* PROMPT_USER, PROMPT_ASSISTANT: the lines that were there */
};

/* The text of a default template, or NULL for a name that is none. */
const char *prompt_default(const char *name);

/* Is `text` good for the template `name`? Unknown holes, sections that do not close,
 * needed holes that are missing. */
int prompt_check(const char *name, struct view text, struct err *e);

int prompt_render(struct view text, const struct prompt_fill *fill, struct prompt *ret,
		  struct err *e);
void prompt_fini(struct prompt *p);

/* How one candidate looks, for tests and `show`. */
void prompt_candidate_text(const struct prompt_candidate *c, char label,
			   const struct prompt_fill *fill, struct buf *b);

#endif
