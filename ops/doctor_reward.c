/* doctor_reward.c - what does the reward model's server serve? */
#include "ops/doctor.h"
#include "ops/reward_detect.h"

static const char mend_kind[] = "serve the model so that it scores, or say another "
				"--reward-url";

static void tell(void *arg, enum reward_kind k, const struct err *err, const char *text)
{
	struct checks *c = arg;

	if (err->code)
		check_line(c, CHECK_OK, "reward", NULL, "%s: no: %.300s",
			   reward_kind_word(k), err->text);
	else
		check_line(c, CHECK_OK, "reward", NULL, "%s: yes, %s",
			   reward_kind_word(k), text);
}

void doctor_reward(struct checks *c, const struct reward_server *s)
{
	enum reward_kind kind;
	struct err e = { 0 };
	int rc = reward_detect(s, tell, c, &kind, &e);

	if (rc)
		check_line(c, CHECK_FAIL, "reward", mend_kind, "%s", e.text);
	else
		check_line(c, CHECK_OK, "reward", NULL, "--reward-kind %s%s",
			   reward_kind_word(kind),
			   s->only ? "" : " is what a run takes");
}
