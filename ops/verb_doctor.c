/* verb_doctor.c - can this machine do the job? */
#include "ops/doctor.h"
#include "ops/reward_detect.h"
#include "ops/verb.h"

#include <stdlib.h>

static void endpoint(struct options *o, struct checks *c)
{
	const char *urls = opt_text(o, FLAG_base_url);

	if (!urls)
		urls = getenv("OPENAI_BASE_URL");
	if (urls && *urls)
		doctor_endpoint(c, urls, opt_text(o, FLAG_api_key_env),
				opt_text(o, FLAG_model));
	else
		check_line(c, CHECK_OK, "endpoint", NULL,
			   "none named; --judge evidence needs none (--base-url URL "
			   "looks at one)");
}

static void reward(struct options *o, struct checks *c)
{
	struct reward_server s = reward_server_of(o);
	struct err e = { 0 };

	if (!s.url)
		return;
	if (!s.model)
		check_line(c, CHECK_FAIL, "reward", "say --reward-model, too",
			   "--reward-url without --reward-model");
	else if (setting_reward_kind(o, &s.only, &e))
		check_line(c, CHECK_FAIL, "reward", "--help lists them", "%s", e.text);
	else
		doctor_reward(c, &s);
}

static void databases(struct options *o, struct checks *c)
{
	struct databases_how how = { .dir = opt_text(o, FLAG_databases) };

	if (how.dir)
		doctor_databases(c, &how);
	else
		check_line(c, CHECK_OK, "databases", NULL,
			   "none named (--databases DIR looks at them)");
}

static int run(struct options *o, struct err *e)
{
	struct checks c;
	uint32_t failed;

	checks_begin(&c, opt_on(o, FLAG_json));
	doctor_sandbox(&c); /* first: it forks */
	doctor_libraries(&c);
	doctor_sqlite(&c);
	doctor_sockets(&c, "/tmp", (unsigned long)opt_count(o, FLAG_max_connections));
	doctor_disk(&c,
		    opt_text(o, FLAG_output_dir) ? opt_text(o, FLAG_output_dir) : ".");
	databases(o, &c);
	endpoint(o, &c);
	reward(o, &c);
	failed = checks_end(&c);
	return failed ? err_set(e, ERR_SANDBOX,
				"%u of the checks failed; see \"mend\" above", failed)
		      : 0;
}

const struct verb verb_doctor = {
	"doctor",
	"[--databases DIR] [--base-url URL] [--reward-url URL] [flags]",
	"can this machine do the job? packages, sandbox, "
	"sockets, disk, databases, endpoint, reward server\n"
	"Each line says how to mend what it finds.",
	V_DOCTOR,
	0,
	0,
	0,
	run
};
