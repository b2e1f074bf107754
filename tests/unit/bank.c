/* bank.c - solved questions become a bank, the same bytes each time, and are found */
#include "tests/support/cm.h"

#include "common/io/bank.h"
#include "common/io/train.h"
#include "proto/search_out.h"
#include "worker/bank_make.h"
#include "worker/recall.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char directory[] = "/tmp/mapfleet-bank.XXXXXX";

static const char *path_of(const char *name)
{
	static char path[4][200];
	static int at;

	at = (at + 1) % 4;
	snprintf(path[at], sizeof path[at], "%s/%s", directory, name);
	return path[at];
}

static void write_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "wb");

	fputs(text, f);
	fclose(f);
}

static int set_up(void **unused)
{
	(void)unused;
	return mkdtemp(directory) ? 0 : 1;
}

static int tear_down(void **unused)
{
	char command[300];

	(void)unused;
	snprintf(command, sizeof command, "rm -r %s", directory);
	return system(command);
}

static const char solved[] =
	"{\"id\": 10, \"db_id\": \"kennel\", \"question\": \"How many dogs are "
	"there?\", "
	"\"sql\": \"SELECT count(*) FROM pet WHERE species = 'dog'\"}\n"
	"{\"id\": 9, \"db_id\": \"kennel\", \"question\": \"Which owners are older "
	"than "
	"30?\", \"evidence\": \"old means age > 30\", "
	"\"sql\": \"SELECT name FROM owner WHERE age > 30\"}\n"
	"\n"
	"{\"id\": \"b\", \"db_id\": \"other\", \"question\": \"Remove all ships\", "
	"\"sql\": \"DELETE FROM ship\"}\n"
	"{\"id\": \"a\", \"db_id\": \"other\", \"question\": \"Which ships are named "
	"Ann?\", \"sql\": \"SELECT id FROM ship WHERE name LIKE '%Ann%'\"}\n"
	"{\"id\": 9, \"db_id\": \"other\", \"question\": \"twice\", "
	"\"sql\": \"SELECT 1\"}\n";

static int runs(void *world, const struct train_item *item, struct buf *why)
{
	if (!view_eq(item->id, view_of((const char *)world)))
		return 1;
	buf_add_str(why, "no such table: ship");
	return 0;
}

static struct hash make(const char *name, const struct bank_world *w,
			struct bank_made *ret)
{
	struct train t;

	write_file(path_of("train.jsonl"), solved);
	assert_int_equal(train_read(path_of("train.jsonl"), 0, &t, NULL), 0);
	assert_int_equal(bank_make(&t, w, path_of(name), ret, NULL), 0);
	train_free(&t);
	return ret->name;
}

static void training_questions_are_read_with_their_ids_as_json(void **unused)
{
	struct train t;

	(void)unused;
	write_file(path_of("t.jsonl"), solved);
	assert_int_equal(train_read(path_of("t.jsonl"), 0, &t, NULL), 0);
	assert_int_equal(t.n, 5);
	assert_true(view_eq(t.item[0].id, view_of("10")));
	assert_true(view_eq(t.item[2].id, view_of("\"b\"")));
	assert_true(view_eq(t.item[1].evidence, view_of("old means age > 30")));
	assert_int_equal(t.item[0].evidence.n, 0);
	train_free(&t);
	write_file(path_of("t.json"),
		   "[{\"db_id\":\"d\",\"question\":\"q\",\"SQL\":\"x\"}]");
	assert_int_equal(train_read(path_of("t.json"), 0, &t, NULL), 0);
	assert_true(view_eq(t.item[0].id, view_of("0")));
	train_free(&t);
}

static void a_malformed_line_is_named_or_passed_over(void **unused)
{
	struct train t;
	struct err e;

	(void)unused;
	write_file(
		path_of("bad.jsonl"),
		"{\"id\":1,\"db_id\":\"d\",\"question\":\"q\",\"sql\":\"SELECT 1\"}\n"
		"{\"id\":2,\"db_id\":\"d\",\"question\":\"q\",\"sql\":}\n"
		"{\"id\":3,\"db_id\":\"d\",\"question\":\"q\"}\n");
	assert_int_equal(train_read(path_of("bad.jsonl"), 0, &t, &e), ERR_INPUT);
	assert_non_null(strstr(e.text, "bad.jsonl:2:"));
	assert_int_equal(train_read(path_of("bad.jsonl"), 1, &t, &e), 0);
	assert_int_equal(t.n, 1);
	assert_int_equal(t.skipped, 2);
	train_free(&t);
	assert_int_equal(train_read(path_of("absent"), 0, &t, &e), ERR_INPUT);
}

static void the_same_questions_give_the_same_bytes(void **unused)
{
	struct bank_made made;
	struct hash a = make("one.db", NULL, &made), b = make("two.db", NULL, &made);

	(void)unused;
	assert_true(hash_eq(&a, &b));
}

static void items_stand_by_id_and_what_cannot_teach_is_flagged(void **unused)
{
	struct bank_world w = { .runs = runs, .world = "\"a\"" };
	struct bank_made made;
	struct bank *b;

	(void)unused;
	make("flags.db", &w, &made);
	assert_int_equal(made.items, 4);
	assert_int_equal(made.good, 2);
	assert_int_equal(made.no_select, 1);
	assert_int_equal(made.failed, 1);
	assert_int_equal(made.duplicates, 1);
	assert_int_equal(bank_open(path_of("flags.db"), &b, NULL), 0);
	assert_int_equal(bank_items(b), 4);
	assert_int_equal(bank_good(b), 2);
	assert_true(view_eq(bank_item(b, 0)->id, view_of("9")));
	assert_true(view_eq(bank_item(b, 1)->id, view_of("10")));
	assert_true(view_eq(bank_item(b, 2)->id, view_of("\"a\"")));
	assert_true(view_eq(bank_item(b, 2)->flag, view_of("no such table: ship")));
	assert_true(bank_item(b, 3)->flag.n > 0);
	assert_int_equal(bank_find(b, view_of("10")), 1);
	assert_int_equal(bank_find(b, view_of("11")), -1);
	assert_true(bank_share(b, SQL_GT) == 0.5);
	bank_free(&b);
}

static void a_memory_is_json_and_its_text_holds_the_question(void **unused)
{
	struct bank_made made;
	struct bank *b;
	const struct bank_item *i;
	json_t *o;

	(void)unused;
	make("text.db", NULL, &made);
	assert_int_equal(bank_open(path_of("text.db"), &b, NULL), 0);
	i = bank_item(b, 0);
	o = json_loadb(i->memory.p, i->memory.n, 0, NULL);
	assert_true(json_is_object(o));
	assert_non_null(json_object_get(o, "extra_keywords"));
	json_decref(o);
	assert_non_null(strstr(i->text.p, "Which owners are older than 30?"));
	assert_non_null(strstr(i->text.p, "old means age > 30"));
	assert_int_equal(bank_tokens(b, 0), (i->text.n + 3) / 4);
	assert_true(view_eq(recall_text(b, view_of("9")), i->text));
	assert_null(recall_text(b, view_of("77")).p);
	bank_free(&b);
}

static void the_nearest_question_comes_first_and_flagged_ones_never(void **unused)
{
	struct bank_world w = { .runs = runs, .world = "\"a\"" };
	struct arena a = { 0 };
	struct bank_made made;
	struct search_out s, got;
	struct buf bytes = { 0 };
	struct view ten = view_of("10");
	struct bank *b;

	(void)unused;
	make("near.db", &w, &made);
	assert_int_equal(bank_open(path_of("near.db"), &b, NULL), 0);
	assert_int_equal(recall_search(b, view_of("How many dogs do we have there?"), 5,
				       NULL, 0, &a, &s, NULL),
			 0);
	assert_int_equal(s.n, 2);
	assert_true(view_eq(s.hit[0].id, ten));
	assert_true(s.hit[0].cosine > s.hit[1].cosine);
	assert_int_equal(s.hit[0].bytes, bank_item(b, 1)->text.n);
	search_out_encode(&s, &bytes);
	assert_int_equal(search_out_decode(buf_view(&bytes), &a, &got, NULL), 0);
	assert_int_equal(got.n, 2);
	assert_true(got.hit[1].cosine == s.hit[1].cosine);
	for (size_t n = 0; n < bytes.n; n++)
		assert_int_equal(
			search_out_decode((struct view){ bytes.p, n }, &a, &got, NULL),
			ERR_PROTO);
	assert_int_equal(
		recall_search(b, view_of("How many dogs?"), 1, &ten, 1, &a, &s, NULL),
		0);
	assert_int_equal(s.n, 1);
	assert_true(view_eq(s.hit[0].id, view_of("9")));
	buf_free(&bytes);
	bank_free(&b);
	arena_free(&a);
}

static void searches_together_give_what_each_gives_alone(void **unused)
{
	struct view q[3] = { view_of("dogs?"), view_of("Which owners?"),
			     view_of("ships named Ann") };
	struct arena a = { 0 };
	struct bank_made made;
	struct search_out all[3], one;
	struct neighbours near;
	struct bank *b;

	(void)unused;
	make("batch.db", NULL, &made);
	assert_int_equal(bank_open(path_of("batch.db"), &b, NULL), 0);
	assert_int_equal(recall_batch(b, q, 3, 2, &a, all, NULL), 0);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(recall_search(b, q[i], 2, NULL, 0, &a, &one, NULL), 0);
		assert_int_equal(one.n, all[i].n);
		for (uint32_t k = 0; k < one.n; k++) {
			assert_true(view_eq(one.hit[k].id, all[i].hit[k].id));
			assert_true(one.hit[k].cosine == all[i].hit[k].cosine);
		}
	}
	assert_int_equal(recall_neighbours(b, q[1], &near, NULL), 0);
	assert_int_equal(near.n, 3);
	assert_true(near.near[0].compares >> SQL_GT & 1);
	bank_free(&b);
	arena_free(&a);
}

static void a_bank_of_another_embedder_is_refused_by_name(void **unused)
{
	struct bank_about about = { .embedder = view_of("bge-m3"),
				    .dim = 2,
				    .source = view_of("derived") };
	struct bank_item item = { .id = view_of("1"), .text = view_of("t") };
	static const float vector[2] = { 1, 0 };
	struct arena a = { 0 };
	struct bank_writer *w;
	struct search_out s;
	struct err e;
	struct bank *b;

	(void)unused;
	assert_int_equal(bank_begin(path_of("other.db"), &about, &w, &e), 0);
	assert_int_equal(bank_add(w, &item, NULL, &e), ERR_VALUE);
	assert_int_equal(bank_add(w, &item, vector, &e), 0);
	assert_int_equal(bank_finish(&w, NULL, &e), 0);
	assert_int_equal(bank_open(path_of("other.db"), &b, &e), 0);
	assert_int_equal(recall_search(b, view_of("q"), 1, NULL, 0, &a, &s, &e),
			 ERR_VALUE);
	assert_non_null(strstr(e.text, "bge-m3"));
	bank_free(&b);
	arena_free(&a);
}

static void what_is_no_bank_is_refused_and_nothing_is_left_behind(void **unused)
{
	struct bank_about about = { .embedder = view_of("x"), .dim = 2 };
	struct bank_writer *w;
	struct bank *b;
	struct err e;

	(void)unused;
	write_file(path_of("text"),
		   "this is no bank, but it is a file with text in it");
	assert_int_equal(bank_open(path_of("text"), &b, &e), ERR_INPUT);
	assert_int_equal(bank_open(path_of("nowhere"), &b, &e), ERR_INPUT);
	assert_int_equal(bank_begin(path_of("no/such/place"), &about, &w, &e),
			 ERR_STORE);
	assert_int_equal(bank_begin(path_of("left"), &about, &w, &e), 0);
	bank_abandon(&w);
	assert_int_not_equal(access(path_of("left"), F_OK), 0);
	about.dim = 0;
	assert_int_equal(bank_begin(path_of("left"), &about, &w, &e), ERR_VALUE);
}

static void a_cut_bank_is_refused(void **unused)
{
	struct bank_made made;
	struct bank *b = NULL;
	struct err e;

	(void)unused;
	make("cut.db", NULL, &made);
	assert_int_equal(truncate(path_of("cut.db"), 3 * 4096), 0);
	assert_int_not_equal(bank_open(path_of("cut.db"), &b, &e), 0);
	assert_null(b);
}

static void no_usable_question_makes_no_bank(void **unused)
{
	struct train t;
	struct bank_made made;
	struct err e;

	(void)unused;
	write_file(path_of("none.jsonl"), "{\"id\": 1, \"db_id\": \"d\", \"question\": "
					  "\"q\", \"sql\": \"DROP TABLE x\"}\n");
	assert_int_equal(train_read(path_of("none.jsonl"), 0, &t, &e), 0);
	assert_int_equal(bank_make(&t, NULL, path_of("none.db"), &made, &e), ERR_INPUT);
	assert_int_not_equal(access(path_of("none.db"), F_OK), 0);
	train_free(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(training_questions_are_read_with_their_ids_as_json),
		cmocka_unit_test(a_malformed_line_is_named_or_passed_over),
		cmocka_unit_test(the_same_questions_give_the_same_bytes),
		cmocka_unit_test(items_stand_by_id_and_what_cannot_teach_is_flagged),
		cmocka_unit_test(a_memory_is_json_and_its_text_holds_the_question),
		cmocka_unit_test(
			the_nearest_question_comes_first_and_flagged_ones_never),
		cmocka_unit_test(searches_together_give_what_each_gives_alone),
		cmocka_unit_test(a_bank_of_another_embedder_is_refused_by_name),
		cmocka_unit_test(what_is_no_bank_is_refused_and_nothing_is_left_behind),
		cmocka_unit_test(a_cut_bank_is_refused),
		cmocka_unit_test(no_usable_question_makes_no_bank),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
