/* prompt.c - any bytes as a template, and as the SQL and the result of a candidate */
#include "tests/fuzz/fuzz.h"

#include "worker/prompt.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct view any = { (const char *)data, n };
	struct view cells[] = { any, { NULL, 0 }, any, any };
	struct view names[] = { any, any };
	struct prompt_candidate c = { .sql = any,
				      .status = any,
				      .note = any,
				      .rows = n,
				      .cols = 2,
				      .columns = names,
				      .preview_rows = 2,
				      .cells = cells };
	struct prompt_fill fill = { .schema = any,
				    .question = any,
				    .memories = names,
				    .n_memories = 2,
				    .candidates = &c,
				    .n_candidates = 1,
				    .preview_rows = 20 };
	struct prompt p;

	if (prompt_render(any, &fill, &p, NULL) == 0)
		prompt_fini(&p);
	prompt_check("rank", any, NULL);
	if (prompt_render(view_of("{{candidates}}{{memories}}"), &fill, &p, NULL) == 0)
		prompt_fini(&p);
	return 0;
}
