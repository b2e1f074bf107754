/* sqlchild.c - one SQL after the other, in a real child */
#include "tests/support/cm.h"

#include "tests/support/sqlrig.h"

static struct sqlrig rig;
static struct orchard orchard;

static void expect(const char *sql, enum status status, const char *note)
{
	struct sqlrig_answer a = sqlrig_exec(&rig, sql);

	if (a.code || a.exec.status != status || !view_eq(a.exec.note, view_of(note)))
		print_message("%s: code %d %s, status %s, note %.*s, error %.*s\n", sql,
			      a.code, a.text, status_name(a.exec.status),
			      (int)a.exec.note.n, a.exec.note.p, (int)a.exec.error.n,
			      a.exec.error.p);
	assert_int_equal(a.code, 0);
	assert_int_equal(a.exec.status, status);
	assert_true(view_eq(a.exec.note, view_of(note)));
}

static void a_query_gives_its_rows_names_and_preview(void **unused)
{
	struct sqlrig_answer a =
		sqlrig_exec(&rig, "SELECT id, kind AS k, height FROM tree ORDER BY id");
	const struct exec_out *o = &a.exec;

	(void)unused;
	assert_int_equal(a.called, 1);
	assert_int_equal(a.code, 0);
	assert_int_equal(o->status, STATUS_rows);
	assert_int_equal(o->rows, 5);
	assert_int_equal(o->cols, 3);
	assert_int_equal(o->cells, 15);
	assert_int_equal(o->nulls, 1);
	assert_true(view_eq(o->names[1], view_of("k")));
	assert_int_equal(o->preview_rows, 5);
	assert_int_equal(o->preview[0].i, 1);
	assert_true(view_eq(o->preview[4].v, view_of("pear")));
	assert_int_equal(o->preview[11].type, CELL_NULL);
	assert_int_equal(o->cut, 0);
	assert_int_equal(o->digests.mask, DIGEST_ALL);
	assert_true(o->steps > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_query_gives_its_rows_names_and_preview),
	};
	int r;

	sqlrig_start(&rig, NULL, 0, 2);
	orchard_make(&orchard);
	sqlrig_use(&rig, &orchard);
	expect("SELECT 1", STATUS_rows, "");
	r = cmocka_run_group_tests(tests, NULL, NULL);
	sqlrig_end(&rig);
	orchard_remove(&orchard);
	return r;
}
