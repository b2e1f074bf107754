/* sql_schema.c - bytes are a schema or an error; a schema can be shown and packed again
 */
#include "tests/fuzz/fuzz.h"

#include "common/sql/schema.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct schema s = { 0 }, again = { 0 };
	struct buf b = { 0 };

	if (schema_unpack((struct view){ (const char *)data, n }, &s, NULL))
		return 0;
	schema_render(&s, NULL, &b);
	buf_clear(&b);
	schema_pack(&s, &b);
	if (schema_unpack(buf_view(&b), &again, NULL))
		abort();
	buf_free(&b);
	schema_free(&s);
	schema_free(&again);
	return 0;
}
