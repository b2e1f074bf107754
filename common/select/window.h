/* window.h - where a sliding window stands
 *
 * A pass over n candidates slides a window of w from the back to the front in steps of
 * s: starts = [max(0, n-w)], then max(0, last-s) until 0. The front is clamped, never
 * left out, so the last window is a whole one too.
 *
 *     n=10 w=8 s=4: starts 2, 0        n=32 w=8 s=4: 24 20 16 12 8 4 0
 *
 * Shapes: windows are numbered in the order they are asked, from 0; every window holds
 *         window_size(n, w) = min(n, w) candidates. w >= 1 and 1 <= s <= w (asserted: a
 *         longer step would leave candidates unseen).
 * Source: Sun et al., "Is ChatGPT Good at Search?" (2023), but clamped.
 */
#ifndef WINDOW_H
#define WINDOW_H

#include <stdint.h>

uint32_t window_count(uint32_t n, uint32_t w, uint32_t s);             /* 0 if n is 0 */
uint32_t window_start(uint32_t n, uint32_t w, uint32_t s, uint32_t i); /* i < count */
uint32_t window_size(uint32_t n, uint32_t w);

#endif
