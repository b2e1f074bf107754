/* base.c - common/base keeps its headers' promises */
#include "tests/support/cm.h"

#include "common/base/arena.h"
#include "common/base/buf.h"
#include "common/base/cursor.h"
#include "common/base/err.h"
#include "common/base/mem.h"
#include "common/base/pack.h"
#include "common/base/rng.h"

static void a_buffer_never_passes_its_maximum_and_stays_bad(void **unused)
{
	struct buf b = { .max = 10 };

	(void)unused;
	buf_add(&b, "0123456789", 10);
	assert_int_equal(b.bad, 0);
	buf_add_char(&b, 'x');
	assert_int_equal(b.bad, ERR_LIMIT);
	assert_int_equal(b.n, 10);
	assert_null(buf_take(&b, NULL));
	buf_free(&b);
}

static void what_pack_writes_the_cursor_reads(void **unused)
{
	static const int64_t ints[] = { 0,    1,       -1,        127,
					128,  -32,     -33,       -128,
					-129, 65535,   -32768,    -32769,
					1000, 1 << 30, INT64_MAX, INT64_MIN };
	struct buf b = { 0 };
	struct cursor c;
	struct hash h = hash_of("x", 1), got;

	(void)unused;
	for (size_t i = 0; i < sizeof ints / sizeof *ints; i++)
		pack_i64(&b, ints[i]);
	pack_u64(&b, UINT64_MAX);
	pack_f64(&b, 0.1);
	pack_bool(&b, 1);
	pack_nil(&b);
	pack_str(&b, view_of("text"));
	pack_hash(&b, &h);
	c = cur_of(buf_view(&b));
	for (size_t i = 0; i < sizeof ints / sizeof *ints; i++)
		assert_true(cur_i64(&c) == ints[i]);
	assert_true(cur_u64(&c) == UINT64_MAX);
	assert_true(cur_f64(&c) == 0.1);
	assert_int_equal(cur_bool(&c), 1);
	assert_int_equal(cur_nil(&c), 1);
	assert_true(view_eq(cur_str(&c), view_of("text")));
	got = cur_hash(&c);
	assert_true(hash_eq(&h, &got));
	assert_true(cur_done(&c));
	buf_free(&b);
}

static void a_claim_of_64_gib_is_refused_without_allocating(void **unused)
{
	static const char claim[] = "\xdd\xff\xff\xff\xff\xc0\xc0";
	struct cursor c = cur_of((struct view){ claim, 7 });

	(void)unused;
	assert_int_equal(cur_array(&c), 0);
	assert_false(cur_done(&c));
}

static void any_value_can_be_skipped_whole(void **unused)
{
	struct buf b = { 0 };
	struct cursor c;
	struct view v;

	(void)unused;
	pack_array(&b, 3);
	pack_array(&b, 1);
	pack_u64(&b, UINT64_MAX);
	pack_str(&b, view_of("a"));
	pack_f64(&b, 1.5);
	pack_u64(&b, 7);
	c = cur_of(buf_view(&b));
	v = cur_any(&c);
	assert_int_equal(v.n, b.n - 1);
	assert_int_equal(cur_u64(&c), 7);
	assert_true(cur_done(&c));
	buf_free(&b);
}

static void every_failed_allocation_of_an_arena_is_reported(void **unused)
{
	struct arena a = { 0 };

	(void)unused;
	mem_fail_after(0);
	assert_null(arena_alloc(&a, 1, 100));
	assert_true(mem_fault_hit());
	mem_fail_after(-1);
	assert_non_null(arena_alloc(&a, 1, 100));
	assert_null(arena_alloc(&a, SIZE_MAX, 8));
	arena_free(&a);
}

static void a_stream_of_chance_depends_on_each_part_of_its_key(void **unused)
{
	struct rng a, b;
	uint64_t first;

	(void)unused;
	rng_init(&a, "pass", 42, view_of("7"), 1);
	first = rng_u64(&a);
	rng_init(&b, "pass", 42, view_of("7"), 1);
	assert_true(rng_u64(&b) == first);
	rng_init(&b, "pass", 43, view_of("7"), 1);
	assert_true(rng_u64(&b) != first);
	rng_init(&b, "pass", 42, view_of("8"), 1);
	assert_true(rng_u64(&b) != first);
	rng_init(&b, "pass", 42, view_of("7"), 2);
	assert_true(rng_u64(&b) != first);
	rng_init(&b, "draw", 42, view_of("7"), 1);
	assert_true(rng_u64(&b) != first);
}

static void below_is_fair_and_a_shuffle_is_a_permutation(void **unused)
{
	unsigned count[6] = { 0 };
	uint32_t v[50], seen[50] = { 0 };
	struct rng r;

	(void)unused;
	rng_init(&r, "dice", 1, view_of(""), 0);
	for (int i = 0; i < 60000; i++)
		count[rng_below(&r, 6)]++;
	for (int i = 0; i < 6; i++)
		assert_in_range(count[i], 9600, 10400);
	for (uint32_t i = 0; i < 50; i++)
		v[i] = i;
	rng_shuffle(&r, v, 50);
	for (int i = 0; i < 50; i++)
		seen[v[i]]++;
	for (int i = 0; i < 50; i++)
		assert_int_equal(seen[i], 1);
}

static void a_place_is_put_before_the_text_of_an_error(void **unused)
{
	struct err e;

	(void)unused;
	err_set(&e, ERR_INPUT, "no such key");
	assert_int_equal(err_where(&e, "%s:%d", "a.jsonl", 3), ERR_INPUT);
	assert_string_equal(e.text, "a.jsonl:3: no such key");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_buffer_never_passes_its_maximum_and_stays_bad),
		cmocka_unit_test(what_pack_writes_the_cursor_reads),
		cmocka_unit_test(a_claim_of_64_gib_is_refused_without_allocating),
		cmocka_unit_test(any_value_can_be_skipped_whole),
		cmocka_unit_test(every_failed_allocation_of_an_arena_is_reported),
		cmocka_unit_test(a_stream_of_chance_depends_on_each_part_of_its_key),
		cmocka_unit_test(below_is_fair_and_a_shuffle_is_a_permutation),
		cmocka_unit_test(a_place_is_put_before_the_text_of_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
