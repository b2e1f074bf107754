/* round.h - numbers without the last bits of a sum, or of another machine's libm
 *
 * Scores are rounded to 2^-20 before they are compared or stored.
 */
#ifndef ROUND_H
#define ROUND_H

#include <math.h>

/* The nearest multiple of 2^-20, halves to even, never -0. */
static inline double round20(double x)
{
	return nearbyint(x * 0x1p20) * 0x1p-20 + 0.0;
}

#endif
