/* plaintext.h - other people's text, safe to show
 *
 * Questions, SQL and names come out of files, and a terminal obeys what stands in them:
 * control characters but newline and tab are shown as \xNN, and so are those that are
 * two bytes in UTF-8 (U+0080 to U+009F). All other bytes stay as they are.
 */
#ifndef PLAINTEXT_H
#define PLAINTEXT_H

#include <stddef.h>
#include <stdio.h>

void plaintext_put(FILE *to, const char *p, size_t n);

#endif
