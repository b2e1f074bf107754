/* lex.h - SQLite's tokens, one after another
 *
 * The lexical rules are SQLite's: what its tokenizer takes as one token is one token
 * here, what it calls illegal is TOKEN_BAD. Space and comments are tokens too.
 *
 * Invariants: (1) every byte of the text belongs to exactly one token, in order; (2) no
 *             token is empty; (3) no byte past the end is read.
 * Memory:     tokens are views into the text.
 * Threads:    no shared state.
 * Source:     sqlite.org/lang_keywords, lang_comment, lang_expr; probed on 3.40.1.
 */
#ifndef LEX_H
#define LEX_H

#include "common/base/arena.h"
#include "common/base/view.h"

enum token_kind {
	TOKEN_END,
	TOKEN_SPACE,
	TOKEN_COMMENT, /* -- to the end of line (without it), or C's */
	TOKEN_WORD,    /* a bare identifier or keyword */
	TOKEN_QUOTED,  /* "..", `..` or [..] */
	TOKEN_STRING,  /* '..' */
	TOKEN_BLOB,    /* x'..' */
	TOKEN_NUMBER,
	TOKEN_VARIABLE, /* ?, ?1, :a, @a, $a, #1 */
	TOKEN_OP,       /* operators and ( ) , . ; */
	TOKEN_BAD,      /* what SQLite calls an unrecognized token */
};

struct token {
	enum token_kind kind;
	struct view text; /* as written, quotes included */
};

struct lexer {
	struct view text;
	size_t at; /* byte the next token starts at */
};

struct lexer lex_of(struct view text);
int lex_next(struct lexer *l,
	     struct token *ret); /* 0: the end; ret is TOKEN_END then */
int lex_solid(struct lexer *l,
	      struct token *ret); /* the same, past space and comments */

int token_is(const struct token *t, const char *word); /* a bare word, any ASCII case */
int token_op(const struct token *t, const char *op);
int token_is_name(const struct token *t); /* TOKEN_WORD or TOKEN_QUOTED */

/* The name or text a token stands for: quotes off, doubled quotes single. Lives in the
 * text where nothing had to change, else in `a`. p is NULL when memory is out. */
struct view token_value(struct arena *a, const struct token *t);

/* ASCII case folded, as SQLite compares names. */
int name_eq(struct view a, struct view b);
int name_is(struct view a, const char *b);

#endif
