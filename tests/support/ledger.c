/* ledger.c - see ledger.h */
#include "tests/support/ledger.h"

#include "common/base/mem.h"
#include "proto/choice.h"
#include "proto/exec_out.h"
#include "proto/journal.h"
#include "proto/task.h"
#include "proto/usage.h"
#include "proto/verdict.h"

#include <ftw.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

const struct score_file ledger_file[3] = { { "alpha", "predict_alpha.json" },
					   { "beta", "predict_beta.json" },
					   { "", "predict_gamma.json" } };

static void die(const char *what, const char *why)
{
	fprintf(stderr, "ledger: %s: %s\n", what, why ? why : "?");
	abort();
}

/* ---- the sweep ---- */

/* Which result a candidate has: equal letters are equal results, '!' fails. Columns:
 * id, database, level, right letter, candidates' letters. */
static const struct item {
	const char *id, *text;
	uint32_t db;
	const char *level, *answerable;
	char right;
	const char *letters;
} items[LEDGER_QUESTIONS] = {
	{ "717", "How many trees are there?", 0, "simple", "1", 'a', "aaaab" },
	{ "718", "Which kind is the tallest?", 0, "simple", "1", 'b', "aabbc" },
	{ "719", "List \"odd\" names | by price", 0, "moderate", "1", 'b', "aaabb" },
	{ "720", "Who picked most?", 1, "challenging", "1", 'c', "aabb!" },
	{ "721", "What is the mean weight?", 1, "moderate", "1", '?', "aab!!" },
	{ "722", "Naïve question, 5 > 3?", 1, "simple", "1", 'a', "aaaaa" },
};

static struct view sql_of(struct arena *a, uint32_t q, uint32_t i)
{
	char text[160], c = items[q].letters[i];

	if (c == '!')
		snprintf(text, sizeof text, "SELECT nothing_%u FROM q%u", i, q);
	else
		snprintf(text, sizeof text, "SELECT '%c' /* q%u */%s\nFROM t", c, q,
			 i % 2 ? " -- again" : "");
	return (struct view){ arena_str(a, text), strlen(text) };
}

static void add_candidates(struct ledger *l, uint32_t q)
{
	static const char *const source[] = { "alpha", "beta", "gamma", "delta",
					      "epsilon" };
	struct arena *a = &l->sweep.arena;
	struct question *x = &l->sweep.q[q];

	x->n = LEDGER_CANDIDATES;
	x->cand = arena_alloc(a, x->n, sizeof *x->cand);
	for (uint32_t i = 0; i < x->n; i++) {
		x->cand[i].sql = x->cand[i].run = sql_of(a, q, i);
		x->cand[i].run_hash = hash_of(x->cand[i].run.p, x->cand[i].run.n);
		x->cand[i].source = view_of(source[i]);
	}
}

static struct run run_of(const char *name, const char *stem, const char *method,
			 uint64_t seed)
{
	return (struct run){ .name = name,
			     .stem = stem,
			     .method = method,
			     .seed = seed,
			     .judge = JUDGE_llm,
			     .reads_judge = strcmp(method, "map") == 0,
			     .passes_min = 4,
			     .passes_max = 4,
			     .parameters = "{\"model\":\"qwen\"}" };
}

static void make_sweep(struct ledger *l, const char *benchmark)
{
	static struct run runs[LEDGER_RUNS];
	static struct database db[2];
	struct sweep *s = &l->sweep;
	int rule = rule_by_name(benchmark);

	if (rule < 0)
		die("benchmark", benchmark);
	runs[0] = run_of("majority-s42", "majority", "majority", 42);
	runs[1] = run_of("majority-s43", "majority", "majority", 43);
	runs[2] = run_of("map-llm-model=qwen-s42", "map-llm-model=qwen", "map", 42);
	runs[3] = run_of("map-llm-model=qwen-s43", "map-llm-model=qwen", "map", 43);
	runs[0].parameters = runs[1].parameters = "{}";
	db[0] = (struct database){ .id = view_of("orchard"), .hash = hash_of("1", 1) };
	db[1] = (struct database){ .id = view_of("market"), .hash = hash_of("2", 1) };
	s->name = "ledger";
	s->benchmark = benchmark;
	s->rule = (enum rule)rule;
	s->db = db;
	s->ndb = 2;
	s->run = runs;
	s->nrun = LEDGER_RUNS;
	s->env_hash = hash_of("env", 3);
	s->inputs = hash_of("inputs", 6);
	s->key = hash_of("key", 3);
	s->config = "{\"method\":[\"majority\",\"map\"],\"seed\":[42,43]}";
	s->output_dir = l->out;
	s->nq = LEDGER_QUESTIONS;
	s->q = arena_alloc(&s->arena, s->nq, sizeof *s->q);
	for (uint32_t q = 0; q < s->nq; q++) {
		s->q[q].position = q;
		s->q[q].db = items[q].db;
		s->q[q].id = view_of(items[q].id);
		s->q[q].text = view_of(items[q].text);
		add_candidates(l, q);
	}
}

static void make_gold(struct ledger *l)
{
	struct gold_row row[LEDGER_QUESTIONS];
	struct err e;

	for (uint32_t q = 0; q < LEDGER_QUESTIONS; q++)
		row[q] = (struct gold_row){ .id = view_of(items[q].id),
					    .db = l->sweep.db[items[q].db].id,
					    .sql = view_of("SELECT 'gold' FROM t"),
					    .level = view_of(items[q].level),
					    .answerable = -1 };
	if (gold_new(&l->sweep, row, LEDGER_QUESTIONS, LEDGER_QUESTIONS, &l->gold, &e))
		die("gold", e.text);
}

/* ---- the journal ---- */

/* Each % of `kinds`: i integer, s text, b bytes. */
static int64_t insert(struct ledger *l, const char *sql, const char *kinds, ...)
{
	sqlite3_stmt *s = NULL;
	va_list ap;

	if (sqlite3_prepare_v2(l->db, sql, -1, &s, NULL) != SQLITE_OK)
		die(sql, sqlite3_errmsg(l->db));
	va_start(ap, kinds);
	for (int i = 1; kinds[i - 1]; i++)
		if (kinds[i - 1] == 'i') {
			sqlite3_bind_int64(s, i, va_arg(ap, int64_t));
		} else if (kinds[i - 1] == 's') {
			sqlite3_bind_text(s, i, va_arg(ap, const char *), -1,
					  SQLITE_TRANSIENT);
		} else {
			struct view v = va_arg(ap, struct view);

			sqlite3_bind_blob(s, i, v.p, (int)v.n, SQLITE_TRANSIENT);
		}
	va_end(ap);
	if (sqlite3_step(s) != SQLITE_DONE)
		die(sql, sqlite3_errmsg(l->db));
	sqlite3_finalize(s);
	return sqlite3_last_insert_rowid(l->db);
}

static struct view hash_view(const struct hash *h)
{
	return (struct view){ (const char *)h->b, HASH_BYTES };
}

static int64_t add_task(struct ledger *l, const struct hash *key, enum kind kind)
{
	return insert(l, "INSERT INTO task(key,kind,spec) VALUES(?,?,x'90')", "bi",
		      hash_view(key), (int64_t)kind);
}

static void add_output(struct ledger *l, int64_t task, const struct buf *body)
{
	insert(l, "INSERT INTO output VALUES(?,?,1,'w1',5,0,?)", "iib", task, l->epoch,
	       buf_view(body));
}

static void add_exec(struct ledger *l, uint32_t q, uint32_t i)
{
	const struct question *x = &l->sweep.q[q];
	int failed = items[q].letters[i] == '!';
	struct exec_out o = { .status = failed ? STATUS_error : STATUS_rows,
			      .note = view_of(""),
			      .error = view_of(failed ? "no such column: nothing" : ""),
			      .error_at = -1,
			      .rows = failed ? 0 : 1 };
	struct buf spec = { 0 }, body = { 0 };
	struct hash key;

	spec_exec(&spec, &l->sweep.env_hash, &l->sweep.db[x->db].hash,
		  &x->cand[i].run_hash);
	key = task_key(buf_view(&spec));
	exec_out_encode(&o, &body);
	insert(l, "INSERT OR IGNORE INTO task(key,kind,spec) VALUES(?,?,?)", "bib",
	       hash_view(&key), (int64_t)KIND_exec, buf_view(&spec));
	insert(l,
	       "INSERT OR IGNORE INTO output SELECT id,1,1,'w1',5,0,?2 FROM task WHERE "
	       "key=?1",
	       "bb", hash_view(&key), buf_view(&body));
	buf_free(&spec);
	buf_free(&body);
}

static void add_call(struct ledger *l, int64_t task, uint32_t seq, uint32_t status,
		     struct usage u, int useful)
{
	struct call c = { .attempt = seq,
			  .latency_ms = 100 + seq,
			  .status = status,
			  .useful = (uint32_t)useful,
			  .usage = u };
	struct buf b = { 0 };

	if (status != 200)
		snprintf(c.error, sizeof c.error, "http_%u", status);
	call_pack(&b, &c);
	insert(l,
	       "INSERT INTO call(task,epoch,attempt,seq,worker,useful,body)"
	       " VALUES(?,?,1,?,'w1',?,?)",
	       "iiiib", task, l->epoch, (int64_t)seq, (int64_t)useful, buf_view(&b));
	buf_free(&b);
}

static struct hash ask_key(uint32_t number)
{
	return hash_of(&number, sizeof number);
}

/* Ask `number` with its useful call; every third had a 500 and a 429 before (G14). */
static void add_ask(struct ledger *l, uint32_t number)
{
	struct hash key = ask_key(number);
	int64_t task = add_task(l, &key, KIND_rank);
	struct usage u = { 100 + number, 7, number % 2 ? 40 : 0,
			   number % 2 ? USAGE_MEASURED | USAGE_CACHED
				      : USAGE_MEASURED };
	uint32_t seq = 1;
	struct buf body = { 0 };

	if (number % 3 == 0) {
		add_call(l, task, seq++, 500, (struct usage){ 0 }, 0);
		add_call(l, task, seq++, 429, (struct usage){ 0 }, 0);
	}
	add_call(l, task, seq, 200, u, 1);
	buf_add_str(&body, "\x90");
	add_output(l, task, &body);
	buf_free(&body);
}

/* ---- choices and verdicts ---- */

/* Groups by letter: larger first, then as met; the failed ones last. */
static void group(struct arena *a, const char *letters, struct choice *c)
{
	char seen[LEDGER_CANDIDATES + 1] = "";

	c->group = arena_alloc(a, LEDGER_CANDIDATES + 1, sizeof *c->group);
	for (int size = LEDGER_CANDIDATES; size > 0; size--)
		for (int i = 0; letters[i]; i++) {
			struct choice_group *g = &c->group[c->ngroup];
			int n = 0;

			for (int k = 0; letters[k]; k++)
				n += letters[k] == letters[i];
			if (n != size || strchr(seen, letters[i]) || letters[i] == '!')
				continue;
			strncat(seen, &letters[i], 1);
			g->member =
				arena_alloc(a, LEDGER_CANDIDATES, sizeof *g->member);
			for (uint32_t k = 0; letters[k]; k++)
				if (letters[k] == letters[i])
					g->member[g->size++] = k;
			g->status = STATUS_rows;
			g->note = view_of("");
			g->rows = g->columns = 1;
			memset(g->digest, letters[i], sizeof g->digest);
			g->mean_rank = -1;
			c->g = ++c->ngroup;
		}
	if (strchr(letters, '!')) {
		struct choice_group *g = &c->group[c->ngroup++];

		g->member = arena_alloc(a, LEDGER_CANDIDATES, sizeof *g->member);
		for (uint32_t k = 0; letters[k]; k++)
			if (letters[k] == '!')
				g->member[g->size++] = k;
		g->status = STATUS_error;
		g->note = view_of("");
		g->failed = 1;
		g->mean_rank = -1;
	}
}

/* Passes of map: all ranked candidates, groups in reverse order; pass 3 is void. */
static void rank(struct arena *a, struct choice *c)
{
	c->npass = 4;
	c->pass = arena_alloc(a, 4, sizeof *c->pass);
	for (uint32_t p = 0; p < 4; p++) {
		struct choice_pass *x = &c->pass[p];
		uint32_t n = 0;

		x->cand = arena_alloc(a, LEDGER_CANDIDATES, sizeof *x->cand);
		x->place = arena_alloc(a, LEDGER_CANDIDATES, sizeof *x->place);
		x->is_void = p == 2;
		for (uint32_t g = c->g; g-- > 0 && !x->is_void;) {
			memcpy(x->cand + n, c->group[g].member,
			       c->group[g].size * sizeof *x->cand);
			n += c->group[g].size;
			x->place[x->places++] = c->group[g].size;
		}
	}
	for (uint32_t g = 0; g < c->g; g++)
		c->group[g].mean_rank = c->g - g + (g ? 1.0 / 3 : 0);
	c->parse_missing = 1;
	c->parse_failed = 1;
}

/* map asks four windows a question: tasks 10 q .. 10 q + 3 (+ 4 for the tie-break); the
 * last of them differs by seed, the others are shared. Question 2 and 1 share task 13.
 */
static void ask(struct arena *a, uint32_t q, uint32_t r, struct choice *c)
{
	c->asked = arena_alloc(a, 8, sizeof *c->asked);
	for (uint32_t i = 0; i < 4; i++) {
		uint32_t number = 10 * q + i;

		if (i == 3)
			number = r == 3 ? 10 * q + 4 : number;
		if (q == 2 && i == 0)
			number = 12;
		c->asked[c->nasked++] = (struct choice_ask){ .key = ask_key(number),
							     .kind = KIND_rank,
							     .pass = (uint16_t)(i + 1),
							     .window = 1 };
	}
	c->asks = 4;
}

static void decide(struct ledger *l, struct arena *a, uint32_t q, uint32_t r,
		   struct choice *c)
{
	(void)l;
	*c = (struct choice){ .confidence = -1,
			      .why = WHY_MAJORITY,
			      .reason = view_of("") };
	group(a, items[q].letters, c);
	c->chosen = c->group[0].member[0];
	if (c->g == 1) {
		c->why = WHY_ONE_GROUP;
		c->confidence = 1;
		return;
	}
	if (r < 2)
		return;
	rank(a, c);
	ask(a, q, r, c);
	c->why = WHY_RANKED;
	c->chosen = c->group[c->g - 1].member[0];
	c->confidence = 0.875;
	c->memory = arena_alloc(a, 2, sizeof *c->memory);
	c->memory[c->nmemory++] = view_of("12");
	c->memory[c->nmemory++] = view_of("\"x9\"");
	if (q == 2) {
		c->why = WHY_TIE_BREAK;
		c->tied = c->has_tie = 1;
		c->tie_a = c->group[0].member[0];
		c->tie_b = c->group[1].member[0];
		c->tie_score[0] = 1.0 / 3;
		c->tie_score[1] = 2.0 / 3;
	}
	if (q == 4) { /* the model stopped answering */
		c->why = WHY_DEGRADED;
		c->reason = view_of("endpoint: http_502");
		c->degraded = 1;
		c->chosen = c->group[0].member[0];
		c->note = arena_alloc(a, 1, sizeof *c->note);
		c->note[c->nnote++] = view_of("memories halved once");
	}
}

static void add_choice(struct ledger *l, uint32_t q, uint32_t r)
{
	struct arena a = { 0 };
	struct buf b = { 0 };
	struct choice c;

	decide(l, &a, q, r, &c);
	choice_encode(&c, &b);
	insert(l, "INSERT INTO choice(sweep,run,position,body) VALUES(?,?,?,?)", "isib",
	       l->id, l->sweep.run[r].name, (int64_t)q, buf_view(&b));
	buf_free(&b);
	arena_free(&a);
}

static void add_verdict(struct ledger *l, uint32_t q, uint32_t n)
{
	uint8_t right[LEDGER_CANDIDATES], strict[LEDGER_CANDIDATES],
		status[LEDGER_CANDIDATES];
	struct view note[LEDGER_CANDIDATES];
	double soft[LEDGER_CANDIDATES];
	struct verdict v = { .n = n,
			     .right = right,
			     .strict = strict,
			     .status = status,
			     .note = note,
			     .gold = STATUS_rows,
			     .gold_rows = 1,
			     .gold_note = view_of("") };
	struct buf b = { 0 };

	if (items[q].right == '?') {
		v.gold = STATUS_timeout;
		v.gold_note = view_of("steps");
		v.gold_rows = 0;
	}
	for (uint32_t i = 0; i < n; i++) {
		char c = items[q].letters[i];

		right[i] = c == items[q].right;
		strict[i] = right[i] && q != 1;
		status[i] = c == '!' ? STATUS_error : STATUS_rows;
		note[i] = view_of(c == '!' ? "no such column: nothing" : "");
		soft[i] = c == '!' ? 0 : right[i] ? 1 : .25;
	}
	if (l->sweep.rule == RULE_bird)
		v.soft_f1 = soft;
	verdict_encode(&v, &b);
	insert(l, "INSERT INTO verdict(sweep,position,body) VALUES(?,?,?)", "iib",
	       l->id, (int64_t)q, buf_view(&b));
	buf_free(&b);
}

static void begin_journal(struct ledger *l)
{
	char *why = NULL;

	if (sqlite3_open(l->path, (sqlite3 **)&l->db) != SQLITE_OK ||
	    sqlite3_exec(l->db, journal_schema, NULL, NULL, &why) != SQLITE_OK)
		die(l->path, why);
	sqlite3_exec(l->db, "PRAGMA user_version=1; BEGIN", NULL, NULL, NULL);
	insert(l,
	       "INSERT INTO sweep(key,inputs,name,config,started_ms)"
	       " VALUES(x'00',?,'other','{}',1)",
	       "b", hash_view(&l->sweep.inputs)); /* an earlier command */
	insert(l,
	       "INSERT INTO epoch(sweep,boot,host,pid,version,started_ms)"
	       " VALUES(1,1,'h',1,'0',1)",
	       "");
	insert(l, "INSERT INTO finish VALUES(1,0,'{\"tasks\":10,\"cost\":0.5}',2)", "");
	l->id = insert(l,
		       "INSERT INTO sweep(key,inputs,name,config,started_ms)"
		       " VALUES(?,?,'ledger','{}',1)",
		       "bb", hash_view(&l->sweep.key), hash_view(&l->sweep.inputs));
	l->epoch = insert(l,
			  "INSERT INTO epoch(sweep,boot,host,pid,version,started_ms)"
			  " VALUES(?,2,'h',1,'0',1)",
			  "i", l->id);
	insert(l, "INSERT INTO finish VALUES(?,0,'{\"tasks\":7,\"cost\":0.25}',2)", "i",
	       l->epoch);
}

void ledger_make(struct ledger *l, const char *benchmark)
{
	*l = (struct ledger){ .dir = "/tmp/ledger-XXXXXX" };
	if (!mkdtemp(l->dir))
		die("mkdtemp", l->dir);
	snprintf(l->path, sizeof l->path, "%s/journal.db", l->dir);
	snprintf(l->out, sizeof l->out, "%s/out", l->dir);
	make_sweep(l, benchmark);
	make_gold(l);
	l->facts = (struct run_facts){ .version = "0",
				       .sqlite_version = "3.40.1",
				       .sqlite_source_id = "id",
				       .started_ms = 1,
				       .ended_ms = 2,
				       .price.llm = { 1, .1, 10 } };
	begin_journal(l);
	for (uint32_t q = 0; q < LEDGER_QUESTIONS; q++) {
		for (uint32_t i = 0; i < LEDGER_CANDIDATES; i++)
			add_exec(l, q, i);
		for (uint32_t i = 0; i < 5; i++)
			add_ask(l, 10 * q + i);
		for (uint32_t r = 0; r < LEDGER_RUNS; r++)
			if (q != 5 || r != 3) /* not finished */
				add_choice(l, q, r);
		add_verdict(l, q, LEDGER_CANDIDATES);
	}
	sqlite3_exec(l->db, "COMMIT", NULL, NULL, NULL);
}

void ledger_scores(struct ledger *l)
{
	l->sweep.nrun = 0;
	for (uint32_t q = 0; q < LEDGER_QUESTIONS; q++) {
		l->sweep.q[q].n = 3;
		add_verdict(l, q, 3); /* the newest counts */
	}
}

static int remove_one(const char *path, const struct stat *s, int kind, struct FTW *w)
{
	(void)s;
	(void)kind;
	(void)w;
	return remove(path);
}

void ledger_remove(struct ledger *l)
{
	sqlite3_close(l->db);
	gold_free(&l->gold);
	arena_free(&l->sweep.arena);
	nftw(l->dir, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

char *ledger_read(const struct ledger *l, const char *name)
{
	char path[256];
	FILE *f;
	char *text = NULL;
	size_t n = 0;

	snprintf(path, sizeof path, "%s/%s", l->out, name);
	f = fopen(path, "rb");
	if (!f)
		die(path, "absent");
	if (getdelim(&text, &n, '\0', f) < 0)
		text = mem_dup("", 0);
	fclose(f);
	return text;
}
