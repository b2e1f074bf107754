/* reward_detect.c - see reward_detect.h */
#include "ops/reward_detect.h"

#include "ops/jsonfile.h"
#include "ops/notice.h"
#include "ops/setting.h"
#include "proto/reward.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

struct reward_server reward_server_of(struct options *o)
{
	return (struct reward_server){
		.url = opt_text(o, FLAG_reward_url),
		.model = opt_text(o, FLAG_reward_model),
		.key_env = opt_text(o, FLAG_reward_api_key_env),
		.headers = opt_text(o, FLAG_reward_header),
		.label = opt_said(o, FLAG_reward_label)
				 ? (int32_t)opt_count(o, FLAG_reward_label)
				 : REWARD_LAST_LABEL,
	};
}

static int same_setting(struct options *o, const json_t *config, enum flag f)
{
	const char *was = json_string_value(json_object_get(config, flag_key(f))),
		   *now = opt_text(o, f);

	now = now ? setting_shown(&o->arena, f, now) : "";
	return now && strcmp(was ? was : "", now) == 0;
}

/* A finished run needs no server to say again that it is done. */
static enum reward_kind known_kind(struct options *o, const char *dir)
{
	static const enum flag of[] = { FLAG_reward_model, FLAG_reward_revision,
					FLAG_reward_url };
	struct textfile f;
	const char *word;
	char path[PATH_MAX];
	json_t *run = NULL;
	int same = 1;
	enum reward_kind kind = REWARD_NONE;

	snprintf(path, sizeof path, "%s/run.json", dir);
	if (textfile_read(&o->arena, path, &f, NULL) || json_document(&f, &run, NULL))
		return REWARD_NONE;
	for (size_t i = 0; i < sizeof of / sizeof *of; i++)
		same &= same_setting(o, json_object_get(run, "config"), of[i]);
	word = json_string_value(json_object_get(run, "reward_kind"));
	if (same && word)
		kind = reward_kind_by_word(word);
	if (kind)
		notice_say("--reward-kind %s, as %s tells", word, path);
	json_decref(run);
	return kind;
}

int reward_settle(struct options *o, struct sweep *s, const char *dir, struct err *e)
{
	struct reward_server server = reward_server_of(o);
	enum reward_kind kind;
	int rc;

	if (!s->reward.name.n || s->reward.kind)
		return 0;
	kind = known_kind(o, dir);
	if (kind)
		return setting_reward_settled(o, s, kind, e);
	rc = reward_detect(&server, NULL, NULL, &kind, e);
	if (rc == ERR_NET || rc == ERR_TIMEOUT)
		return err_where(e, "--reward-kind is not said, and the server could "
				    "not be asked");
	if (rc)
		return rc;
	notice_say("the reward server serves --reward-kind %s", reward_kind_word(kind));
	return setting_reward_settled(o, s, kind, e);
}
