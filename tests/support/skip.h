/* skip.h - tests that need what is not part of the project say so and skip
 *
 *     shared_data("spider/pool.jsonl")  a path below ../shared/data (from the source
 *     tree's root; MAPFLEET_SHARED names another place), or NULL where it is absent.
 */
#ifndef TESTS_SKIP_H
#define TESTS_SKIP_H

const char *shared_data(const char *relative); /* static storage, overwritten */
const char *source_path(const char *relative); /* below the source tree's root */
char *source_text(const char *relative);       /* all of that file; the test frees it */

/* In a cmocka test: skips, with a line that says why, where `path` is NULL. */
#define NEEDS_SHARED(path) \
	do { \
		if (!(path)) { \
			print_message("SKIP: ../shared/data is absent\n"); \
			skip(); \
		} \
	} while (0)

#endif
