/* task.c - a task's key is its content, and settings travel whole */
#include "tests/support/cm.h"

#include "common/base/pack.h"
#include "proto/settings.h"
#include "proto/status.h"
#include "proto/sweep.h"
#include "proto/task.h"

#include <string.h>

static void is_a_kind(enum kind k, const char *name)
{
	assert_true(k < KIND_END);
	assert_string_equal(kind_name(k), name);
	assert_int_equal(kind_by_name(name), k);
	assert_true(kind_lane(k) < LANES);
	assert_true(lane_credit(kind_lane(k)) > 0);
}

static void every_kind_and_role_and_status_has_its_name(void **unused)
{
	(void)unused;
#define KIND(name, number, version, lane, what) is_a_kind(KIND_##name, #name);
#include "proto/kinds.def"
#undef KIND
	assert_string_equal(kind_name(KIND_NONE), "?");
	assert_string_equal(kind_name((enum kind)99), "?");
	assert_int_equal(kind_by_name("nonsense"), KIND_NONE);
	assert_string_equal(role_name(ROLE_SELECT), "SELECT");
	for (int s = 0; s < STATUSES; s++)
		assert_int_equal(status_by_name(status_name((enum status)s)), s);
	assert_int_equal(status_by_name("?"), -1);
}

static void the_words_of_a_run_are_those_of_the_command_line(void **unused)
{
	(void)unused;
	assert_string_equal(judge_words[JUDGE_simulated], "simulated");
	assert_string_equal(permute_words[PERMUTE_between], "between");
	assert_string_equal(unit_words[UNIT_candidate], "candidate");
	assert_string_equal(tie_words[TIE_none], "none");
}

static void a_spec_opens_only_whole_and_of_this_version(void **unused)
{
	struct hash h[3] = { hash_of("env", 3), hash_of("db", 2), hash_of("sql", 3) };
	struct buf b = { 0 };
	struct cursor c;

	(void)unused;
	spec_exec(&b, &h[0], &h[1], &h[2]);
	assert_int_equal(spec_open(buf_view(&b), &c), KIND_exec);
	for (int i = 0; i < 3; i++) {
		struct hash got = cur_hash(&c);

		assert_true(hash_eq(&got, &h[i]));
	}
	assert_true(cur_done(&c));
	for (size_t n = 0; n < 3; n++)
		assert_int_equal(spec_open((struct view){ b.p, n }, &c), KIND_NONE);
	b.p[2]++; /* another version */
	assert_int_equal(spec_open(buf_view(&b), &c), KIND_NONE);
	b.p[2]--;
	b.p[1] = 0x7f; /* an unknown kind */
	assert_int_equal(spec_open(buf_view(&b), &c), KIND_NONE);
	buf_free(&b);
}

static void equal_specs_are_one_task_and_each_field_makes_another(void **unused)
{
	struct hash h[4] = { hash_of("e", 1), hash_of("d", 1), hash_of("a", 1),
			     hash_of("b", 1) };
	struct buf x = { 0 }, y = { 0 };
	struct hash kx, ky;

	(void)unused;
	spec_equal(&x, KIND_equal, &h[0], &h[1], &h[2], &h[3], 0);
	spec_equal(&y, KIND_equal, &h[0], &h[1], &h[2], &h[3], 0);
	kx = task_key(buf_view(&x));
	ky = task_key(buf_view(&y));
	assert_true(hash_eq(&kx, &ky));
	spec_equal(&y, KIND_equal, &h[0], &h[1], &h[2], &h[3], 1);
	ky = task_key(buf_view(&y));
	assert_false(hash_eq(&kx, &ky));
	spec_equal(&y, KIND_match, &h[0], &h[1], &h[2], &h[3], 0);
	ky = task_key(buf_view(&y));
	assert_false(hash_eq(&kx, &ky));
	spec_equal(&y, KIND_equal, &h[0], &h[1], &h[3], &h[2], 0);
	ky = task_key(buf_view(&y));
	assert_false(hash_eq(&kx, &ky));
	spec_mbr(&x, &h[0], &h[1], &h[2], &h[3], 0);
	spec_mbr(&y, &h[0], &h[1], &h[3], &h[2], 0);
	kx = task_key(buf_view(&x));
	ky = task_key(buf_view(&y));
	assert_true(hash_eq(&kx, &ky)); /* what two have in common has no order */
	spec_mbr(&y, &h[0], &h[1], &h[3], &h[2], 1);
	ky = task_key(buf_view(&y));
	assert_false(hash_eq(&kx, &ky));
	buf_free(&x);
	buf_free(&y);
}

static void an_env_comes_back_and_cut_is_none(void **unused)
{
	struct env v = { .engine = view_of("sqlite"),
			 .steps = 7,
			 .rows = 8,
			 .value_bytes = 9,
			 .memory_bytes = 10,
			 .clock = view_of("2025"),
			 .digests = DIGEST_SET,
			 .text = TEXT_STRICT };
	struct env w = { 0 };
	struct buf b = { 0 };

	(void)unused;
	env_encode(&v, &b);
	assert_true(env_decode(buf_view(&b), &w));
	assert_int_equal(w.memory_bytes, 10);
	assert_true(view_eq(w.clock, v.clock));
	for (size_t n = 0; n < b.n; n++)
		assert_false(env_decode((struct view){ b.p, n }, &w));
	buf_free(&b);
}

static void settings_come_back_and_cut_are_none(void **unused)
{
	struct settings s = { .sql_timeout_ms = 1,
			      .llm = { view_of("http://a,http://b"), view_of("KEY"),
				       view_of("A: b") },
			      .reward.headers = view_of("C: d"),
			      .max_connections = 32,
			      .max_retries = 5,
			      .timeout_ms = 1ull << 40 };
	struct settings t = { 0 };
	struct buf b = { 0 };

	(void)unused;
	settings_encode(&s, &b);
	assert_true(settings_decode(buf_view(&b), &t));
	assert_true(t.timeout_ms == s.timeout_ms);
	assert_true(view_eq(t.reward.headers, s.reward.headers));
	for (size_t n = 0; n < b.n; n++)
		assert_false(settings_decode((struct view){ b.p, n }, &t));
	buf_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_kind_and_role_and_status_has_its_name),
		cmocka_unit_test(the_words_of_a_run_are_those_of_the_command_line),
		cmocka_unit_test(a_spec_opens_only_whole_and_of_this_version),
		cmocka_unit_test(equal_specs_are_one_task_and_each_field_makes_another),
		cmocka_unit_test(an_env_comes_back_and_cut_is_none),
		cmocka_unit_test(settings_come_back_and_cut_are_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
