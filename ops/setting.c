/* setting.c - see setting.h */
#include "ops/setting.h"

#include "common/base/buf.h"
#include "common/base/pack.h"
#include "ops/plan.h"
#include "ops/rundir.h"
#include "ops/textfile.h"
#include "proto/embed_out.h"
#include "proto/task.h"
#include "worker/prompt.h"
#include "worker/worker.h"

#include <ctype.h>
#include <jansson.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

const char *setting_cache(struct arena *a)
{
	const char *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	char path[PATH_MAX] = "";

	if (xdg && *xdg == '/')
		snprintf(path, sizeof path, "%s/mapfleet", xdg);
	else if (home && *home == '/')
		snprintf(path, sizeof path, "%s/.cache/mapfleet", home);
	if (!*path || rundir_make(path, NULL))
		snprintf(path, sizeof path, "/tmp/mapfleet-cache-%u",
			 (unsigned)getuid());
	return rundir_make(path, NULL) ? NULL : arena_str(a, path);
}

uint32_t setting_cores(void)
{
	cpu_set_t set;
	int n = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;

	return n > 0 ? (uint32_t)n : 1;
}

/* ---- masks ---- */

static void mask_url(struct buf *b, const char *p, size_t n)
{
	const char *end = p + n, *scheme = memmem(p, n, "://", 3), *host, *at, *query;

	host = scheme ? scheme + 3 : p;
	at = memrchr(host, '@',
		     strcspn(host, "/,?") < (size_t)(end - host)
			     ? strcspn(host, "/,?")
			     : (size_t)(end - host));
	buf_add(b, p, (size_t)(host - p));
	if (at) {
		buf_add_str(b, "***");
		host = at;
	}
	query = memchr(host, '?', (size_t)(end - host));
	buf_add(b, host, (size_t)((query ? query : end) - host));
	if (query)
		buf_add_str(b, "?***");
}

const char *setting_mask_urls(struct arena *a, const char *urls)
{
	struct buf b = { 0 };
	const char *kept;

	while (urls) {
		size_t n = strcspn(urls, ",");

		if (b.n)
			buf_add_char(&b, ',');
		mask_url(&b, urls, n);
		urls = urls[n] ? urls + n + 1 : NULL;
	}
	kept = b.bad ? NULL : arena_str(a, b.p ? b.p : "");
	buf_free(&b);
	return kept;
}

/* "Name: value" lines: the names are shown, no value is. */
static const char *mask_headers(struct arena *a, const char *lines)
{
	struct buf b = { 0 };
	const char *kept;

	while (lines) {
		size_t n = strcspn(lines, "\n"), name = strcspn(lines, ":\n");

		buf_addf(&b, "%s%.*s: ***", b.n ? "\n" : "", (int)name, lines);
		lines = lines[n] ? lines + n + 1 : NULL;
	}
	kept = b.bad ? NULL : arena_str(a, b.p ? b.p : "");
	buf_free(&b);
	return kept;
}

const char *setting_shown(struct arena *a, enum flag f, const char *value)
{
	if (f == FLAG_base_url || f == FLAG_reward_url || f == FLAG_embed_url)
		return setting_mask_urls(a, value);
	if (f == FLAG_header || f == FLAG_reward_header || f == FLAG_embed_header)
		return mask_headers(a, value);
	return value;
}

/* ---- the world that queries run in ---- */

static int is_iso(const char *v)
{
	static const char form[] = "dddd-dd-ddTdd:dd:ddZ";

	for (size_t i = 0; i < sizeof form; i++)
		if (form[i] == 'd' ? !isdigit((unsigned char)v[i]) : form[i] != v[i])
			return 0;
	return atoi(v + 5) >= 1 && atoi(v + 5) <= 12 && atoi(v + 8) >= 1 &&
	       atoi(v + 8) <= 31 && atoi(v + 11) < 24 && atoi(v + 14) < 60 &&
	       atoi(v + 17) < 60;
}

/* Where nothing is said, the benchmark's own now. */
static const char *clock_of(const struct options *o, const struct sweep *s)
{
	if (s->rule == RULE_ehrsql && !opt_said(o, FLAG_clock))
		return "2100-12-31T23:59:00Z";
	if (s->rule == RULE_ehrsql_v1 && !opt_said(o, FLAG_clock))
		return "2105-12-31T23:59:00Z";
	return opt_text(o, FLAG_clock);
}

int setting_env(struct options *o, struct sweep *s, struct err *e)
{
	const char *clock = clock_of(o, s);
	struct env env = { .value_bytes = 16 << 20 };
	struct buf b = { 0 };

	if (!is_iso(clock))
		return err_set(e, ERR_USAGE,
			       "%s: \"%s\" is no time like 2025-01-01T00:00:00Z",
			       opt_where(o, FLAG_clock), clock);
	env.engine = view_of(worker_engine());
	env.steps = opt_count(o, FLAG_sql_steps);
	env.rows = opt_count(o, FLAG_sql_rows);
	env.memory_bytes = opt_count(o, FLAG_sql_memory) << 20;
	env.clock = view_of(clock);
	env.digests = rule_digests(s->rule);
	env.text = rule_text(s->rule);
	env_encode(&env, &b);
	s->env = arena_view(&s->arena, buf_view(&b));
	buf_free(&b);
	if (!s->env.p)
		return err_set(e, ERR_NOMEM, "env");
	s->env_hash = hash_of(s->env.p, s->env.n);
	return 0;
}

/* ---- numbers ---- */

static int preview_rows(struct options *o, struct sweep *s, struct err *e)
{
	const char *v = opt_text(o, FLAG_preview);
	char *end;
	unsigned long n;

	s->preview_rows = 0;
	if (strcmp(v, "none") == 0)
		return 0;
	n = strtoul(v, &end, 10);
	if (!isdigit((unsigned char)*v) || *end || n > 20)
		return err_set(e, ERR_USAGE,
			       "%s: \"%s\" is neither none nor a number up to 20",
			       opt_where(o, FLAG_preview), v);
	s->preview_rows = (uint32_t)n;
	return 0;
}

int setting_numbers(struct options *o, struct sweep *s, struct err *e)
{
	s->sql_timeout_ms = (uint64_t)(opt_number(o, FLAG_sql_timeout) * 1000);
	s->memory_tokens = (uint32_t)opt_count(o, FLAG_memory_tokens);
	s->passes_ahead = (uint32_t)opt_count(o, FLAG_passes_ahead);
	s->workers = opt_said(o, FLAG_workers) ? (uint32_t)opt_count(o, FLAG_workers)
					       : setting_cores();
	s->max_connections = (uint32_t)opt_count(o, FLAG_max_connections);
	s->max_retries = (uint32_t)opt_count(o, FLAG_max_retries);
	s->timeout_ms = (uint64_t)(opt_number(o, FLAG_timeout) * 1000);
	s->token_limit = opt_count(o, FLAG_token_limit);
	s->call_limit = opt_count(o, FLAG_call_limit);
	s->retry_errors = opt_on(o, FLAG_retry_errors);
	s->fail_on_error = opt_number(o, FLAG_fail_on_error);
	return opt_text(o, FLAG_preview) ? preview_rows(o, s, e) : 0;
}

/* ---- the model ---- */

int setting_template(struct options *o, struct sweep *s, enum flag f, const char *name,
		     struct view *ret, struct hash *ret_hash, struct err *e)
{
	const char *path = opt_text(o, f);
	struct textfile file;
	int rc;

	if (path) {
		rc = textfile_read(&s->arena, path, &file, e);
		if (!rc)
			rc = prompt_check(name, file.text, e);
		if (rc)
			return err_where(e, "%s", path);
		*ret = file.text;
	} else {
		*ret = view_of(prompt_default(name));
	}
	*ret_hash = hash_of(ret->p, ret->n);
	return 0;
}

/* A host is there, brackets of an IPv6 address close, nothing is no URL's letter. */
static int is_url(const char *p, size_t n)
{
	const char *host = memmem(p, n, "://", 3), *end = p + n;

	for (size_t i = 0; i < n; i++)
		if ((unsigned char)p[i] <= ' ' || p[i] == 0x7f)
			return 0;
	if (!host || host + 3 == end || host[3] == '/' || host[3] == ':')
		return 0;
	return !memchr(p, '[', n) == !memchr(p, ']', n);
}

static int check_urls(enum flag f, const char *urls, struct err *e)
{
	while (urls && *urls) {
		size_t n = strcspn(urls, ",");

		if ((strncasecmp(urls, "http://", 7) != 0 &&
		     strncasecmp(urls, "https://", 8) != 0) ||
		    !is_url(urls, n))
			return err_set(
				e, ERR_USAGE,
				"--%s: a URL begins with http:// or https:// and "
				"ends in /v1, as http://127.0.0.1:8000/v1",
				flag_name(f));
		urls = urls[n] ? urls + n + 1 : NULL;
	}
	return 0;
}

static int check_headers(enum flag f, const char *lines, struct err *e)
{
	while (lines && *lines) {
		size_t n = strcspn(lines, "\n"), name = strcspn(lines, ":\n ");

		if (name == 0 || lines[name] != ':')
			return err_set(e, ERR_USAGE, "--%s: \"NAME: VALUE\" is wanted",
				       flag_name(f));
		for (size_t i = 0; i < n; i++)
			if ((unsigned char)lines[i] < ' ' && lines[i] != '\t')
				return err_set(e, ERR_USAGE,
					       "--%s: %.*s holds a control "
					       "character",
					       flag_name(f), (int)name, lines);
		lines = lines[n] ? lines + n + 1 : NULL;
	}
	return 0;
}

/* Only looked at: workers read it from their own environment. */
static int check_key(const char *env, struct err *e)
{
	const char *key = env ? getenv(env) : NULL;
	size_t n = key ? strlen(key) : 0;

	while (n && strchr(" \r\n\t", key[n - 1]))
		n--;
	for (size_t i = 0; i < n; i++)
		if ((unsigned char)key[i] < ' ' || key[i] == 0x7f)
			return err_set(e, ERR_USAGE,
				       "the key in %s holds a control character: set "
				       "it again",
				       env);
	return 0;
}

int setting_check_role(const struct role_flags *f, struct options *o, const char *urls,
		       struct err *e)
{
	int rc = check_urls(f->url, urls, e);

	if (!rc)
		rc = check_headers(f->header, opt_text(o, f->header), e);
	return rc ? rc : check_key(opt_text(o, f->key_env), e);
}

static int pack_llm(struct sweep *s, struct err *e)
{
	struct model *m = &s->model;
	struct buf b = { 0 };

	pack_array(&b, 5);
	pack_str(&b, m->name);
	pack_str(&b, m->revision);
	pack_f64(&b, m->temperature);
	pack_f64(&b, m->top_p);
	pack_u64(&b, m->max_tokens);
	m->llm_blob = arena_view(&s->arena, buf_view(&b));
	buf_free(&b);
	if (!m->llm_blob.p)
		return err_set(e, ERR_NOMEM, "model");
	m->llm_hash = hash_of(m->llm_blob.p, m->llm_blob.n);
	return 0;
}

static int all_templates(struct options *o, struct sweep *s, struct err *e)
{
	static const struct {
		enum flag flag;
		const char *name;
	} of[TEMPLATES] = {
#define X(word) [TEMPLATE_##word] = { FLAG_##word##_template, #word },
		TEMPLATE_LIST(X)
#undef X
	};
	struct model *m = &s->model;
	int rc = 0;

	for (size_t i = 0; i < TEMPLATES && !rc; i++)
		rc = setting_template(o, s, of[i].flag, of[i].name, &m->template[i],
				      &m -> template_hash[i], e);
	return rc;
}

static int score_kind(struct options *o, struct model *m, struct err *e)
{
	const char *said = opt_text(o, FLAG_score_kind);

	if (!said) /* a verb that has memories written, not candidates scored */
		return 0;
	m->scores_yes = strcmp(said, "yes-no") == 0;
	if (m->scores_yes || strcmp(said, "grade") == 0)
		return 0;
	return err_set(e, ERR_USAGE, "--score-kind: \"%s\" is neither grade nor yes-no",
		       said);
}

int setting_model(struct options *o, struct sweep *s, struct err *e)
{
	const char *urls = opt_text(o, FLAG_base_url), *name = opt_text(o, FLAG_model);
	const char *headers = opt_text(o, FLAG_header),
		   *env = opt_text(o, FLAG_api_key_env);
	const char *revision = opt_text(o, FLAG_model_revision);
	static const struct role_flags llm = { FLAG_base_url, FLAG_header,
					       FLAG_api_key_env };
	struct model *m = &s->model;
	int rc;

	if (!name)
		return 0;
	if (!urls)
		urls = getenv("OPENAI_BASE_URL");
	if (!urls || !*urls)
		return err_set(e, ERR_USAGE,
			       "--model %s needs --base-url (or OPENAI_BASE_URL)",
			       name);
	if ((rc = setting_check_role(&llm, o, urls, e)))
		return rc;
	m->name = view_of(arena_str(&s->arena, name));
	m->revision = view_of(revision ? arena_str(&s->arena, revision) : "");
	m->base_urls = view_of(arena_str(&s->arena, urls));
	m->api_key_env = view_of(arena_str(&s->arena, env));
	m->headers = view_of(headers ? arena_str(&s->arena, headers) : "");
	m->temperature = opt_number(o, FLAG_temperature);
	m->top_p = opt_number(o, FLAG_top_p);
	m->max_tokens = (uint32_t)opt_count(o, FLAG_max_tokens);
	if ((rc = score_kind(o, m, e)) || (rc = all_templates(o, s, e)))
		return rc;
	return pack_llm(s, e);
}

static int pack_embedder(struct options *o, struct sweep *s, struct err *e)
{
	struct embed_role *m = &s->embed;
	const char *revision = opt_text(o, FLAG_embed_revision);
	struct embedder by = { m->name, view_of(revision ? revision : ""),
			       (uint32_t)opt_count(o, FLAG_embed_dimensions) };
	struct buf b = { 0 };

	embedder_encode(&by, &b);
	m->blob = arena_view(&s->arena, buf_view(&b));
	buf_clear(&b);
	buf_add(&b, m->name.p, m->name.n);
	if (revision)
		buf_addf(&b, "@%s", revision);
	m->embedder = arena_view(&s->arena, buf_view(&b));
	buf_free(&b);
	if (!m->blob.p || !m->embedder.p)
		return err_set(e, ERR_NOMEM, "embedder");
	m->hash = hash_of(m->blob.p, m->blob.n);
	return 0;
}

int setting_embed(struct options *o, struct sweep *s, struct err *e)
{
	const char *name = opt_text(o, FLAG_embed_model),
		   *urls = opt_text(o, FLAG_embed_url);
	const char *headers = opt_text(o, FLAG_embed_header),
		   *env = opt_text(o, FLAG_embed_api_key_env);
	static const struct role_flags role = { FLAG_embed_url, FLAG_embed_header,
						FLAG_embed_api_key_env };
	struct embed_role *m = &s->embed;
	int rc;

	if (!name && urls)
		return err_set(e, ERR_USAGE, "--embed-url needs --embed-model");
	if (!name)
		return 0;
	if (!urls)
		urls = opt_text(o, FLAG_base_url);
	if (!urls)
		urls = getenv("OPENAI_BASE_URL");
	if (!urls || !*urls)
		return err_set(e, ERR_USAGE,
			       "--embed-model %s needs --embed-url (or --base-url)",
			       name);
	if ((rc = setting_check_role(&role, o, urls, e)))
		return rc;
	m->name = view_of(arena_str(&s->arena, name));
	m->base_urls = view_of(arena_str(&s->arena, urls));
	m->api_key_env = view_of(arena_str(&s->arena, env));
	m->headers = view_of(headers ? arena_str(&s->arena, headers) : "");
	return pack_embedder(o, s, e);
}

static int known_price(const char *file, struct view model, struct price_of *ret,
		       struct err *e)
{
	int rc = plan_price(file, model, ret, e);

	if (!rc && !ret->known && model.n)
		rc = err_set(e, ERR_USAGE, "--cost-limit: %s has no price for %.*s",
			     file, (int)model.n, model.p);
	return rc;
}

static double larger(double a, double b)
{
	return a > b ? a : b;
}

/* The broker does not tell roles apart: the dearest of their prices stays on the safe
 * side. Vectors cost next to nothing, so nobody must know what. */
int setting_cost_limit(struct options *o, struct sweep *s, struct err *e)
{
	const char *prices = opt_text(o, FLAG_price_file);
	struct price_of llm, reward = { 0 }, embed = { 0 };
	int rc;

	s->cost_limit = opt_number(o, FLAG_cost_limit);
	if (!opt_said(o, FLAG_cost_limit))
		return 0;
	if (!prices)
		return err_set(e, ERR_USAGE, "--cost-limit needs --price-file");
	rc = known_price(prices, s->model.name, &llm, e);
	if (!rc && s->reward.name.n)
		rc = known_price(prices, s->reward.name, &reward, e);
	if (!rc && s->embed.name.n)
		rc = plan_price(prices, s->embed.name, &embed, e);
	if (rc)
		return rc;
	s->price_prompt = larger(llm.prompt, larger(reward.prompt, embed.prompt));
	s->price_completion = larger(llm.completion, reward.completion);
	return 0;
}

/* ---- weights of the evidence judge ---- */

int setting_weights(struct options *o, struct sweep *s, struct err *e)
{
	const char *path = opt_text(o, FLAG_evidence_weights);
	struct textfile file;
	struct buf b = { 0 };
	int rc;

	s->own_weights = path != NULL;
	if (path) {
		rc = textfile_read(&s->arena, path, &file, e);
		if (!rc && (rc = weights_read(file.text, &s->arena, &s->weights, e)))
			err_where(e, "%s", path);
	} else {
		rc = weights_builtin(&s->arena, &s->weights, e);
	}
	if (rc)
		return rc;
	weights_encode(&s->weights, &b);
	s->weights_blob =
		b.bad ? (struct view){ NULL, 0 } : arena_view(&s->arena, buf_view(&b));
	buf_free(&b);
	if (!s->weights_blob.p)
		return err_set(e, ERR_NOMEM, "weights");
	s->weights_identity = weights_identity(&s->weights);
	s->weights_hash = hash_of(s->weights_blob.p, s->weights_blob.n);
	return 0;
}

/* ---- everything, for run.json ---- */

static void add(json_t *doc, struct options *o, struct sweep *s, enum flag f)
{
	const char *v = opt_text(o, f);

	if (v)
		json_object_set_new(doc, flag_key(f),
				    json_string(setting_shown(&s->arena, f, v)));
}

const char *setting_config(struct options *o, struct sweep *s)
{
	json_t *doc = json_object();
	const char *kept = NULL;
	char *text;

	for (enum flag f = 0; f < FLAGS; f++)
		if (f != FLAG_env_file && f != FLAG_json && f != FLAG_quiet &&
		    f != FLAG_verbose)
			add(doc, o, s, f);
	json_object_set_new(doc, "benchmark", json_string(s->benchmark));
	json_object_set_new(doc, "rule", json_string(rule_name(s->rule)));
	json_object_set_new(doc, "workers", json_integer(s->workers));
	if (opt_text(o, FLAG_clock))
		json_object_set_new(doc, "clock", json_string(clock_of(o, s)));
	text = json_dumps(doc, JSON_COMPACT | JSON_SORT_KEYS);
	if (text)
		kept = arena_str(&s->arena, text);
	free(text);
	json_decref(doc);
	return kept;
}
