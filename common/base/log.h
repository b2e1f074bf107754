/* log.h - one line per event, for people; it may be lost
 *
 *     log_info("lease expired", "task=%llu attempt=%u", id, attempt);
 *     2026-11-30T00:58:01.123Z info lease expired task=17 attempt=2
 *
 * The truth is the journal; the log is a courtesy. Levels: error (a person must act),
 * warn (we acted), info (life cycle), debug (off by default). No secrets, and no prompt
 * bodies above debug. One write(2) a line, so lines of several processes do not mix.
 *
 * Threads: any. log_setup() before the first thread.
 */
#ifndef LOG_H
#define LOG_H

enum log_level { LOG_ERROR, LOG_WARN, LOG_INFO, LOG_DEBUG };

void log_setup(enum log_level up_to, int json); /* default: warn, text */

void log_event(enum log_level level, const char *what, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#define log_error(what, ...) log_event(LOG_ERROR, what, __VA_ARGS__)
#define log_warn(what, ...) log_event(LOG_WARN, what, __VA_ARGS__)
#define log_info(what, ...) log_event(LOG_INFO, what, __VA_ARGS__)
#define log_debug(what, ...) log_event(LOG_DEBUG, what, __VA_ARGS__)

#endif
