/* msg.h - messages.def as C types, with the one encoder and the one decoder
 *
 * Memory:  str, bin and any fields are views. After msg_decode() they point into the
 *          frame and live as long as it does; msg_encode() copies what they point at.
 * Errors:  msg_decode() trusts nothing: a wrong tag, arity, kind or range, or a byte
 * too many, is ERR_PROTO with the message and field in the text. *ret is written only
 * on success. A list in an `any` field is checked by whoever walks it. Threads:
 * stateless.
 */
#ifndef MSG_H
#define MSG_H

#include "common/base/buf.h"
#include "common/base/cursor.h"
#include "common/base/err.h"
#include "common/base/view.h"
#include "proto/messages.def"

#include <stdint.h>

enum { PROTO_VERSION = 2, MSG_CHUNK = 1 << 20, MSG_LARGEST = 64 << 20 };

typedef uint32_t msg_u32;
typedef uint64_t msg_u64;
typedef struct view msg_str;
typedef struct view msg_bin;
typedef struct view msg_any;

enum msg_tag {
#define M(NAME, name, tag, sender) MSG_TAG_##NAME = tag,
	MESSAGES(M)
#undef M
};

struct msg {
	enum msg_tag tag;
	union {
#define F(m, kind, field, meaning) msg_##kind field;
#define M(NAME, name, tag, sender) \
	struct { \
		MSG_##NAME(F, name) \
	} name;
		MESSAGES(M)
#undef M
#undef F
	};
};

int msg_encode(const struct msg *m, struct buf *ret, struct err *e); /* appends */
int msg_decode(struct view frame, struct msg *ret, struct err *e);

/* "RENEW epoch=3 tasks=<9 bytes>": for logs and transcripts. */
void msg_print(const struct msg *m, struct buf *ret);
const char *msg_name(enum msg_tag tag); /* "?" for an unknown one */

/* One message of the list, for whoever compares it with prose: 0 when i is past the
 * end. */
int msg_describe(size_t i, const char **ret_name, unsigned *ret_tag,
		 const char **ret_sender, size_t *ret_fields);
int msg_describe_field(size_t i, size_t field, const char **ret_kind,
		       const char **ret_name, const char **ret_meaning);

#endif
