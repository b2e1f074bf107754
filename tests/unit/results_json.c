/* results_json.c - JSON whose bytes are always the same, and read back as what was
 * meant */
#include "tests/support/cm.h"

#include "common/base/rng.h"
#include "results/jsonw.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>

static void is(double v, const char *want)
{
	char text[NUM_TEXT];

	num_text(v, text);
	assert_string_equal(text, want);
}

static void numbers_are_short(void **unused)
{
	(void)unused;
	is(0.791, "0.791");
	is(1, "1.0");
	is(100, "100.0");
	is(-51.7162471395881, "-51.7162471395881");
	is(-10925.858123569795, "-10925.858123569795");
	is(0.30000000000000004, "0.30000000000000004");
	is(1e-5, "0.00001");
	is(1234567890123456.0, "1234567890123456.0");
	is(1e300, "1e+300");
	is(5e-324, "5e-324");
	is(1.5e-9, "1.5e-09");
}

static void every_number_reads_back_as_itself(void **unused)
{
	struct rng r;
	char text[NUM_TEXT];

	(void)unused;
	rng_init(&r, "numbers", 1, view_of("1"), 0);
	for (int i = 0; i < 20000; i++) {
		double v = rng_normal(&r) * pow(10, (double)rng_below(&r, 40) - 20);

		num_text(v, text);
		assert_true(strtod(text, NULL) == v);
	}
}

static void any_bytes_become_valid_json(void **unused)
{
	struct buf b = { 0 };
	struct jsonw w = jsonw_of(&b, 0);
	json_t *j;

	(void)unused;
	jw_array(&w);
	jw_str(&w, (struct view){ "a\0\"\\\n\x01\x7f\xff\xc3\xa9\xed\xa0\x80\xf0\x9f",
				  15 });
	jw_num(&w, NAN);
	jw_num(&w, -0.0);
	jw_num9(&w, 1.0 / 3);
	jw_end(&w);
	assert_string_equal(b.p,
			    "[\"a\\u0000\\\"\\\\\\n\\u0001\\u007f\xef\xbf\xbd\xc3\xa9"
			    "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf"
			    "\xbd\",null,0.0,0.333333333]");
	j = json_loadb(b.p, b.n, JSON_ALLOW_NUL, NULL);
	assert_non_null(j);
	json_decref(j);
	buf_free(&b);
}

static void pretty_and_flat_nest(void **unused)
{
	struct buf b = { 0 };
	struct jsonw w = jsonw_of(&b, 1);

	(void)unused;
	jw_object(&w);
	jw_ku64(&w, "a", 1);
	jw_key(&w, "b");
	jw_flat(&w);
	jw_array(&w);
	jw_u64(&w, 1);
	jw_object(&w);
	jw_kstr(&w, "c", NULL);
	jw_end(&w);
	jw_end(&w);
	jw_karray(&w, "d");
	jw_end(&w);
	jw_karray(&w, "e");
	jw_bool(&w, 1);
	jw_end(&w);
	jw_end(&w);
	assert_string_equal(b.p,
			    "{\n \"a\": 1,\n \"b\": [1, {\"c\": null}],\n \"d\": [],\n "
			    "\"e\": [\n  true\n ]\n}\n");
	buf_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_are_short),
		cmocka_unit_test(every_number_reads_back_as_itself),
		cmocka_unit_test(any_bytes_become_valid_json),
		cmocka_unit_test(pretty_and_flat_nest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
