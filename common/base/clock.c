/* clock.c - see clock.h */
#include "common/base/clock.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

uint64_t clock_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_BOOTTIME, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

uint64_t clock_ms(void)
{
	return clock_ns() / 1000000;
}

uint64_t clock_wall_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (uint64_t)t.tv_sec * 1000u + (uint64_t)t.tv_nsec / 1000000u;
}

void clock_iso(uint64_t wall_ms, char ret[CLOCK_ISO])
{
	time_t s = (time_t)(wall_ms / 1000);
	struct tm tm;
	size_t n;

	gmtime_r(&s, &tm);
	n = strftime(ret, CLOCK_ISO, "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(ret + n, CLOCK_ISO - n, ".%03uZ", (unsigned)(wall_ms % 1000));
}

int clock_parse_iso(const char *text, size_t n, int64_t *ret_ms)
{
	char copy[CLOCK_ISO];
	struct tm tm = { 0 };
	const char *rest;

	if (n >= sizeof copy)
		return 0;
	memcpy(copy, text, n);
	copy[n] = '\0';
	rest = strptime(copy,
			strchr(copy, 'T') ? "%Y-%m-%dT%H:%M:%S" : "%Y-%m-%d %H:%M:%S",
			&tm);
	if (!rest || (*rest && strcmp(rest, "Z") != 0))
		return 0;
	*ret_ms = (int64_t)timegm(&tm) * 1000;
	return 1;
}
