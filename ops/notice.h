/* notice.h - what the user should know although the work goes on; to stderr */
#ifndef NOTICE_H
#define NOTICE_H

void notice_setup(int quiet, int json); /* quiet: nothing is shown */
void notice_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void notice_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
