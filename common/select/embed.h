/* embed.h - text as a vector, without a model
 *
 * Features of the text in lower case, each hashed (SipHash) to one of 1,024 dimensions
 * and a sign: words, pairs of neighbouring words, and the 3-, 4- and 5-letter pieces of
 * each word with its ends marked. The sum of weights is L2-normalised. Texts that share
 * words, or parts of words, are near; nothing else is known.
 *
 * Words are runs of ASCII letters, digits and bytes above 127; only A-Z has a lower
 * case here; pieces are of whole UTF-8 characters where the text is UTF-8.
 *
 * Invariants: (1) the same text gives the same bytes on every machine; (2) length 1, or
 *             all zeros for a text without words.
 * Units:      EMBED_VERSION names this recipe in task keys and banks; raise it with any
 *             change that moves a number.
 * Source:     Weinberger et al., "Feature Hashing for Large Scale Multitask Learning"
 *             (2009); Bojanowski et al., "Enriching Word Vectors with Subword
 *             Information" (2017) for the marked pieces.
 */
#ifndef EMBED_H
#define EMBED_H

#include "common/base/view.h"

enum { EMBED_DIM = 1024, EMBED_VERSION = 1 };

void embed_text(struct view text, float ret[EMBED_DIM]);

#endif
