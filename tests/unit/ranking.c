/* ranking.c - answers of models are read as they were meant */
#include "tests/support/cm.h"

#include "common/select/ranking.h"

#include <stdio.h>

static struct ranking r; /* of the last check */

/* `want` is the ranks in label order, as text: "1 2.5 2.5". */
static void parses(const char *answer, enum ranking_labels kind, uint32_t n,
		   const char *want)
{
	char got[512] = "";
	size_t at = 0;

	assert_int_equal(ranking_parse(view_of(answer), kind, n, &r), 1);
	for (uint32_t i = 0; i < n; i++)
		at += (size_t)snprintf(got + at, sizeof got - at, "%s%g", i ? " " : "",
				       r.rank[i]);
	if (strcmp(got, want) != 0)
		print_message("answer: %s\n", answer);
	assert_string_equal(got, want);
	assert_int_equal(r.named + r.n_missing, n);
}

static void letters(const char *answer, uint32_t n, const char *want)
{
	parses(answer, RANKING_LETTERS, n, want);
}

static void numbers(const char *answer, uint32_t n, const char *want)
{
	parses(answer, RANKING_NUMBERS, n, want);
}

static void fails(const char *answer, enum ranking_labels kind, uint32_t n)
{
	if (ranking_parse(view_of(answer), kind, n, &r))
		print_message("answer: %s\n", answer);
	assert_int_equal(ranking_parse(view_of(answer), kind, n, &r), 0);
	for (uint32_t i = 0; i < n; i++)
		assert_true(r.rank[i] == (n + 1) / 2.0);
	assert_int_equal(r.n_missing, n);
}

static void the_asked_form_is_read(void **unused)
{
	(void)unused;
	letters("[B] > [D] > [A] > [C]", 4, "3 1 4 2");
	assert_int_equal(r.n_missing + r.n_duplicate + r.n_out_of_range, 0);
	numbers("[2] > [4] > [1] > [3]", 4, "3 1 4 2");
	numbers("[10] > [11] > [1]", 11, "3 7.5 7.5 7.5 7.5 7.5 7.5 7.5 7.5 1 2");
}

static void E07_thinking_is_dropped_with_either_or_both_tags(void **unused)
{
	(void)unused;
	letters("I compare [A] > [B]...</think>\n[B] > [A]", 2, "2 1");
	letters("<think>\n[A] > [B]\n</think>\n\n[B] > [A]", 2, "2 1");
	letters("<think>x</think>[A] > [B]</think>[B] > [A]", 2, "2 1");
	letters("<THINKING>[A] > [B]</Thinking>[B] > [A]", 2, "2 1");
	letters("[B] > [A]\n<think>or rather [A] > [B]", 2, "2 1");
	fails("<think>[A] > [B], so the ranking", RANKING_LETTERS, 2);
	fails("[A] > [B]</think>", RANKING_LETTERS, 2);
}

static void F01_digits_of_a_preamble_and_an_explanation_are_no_labels(void **unused)
{
	(void)unused;
	numbers("Here is the ranking of the 8 candidates: [3] > [1] > [2]", 3, "2 3 1");
	assert_int_equal(r.n_duplicate + r.n_out_of_range, 0);
	numbers("Here is the ranking of the 3 candidates: [3] > [1] > [2]\n"
		"Query 2 returns 1 row instead of 3.",
		3, "2 3 1");
	numbers("Here is the ranking of the 8 candidates: 3 > 1 > 2", 3, "2 3 1");
}

static void F01_the_last_valid_chain_wins(void **unused)
{
	(void)unused;
	letters("First thought: [A] > [B] > [C]\nFinal: [C] > [B] > [A]", 3, "3 2 1");
	letters("[C] > [B] > [A]\n(the form was [X] > [Y] > [Z])", 3, "3 2 1");
	letters("[C] > [B] > [A]\nand so [C] > [Z].", 3, "3 2 1");
}

static void F02_missing_labels_tie_behind_the_last_named(void **unused)
{
	(void)unused;
	letters("[B] > [B] > [Z]", 3, "2.5 1 2.5");
	assert_int_equal(r.n_duplicate, 1);
	assert_int_equal(r.n_out_of_range, 1);
	assert_int_equal(r.n_missing, 2);
	assert_true(ranking_is_thin(&r));
	letters("[B] > [A]", 3, "2 1 3");
	assert_false(ranking_is_thin(&r));
}

static void F04_a_sentence_behind_the_ranking_does_no_harm(void **unused)
{
	(void)unused;
	letters("[B] > [A]\n\nCandidate [A], however, is shorter than [B].", 2, "2 1");
	letters("B, A\n\nCandidate A, however, is shorter than B.", 2, "2 1");
	letters("[B], [A]\n\nCandidate [A], however, is shorter than [B].", 2, "2 1");
	letters("[\"B\", \"A\"]\nI put [A] behind [B] for its length.", 2, "2 1");
}

static void F05_prose_and_refusals_fail_and_all_tie(void **unused)
{
	(void)unused;
	fails("None of the queries answers the question.", RANKING_LETTERS, 4);
	fails("None of the 3 queries answers the question.", RANKING_NUMBERS, 4);
	fails("None of A, B, C or D answers the question.", RANKING_LETTERS, 4);
	fails("A better query would join on id. I cannot rank these.", RANKING_LETTERS,
	      9);
	fails("The queries do not answer a question like this.", RANKING_LETTERS, 4);
	fails("[A] joins x, [B] joins y, and [C] joins z.", RANKING_LETTERS, 3);
	fails("A: counts rows\nB: counts names\nC: counts both", RANKING_LETTERS, 3);
	fails("[A] < [B] > [C]", RANKING_LETTERS, 3);
	fails("", RANKING_LETTERS, 4);
	fails("[A]: 2\n[B]: 1\n[C]: 3", RANKING_LETTERS, 3);
	fails("Query A is wrong. Query B is right.", RANKING_LETTERS, 3);
	fails("{\"A\": 2, \"B\": 1}", RANKING_LETTERS, 2);
	fails("[2] > [1]", RANKING_LETTERS, 2);
	fails("[B] > [A]", RANKING_NUMBERS, 2);
}

static void F06_labels_outside_the_window_are_ignored_and_counted(void **unused)
{
	(void)unused;
	letters("[K] > [A]", 4, "1 3 3 3");
	assert_int_equal(r.n_out_of_range, 1);
	numbers("[0] > [2] > [9] > [1]", 3, "2 1 3");
	assert_int_equal(r.n_out_of_range, 2);
	letters("[B] = [K] = [A] > [C]", 3, "1.5 1.5 3");
	letters("[B] > [7] > [A]", 2, "2 1");
	assert_int_equal(r.n_out_of_range, 1);
}

static void F07_ties_case_bold_fences_lists_and_json_are_read(void **unused)
{
	(void)unused;
	letters("[A] > [B] = [C]", 3, "1 2.5 2.5");
	letters("a>b", 2, "1 2");
	letters("b>a", 2, "2 1");
	letters("**[B]** > [A]", 2, "2 1");
	letters("```\n[B] > [A]\n```", 2, "2 1");
	letters("1. B\n2. A", 2, "2 1");
	letters("[\"B\",\"A\"]", 2, "2 1");
	letters("A < B", 2, "2 1");
}

static void F07_relatives_of_these_forms_are_read(void **unused)
{
	(void)unused;
	letters("[A] < [B] = [C]", 3, "3 1.5 1.5");
	letters("[A] >> [C] >= [B]", 3, "1 3 2");
	letters("[A] == [C], [B]", 3, "1.5 3 1.5");
	letters("B -> A", 2, "2 1");
	letters("B => A", 2, "2 1");
	letters("**B > A**", 2, "2 1");
	letters("**[B] > [A]**.", 2, "2 1");
	letters("<b>[B]</b> > [A]<|im_end|>", 2, "2 1");
	letters("[B]\n> [A]\n> [C]", 3, "2 1 3");
	letters("[B] >\n[A] >\n[C]", 3, "2 1 3");
	letters("The best is [A]:\n> [B] > [A]", 2, "2 1");
	letters("```json\n{\"ranking\": [\"B\", \"A\"]}\n```", 2, "2 1");
	letters("[\n  \"B\",\n  \"A\"\n]", 2, "2 1");
	letters("[[\"B\"],[\"A\",\"C\"]]", 3, "2.5 1 2.5");
	letters("[\"[B]\", \"[A]\"]", 2, "2 1");
	letters("[B, A]", 2, "2 1");
	letters("[B > A]", 2, "2 1");
	letters("[Candidate B] > [Candidate A]", 2, "2 1");
	letters("Candidate B > Candidate A", 2, "2 1");
	letters("[B] [A]", 2, "2 1");
	letters("Ranking: B, A, C", 3, "2 1 3");
	letters("B, then A, and C", 3, "2 1 3");
	letters("Final ranking: [B], [A]", 2, "2 1");
	letters("1) B\n2) A", 2, "2 1");
	letters("1.B\n2.A", 2, "2 1");
	letters("1. [B]: it joins [A]'s tables, but once\n2. [A]: twice", 2, "2 1");
	letters("1. Candidate B\n   since it counts\n2. Candidate A", 2, "2 1");
	letters("1. **B** - good\n2. **A** - bad", 2, "2 1");
	letters("Rank 1: B\nRank 2: A", 2, "2 1");
	letters("| Rank | Candidate |\n|---|---|\n| 1 | [B] |\n| 2 | A |", 2, "2 1");
	letters("1 - B\n2 - A", 2, "2 1");
	letters("B > A > C. B is right because a > b.", 3, "2 1 3");
	letters("B > A > C\n\nExplanation:\n- B: counts.\n- A: does not.", 3, "2 1 3");
	letters("### Ranking:\n\n[B][A]", 2, "2 1");
	letters("- B\n- A\n- K\n", 2, "2 1");
	assert_int_equal(r.n_out_of_range, 1);
	letters("B\n\nA", 2, "2 1");
	letters("1. B, 2. A", 2, "2 1");
	letters("\\boxed{[B] > [A]}", 2, "2 1");
	letters("$B \\succ A$", 2, "2 1");
	letters("\\[B\\] > \\[A\\]", 2, "2 1");
	letters("[B] &gt; [A]", 2, "2 1");
	letters("(B) > (A)", 2, "2 1");
	letters("[ B ] > [ A ]\r\n", 2, "2 1");
	numbers("1. [2]\n2. [1]", 2, "2 1");
	numbers("1. 2\n2. 1", 2, "2 1");
	numbers("[2, 1]", 2, "2 1");
	numbers("2 > 1.", 2, "2 1");
	numbers("2, 1", 2, "2 1");
	numbers("#2 > #1", 2, "2 1");
}

static void other_scripts_digits_and_letters_are_read(void **unused)
{
	(void)unused;
	letters("【Ｂ】＞【Ａ】", 2, "2 1");
	letters("［Ｂ］ ≻ ［Ａ］ ≈ [C]", 3, "2.5 1 2.5");
	letters("Ⓑ > Ⓐ", 2, "2 1");
	letters("ⓑ > ⓐ", 2, "2 1");
	letters("🅱️ > 🅰️", 2, "2 1");
	letters("𝐁 > 𝐀", 2, "2 1");
	letters("[ᴮ] > [ᴬ]", 2, "2 1");
	letters("B → A", 2, "2 1");
	numbers("【２】＞【１】", 2, "2 1");
	numbers("② > ①", 2, "2 1");
	numbers("②①", 2, "2 1");
	numbers("[²] > [¹]", 2, "2 1");
	numbers("[₂] > [₁]", 2, "2 1");
	numbers("[¹²] > [①]", 12, "2 7.5 7.5 7.5 7.5 7.5 7.5 7.5 7.5 7.5 7.5 1");
	numbers("⑫ > ①", 12, "2 7.5 7.5 7.5 7.5 7.5 7.5 7.5 7.5 7.5 7.5 1");
	numbers("2️⃣ > 1️⃣", 2, "2 1");
	fails("Çelà n'est pas possible: à É", RANKING_LETTERS, 5);
}

static void prose_that_names_one_label_puts_it_first(void **unused)
{
	(void)unused;
	letters("The best candidate is [B].", 3, "2.5 1 2.5");
	letters("Answer: B", 3, "2.5 1 2.5");
	letters("B", 3, "2.5 1 2.5");
	letters("Option A is right.", 3, "1 2.5 2.5");
	letters("**A**", 3, "1 2.5 2.5");
	numbers("Candidate 2 is the only one of 3 that counts.", 3, "2.5 1 2.5");
	letters("I prefer [B] to [A].", 2, "2 1");
	assert_false(ranking_is_thin(&r));
}

static void only_an_answers_end_is_read(void **unused)
{
	static char text[3 * RANKING_TEXT];

	(void)unused;
	memset(text, 'x', sizeof text);
	memcpy(text, "[A] > [B]\n", 10);
	memcpy(text + sizeof text - 12, "\n[B] > [A]", 10);
	text[sizeof text - 1] = '\0';
	text[sizeof text - 2] = '\n';
	letters(text, 2, "2 1");
}

static void labels_are_written_as_they_are_read(void **unused)
{
	char label[RANKING_LABEL];

	(void)unused;
	ranking_label(RANKING_LETTERS, 25, label);
	assert_string_equal(label, "Z");
	ranking_label(RANKING_NUMBERS, 127, label);
	assert_string_equal(label, "128");
	ranking_label(RANKING_NUMBERS, 0, label);
	assert_string_equal(label, "1");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_asked_form_is_read),
		cmocka_unit_test(E07_thinking_is_dropped_with_either_or_both_tags),
		cmocka_unit_test(
			F01_digits_of_a_preamble_and_an_explanation_are_no_labels),
		cmocka_unit_test(F01_the_last_valid_chain_wins),
		cmocka_unit_test(F02_missing_labels_tie_behind_the_last_named),
		cmocka_unit_test(F04_a_sentence_behind_the_ranking_does_no_harm),
		cmocka_unit_test(F05_prose_and_refusals_fail_and_all_tie),
		cmocka_unit_test(F06_labels_outside_the_window_are_ignored_and_counted),
		cmocka_unit_test(F07_ties_case_bold_fences_lists_and_json_are_read),
		cmocka_unit_test(F07_relatives_of_these_forms_are_read),
		cmocka_unit_test(other_scripts_digits_and_letters_are_read),
		cmocka_unit_test(prose_that_names_one_label_puts_it_first),
		cmocka_unit_test(only_an_answers_end_is_read),
		cmocka_unit_test(labels_are_written_as_they_are_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
