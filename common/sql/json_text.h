/* json_text.h - writing compact JSON into a buf
 *
 * Commas are put where they belong. Text is escaped as JSON wants; bytes that are no
 * UTF-8 become U+FFFD, so the result is always valid.
 *
 * Errors: the buf's own, sticky.
 */
#ifndef JSON_TEXT_H
#define JSON_TEXT_H

#include "common/base/buf.h"
#include "common/base/view.h"

struct json_text {
	struct buf *b;
	int comma; /* a value stands before the next one */
};

void json_open(struct json_text *j, char bracket);  /* { or [ */
void json_close(struct json_text *j, char bracket); /* } or ] */
void json_key(struct json_text *j, const char *key);
void json_str(struct json_text *j, struct view v);

#endif
