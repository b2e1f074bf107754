/* finish.h - what follows the fleet: files, the table on stdout, the exit code */
#ifndef FINISH_H
#define FINISH_H

#include "ops/fleet.h"
#include "ops/sweepmake.h"
#include "results/results.h"

struct finish {
	const char *verb; /* as the user said it */
	struct options *options;
	struct job *job;
	const struct gold *gold;
	uint64_t started_ms;
};

/* What run.json says of the command; texts are in the job's arena. */
int finish_facts(const struct finish *f, int code, struct run_facts *ret,
		 struct err *e);

/* Writes everything, prints the table (or the JSON), sets options->exit. */
int finish_run(const struct finish *f, const struct fleet_result *done, struct err *e);

/* 2 where more failed than `most` allows: a number, or below 1 a share. */
int finish_code(uint64_t unsound, uint64_t all, double most);

#endif
