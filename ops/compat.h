/* compat.h - `score --compat B`: the command lines of the official scripts, as ours
 *
 *     score --compat bird --predicted_sql_path P --ground_truth_path G ...
 *     score --compat ehrsql INPUT OUTPUT         ehrsql-2024's two folders
 *     score --compat ehrsql --data_file D ...    EHRSQL's first edition
 *
 * compat.def has the flags. What is not in it stays as it is, so that our own flags may
 * stand beside theirs.
 *
 * Memory: the new arguments live in the arena.
 * Errors: ERR_USAGE: an unknown script, a value that cannot be had here; ERR_NOMEM.
 */
#ifndef COMPAT_H
#define COMPAT_H

#include "common/base/arena.h"
#include "common/base/err.h"

/* Without --compat *argc and *argv stay. argv[0] is kept. */
int compat_translate(struct arena *a, int *argc, char ***argv, struct err *e);

/* The script's name of our flag, or NULL. */
const char *compat_flag(const char *benchmark, const char *ours);

#endif
