/* sql_words.c - stems, stop words and names as the evidence judge has them */
#include "tests/support/cm.h"

#include "common/sql/words.h"

static void stem(const char *word, const char *want)
{
	char s[STEM_MAX];
	size_t n = word_stem(view_of(word), s);

	if (!view_eq((struct view){ s, n }, view_of(want)))
		fail_msg("%s: got %.*s, want %s", word, (int)n, s, want);
}

static void suffixes_go_where_three_letters_stay(void **unused)
{
	(void)unused;
	stem("Cities", "city");
	stem("classes", "class");
	stem("running", "runn");
	stem("repeatedly", "repeat");
	stem("named", "nam");
	stem("names", "nam");
	stem("name", "nam");
	stem("buses", "bus");
	stem("cars", "car");
	stem("was", "was");
	stem("ring", "ring");
	stem("ages", "age");
	stem("tree", "tre");
	stem("", "");
}

static void expect(struct words *list, const char *want)
{
	char got[512] = "";

	for (size_t i = 0; i < list->n; i++) {
		strncat(got, i ? " " : "", 2);
		strncat(got, list->w[i].stem.p, list->w[i].stem.n);
	}
	assert_string_equal(got, want);
}

static void name(const char *text, const char *want)
{
	struct arena a = { 0 };
	struct words list = { 0 };

	assert_int_equal(words_of_name(&a, view_of(text), &list), 0);
	expect(&list, want);
	arena_free(&a);
}

static void names_are_split_at_case_and_signs(void **unused)
{
	(void)unused;
	name("StudentName", "student nam");
	name("HTTPServerId", "http server id");
	name("free_meal-count (K-12)", "fre meal count k 12");
	name("T1", "t1");
	name("customer_id", "customer id");
	name("", "");
}

static void stop_words_name_nothing(void **unused)
{
	struct arena a = { 0 };
	struct words list = { 0 };

	(void)unused;
	assert_int_equal(
		words_of_text(&a, view_of("What are the names of ALL singers?"), &list),
		0);
	expect(&list, "nam singer");
	assert_true(words_have(&list, view_of("singer")));
	assert_false(words_have(&list, view_of("song")));
	arena_free(&a);
}

static void stems_match_when_equal_or_by_five_letters(void **unused)
{
	(void)unused;
	assert_true(stems_match(view_of("age"), view_of("age")));
	assert_false(stems_match(view_of("age"), view_of("agency")));
	assert_true(stems_match(view_of("nation"), view_of("national")));
	assert_true(stems_match(view_of("produc"), view_of("product")));
	assert_true(stems_match(view_of("nati"), view_of("nation")));
	assert_false(stems_match(view_of("nat"), view_of("nation")));
	assert_false(stems_match(view_of("native"), view_of("nation")));
	assert_false(stems_match(view_of(""), view_of("")));
}

static void an_id_is_told_by_its_name(void **unused)
{
	(void)unused;
	assert_true(name_is_id(view_of("id")));
	assert_true(name_is_id(view_of("StuID")));
	assert_true(name_is_id(view_of("id_number")));
	assert_true(name_is_id(view_of("itemid")));
	assert_true(name_is_id(view_of("IdNumber")));
	assert_false(name_is_id(view_of("idle")));
	assert_false(name_is_id(view_of("width")));
	assert_false(name_is_id(view_of("")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(suffixes_go_where_three_letters_stay),
		cmocka_unit_test(names_are_split_at_case_and_signs),
		cmocka_unit_test(stop_words_name_nothing),
		cmocka_unit_test(stems_match_when_equal_or_by_five_letters),
		cmocka_unit_test(an_id_is_told_by_its_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
