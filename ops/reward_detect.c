/* reward_detect.c - see reward_detect.h */
#include "ops/reward_detect.h"

#include "ops/notice.h"

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

int reward_settle(struct options *o, struct sweep *s, struct err *e)
{
	struct reward_server server = reward_server_of(o);
	enum reward_kind kind;
	int rc;

	if (!s->reward.name.n || s->reward.kind)
		return 0;
	rc = reward_detect(&server, NULL, NULL, &kind, e);
	if (rc == ERR_NET || rc == ERR_TIMEOUT)
		return err_where(e, "--reward-kind is not said, and the server could "
				    "not be asked");
	if (rc)
		return rc;
	notice_say("the reward server serves --reward-kind %s", reward_kind_word(kind));
	return setting_reward_settled(o, s, kind, e);
}
