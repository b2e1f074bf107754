/* weights.c - a file of weights is read whole or refused with its line */
#include "tests/support/cm.h"

#include "proto/weights.h"

#include <stdlib.h>

static struct arena a;

static int tear_down(void **unused)
{
	(void)unused;
	arena_free(&a);
	return 0;
}

/* The built-in text with one piece of it replaced, and more behind it. */
static char *edited(const char *from, const char *to, const char *more)
{
	struct view text = weights_builtin_text();
	const char *at = strstr(text.p, from);
	struct buf b = { 0 };

	assert_non_null(at);
	buf_add(&b, text.p, (size_t)(at - text.p));
	buf_add_str(&b, to);
	buf_add_str(&b, at + strlen(from));
	buf_add_str(&b, more);
	assert_false(b.bad);
	return buf_take(&b, NULL);
}

static void refused(const char *from, const char *to, const char *more, const char *why)
{
	char *text = edited(from, to, more);
	struct weights w;
	struct err e = { 0 };

	assert_int_equal(weights_read(view_of(text), &a, &w, &e), ERR_INPUT);
	if (!strstr(e.text, why))
		fail_msg("\"%s\" does not say \"%s\"", e.text, why);
	free(text);
}

static void the_built_in_weights_are_whole(void **unused)
{
	struct weights w;

	(void)unused;
	assert_int_equal(weights_builtin(&a, &w, NULL), 0);
	for (int f = 0; f < FEATURES; f++)
		assert_true(w.feature[1][f] != 0);
	assert_true(w.feature[0][FEATURE_mp_cmp] == 0); /* there is no bank */
	assert_true(w.bonus[0] > 0 && w.bonus[1] > 0);
	assert_true(w.has_chance);
}

static void a_row_has_a_value_with_a_bank_and_one_without(void **unused)
{
	char *text = edited("bonus ", "bonus 7 -8.5e-1 # a remark\nlean.votes 2\n#",
			    "lean.model 1 3\r\n");
	struct weights w;

	(void)unused;
	assert_int_equal(weights_read(view_of(text), &a, &w, NULL), 0);
	assert_true(w.bonus[1] == 7 && w.bonus[0] == -0.85);
	assert_true(weights_named(&w, "lean.votes", 0, 9) == 2);
	assert_true(weights_named(&w, "lean.votes", 1, 9) == 2);
	assert_true(weights_named(&w, "lean.model", 1, 9) == 1);
	assert_true(weights_named(&w, "lean.model", 0, 9) == 3);
	assert_true(weights_named(&w, "lean.other", 0, 9) == 9);
	free(text);
}

static void a_file_need_not_tell_how_sure_a_choice_is(void **unused)
{
	struct view text = weights_builtin_text();
	struct weights w;
	struct buf b = { 0 };

	(void)unused;
	for (const char *line = text.p; *line; line = strchr(line, '\n') + 1)
		if (strncmp(line, "chance.", 7) != 0)
			buf_add(&b, line, strcspn(line, "\n") + 1);
	assert_int_equal(weights_read(buf_view(&b), &a, &w, NULL), 0);
	assert_false(w.has_chance);
	buf_free(&b);
}

static void what_is_wrong_is_told_with_its_line_and_how_to_mend_it(void **unused)
{
	(void)unused;
	refused("mapfleet-weights 1", "# weights", "", "line 1: ");
	refused("mapfleet-weights 1", "mapfleet-weights 2", "", "mapfleet-weights 1");
	refused("fcov ", "fkov ", "", "no feature is called \"fkov\"");
	refused("fcov ", "fkov ", "", "lsize, isabs");
	refused("fcov ", "#", "", "there is no row fcov");
	refused("bonus ", "#", "", "there is no row bonus");
	refused("lsize ", "lsize 1 2 3 ", "", ": a row is a name and one value");
	refused("lsize ", "lsize #", "", "\"lsize\" has none");
	refused("lsize ", "lsize 1x ", "", ": a row");
	refused("lsize ", "lsize 1x 2 #", "", ": \"1x\" is no number");
	refused("lsize ", "lsize nan #", "", "\"nan\" is no number");
	refused("lsize ", "lsize 1 1e7 #", "", "\"1e7\" is no number");
	refused("fcov ", "fcov ", "fcov 1\n", "fcov stands in line ");
	refused("fcov ", "fcov ", "lean. 1\n", "no feature is called");
	refused("fcov ", "fcov ", "lean.a 1\nlean.a 2\n", "lean.a stands in line ");
	refused("fcov ", "fcov ", "chance.share 1\n", "chance.share stands in line ");
	refused("chance.margin ", "#", "", "there is no row chance.margin");
}

static void what_is_written_is_read_again(void **unused)
{
	struct weights_row named = { view_of("lean.votes"), { 0.5, 1.25 } };
	struct weights w, got;
	struct buf b = { 0 }, again = { 0 };
	struct hash x, y;

	(void)unused;
	assert_int_equal(weights_builtin(&a, &w, NULL), 0);
	w.has_chance = 1;
	for (int c = 0; c < CHANCES; c++)
		w.chance[0][c] = c, w.chance[1][c] = -c;
	w.named = &named;
	w.nnamed = 1;
	weights_write(&w, view_of("made by\nmapfleet fit"), &b);
	assert_non_null(strstr(b.p, "\n# mapfleet fit\n"));
	assert_int_equal(weights_read(buf_view(&b), &a, &got, NULL), 0);
	weights_write(&got, view_of("made by\nmapfleet fit"), &again);
	assert_true(view_eq(buf_view(&b), buf_view(&again)));
	x = weights_identity(&w);
	y = weights_identity(&got);
	assert_true(hash_eq(&x, &y));
	named.value[0] = 0.75;
	x = weights_identity(&w);
	assert_false(hash_eq(&x, &y));
	buf_free(&b);
	buf_free(&again);
}

static void the_blob_holds_what_scores_depend_on_and_nothing_else(void **unused)
{
	struct weights w, got;
	struct buf b = { 0 }, again = { 0 };

	(void)unused;
	assert_int_equal(weights_builtin(&a, &w, NULL), 0);
	weights_encode(&w, &b);
	assert_int_equal(weights_decode(buf_view(&b), &got, NULL), 0);
	weights_encode(&got, &again);
	assert_true(view_eq(buf_view(&b), buf_view(&again)));
	w.has_chance = 1;
	w.chance[0][0] = 3;
	buf_clear(&again);
	weights_encode(&w, &again);
	assert_true(view_eq(buf_view(&b), buf_view(&again)));
	w.bonus[0] = 3;
	buf_clear(&again);
	weights_encode(&w, &again);
	assert_false(view_eq(buf_view(&b), buf_view(&again)));
	for (size_t n = 0; n < b.n; n++)
		assert_int_equal(weights_decode((struct view){ b.p, n }, &got, NULL),
				 ERR_PROTO);
	buf_free(&b);
	buf_free(&again);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_built_in_weights_are_whole),
		cmocka_unit_test(a_row_has_a_value_with_a_bank_and_one_without),
		cmocka_unit_test(a_file_need_not_tell_how_sure_a_choice_is),
		cmocka_unit_test(
			what_is_wrong_is_told_with_its_line_and_how_to_mend_it),
		cmocka_unit_test(what_is_written_is_read_again),
		cmocka_unit_test(the_blob_holds_what_scores_depend_on_and_nothing_else),
	};

	return cmocka_run_group_tests(tests, NULL, tear_down);
}
