/* report.h - report.md and report.html: a directory's results, for people
 *
 * Made from results.json, run.json and samples.jsonl alone, so they can be made again
 * without journal or benchmark; the entry point is report_dirs() of results.h. Nothing
 * of run.json that differs between two equal runs goes in. Of samples.jsonl the last
 * line of a (run, question) counts; a torn last line is left out, with a warning.
 *
 * The HTML is one file with its charts in it, without scripts or anything fetched.
 */
#ifndef REPORT_H
#define REPORT_H

#include "results/results.h"

#endif
