/* results.c - out of memory anywhere, results/ says so and leaves nothing half written
 */
#include "tests/support/cm.h"

#include "common/base/mem.h"
#include "tests/support/ledger.h"

#include <dirent.h>
#include <string.h>

/* 1: a draft was left behind. */
static int has_draft(const char *dir)
{
	DIR *d = opendir(dir);
	struct dirent *x;
	int found = 0;

	while (d && (x = readdir(d)))
		found |= strstr(x->d_name, ".part") != NULL;
	if (d)
		closedir(d);
	return found;
}

/* Few of the first failures are alike, many of the later ones are. */
static int next(int n)
{
	return n < 100 ? n + 1 : n + n / 16;
}

static void a_failed_allocation_anywhere_is_an_error_and_no_draft_stays(void **unused)
{
	struct ledger l;
	struct err e;
	int hit = 1, failed = 0;

	(void)unused;
	ledger_make(&l, "bird");
	for (int n = 0; hit; n = next(n)) {
		struct results *r = NULL;
		int rc;

		mem_fail_after(n);
		rc = results_write(&l.sweep, l.gold, l.path, l.id, &l.facts, &r, &e);
		hit = mem_fault_hit();
		mem_fail_after(-1);
		failed += rc != 0;
		if (rc != 0)
			assert_null(r);
		else if (hit)
			fail_msg("allocation %d failed and nobody said so", n);
		assert_false(has_draft(l.out));
		results_free(&r);
	}
	assert_true(failed > 50);
	ledger_remove(&l);
}

static void the_same_of_scores(void **unused)
{
	struct ledger l;
	struct err e;
	int hit = 1;

	(void)unused;
	ledger_make(&l, "ehrsql");
	ledger_scores(&l);
	for (int n = 0; hit; n = next(n)) {
		struct results *r = NULL;

		mem_fail_after(n);
		score_write(&l.sweep, l.gold, ledger_file, 3, l.path, l.id, &l.facts,
			    &r, &e);
		hit = mem_fault_hit();
		mem_fail_after(-1);
		assert_false(has_draft(l.out));
		results_free(&r);
	}
	ledger_remove(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			a_failed_allocation_anywhere_is_an_error_and_no_draft_stays),
		cmocka_unit_test(the_same_of_scores),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
