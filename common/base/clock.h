/* clock.h - what time it is, twice
 *
 * Leases, deadlines and durations use the monotonic clock (suspend included); wall
 * time is for people only and decides nothing.
 */
#ifndef CLOCK_H
#define CLOCK_H

#include <stdint.h>

enum { CLOCK_ISO = 32 };

uint64_t clock_ns(void); /* monotonic, from an unspecified start */
uint64_t clock_ms(void);
uint64_t clock_wall_ms(void);              /* since 1970, UTC */
void clock_iso(uint64_t wall_ms, char ret[CLOCK_ISO]); /* 2026-11-30T00:58:01.123Z */

#endif
