/* registry.c - copies are forgotten oldest first, what is lent never */
#include "tests/support/cm.h"

#include "broker/registry.h"
#include "common/base/err.h"

#include <string.h>

static struct hash name(unsigned i)
{
	return hash_of(&i, sizeof i);
}

static void copies_go_oldest_first_when_there_are_too_many_bytes(void **unused)
{
	struct registry *r;
	char bytes[100] = "";

	(void)unused;
	assert_int_equal(registry_new(1000, &r), 0);
	for (unsigned i = 0; i < 100; i++) {
		struct hash h = name(i);
		unsigned kept = 0;

		bytes[0] = (char)i;
		assert_int_equal(registry_add(r, &h, (struct view){ bytes, 100 }, 1),
				 0);
		assert_int_equal(registry_get(r, &h)->bytes.p[0], (char)i);
		for (unsigned k = 0; k <= i; k++) {
			struct hash old = name(k);

			kept += registry_get(r, &old) != NULL;
			/* No gap: who is there is younger than who is not. */
			assert_int_equal(kept > 0, registry_get(r, &old) != NULL);
		}
		assert_true(kept <= 12);
	}
	registry_free(&r);
	assert_null(r);
}

static void what_is_lent_and_files_stay(void **unused)
{
	static const char text[] = "SELECT 1";
	struct hash lent = name(1), file = name(2);
	char bytes[500] = "";
	struct registry *r;

	(void)unused;
	assert_int_equal(registry_new(1000, &r), 0);
	registry_add(r, &lent, view_of(text), 0);
	registry_add_file(r, &file, "/tmp/x.sqlite", 77);
	for (unsigned i = 10; i < 50; i++) {
		struct hash h = name(i);

		registry_add(r, &h, (struct view){ bytes, sizeof bytes }, 1);
	}
	assert_ptr_equal(registry_get(r, &lent)->bytes.p, text);
	assert_string_equal(registry_get(r, &file)->path, "/tmp/x.sqlite");
	assert_int_equal(registry_get(r, &file)->size, 77);
	registry_free(&r);
}

static void adding_again_changes_nothing(void **unused)
{
	struct hash h = name(1), unknown = name(3);
	struct registry *r;

	(void)unused;
	assert_int_equal(registry_new(1000, &r), 0);
	registry_add(r, &h, view_of("one"), 1);
	registry_get(r, &h)->journaled = 1;
	registry_add(r, &h, view_of("another"), 1);
	assert_int_equal(registry_get(r, &h)->bytes.n, 3);
	assert_int_equal(registry_get(r, &h)->journaled, 1);
	assert_null(registry_get(r, &unknown));
	registry_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(copies_go_oldest_first_when_there_are_too_many_bytes),
		cmocka_unit_test(what_is_lent_and_files_stay),
		cmocka_unit_test(adding_again_changes_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
