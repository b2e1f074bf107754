/* ops_tempdir.c - a folder of the moment stands where TMPDIR says, and goes whole */
#include "tests/support/cm.h"

#include "ops/tempdir.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void it_stands_in_tmpdir_and_goes_with_what_is_in_it(void **unused)
{
	char outer[TEMPDIR_PATH], inner[TEMPDIR_PATH], path[TEMPDIR_PATH + 8];
	struct err e;
	FILE *f;

	(void)unused;
	unsetenv("TMPDIR");
	assert_int_equal(tempdir_make(outer, &e), 0);
	assert_memory_equal(outer, "/tmp/", 5);
	setenv("TMPDIR", outer, 1);
	assert_int_equal(tempdir_make(inner, &e), 0);
	assert_memory_equal(inner, outer, strlen(outer));
	snprintf(path, sizeof path, "%s/file", inner);
	f = fopen(path, "w");
	assert_non_null(f);
	fclose(f);
	tempdir_remove(outer);
	assert_int_equal(access(outer, F_OK), -1);
}

static void one_that_cannot_be_made_is_none(void **unused)
{
	char dir[TEMPDIR_PATH] = "x";
	struct err e = { 0 };

	(void)unused;
	setenv("TMPDIR", "/no/such/folder", 1);
	assert_int_equal(tempdir_make(dir, &e), ERR_STORE);
	assert_non_null(strstr(e.text, "/no/such/folder"));
	assert_string_equal(dir, "");
	tempdir_remove(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_stands_in_tmpdir_and_goes_with_what_is_in_it),
		cmocka_unit_test(one_that_cannot_be_made_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
