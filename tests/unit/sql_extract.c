/* sql_extract.c - the right SQL out of answers as models write them */
#include "tests/support/cm.h"

#include "common/sql/extract.h"

static void expect(const char *answer, const char *sql)
{
	struct extract x = extract_sql(view_of(answer));

	if (x.reason != EXTRACT_OK || !view_eq(x.sql, view_of(sql)))
		fail_msg("%s: %s, got '%.*s'", answer, extract_text(x.reason),
			 (int)x.sql.n, x.sql.p ? x.sql.p : "");
}

static void refuse(const char *answer, enum extract_reason reason)
{
	struct extract x = extract_sql(view_of(answer));

	if (x.reason != reason)
		fail_msg("%s: %s", answer, extract_text(x.reason));
}

static void B03_the_last_complete_block_wins(void **unused)
{
	(void)unused;
	expect("draft ```sql\nSELECT 1\n``` final ```sql\nSELECT kind FROM tree\n```",
	       "SELECT kind FROM tree");
	expect("```sql\nSELECT 1\n```\n```\nsome output\n```", "SELECT 1");
	expect("```\nSELECT 2\n``` and ```python\nprint(1)\n```", "SELECT 2");
	expect("```SQL\nSELECT 3;\n```", "SELECT 3;");
	expect("```sqlite SELECT 4```", "SELECT 4");
	expect("```sql\nSELECT 1\n``` then ```sql\nSELECT 2", "SELECT 1");
}

static void B04_what_is_thought_is_not_the_answer(void **unused)
{
	(void)unused;
	expect("<think>maybe ```sql\nSELECT 2\n``` no</think>```sql\nSELECT 1\n```",
	       "SELECT 1");
	expect("maybe ```sql\nSELECT 2\n``` no</think>```sql\nSELECT 1\n```",
	       "SELECT 1");
	refuse("<think>maybe ```sql\nSELECT 2\n```", EXTRACT_THINKING);
}

static void an_answer_may_begin_inside_a_fence_the_prompt_opened(void **unused)
{
	(void)unused;
	expect("SELECT a FROM t\nWHERE b = 1\n```\nThis query ...",
	       "SELECT a FROM t\nWHERE b = 1");
	expect("WITH q AS (SELECT 1) SELECT * FROM q```",
	       "WITH q AS (SELECT 1) SELECT * FROM q");
}

static void the_answer_tag_holds_it(void **unused)
{
	(void)unused;
	expect("<think>x</think><answer>SELECT ';\n' AS a</answer>",
	       "SELECT ';\n' AS a");
	expect("<think>x</think><answer>\n```sql\nSELECT 1\n```\n</answer>",
	       "SELECT 1");
	expect("<answer>SELECT 1", "SELECT 1");
}

static void prose_is_searched_last(void **unused)
{
	(void)unused;
	expect("Sure! SELECT a FROM t WHERE b = ';';",
	       "SELECT a FROM t WHERE b = ';';");
	expect("With this in mind I select the column.\nSELECT a FROM t;",
	       "SELECT a FROM t;");
	expect("select a from t", "select a from t");
	expect("```sql\nSELECT a FROM t", "SELECT a FROM t");
	expect("Use with q(x) as (select 1) select x from q; Good luck",
	       "with q(x) as (select 1) select x from q;");
	refuse("I cannot answer this.", EXTRACT_NONE);
	refuse("", EXTRACT_NONE);
	refuse("```sql\n\n```", EXTRACT_NONE);
}

static void literals_stay_as_they_are(void **unused)
{
	(void)unused;
	expect("```sql\nSELECT 'a;b\n--c' -- d\n```", "SELECT 'a;b\n--c' -- d");
}

static void only_one_statement_that_reads_is_taken(void **unused)
{
	(void)unused;
	refuse("```sql\nSELECT 1; SELECT 2\n```", EXTRACT_MULTI);
	refuse("```sql\nDELETE FROM t\n```", EXTRACT_WRITE);
	refuse("```sql\nWITH z AS (SELECT 1) DELETE FROM pick\n```", EXTRACT_WRITE);
	refuse("```sql\nPRAGMA user_version=7\n```", EXTRACT_WRITE);
	refuse("```sql\nSELECT ?\n```", EXTRACT_PARAMETERS);
	expect("```sql\nWITH z AS (SELECT 'DELETE') SELECT * FROM z\n```",
	       "WITH z AS (SELECT 'DELETE') SELECT * FROM z");
	assert_int_equal(extract_check(view_of("VALUES (1)")), EXTRACT_OK);
	assert_int_equal(extract_check(view_of("ATTACH 'x' AS y")), EXTRACT_WRITE);
	assert_int_equal(extract_check((struct view){ "SELECT 1\0", 9 }), EXTRACT_NUL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(B03_the_last_complete_block_wins),
		cmocka_unit_test(B04_what_is_thought_is_not_the_answer),
		cmocka_unit_test(an_answer_may_begin_inside_a_fence_the_prompt_opened),
		cmocka_unit_test(the_answer_tag_holds_it),
		cmocka_unit_test(prose_is_searched_last),
		cmocka_unit_test(literals_stay_as_they_are),
		cmocka_unit_test(only_one_statement_that_reads_is_taken),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
