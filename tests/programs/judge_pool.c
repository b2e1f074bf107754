/* judge_pool.c - every candidate of a real pool, judged and compared with what others
 * found
 *
 *     judge_pool DATA spider|bird|ehrsql [keep-distinct|official|official-v1]
 *
 * DATA holds the benchmark's folder as ../shared/data does. expected.jsonl is another
 * executor's opinion; where verdicts differ the line says what both said. `official`
 * compares with official_verdicts.jsonl instead, Spider then without its DISTINCTs
 * (those verdicts are of files whose white space was folded); `official-v1` with what
 * EHRSQL's first edition says.
 */
#include "common/base/mem.h"
#include "tests/support/judge.h"

#include <fcntl.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

struct bench {
	const char *data, *name, *key; /* expected.jsonl's word for the rule */
	const char *word;              /* of the official verdicts */
	json_t *official;              /* NULL: compare with expected.jsonl */
	struct judge_case c;
	struct orchard db; /* the database that is open */
	char db_id[128];
	json_t *soft; /* the official soft F1s */
	unsigned long softs, differ_soft;
	unsigned long judged, differ, differ_strict, oracle, adversary, n, matches;
};

static const char *text(json_t *o, const char *key)
{
	const char *s = json_string_value(json_object_get(o, key));

	return s ? s : "";
}

static void use(struct sqlrig *rig, struct bench *b, const char *db_id)
{
	char path[512], *bytes = NULL;
	off_t size;

	if (strcmp(b->db_id, db_id) == 0)
		return;
	if (b->db_id[0])
		close(b->db.fd);
	snprintf(b->db_id, sizeof b->db_id, "%s", db_id);
	snprintf(path, sizeof path, "%s/%s/database/%s/%s.sqlite", b->data, b->name,
		 db_id, db_id);
	b->db.fd = open(path, O_RDONLY | O_CLOEXEC);
	if (b->db.fd < 0) {
		perror(path);
		exit(1);
	}
	size = lseek(b->db.fd, 0, SEEK_END);
	bytes = mem_alloc((size_t)size, 1);
	if (pread(b->db.fd, bytes, (size_t)size, 0) != size)
		exit(1);
	b->db.hash = hash_of(bytes, (size_t)size);
	mem_free(bytes);
	sqlrig_use(rig, &b->db);
}

/* What a list of the official script's words holds on a question's system, or NULL. */
static json_t *word_on(json_t *list, json_t *pool, size_t i)
{
	json_t *c = json_array_get(json_object_get(pool, "candidates"), i);
	char *id = json_dumps(json_object_get(pool, "question_id"), JSON_ENCODE_ANY);
	char name[256];

	snprintf(name, sizeof name, "%s %s", id, text(c, "source"));
	free(id);
	return json_object_get(list, name);
}

/* -1: nothing. */
static int said(const struct bench *b, json_t *pool, size_t i)
{
	json_t *v = word_on(b->official, pool, i);

	return v ? (int)json_integer_value(v) : -1;
}

static void compare_soft(struct bench *b, json_t *pool, size_t i, double soft)
{
	json_t *v = word_on(b->soft, pool, i);
	char *id = json_dumps(json_object_get(pool, "question_id"), JSON_ENCODE_ANY);

	if (v) {
		b->softs++;
		if (fabs(json_number_value(v) - soft) > 1e-12) {
			b->differ_soft++;
			printf("question %s candidate %zu: soft F1 %.17g, expected "
			       "%.17g\n",
			       id, i, soft, json_number_value(v));
		}
	}
	free(id);
}

static void read_official(struct bench *b, FILE *f)
{
	char *line = NULL, name[256];
	size_t cap = 0;

	b->official = json_object();
	b->soft = json_object();
	while (getline(&line, &cap, f) > 0) {
		json_t *v = json_loads(line, 0, NULL);
		char *id =
			json_dumps(json_object_get(v, "question_id"), JSON_ENCODE_ANY);

		snprintf(name, sizeof name, "%s %s", id, text(v, "source"));
		json_object_set(b->official, name, json_object_get(v, b->word));
		if (json_is_number(json_object_get(v, "soft_f1")))
			json_object_set(b->soft, name, json_object_get(v, "soft_f1"));
		free(id);
		json_decref(v);
	}
	free(line);
	fclose(f);
}

static void compare(struct bench *b, json_t *pool, json_t *expected,
		    const struct verdict *v)
{
	json_t *x;
	size_t i;
	unsigned right = 0;

	json_array_foreach (json_object_get(expected, "candidates"), i, x) {
		int want = json_is_true(json_object_get(x, b->key));
		json_t *strict = json_object_get(x, "strict");

		if (b->official)
			want = said(b, pool, i);
		if (want < 0)
			continue;
		if (b->soft && v->soft_f1)
			compare_soft(b, pool, i, v->soft_f1[i]);
		b->judged++;
		right += v->right[i];
		if (v->right[i] != want) {
			b->differ++;
			printf("question %s candidate %zu: %d, expected %d (%s %.*s; "
			       "expected %s %s)\n",
			       json_is_integer(json_object_get(pool, "question_id"))
				       ? "(number)"
				       : text(pool, "question_id"),
			       i, v->right[i], want,
			       status_name((enum status)v->status[i]),
			       (int)v->note[i].n, v->note[i].p, text(x, "status"),
			       b->c.candidate[i]);
		}
		if (strict && !b->official && v->strict[i] != json_is_true(strict)) {
			b->differ_strict++;
			printf("strict: candidate %zu: %d (%s %.*s) %s\n", i,
			       v->strict[i], status_name((enum status)v->status[i]),
			       (int)v->note[i].n, v->note[i].p, b->c.candidate[i]);
		}
	}
	b->oracle += right > 0;
	b->adversary += right == v->n;
	b->n++;
}

static json_t *next(FILE *f, char **line, size_t *cap)
{
	return getline(line, cap, f) > 0 ? json_loads(*line, 0, NULL) : NULL;
}

static FILE *open_part(struct bench *b, const char *file)
{
	char path[512];
	FILE *f;

	snprintf(path, sizeof path, "%s/%s/%s", b->data, b->name, file);
	f = fopen(path, "rb");
	if (!f) {
		perror(path);
		exit(1);
	}
	return f;
}

static void one(struct sqlrig *rig, struct bench *b, json_t *pool, json_t *gold,
		json_t *expected)
{
	json_t *x;
	size_t i;
	struct judgement j;

	use(rig, b, text(pool, "db_id"));
	memset(b->c.candidate, 0, sizeof b->c.candidate);
	json_array_foreach (json_object_get(pool, "candidates"), i, x)
		if (i < JUDGE_MOST - 1)
			b->c.candidate[i] = text(x, "sql");
	b->c.gold = text(gold, "sql");
	j = judge(rig, &b->c, 0);
	b->matches += j.matches;
	compare(b, pool, expected, &j.v);
	judgement_free(&j);
	arena_free(&rig->arena);
}

int main(int argc, char **argv)
{
	struct bench b = { 0 };
	struct sqlrig rig;
	char *line = NULL;
	size_t cap = 0;
	FILE *pool, *gold, *expected;
	json_t *p, *g, *x;

	if (argc < 3)
		return 1;
	b.data = argv[1];
	b.name = argv[2];
	b.key = strcmp(b.name, "ehrsql") == 0 ? "ehr" : b.name;
	b.c.rule = (enum rule)rule_by_name(b.name);
	b.c.keep_distinct = argc > 3 && strcmp(argv[3], "keep-distinct") == 0;
	b.word = "ex";
	if (argc > 3 && strcmp(argv[3], "official-v1") == 0) {
		b.word = "v1_equal";
		b.c.rule = RULE_ehrsql_v1;
		b.c.clock = "2100-12-31T23:59:00Z";
	}
	if (argc > 3 && strncmp(argv[3], "official", 8) == 0)
		read_official(&b, open_part(&b, "official_verdicts.jsonl"));
	sqlrig_start(&rig, NULL, 0, 1);
	rig.ask.limits.steps = 300000000;
	pool = open_part(&b, "pool.jsonl");
	gold = open_part(&b, "gold.jsonl");
	expected = open_part(&b, "expected.jsonl");
	while ((p = next(pool, &line, &cap)) && (g = next(gold, &line, &cap)) &&
	       (x = next(expected, &line, &cap))) {
		one(&rig, &b, p, g, x);
		json_decref(p);
		json_decref(g);
		json_decref(x);
	}
	printf("%lu questions, %lu candidates: %lu differ, %lu in strict; oracle %.4f, "
	       "adversary %.4f; %lu match tasks\n",
	       b.n, b.judged, b.differ, b.differ_strict, (double)b.oracle / b.n,
	       (double)b.adversary / b.n, b.matches);
	if (b.softs)
		printf("%lu soft F1s: %lu differ\n", b.softs, b.differ_soft);
	json_decref(b.official);
	json_decref(b.soft);
	free(line);
	fclose(pool);
	fclose(gold);
	fclose(expected);
	sqlrig_end(&rig);
	return b.differ != 0;
}
