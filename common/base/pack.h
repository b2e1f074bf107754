/* pack.h - writing msgpack into a buf, with msgpack-c
 *
 * Errors: the buf's own, sticky. What is written here cursor.h reads.
 */
#ifndef PACK_H
#define PACK_H

#include "common/base/buf.h"
#include "common/base/hash.h"

#include <stdint.h>

void pack_array(struct buf *b, size_t n);
void pack_u64(struct buf *b, uint64_t v);
void pack_i64(struct buf *b, int64_t v);
void pack_f64(struct buf *b, double v);
void pack_bool(struct buf *b, int v);
void pack_nil(struct buf *b);
void pack_str(struct buf *b, struct view v);
void pack_bin(struct buf *b, struct view v);
void pack_hash(struct buf *b, const struct hash *h);

#endif
