/* results_verdict.c - verdicts are what the official scripts say, on real queries */
#include "tests/support/cm.h"

#include "tests/support/judge.h"

static struct sqlrig rig;
static struct orchard orchard;

/* `right` and `strict`: one letter a candidate, 1 or 0. */
static void says(const struct judge_case *c, const char *right, const char *strict)
{
	struct judgement j = judge(&rig, c, 0);

	for (uint32_t i = 0; i < j.v.n; i++)
		if (j.v.right[i] != right[i] - '0' || j.v.strict[i] != strict[i] - '0')
			fail_msg("%s: right %d, strict %d, %s %.*s", c->candidate[i],
				 j.v.right[i], j.v.strict[i],
				 status_name((enum status)j.v.status[i]),
				 (int)j.v.note[i].n, j.v.note[i].p);
	assert_int_equal(j.v.n, strlen(right));
	judgement_free(&j);
}

static void A01_duplicates_do_not_matter_to_bird_and_do_to_plain(void **unused)
{
	(void)unused;
	says(
		&(struct judge_case){
			.rule = RULE_bird,
			.gold = "SELECT DISTINCT kind FROM tree",
			.candidate = { "SELECT kind FROM tree",
				       "SELECT DISTINCT kind FROM tree",
				       "SELECT DISTINCT kind FROM tree WHERE "
				       "kind <> 'fig'" } },
		"110", "010");
}

static void A02_row_order_matters_where_gold_orders(void **unused)
{
	static const char gold[] = "SELECT id FROM tree ORDER BY height DESC, id";

	(void)unused;
	says(&(struct judge_case){ .rule = RULE_bird,
				   .gold = gold,
				   .candidate = { "SELECT id FROM tree" } },
	     "1", "0");
	says(&(struct judge_case){ .rule = RULE_spider,
				   .gold = gold,
				   .candidate = { "SELECT id FROM tree", gold } },
	     "01", "01");
	says(&(struct judge_case){ .rule = RULE_plain,
				   .gold = gold,
				   .candidate = { "SELECT id FROM tree", gold } },
	     "01", "01");
}

static void A03_one_permutation_of_columns_must_fit_all_rows(void **unused)
{
	(void)unused;
	says(
		&(struct judge_case){
			.rule = RULE_spider,
			.gold = "SELECT kind,COUNT(*) FROM tree GROUP BY kind",
			.candidate = { "SELECT COUNT(*),kind FROM tree GROUP BY "
				       "kind" } },
		"1", "0");
	says(
		&(struct judge_case){
			.rule = RULE_bird,
			.gold = "SELECT kind,COUNT(*) FROM tree GROUP BY kind",
			.candidate = { "SELECT COUNT(*),kind FROM tree GROUP BY "
				       "kind" } },
		"0", "0");
	says(&(struct judge_case){ .rule = RULE_spider,
				   .gold = "SELECT id,row_no FROM tree",
				   .candidate = { "SELECT row_no,id FROM tree" } },
	     "1", "0");
	/* Each row fits, but not by one permutation. */
	says(
		&(struct judge_case){
			.rule = RULE_spider,
			.gold = "SELECT 1, 2 UNION ALL SELECT 3, 4",
			.candidate = { "SELECT 1, 2 UNION ALL SELECT 4, 3",
				       "SELECT 2, 1 UNION ALL SELECT 4, 3" } },
		"01", "00");
}

/* OFFICIAL, Spider 8: the hasty test of the script, its fault included. */
static void spider_sorts_a_row_by_its_text_first(void **unused)
{
	(void)unused;
	says(&(struct judge_case){ .rule = RULE_spider,
				   .gold = "SELECT 1, 1.5",
				   .candidate = { "SELECT 1.0, 1.5", "SELECT 1.5, 1",
						  "SELECT 1.5, 1.0" } },
	     "010", "100");
	says(&(struct judge_case){ .rule = RULE_spider,
				   .gold = "SELECT 1, 2",
				   .candidate = { "SELECT 1.0, 2.0",
						  "SELECT 2.0, 1" } },
	     "11", "10");
}

static void A04_floats_are_compared_to_the_last_bit(void **unused)
{
	(void)unused;
	says(
		&(struct judge_case){
			.rule = RULE_bird,
			.gold = "SELECT 0.3",
			.candidate = { "SELECT SUM(kg) FROM pick WHERE tree_id=3" } },
		"0", "0");
}

static void A06_text_is_never_a_number_but_in_ehrsql(void **unused)
{
	(void)unused;
	says(&(struct judge_case){ .rule = RULE_bird,
				   .gold = "SELECT '3.0'",
				   .candidate = { "SELECT 3", "SELECT '3.0'" } },
	     "01", "01");
	says(&(struct judge_case){ .rule = RULE_ehrsql,
				   .gold = "SELECT '3.0'",
				   .candidate = { "SELECT 3", "SELECT 3.0001" } },
	     "11", "00");
}

static void A20_null_and_empty_and_zero_are_three_things(void **unused)
{
	(void)unused;
	says(
		&(struct judge_case){
			.rule = RULE_bird,
			.gold = "SELECT SUM(kg) FROM pick WHERE tree_id=99",
			.candidate = { "SELECT kg FROM pick WHERE tree_id=99",
				       "SELECT 0", "SELECT NULL" } },
		"001", "001");
}

static void two_empty_results_match_whatever_their_columns(void **unused)
{
	static const enum rule rules[] = { RULE_bird, RULE_spider, RULE_ehrsql,
					   RULE_plain };

	(void)unused;
	for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
		says(&(struct judge_case){ .rule = rules[i],
					   .gold = "SELECT id FROM tree WHERE id>9",
					   .candidate = { "SELECT 1, 2 WHERE 0", "",
							  "SELECT 1" } },
		     "110", "110");
}

static void C19_a_mismatch_an_error_and_a_timeout_are_told_apart(void **unused)
{
	const struct judge_case c = {
		.rule = RULE_bird,
		.gold = "SELECT 1",
		.candidate = { "SELECT 2", "SELEC 1",
			       "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 "
			       "FROM "
			       "n) SELECT count(*) FROM n",
			       "DELETE FROM tree" },
	};
	struct judgement j = judge(&rig, &c, 0);

	(void)unused;
	assert_int_equal(j.v.status[0], STATUS_rows);
	assert_int_equal(j.v.status[1], STATUS_error);
	assert_int_equal(j.v.status[2], STATUS_timeout);
	assert_int_equal(j.v.status[3], STATUS_refused);
	for (int i = 0; i < 4; i++)
		assert_int_equal(j.v.right[i], 0);
	judgement_free(&j);
}

static void C01_a_slow_gold_is_told_apart_and_all_are_wrong(void **unused)
{
	const struct judge_case c = {
		.rule = RULE_bird,
		.gold = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n "
			"WHERE "
			"i<300000000) SELECT count(*) FROM n",
		.candidate = { "SELECT 300000000" },
	};
	struct judgement j = judge(&rig, &c, 0);

	(void)unused;
	assert_int_equal(j.v.gold, STATUS_timeout);
	assert_int_equal(j.v.right[0], 0);
	assert_int_equal(j.v.status[0], STATUS_rows);
	judgement_free(&j);
}

static void D16_a_broken_gold_is_an_error_of_that_question(void **unused)
{
	const struct judge_case c = { .rule = RULE_spider,
				      .gold = "SELECT id FROM tree WHERE id=1 )",
				      .candidate = { "SELECT 1", "SELECT ) 1" } };
	struct judgement j = judge(&rig, &c, 0);

	(void)unused;
	assert_int_equal(j.v.gold, STATUS_error);
	assert_true(j.v.gold_note.n > 0);
	assert_int_equal(j.v.right[0] + j.v.right[1], 0); /* error never equals error */
	judgement_free(&j);
}

static void D01_text_that_is_not_utf8_stops_nothing(void **unused)
{
	const struct judge_case c = { .rule = RULE_bird,
				      .gold = "SELECT name FROM person",
				      .candidate = { "SELECT name FROM person" } };
	struct judgement j = judge(&rig, &c, 0);

	(void)unused; /* Python raises on it: wrong, and the note says why */
	assert_int_equal(j.v.right[0], 0);
	assert_true(view_eq(j.v.note[0], view_of("decode")));
	assert_true(view_eq(j.v.gold_note, view_of("decode")));
	judgement_free(&j);
	says(&(struct judge_case){ .rule = RULE_spider, /* drops the bytes */
				   .gold = "SELECT name FROM person",
				   .candidate = { "SELECT name FROM person" } },
	     "1", "1");
	says(&(struct judge_case){ .rule = RULE_plain, /* compares the bytes */
				   .gold = "SELECT name FROM person",
				   .candidate = { "SELECT name FROM person" } },
	     "1", "1");
}

static void ehrsql_abstention_is_an_answer(void **unused)
{
	struct judgement j;

	(void)unused;
	says(&(struct judge_case){ .rule = RULE_ehrsql,
				   .gold = "null",
				   .candidate = { "null", " null\n", "SELECT 1",
						  "SELECT 1 WHERE 0" } },
	     "1100", "1100");
	says(&(struct judge_case){ .rule = RULE_ehrsql,
				   .gold = "SELECT id FROM tree WHERE id > 9",
				   .candidate = { "null", "" } },
	     "01", "01");
	j = judge(&rig,
		  &(struct judge_case){ .rule = RULE_ehrsql,
					.gold = "SELECT 1",
					.candidate = { "null" } },
		  0);
	assert_int_equal(j.v.status[0], STATUS_abstain);
	judgement_free(&j);
}

static void spider_drops_distinct_unless_told_to_keep_it(void **unused)
{
	struct judge_case c = { .rule = RULE_spider,
				.gold = "SELECT DISTINCT kind FROM tree",
				.candidate = { "SELECT kind FROM tree" } };

	(void)unused;
	says(&c, "1", "1");
	c.keep_distinct = 1;
	says(&c, "0", "0");
}

static void a_match_is_asked_only_where_digests_do_not_tell(void **unused)
{
	const struct judge_case c = {
		.rule = RULE_spider,
		.gold = "SELECT id, row_no FROM tree",
		.candidate = { "SELECT id, row_no FROM tree",
			       "SELECT id, row_no FROM tree ORDER BY id DESC",
			       "SELECT row_no, id FROM tree", "SELECT id FROM tree",
			       "SELECT id, row_no FROM tree WHERE id<5",
			       "SELECT id, id FROM tree" },
	};
	struct judgement j = judge(&rig, &c, 0);

	(void)unused;
	assert_int_equal(j.execs, 6); /* gold's text is a candidate's too */
	assert_int_equal(j.matches, 1);
	judgement_free(&j);
}

static void the_order_in_which_facts_come_does_not_matter(void **unused)
{
	const struct judge_case c = {
		.rule = RULE_spider,
		.gold = "SELECT id, row_no FROM tree ORDER BY id",
		.candidate = { "SELECT row_no, id FROM tree ORDER BY id",
			       "SELECT row_no, id FROM tree ORDER BY id DESC",
			       "SELEC" },
	};
	struct judgement a = judge(&rig, &c, 0), b = judge(&rig, &c, 1);
	struct buf x = { 0 }, y = { 0 };

	(void)unused;
	assert_true(b.rounds > a.rounds);
	verdict_encode(&a.v, &x);
	verdict_encode(&b.v, &y);
	assert_true(view_eq(buf_view(&x), buf_view(&y)));
	assert_int_equal(a.v.right[0], 1);
	assert_int_equal(a.v.right[1], 0);
	buf_free(&x);
	buf_free(&y);
	judgement_free(&a);
	judgement_free(&b);
}

/* `f1`: what each candidate's should be; `asked`: tasks for them all. */
static void soft(const struct judge_case *c, const double *f1, uint32_t asked)
{
	struct judgement j = judge(&rig, c, 0);

	assert_non_null(j.v.soft_f1);
	for (uint32_t i = 0; i < j.v.n; i++)
		if (j.v.soft_f1[i] != f1[i])
			fail_msg("%s: soft F1 %.17g, not %.17g", c->candidate[i],
				 j.v.soft_f1[i], f1[i]);
	assert_int_equal(j.softs, asked);
	judgement_free(&j);
}

static void soft_f1_is_birds_and_asked_only_where_lists_differ(void **unused)
{
	(void)unused;
	/* The same list, one in another order asked once for two, an error, nothing. */
	soft(
		&(struct judge_case){
			.rule = RULE_bird,
			.gold = "SELECT 1, 'a' UNION ALL SELECT 2, 'b'",
			.candidate = { "SELECT 1.0, 'a' UNION ALL SELECT 2, 'b'",
				       "SELECT 2, 'b' UNION ALL SELECT 1, 'a'",
				       "SELECT 2,  'b' UNION ALL SELECT 1, 'a'",
				       "SELECT no", "SELECT 1 WHERE 0",
				       "SELECT 1 UNION ALL SELECT 2" } },
		(const double[]){ 1, 0, 0, 0, 0, 2. / 3 }, 2);
	soft(&(struct judge_case){ .rule = RULE_bird,
				   .gold = "SELECT 1 WHERE 0",
				   .candidate = { "SELECT 1, 2 WHERE 0", "SELECT 1" } },
	     (const double[]){ 1, 0 }, 0);
	/* Text that is no UTF-8 raises in the original. */
	soft(&(struct judge_case){ .rule = RULE_bird,
				   .gold = "SELECT 'a'",
				   .candidate = { "SELECT CAST(x'ff' AS TEXT)" } },
	     (const double[]){ 0 }, 0);
}

static void a_verdict_of_before_soft_f1_is_read(void **unused)
{
	uint8_t bit[] = { 1 };
	struct view note[] = { { "", 0 } };
	struct verdict v = { .n = 1,
			     .right = bit,
			     .strict = bit,
			     .status = bit,
			     .note = note,
			     .gold_note = note[0] };
	struct verdict w;
	struct arena a = { 0 };
	struct buf b = { 0 };

	(void)unused;
	verdict_encode(&v, &b);
	assert_int_equal((unsigned char)b.p[0], 0x99);
	b.p[0] = (char)0x97; /* an array of 7: without the last two, which are nil */
	assert_int_equal(verdict_decode((struct view){ b.p, b.n - 2 }, &a, &w), 0);
	assert_int_equal(w.right[0], 1);
	assert_null(w.soft_f1);
	assert_null(w.corrected);
	b.p[0] = (char)0x98;
	assert_int_equal(verdict_decode((struct view){ b.p, b.n - 1 }, &a, &w),
			 ERR_PROTO);
	arena_free(&a);
	buf_free(&b);
}

static void the_first_ehrsql_abstains_and_lower_cases(void **unused)
{
	(void)unused;
	says(&(struct judge_case){ .rule = RULE_ehrsql_v1,
				   .gold = "null",
				   .candidate = { "null", "NULL", "", "SELECT NULL" } },
	     "1100", "1100");
	/* Literals too are lower-cased; '500.0' is not 500 here. */
	says(&(struct judge_case){ .rule = RULE_ehrsql_v1,
				   .gold = "SELECT 'ABC', 500",
				   .candidate = { "SELECT 'abc', 500",
						  "SELECT 'abc', 500.0" } },
	     "10", "11");
	/* D09: the first edition's now. */
	says(
		&(struct judge_case){
			.rule = RULE_ehrsql_v1,
			.gold = "SELECT '2105'",
			.candidate = { "SELECT strftime('%Y', current_time)" } },
		"1", "1");
	says(
		&(struct judge_case){
			.rule = RULE_ehrsql_v1,
			.clock = "2100-12-31T23:59:00Z",
			.gold = "SELECT '2100'",
			.candidate = { "SELECT strftime('%Y', current_time)" } },
		"1", "1");
	/* B16: '' becomes ', and then it is no SQL any more. */
	says(&(struct judge_case){ .rule = RULE_ehrsql_v1,
				   .gold = "SELECT 1",
				   .candidate = { "SELECT 1 WHERE 'It''s'='It''s'" } },
	     "0", "0");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_ehrsql_abstains_and_lower_cases),
		cmocka_unit_test(soft_f1_is_birds_and_asked_only_where_lists_differ),
		cmocka_unit_test(a_verdict_of_before_soft_f1_is_read),
		cmocka_unit_test(A01_duplicates_do_not_matter_to_bird_and_do_to_plain),
		cmocka_unit_test(A02_row_order_matters_where_gold_orders),
		cmocka_unit_test(A03_one_permutation_of_columns_must_fit_all_rows),
		cmocka_unit_test(spider_sorts_a_row_by_its_text_first),
		cmocka_unit_test(A04_floats_are_compared_to_the_last_bit),
		cmocka_unit_test(A06_text_is_never_a_number_but_in_ehrsql),
		cmocka_unit_test(A20_null_and_empty_and_zero_are_three_things),
		cmocka_unit_test(two_empty_results_match_whatever_their_columns),
		cmocka_unit_test(C19_a_mismatch_an_error_and_a_timeout_are_told_apart),
		cmocka_unit_test(C01_a_slow_gold_is_told_apart_and_all_are_wrong),
		cmocka_unit_test(D16_a_broken_gold_is_an_error_of_that_question),
		cmocka_unit_test(D01_text_that_is_not_utf8_stops_nothing),
		cmocka_unit_test(ehrsql_abstention_is_an_answer),
		cmocka_unit_test(spider_drops_distinct_unless_told_to_keep_it),
		cmocka_unit_test(a_match_is_asked_only_where_digests_do_not_tell),
		cmocka_unit_test(the_order_in_which_facts_come_does_not_matter),
	};

	sqlrig_start(&rig, NULL, 0, 1);
	return sqlrig_run_tests(&rig, &orchard, tests);
}
