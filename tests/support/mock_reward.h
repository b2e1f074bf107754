/* mock_reward.h - a server of reward models that scores a text by its hash
 *
 * `serves` is one of the words below, perhaps with a colon and its argument; all else
 * is answered as servers answer what they do not serve.
 *
 *     classify:N      N labels, raw numbers (use_activation false is obeyed)
 *     softmax:N       N labels, softmaxed whatever is asked
 *     ones            one label, 1.0 of all but what a doubter asks about
 *     pooling         [x]
 *     tokens          [[..], [..], [x]]: a row a token, the last counts
 *     embedding       1024 numbers
 *     score           queries and documents; score:old knows only text_1 and text_2
 *     rerank          results sorted by score; rerank:bare a bare list;
 *                     rerank:short leaves one out
 */
#ifndef MOCK_REWARD_H
#define MOCK_REWARD_H

#include "common/base/buf.h"

#include <jansson.h>

/* Is it a path of reward servers? */
int mock_reward_path(const char *path);

/* Writes the body, returns the status. */
unsigned mock_reward_answer(const char *serves, const char *path, const json_t *request,
			    struct buf *ret);

/* From -10 to 10. */
double mock_reward_of(struct view text);

#endif
