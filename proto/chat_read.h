/* chat_read.h - what an answer that is one word or one label means
 *
 * Where log-probabilities came they are read, for they say how sure the model is; else
 * the text is. `talked`: the model was given room for words, so that its first token
 * need not be its answer, and the text is read first.
 *
 * Each gives 1, or 0 where the answer says nothing of the kind.
 */
#ifndef CHAT_READ_H
#define CHAT_READ_H

#include "proto/chat_out.h"

/* Without what was thought; empty where there is no answer. */
struct view chat_said(const struct chat_out *o);

/* The probability of yes against no: 1 or 0 where only the text tells. */
int chat_read_yes(const struct chat_out *o, int talked, double *ret);

/* {"verdict": "covered"} or "missing", or one of the words alone. 1 is covered. */
int chat_read_cover(const struct chat_out *o, int *ret);

#endif
