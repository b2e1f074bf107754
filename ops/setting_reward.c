/* setting_reward.c - the flags of the reward role */
#include "ops/reward_detect.h"
#include "ops/setting.h"

#include "common/base/buf.h"
#include "proto/reward.h"
#include "worker/prompt.h"

static const struct role_flags flags = { FLAG_reward_url, FLAG_reward_header,
					 FLAG_reward_api_key_env };

static int known_kinds(const char *said, struct err *e)
{
#define X(name, number, word, what) " " word
	return err_set(e, ERR_USAGE, "--reward-kind: \"%s\" is none of" REWARD_LIST(X),
		       said);
#undef X
}

int setting_reward_kind(struct options *o, enum reward_kind *ret, struct err *e)
{
	const char *said = opt_text(o, FLAG_reward_kind);

	*ret = said ? reward_kind_by_word(said) : REWARD_NONE;
	return said && !*ret ? known_kinds(said, e) : 0;
}

/* Chat models are asked as the llm role asks them. */
static const char *template_of(enum reward_kind k)
{
	return k == REWARD_yes_no ? "yes" : k == REWARD_grade ? "point" : "reward";
}

static int needs_pair(struct options *o, const struct reward_role *r, struct err *e)
{
	int pairs = r->kind == REWARD_score || r->kind == REWARD_rerank;

	if (!pairs || memmem(r->template.p, r->template.n, "{{assistant}}", 13))
		return 0;
	return err_set(e, ERR_INPUT,
		       "%s: there is no line {{assistant}}: --reward-kind %s scores "
		       "what stands behind it against what stands before",
		       opt_text(o, FLAG_reward_template), reward_kind_word(r->kind));
}

int setting_reward_settled(struct options *o, struct sweep *s, enum reward_kind kind,
			   struct err *e)
{
	const char *revision = opt_text(o, FLAG_reward_revision);
	struct reward_role *r = &s->reward;
	struct reward_model m = {
		.name = r->name,
		.revision = view_of(revision ? revision : ""),
		.kind = kind,
		.label = opt_said(o, FLAG_reward_label)
				 ? (int32_t)opt_count(o, FLAG_reward_label)
				 : REWARD_LAST_LABEL,
	};
	struct buf b = { 0 };
	int rc = setting_template(o, s, FLAG_reward_template, template_of(kind),
				  &r->template, &r->template_hash, e);

	r->kind = kind;
	if (rc || !kind || (rc = needs_pair(o, r, e)))
		return rc;
	reward_model_encode(&m, &b);
	r->model_blob = arena_view(&s->arena, buf_view(&b));
	buf_free(&b);
	if (!r->model_blob.p)
		return err_set(e, ERR_NOMEM, "reward model");
	r->model_hash = hash_of(r->model_blob.p, r->model_blob.n);
	return 0;
}

int setting_reward(struct options *o, struct sweep *s, struct err *e)
{
	const char *urls = opt_text(o, FLAG_reward_url),
		   *name = opt_text(o, FLAG_reward_model);
	const char *headers = opt_text(o, FLAG_reward_header);
	struct reward_role *r = &s->reward;
	enum reward_kind kind;
	int rc = setting_reward_kind(o, &kind, e);

	if (rc || (!name && !urls))
		return rc;
	if (!name || !urls)
		return err_set(e, ERR_USAGE, "--reward-%s needs --reward-%s, too",
			       name ? "model" : "url", name ? "url" : "model");
	if ((rc = setting_check_role(&flags, o, urls, e)))
		return rc;
	r->name = view_of(arena_str(&s->arena, name));
	r->base_urls = view_of(arena_str(&s->arena, urls));
	r->api_key_env =
		view_of(arena_str(&s->arena, opt_text(o, FLAG_reward_api_key_env)));
	r->headers = view_of(headers ? arena_str(&s->arena, headers) : "");
	return setting_reward_settled(o, s, kind, e);
}
