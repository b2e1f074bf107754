/* evidence.c - each feature sees what it is for, and a score is made of them as written
 */
#include "tests/support/cm.h"

#include "common/base/round.h"
#include "tests/support/kennel.h"
#include "worker/evidence.h"

#include <math.h>

static struct buf bytes;
static struct profile p;
static struct arena a;
static struct weights w; /* those that come with the program */

static int set_up(void **unused)
{
	(void)unused;
	p = kennel_profile(&bytes);
	return weights_builtin(&a, &w, NULL);
}

static int tear_down(void **unused)
{
	(void)unused;
	profile_free(&p);
	buf_free(&bytes);
	arena_free(&a);
	return 0;
}

static struct candidate_facts facts_of(enum status status, const char *question,
				       const char *evidence, struct dossier_member m)
{
	struct dossier d = { .id = view_of("1"),
			     .text = view_of(question),
			     .evidence = view_of(evidence) };
	struct asked q;
	struct reading *r;
	struct candidate_facts f;

	assert_int_equal(asked_of(&d, &p, &a, &q), 0);
	assert_int_equal(candidate_read(&p, m.sql, &a, &r), 0);
	assert_int_equal(asked_add(&q, r, &a), 0);
	assert_int_equal(candidate_facts(&q, r, status, &m, &a, &f), 0);
	return f;
}

static struct candidate_facts facts(enum status status, const char *sql)
{
	return facts_of(status, "Which pets?", "",
			(struct dossier_member){ .sql = view_of(sql), .votes = 1 });
}

#define VALUE(feature, status, sql) (facts(status, sql).value[FEATURE_##feature])

struct expected {
	enum status status;
	const char *sql;
	double value;
};

static void check(enum feature f, const struct expected *row, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (facts(row[i].status, row[i].sql).value[f] != row[i].value)
			fail_msg("%s: not %g", row[i].sql, row[i].value);
}

static void empty_is_1_for_no_row_unless_the_data_explain_it(void **unused)
{
	static const struct expected row[] = {
		{ STATUS_empty, "SELECT name FROM owner WHERE age > 90", 1 },
		{ STATUS_rows, "SELECT name FROM owner", 0 },
		/* the literal is held with other blanks, or in another case */
		{ STATUS_empty, "SELECT pet_id FROM pet WHERE species = ' cat'", 0 },
		{ STATUS_empty, "SELECT age FROM owner WHERE name = 'ANN'", 0 },
		/* a table without rows */
		{ STATUS_empty, "SELECT name FROM vet", 0 },
		/* a join over a column without values */
		{ STATUS_empty, "SELECT 1 FROM pet JOIN owner ON pet.chip = owner.name",
		  0 },
		/* a declared key whose sides have nothing in common */
		{ STATUS_empty,
		  "SELECT 1 FROM stray AS s JOIN owner AS o "
		  "ON s.owner_id = o.owner_id",
		  0 },
		/* a number kept as text, or the reverse, where no type mends it */
		{ STATUS_empty, "SELECT x FROM untyped WHERE y = 1", 0 },
		{ STATUS_empty, "SELECT x FROM untyped WHERE y < 5", 0 },
		{ STATUS_empty, "SELECT y FROM untyped WHERE x = '1'", 0 },
		{ STATUS_empty, "SELECT y FROM untyped WHERE x = 7", 1 },
		/* a blob that says what the literal says, a date with other marks */
		{ STATUS_empty, "SELECT x FROM untyped WHERE z = 'Tom'", 0 },
		{ STATUS_empty, "SELECT cost FROM visit WHERE day = '2024/01/02'", 0 },
		/* blobs alone, however compared, and joined with what is none */
		{ STATUS_empty, "SELECT x FROM untyped WHERE z LIKE 'To%'", 0 },
		{ STATUS_empty, "SELECT x FROM untyped WHERE z BETWEEN 'A' AND 'Z'",
		  0 },
		{ STATUS_empty,
		  "SELECT 1 FROM untyped AS u JOIN owner AS o "
		  "ON u.z = o.name",
		  0 },
		/* BETWEEN is a comparison like any other */
		{ STATUS_empty, "SELECT x FROM untyped WHERE y BETWEEN 0 AND 5", 0 },
		{ STATUS_empty, "SELECT name FROM owner WHERE age BETWEEN 90 AND 95",
		  1 },
		/* a declared key that works explains nothing */
		{ STATUS_empty,
		  "SELECT 1 FROM pet AS s JOIN owner AS o "
		  "ON s.owner_id = o.owner_id WHERE o.age > 90",
		  1 },
	};

	(void)unused;
	check(FEATURE_empty, row, sizeof row / sizeof *row);
}

static void zero_is_one_cell_that_is_0_unless_the_data_explain_it(void **unused)
{
	struct dossier_member m = {
		view_of("SELECT count(*) FROM owner WHERE age > 90"), 1, 1, 0, 1
	};

	(void)unused;
	assert_true(facts_of(STATUS_rows, "", "", m).value[FEATURE_zero] == 1);
	m.zero = 0;
	assert_true(facts_of(STATUS_rows, "", "", m).value[FEATURE_zero] == 0);
	m.zero = 1;
	m.sql = view_of("SELECT count(*) FROM vet");
	assert_true(facts_of(STATUS_rows, "", "", m).value[FEATURE_zero] == 0);
}

static void null_is_the_share_of_null_cells_unless_the_data_explain_it(void **unused)
{
	struct dossier_member m = { view_of("SELECT name, age FROM owner"), 1, 0, 3,
				    12 };

	(void)unused;
	assert_true(facts_of(STATUS_rows, "", "", m).value[FEATURE_null] == 0.25);
	m.nulls = m.cells = 0;
	assert_true(facts_of(STATUS_empty, "", "", m).value[FEATURE_null] == 0);
	m = (struct dossier_member){ view_of("SELECT max(name) FROM vet"), 1, 0, 1, 1 };
	assert_true(facts_of(STATUS_rows, "", "", m).value[FEATURE_null] == 0);
}

static void valmiss_counts_literals_that_their_column_does_not_hold(void **unused)
{
	static const struct expected row[] = {
		{ STATUS_rows,
		  "SELECT 1 FROM owner WHERE name = 'Ann' AND town = 'OSLO'", 0 },
		{ STATUS_rows,
		  "SELECT 1 FROM owner WHERE name = 'Ann' AND town = 'Paris'", 1 },
		{ STATUS_rows,
		  "SELECT 1 FROM owner AS T1 WHERE T1.name = \"Zed\" AND "
		  "T1.town IN ('Oslo', 'Bergen')",
		  2 },
		/* to exclude what is nowhere is no fault if nobody knows better */
		{ STATUS_rows,
		  "SELECT 1 FROM owner AS T1 WHERE T1.name <> \"Zed\" AND "
		  "T1.town NOT IN ('Bergen', 'Paris')",
		  0 },
		{ STATUS_rows,
		  "SELECT 1 FROM owner WHERE town NOT IN ('Oslo', 'Bergen')", 1 },
		/* it is there with other blanks, or in another case */
		{ STATUS_rows, "SELECT 1 FROM pet WHERE species = 'cat '", 0 },
		/* what looks like a date is not asked for */
		{ STATUS_rows, "SELECT 1 FROM visit WHERE day = '2031-01-01'", 0 },
		/* the same literal twice is one; never more than 3 */
		{ STATUS_rows, "SELECT 1 FROM owner WHERE name = 'x' OR name = 'x'",
		  1 },
		{ STATUS_rows,
		  "SELECT 1 FROM owner WHERE name IN "
		  "('p','q','r','s','t')",
		  3 },
		/* a view's values are not known */
		{ STATUS_rows, "SELECT 1 FROM heavy WHERE species = 'cow'", 0 },
	};

	(void)unused;
	check(FEATURE_valmiss, row, sizeof row / sizeof *row);
}

static void fcov_is_the_share_of_asked_words_that_the_query_uses(void **unused)
{
	struct dossier_member m = { view_of("SELECT species FROM pet"), 1, 0, 0, 1 };
	static const char question[] =
		"What species and weights have the pets of owners?";

	(void)unused;
	/* asked: species, weight, pet, owner */
	assert_true(facts_of(STATUS_rows, question, "", m).value[FEATURE_fcov] == 0.5);
	m.sql = view_of("SELECT species, weight FROM pet JOIN owner "
			"ON pet.owner_id = owner.owner_id");
	assert_true(facts_of(STATUS_rows, question, "", m).value[FEATURE_fcov] == 1);
	/* a star uses the table, not every column's name */
	m.sql = view_of("SELECT * FROM pet");
	assert_true(facts_of(STATUS_rows, question, "", m).value[FEATURE_fcov] == 0.25);
	/* nothing asked */
	assert_true(facts_of(STATUS_rows, "Why?", "", m).value[FEATURE_fcov] == 0);
	/* the evidence asks too */
	assert_true(facts_of(STATUS_rows, "Why?", "pet refers to cost", m)
			    .value[FEATURE_fcov] == 0.5);
}

static void funsup_counts_columns_that_nobody_asked_for(void **unused)
{
	struct dossier_member m = { view_of("SELECT species, weight, chip, owner_id "
					    "FROM pet"),
				    1, 0, 0, 1 };

	(void)unused;
	assert_true(
		facts_of(STATUS_rows, "Which species?", "", m).value[FEATURE_funsup] ==
		2);
	assert_true(
		facts_of(STATUS_rows, "Which species?", "heavy means WEIGHT > 20", m)
			.value[FEATURE_funsup] == 1);
	m.sql = view_of("SELECT * FROM pet");
	assert_true(facts_of(STATUS_rows, "Which?", "", m).value[FEATURE_funsup] == 0);
	m.sql = view_of("SELECT name, town, age, species, weight, chip, keeper "
			"FROM owner, pet");
	assert_true(facts_of(STATUS_rows, "Which?", "", m).value[FEATURE_funsup] == 4);
}

static void joinbad_counts_joins_of_columns_that_do_not_belong_together(void **unused)
{
	static const char *const good[] = {
		"SELECT 1 FROM pet JOIN owner ON pet.owner_id = owner.owner_id",
		"SELECT 1 FROM pet JOIN owner USING (owner_id)",
		"SELECT 1 FROM pet a JOIN pet b ON a.species = b.species",
		"SELECT 1 FROM pet JOIN owner ON pet.keeper = owner.owner_id",
		"SELECT 1 FROM owner WHERE owner_id IN (SELECT keeper FROM pet)",
		"SELECT 1 FROM loose JOIN owner ON loose.a = owner.age",
	};
	static const char *const bad[] = {
		"SELECT 1 FROM pet JOIN owner ON pet.pet_id = owner.owner_id",
		"SELECT 1 FROM owner WHERE owner_id IN (SELECT weight FROM pet)",
		"SELECT 1 FROM pet AS x, owner AS y WHERE x.species = y.town AND 1",
	};

	(void)unused;
	for (size_t i = 0; i < sizeof good / sizeof *good; i++)
		assert_true(VALUE(joinbad, STATUS_rows, good[i]) == 0);
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		assert_true(VALUE(joinbad, STATUS_rows, bad[i]) == 1);
	assert_true(
		VALUE(joinbad, STATUS_rows,
		      "SELECT 1 FROM pet x, owner y, visit z, pet w WHERE x.weight = "
		      "y.age AND z.cost = y.age AND z.visit_id = w.pet_id AND "
		      "w.weight = z.cost") == 3);
}

static void a_query_that_cannot_be_read_has_no_facts_and_does_no_harm(void **unused)
{
	static const char *const texts[] = { "", "SELEC", "(((", "SELECT FROM WHERE ''",
					     "\xff\xfe" };

	(void)unused;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		assert_true(VALUE(valmiss, STATUS_rows, texts[i]) == 0);
}

static void mp_cmp_is_the_likelihood_by_cosine_squared_and_bank_mean(void **unused)
{
	struct neighbours near = { .n = 2,
				   .near = { { 1u << SQL_GT, 0.5 }, { 0, 1.0 } } };
	double bits[SQL_COMPARES] = { 0 }, none, gt, p_gt;

	(void)unused;
	for (int i = 0; i < SQL_COMPARES; i++)
		near.share[i] = 0.1;
	none = neighbours_likelihood(&near, bits);
	bits[SQL_GT] = 1;
	gt = neighbours_likelihood(&near, bits);
	p_gt = (2.0 * 0.1 + 0.25) / (2.0 + 0.25 + 1.0);
	assert_true(fabs((gt - none) - (log(p_gt) - log(1 - p_gt))) < 1e-12);
	near.share[SQL_OR] = 0; /* nobody makes it: still not impossible */
	near.n = 0;
	bits[SQL_OR] = 1;
	assert_true(isfinite(neighbours_likelihood(&near, bits)));
	for (int i = 0; i < SQL_COMPARES; i++)
		near.share[i] = bits[i] = 0;
	none = neighbours_likelihood(&near, bits);
	assert_true(fabs(none - SQL_COMPARES * log(.98)) < 1e-12);
	bits[SQL_OR] = 1;
	gt = neighbours_likelihood(&near, bits);
	assert_true(fabs((gt - none) - (log(.02) - log(.98))) < 1e-12);
}

/* Three groups: five for a query with rows, two empty, one that abstains. */
static struct dossier three(struct dossier_group g[3], struct dossier_member m[3])
{
	m[0] = (struct dossier_member){ view_of("SELECT name FROM owner"), 5, 0, 0, 3 };
	m[1] = (struct dossier_member){
		view_of("SELECT name FROM owner WHERE name = 'Zed'"), 2, 0, 0, 0
	};
	g[0] = (struct dossier_group){ STATUS_rows, 5, &m[0], 1 };
	g[1] = (struct dossier_group){ STATUS_empty, 2, &m[1], 1 };
	g[2] = (struct dossier_group){ STATUS_abstain, 1, NULL, 0 };
	return (struct dossier){ .id = view_of("7"),
				 .text = view_of("Which owners are called Zed?"),
				 .evidence = view_of(""),
				 .asked = 10,
				 .failed = 2,
				 .group = g,
				 .n = 3 };
}

static double feature(const struct score_out *s, uint32_t group, enum feature f)
{
	return s->feature[group * s->features + f];
}

/* What a query of three votes is charged with where one vote is for `other`; NULL:
 * there is no other. */
static double charged(enum feature f, enum status status, const char *sql,
		      const char *other)
{
	struct dossier_member m[2] = { { view_of(sql), 3, 0, 0, 0 },
				       { view_of(other ? other : ""), 1, 0, 0, 1 } };
	struct dossier_group g[2] = { { status, 3, &m[0], 1 },
				      { STATUS_rows, 1, &m[1], 1 } };
	struct dossier d = { .id = view_of("7"),
			     .text = view_of("How old is Ann?"),
			     .evidence = view_of(""),
			     .asked = 4,
			     .group = g,
			     .n = other ? 2 : 1 };
	struct evidence v;

	assert_int_equal(evidence_gather(&d, &p, &a, &v, NULL), 0);
	return v.group[0].value[f];
}

static void a_spelling_is_a_fault_where_another_candidate_has_it_right(void **unused)
{
	static const char wrong[] = "SELECT age FROM owner WHERE name = 'ann'";
	static const char right[] = "SELECT age FROM owner WHERE name = 'Ann'";

	(void)unused;
	assert_true(charged(FEATURE_empty, STATUS_empty, wrong, right) == 1);
	assert_true(charged(FEATURE_valmiss, STATUS_empty, wrong, right) == 1);
	/* nobody has it right: the data may be at fault */
	assert_true(charged(FEATURE_empty, STATUS_empty, wrong, NULL) == 0);
	assert_true(charged(FEATURE_valmiss, STATUS_empty, wrong, NULL) == 0);
}

static void to_exclude_what_is_nowhere_is_a_fault_if_somebody_knows_better(
	void **unused)
{
	static const char nowhere[] = "SELECT age FROM owner WHERE name <> 'Zoe'";
	static const char elsewhere[] = "SELECT age FROM owner WHERE name <> 'Oslo'";
	static const char name[] = "SELECT age FROM owner WHERE name <> 'Ann'";
	static const char town[] = "SELECT age FROM owner WHERE town <> 'Oslo'";

	(void)unused;
	/* the other names a value of its column, one of another, the same of another */
	assert_true(charged(FEATURE_valmiss, STATUS_rows, nowhere, name) == 1);
	assert_true(charged(FEATURE_valmiss, STATUS_rows, nowhere, town) == 0);
	assert_true(charged(FEATURE_valmiss, STATUS_rows, elsewhere, town) == 1);
}

static void where_the_data_explain_a_fifth_of_the_votes_the_vote_stands(void **unused)
{
	static const char hidden[] = "SELECT age FROM owner WHERE name = 'ANN'";
	static const char other[] = "SELECT count(*) FROM pet WHERE species = 'cow'";
	struct dossier_group g[3];
	struct dossier_member m[2] = { { view_of(hidden), 3, 0, 0, 0 },
				       { view_of(other), 2, 1, 0, 1 } };
	struct dossier d = { .id = view_of("7"),
			     .text = view_of("How old is Ann?"),
			     .evidence = view_of(""),
			     .asked = 8,
			     .failed = 2,
			     .group = g,
			     .n = 3 };
	struct score_out s;

	(void)unused;
	g[0] = (struct dossier_group){ STATUS_empty, 3, &m[0], 1 };
	g[1] = (struct dossier_group){ STATUS_rows, 2, &m[1], 1 };
	g[2] = (struct dossier_group){ STATUS_abstain, 1, NULL, 0 };
	assert_int_equal(evidence_score(&d, &p, NULL, 42, EVIDENCE_FULL, &a, &s, NULL),
			 0);
	assert_true(s.stands && s.explained == round20(0.6));
	for (uint32_t i = 0; i < 3; i++)
		for (int f = 0; f < FEATURES; f++)
			assert_true(!feature_drawn((enum feature)f) ||
				    feature(&s, i, (enum feature)f) == 0);
	assert_true(feature(&s, 2, FEATURE_isabs) == 1);
	assert_true(s.score[0] > s.score[1]);
	/* with less than a fifth, only those votes are let off */
	m[0].votes = g[0].votes = 1;
	m[1].votes = g[1].votes = 5;
	assert_int_equal(evidence_score(&d, &p, NULL, 42, EVIDENCE_FULL, &a, &s, NULL),
			 0);
	assert_false(s.stands);
	assert_true(feature(&s, 0, FEATURE_zero) == -0.5);
	assert_true(feature(&s, 0, FEATURE_empty) == 0);
	assert_true(feature(&s, 1, FEATURE_valmiss) == 0.5);
}

static void sizes_and_abstention_are_not_centred(void **unused)
{
	struct dossier_group g[3];
	struct dossier_member m[3];
	struct dossier d = three(g, m);
	struct score_out s;

	(void)unused;
	assert_int_equal(evidence_score(&d, &p, NULL, 42, EVIDENCE_FULL, &a, &s, NULL),
			 0);
	assert_true(feature(&s, 0, FEATURE_lsize) == 0);
	assert_true(feature(&s, 1, FEATURE_lsize) == round20(log(2.0 / 5.0)) ||
		    fabs(feature(&s, 1, FEATURE_lsize) - log(0.4)) < 2e-6);
	assert_true(feature(&s, 2, FEATURE_isabs) == 1);
	assert_true(feature(&s, 2, FEATURE_abs_fail) == round20(0.2));
	assert_true(feature(&s, 0, FEATURE_abs_fail) == 0);
}

static void other_features_are_centred_over_the_groups_that_answer(void **unused)
{
	struct dossier_group g[3];
	struct dossier_member m[3];
	struct dossier d = three(g, m);
	struct score_out s;

	(void)unused;
	assert_int_equal(evidence_score(&d, &p, NULL, 42, EVIDENCE_FULL, &a, &s, NULL),
			 0);
	assert_true(feature(&s, 0, FEATURE_empty) == -0.5);
	assert_true(feature(&s, 1, FEATURE_empty) == 0.5);
	assert_true(feature(&s, 2, FEATURE_empty) == 0);
	assert_true(feature(&s, 1, FEATURE_valmiss) == 0.5);
	assert_true(feature(&s, 2, FEATURE_valmiss) == 0);
}

static void a_group_feature_is_the_mean_by_votes(void **unused)
{
	struct dossier_group g[3];
	struct dossier_member m[3];
	struct dossier d = three(g, m);
	struct dossier_member both[2] = { m[1], m[1] };
	struct evidence v;

	(void)unused;
	both[0].votes = 3;
	both[1].sql = view_of("SELECT name FROM owner WHERE age > 90");
	both[1].votes = 1;
	g[1].member = both;
	g[1].n = 2;
	g[1].votes = 4;
	assert_int_equal(evidence_gather(&d, &p, &a, &v, NULL), 0);
	assert_true(v.group[1].value[FEATURE_valmiss] == 0.75);
	assert_true(v.group[1].compares[SQL_GT] == 0.25);
}

static void the_score_is_the_weighted_sum_and_a_bonus_for_the_largest(void **unused)
{
	struct neighbours near = { .n = 1, .near = { { 1u << SQL_GT, 0.9 } } };
	struct dossier_group g[3];
	struct dossier_member m[3];
	struct dossier d = three(g, m);
	struct score_out s;

	(void)unused;
	for (int with = 0; with < 2; with++) {
		assert_int_equal(evidence_score(&d, &p, with ? &near : NULL, 42,
						EVIDENCE_FULL, &a, &s, NULL),
				 0);
		assert_int_equal(s.largest, 0);
		for (uint32_t i = 0; i < 3; i++) {
			double sum = i == 0 ? w.bonus[with] : 0;

			for (int f = 0; f < FEATURES; f++)
				sum += s.times[f] * w.feature[with][f] *
				       feature(&s, i, (enum feature)f);
			assert_true(fabs(sum - s.score[i]) < 1e-4);
			assert_true(s.score[i] == round20(s.score[i]));
		}
	}
}

static void what_centring_took_off_is_kept_beside(void **unused)
{
	struct dossier_group g[3];
	struct dossier_member m[3];
	struct dossier d = three(g, m);
	struct evidence v;
	struct score_out s;

	(void)unused;
	assert_int_equal(evidence_gather(&d, &p, &a, &v, NULL), 0);
	assert_int_equal(evidence_pass(&v, &w, NULL, 42, EVIDENCE_FULL, &a, &s, NULL),
			 0);
	for (int f = 0; f < FEATURES; f++)
		for (uint32_t i = 0; i < v.n && !v.group[i].abstains; i++)
			assert_true(fabs(feature(&s, i, (enum feature)f) + s.mean[f] -
					 v.group[i].value[f]) < 1e-5);
	assert_true(s.mean[FEATURE_lsize] == 0);
}

static void other_weights_make_other_scores(void **unused)
{
	struct dossier_group g[3];
	struct dossier_member m[3];
	struct dossier d = three(g, m);
	struct weights none = { 0 };
	struct evidence v;
	struct score_out s;

	(void)unused;
	none.feature[0][FEATURE_lsize] = 1;
	none.bonus[0] = 2;
	assert_int_equal(evidence_gather(&d, &p, &a, &v, NULL), 0);
	evidence_pass(&v, &none, NULL, 42, EVIDENCE_FULL, &a, &s, NULL);
	assert_true(s.score[s.largest] == 2);
	for (uint32_t i = 0; i < s.groups; i++)
		if (i != s.largest)
			assert_true(s.score[i] == feature(&s, i, FEATURE_lsize));
}

static void a_pass_draws_as_many_features_as_can_be_drawn(void **unused)
{
	struct neighbours near = { .n = 1, .near = { { 0, 0.9 } } };
	struct dossier_group g[3];
	struct dossier_member m[3];
	struct dossier d = three(g, m);
	struct score_out s;
	int differ = 0;
	uint32_t first[FEATURES];

	(void)unused;
	for (int64_t pass = 0; pass < 20; pass++) {
		uint32_t sum = 0;

		evidence_score(&d, &p, pass % 2 ? &near : NULL, 42, pass, &a, &s, NULL);
		assert_int_equal(s.times[FEATURE_lsize], 1);
		assert_int_equal(s.times[FEATURE_isabs], 1);
		assert_int_equal(s.times[FEATURE_abs_fail], 1);
		for (int f = FEATURE_empty; f < FEATURES; f++)
			sum += s.times[f];
		assert_int_equal(sum, pass % 2 ? 8 : 7);
		if (pass % 2 == 0)
			assert_int_equal(s.times[FEATURE_mp_cmp], 0);
		if (!pass)
			memcpy(first, s.times, sizeof first);
		differ |= memcmp(first, s.times, sizeof first) != 0;
	}
	assert_true(differ);
}

static void the_same_pass_gives_the_same_bytes_and_the_seed_matters(void **unused)
{
	struct dossier_group g[3];
	struct dossier_member m[3];
	struct dossier d = three(g, m);
	struct buf b[3] = { { 0 } };
	struct score_out s;

	(void)unused;
	for (int i = 0; i < 3; i++) {
		evidence_score(&d, &p, NULL, i == 2 ? 43 : 42, 3, &a, &s, NULL);
		score_out_encode(&s, &b[i]);
	}
	assert_true(view_eq(buf_view(&b[0]), buf_view(&b[1])));
	assert_false(view_eq(buf_view(&b[0]), buf_view(&b[2])));
	for (int i = 0; i < 3; i++)
		buf_free(&b[i]);
}

static void no_group_at_all_and_only_abstention_are_fine(void **unused)
{
	struct dossier_group g = { STATUS_abstain, 3, NULL, 0 };
	struct dossier d = { .id = view_of("1"),
			     .text = view_of(""),
			     .evidence = view_of(""),
			     .asked = 3 };
	struct score_out s;

	(void)unused;
	assert_int_equal(evidence_score(&d, &p, NULL, 1, 0, &a, &s, NULL), 0);
	assert_int_equal(s.groups, 0);
	d.group = &g;
	d.n = 1;
	assert_int_equal(evidence_score(&d, &p, NULL, 1, 0, &a, &s, NULL), 0);
	assert_true(s.score[0] == round20(w.feature[0][FEATURE_isabs] + w.bonus[0]));
}

static void a_dossier_survives_its_encoding_and_a_cut_one_is_refused(void **unused)
{
	struct dossier_group g[3];
	struct dossier_member m[3];
	struct dossier d = three(g, m), got;
	struct buf b = { 0 }, again = { 0 };

	(void)unused;
	dossier_encode(&d, &b);
	assert_int_equal(dossier_decode(buf_view(&b), &a, &got, NULL), 0);
	dossier_encode(&got, &again);
	assert_true(view_eq(buf_view(&b), buf_view(&again)));
	for (size_t n = 0; n < b.n; n++)
		assert_int_equal(
			dossier_decode((struct view){ b.p, n }, &a, &got, NULL),
			ERR_PROTO);
	g[1].status = STATUS_error; /* what failed is in no group */
	buf_clear(&b);
	dossier_encode(&d, &b);
	assert_int_equal(dossier_decode(buf_view(&b), &a, &got, NULL), ERR_PROTO);
	buf_free(&b);
	buf_free(&again);
}

static void scores_survive_their_encoding_and_cut_ones_are_refused(void **unused)
{
	struct dossier_group g[3];
	struct dossier_member m[3];
	struct dossier d = three(g, m);
	struct score_out s, got;
	struct buf b = { 0 }, again = { 0 };

	(void)unused;
	evidence_score(&d, &p, NULL, 42, 1, &a, &s, NULL);
	score_out_encode(&s, &b);
	assert_int_equal(score_out_decode(buf_view(&b), &a, &got, NULL), 0);
	score_out_encode(&got, &again);
	assert_true(view_eq(buf_view(&b), buf_view(&again)));
	for (size_t n = 0; n < b.n; n++)
		assert_int_equal(
			score_out_decode((struct view){ b.p, n }, &a, &got, NULL),
			ERR_PROTO);
	buf_free(&b);
	buf_free(&again);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(empty_is_1_for_no_row_unless_the_data_explain_it),
		cmocka_unit_test(zero_is_one_cell_that_is_0_unless_the_data_explain_it),
		cmocka_unit_test(
			null_is_the_share_of_null_cells_unless_the_data_explain_it),
		cmocka_unit_test(
			valmiss_counts_literals_that_their_column_does_not_hold),
		cmocka_unit_test(fcov_is_the_share_of_asked_words_that_the_query_uses),
		cmocka_unit_test(funsup_counts_columns_that_nobody_asked_for),
		cmocka_unit_test(
			joinbad_counts_joins_of_columns_that_do_not_belong_together),
		cmocka_unit_test(
			a_query_that_cannot_be_read_has_no_facts_and_does_no_harm),
		cmocka_unit_test(
			mp_cmp_is_the_likelihood_by_cosine_squared_and_bank_mean),
		cmocka_unit_test(
			a_spelling_is_a_fault_where_another_candidate_has_it_right),
		cmocka_unit_test(
			to_exclude_what_is_nowhere_is_a_fault_if_somebody_knows_better),
		cmocka_unit_test(
			where_the_data_explain_a_fifth_of_the_votes_the_vote_stands),
		cmocka_unit_test(sizes_and_abstention_are_not_centred),
		cmocka_unit_test(
			other_features_are_centred_over_the_groups_that_answer),
		cmocka_unit_test(a_group_feature_is_the_mean_by_votes),
		cmocka_unit_test(
			the_score_is_the_weighted_sum_and_a_bonus_for_the_largest),
		cmocka_unit_test(what_centring_took_off_is_kept_beside),
		cmocka_unit_test(other_weights_make_other_scores),
		cmocka_unit_test(a_pass_draws_as_many_features_as_can_be_drawn),
		cmocka_unit_test(
			the_same_pass_gives_the_same_bytes_and_the_seed_matters),
		cmocka_unit_test(no_group_at_all_and_only_abstention_are_fine),
		cmocka_unit_test(
			a_dossier_survives_its_encoding_and_a_cut_one_is_refused),
		cmocka_unit_test(
			scores_survive_their_encoding_and_cut_ones_are_refused),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
