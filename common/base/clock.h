/* clock.h - what time it is, twice
 *
 * Leases, deadlines and durations use the monotonic clock (suspend included); wall
 * time is for people only and decides nothing.
 */
#ifndef CLOCK_H
#define CLOCK_H

#include <stddef.h>
#include <stdint.h>

enum { CLOCK_ISO = 32 };

uint64_t clock_ns(void); /* monotonic, from an unspecified start */
uint64_t clock_ms(void);
uint64_t clock_wall_ms(void);                          /* since 1970, UTC */
void clock_iso(uint64_t wall_ms, char ret[CLOCK_ISO]); /* 2026-11-30T00:58:01.123Z */

/* 2025-01-01T00:00:00Z (or a blank for T, or without Z) to ms since 1970: 1, or 0. */
int clock_parse_iso(const char *text, size_t n, int64_t *ret_ms);

#endif
