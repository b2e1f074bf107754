/* evidence.c - memory that runs out anywhere in profile, judge or bank is an error, and
 * nothing else */
#include "tests/support/cm.h"

#include "common/base/mem.h"
#include "common/io/bank.h"
#include "tests/support/kennel.h"
#include "worker/bank_make.h"
#include "worker/evidence.h"
#include "worker/recall.h"

#include <sqlite3.h>
#include <unistd.h>

/* Runs `try` with the n-th allocation failing, n = 0, 1, ..., until none is hit. */
static void fail_each(int (*try)(void *), void *world)
{
	int code, n;

	for (n = 0; n < 100000; n++) {
		mem_fail_after(n);
		code = try(world);
		if (!mem_fault_hit()) {
			mem_fail_after(-1);
			assert_int_equal(code, 0);
			return;
		}
		mem_fail_after(-1);
		assert_int_not_equal(code, 0);
	}
	fail();
}

static int try_profile(void *db)
{
	struct buf b = { 0 };
	struct profile p = { 0 };
	int code = profile_db(db, &b, NULL);

	if (!code)
		code = profile_decode(buf_view(&b), &p, NULL);
	profile_free(&p);
	buf_free(&b);
	return code;
}

static void a_profile_fails_cleanly(void **unused)
{
	sqlite3 *db = kennel_db();

	(void)unused;
	fail_each(try_profile, db);
	sqlite3_close(db);
}

static int try_score(void *profile)
{
	static const char sql[] =
		"SELECT o.name FROM owner AS o JOIN pet ON o.owner_id = "
		"pet.owner_id WHERE species = 'dog' OR town = \"Oslo\"";
	struct dossier_member m = { view_of(sql), 1, 0, 0, 3 };
	struct dossier_group g = { STATUS_rows, 1, &m, 1 };
	struct dossier d = { .id = view_of("1"),
			     .text = view_of("Which owners of dogs live in Oslo?"),
			     .evidence = view_of("dog is a species"),
			     .asked = 1,
			     .group = &g,
			     .n = 1 };
	struct buf bytes = { 0 }, out = { 0 };
	struct arena a = { 0 };
	struct dossier got;
	struct score_out s;
	int code;

	dossier_encode(&d, &bytes);
	code = bytes.bad;
	if (!code)
		code = dossier_decode(buf_view(&bytes), &a, &got, NULL);
	if (!code)
		code = evidence_score(&got, profile, NULL, 42, 0, &a, &s, NULL);
	if (!code)
		score_out_encode(&s, &out);
	code = code ? code : out.bad;
	buf_free(&bytes);
	buf_free(&out);
	arena_free(&a);
	return code;
}

static void a_score_fails_cleanly(void **unused)
{
	struct buf bytes = { 0 };
	struct profile p = kennel_profile(&bytes);

	(void)unused;
	fail_each(try_score, &p);
	profile_free(&p);
	buf_free(&bytes);
}

static int try_bank(void *path)
{
	struct train_item item = { view_of("1"), view_of("d"),
				   view_of("How many dogs?"), view_of(""),
				   view_of("SELECT count(*) FROM pet") };
	struct train t = { .item = &item, .n = 1 };
	struct arena a = { 0 };
	struct bank_made made;
	struct search_out s;
	struct bank *b = NULL;
	int code = bank_make(&t, NULL, path, &made, NULL);

	if (!code)
		code = bank_open(path, &b, NULL);
	if (!code)
		code = recall_search(b, view_of("dogs?"), 3, NULL, 0, &a, &s, NULL);
	bank_free(&b);
	arena_free(&a);
	return code;
}

static void a_bank_fails_cleanly(void **unused)
{
	char path[] = "/tmp/mapfleet-fault.XXXXXX";

	(void)unused;
	close(mkstemp(path));
	fail_each(try_bank, path);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_profile_fails_cleanly),
		cmocka_unit_test(a_score_fails_cleanly),
		cmocka_unit_test(a_bank_fails_cleanly),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
