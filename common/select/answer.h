/* answer.h - a model's answer in plain characters
 *
 * What a reader of labels needs and no more: reasoning is dropped, and the many ways in
 * which Unicode writes a digit, a letter, a bracket or "better than" become the ASCII
 * ones. What cannot be a label becomes one byte: a space for punctuation, ANSWER_OTHER
 * for letters of other scripts.
 */
#ifndef ANSWER_H
#define ANSWER_H

#include "common/base/view.h"

enum { ANSWER_OTHER = 0x80 };

/* What follows the last closing think tag, up to an opening one that never closes. */
struct view answer_after_thinking(struct view answer);

/* The last cap/2 bytes of the answer, plain; never more than cap bytes. */
size_t answer_plain(struct view answer, char *ret, size_t cap);

#endif
