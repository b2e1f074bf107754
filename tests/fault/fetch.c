/* fetch.c - an attempt whose need cannot be noted is told so: it never waits for ever
 */
#include "tests/support/cm.h"

#include "common/base/mem.h"
#include "worker/fetch.h"

#include <string.h>

static const char text[] = "SELECT 1";

struct world {
	struct store *store;
	struct fetch *fetch;
	struct attempt waits;
	struct hash hash;
	int fetches, fed, code; /* asked of the broker; told to the attempt, and what */
};

static void on_send(void *arg, struct msg *m)
{
	(void)m;
	((struct world *)arg)->fetches++;
}

static void on_fed(void *arg, struct attempt *a, int code, const char *what)
{
	struct world *w = arg;

	assert_ptr_equal(a, &w->waits);
	assert_non_null(what);
	w->fed++;
	w->code = code;
}

static void begin(struct world *w)
{
	struct fetch_config how = { .send = on_send, .fed = on_fed, .arg = w };

	memset(w, 0, sizeof *w);
	w->hash = hash_of(text, strlen(text));
	assert_int_equal(store_new("nowhere", 1 << 20, &w->store, NULL), 0);
	how.store = w->store;
	assert_int_equal(fetch_new(&how, &w->fetch), 0);
}

static void end(struct world *w)
{
	fetch_forget(w->fetch, &w->waits);
	fetch_free(&w->fetch);
	store_free(&w->store);
}

static int need(struct world *w)
{
	return fetch_need(w->fetch, &w->waits, &w->hash, NEED_BLOB);
}

static void answer(struct world *w)
{
	struct msg m = { .tag = MSG_TAG_BLOB };

	m.blob.hash = (struct view){ (const char *)w->hash.b, HASH_BYTES };
	m.blob.found = 1;
	m.blob.size = strlen(text);
	m.blob.bytes = view_of(text);
	fetch_blob(w->fetch, &m);
}

static void a_need_that_memory_cannot_hold_is_told(void **unused)
{
	int n = 0, hit = 1;

	(void)unused;
	for (; hit; n++) {
		struct world w;

		begin(&w);
		mem_fail_after(n);
		assert_int_equal(need(&w), 0);
		hit = mem_fault_hit();
		mem_fail_after(-1);
		assert_int_equal(w.fed, hit);
		assert_int_equal(w.code, hit ? ERR_NOMEM : 0);
		end(&w);
	}
	assert_int_equal(n, 3); /* what is wished, who waits; then none failed */
}

static void after_that_it_can_be_had_as_ever(void **unused)
{
	(void)unused;
	for (int n = 0; n < 2; n++) {
		struct world w;

		begin(&w);
		mem_fail_after(n);
		assert_int_equal(need(&w), 0);
		mem_fail_after(-1);
		assert_int_equal(need(&w), 0);
		assert_int_equal(w.fetches, 1);
		answer(&w);
		assert_int_equal(w.fed, 2);
		assert_int_equal(w.code, 0);
		assert_int_equal(need(&w), 1);
		end(&w);
	}
}

static void an_answer_that_memory_cannot_hold_is_told(void **unused)
{
	int hit = 1;

	(void)unused;
	for (int n = 0; hit; n++) {
		struct world w;

		begin(&w);
		assert_int_equal(need(&w), 0);
		mem_fail_after(n);
		answer(&w);
		hit = mem_fault_hit();
		mem_fail_after(-1);
		assert_int_equal(w.fed, 1);
		assert_int_equal(w.code, hit ? ERR_NOMEM : 0);
		end(&w);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_need_that_memory_cannot_hold_is_told),
		cmocka_unit_test(after_that_it_can_be_had_as_ever),
		cmocka_unit_test(an_answer_that_memory_cannot_hold_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
