/* rves.h - BIRD's reward-based valid efficiency score of one right prediction
 *
 * Of each repeat the ratio of gold's time to the prediction's; ratios three standard
 * deviations or more from their mean are left out; the mean of the rest makes the
 * reward: 1.25 from 2 on, 1 from 1, 0.75 from 0.5, 0.5 from 0.25, else 0.25. The score
 * is the mean of the rewards' square roots.
 *
 * Invariants: ratios without any spread leave none, and give 0, as in the original.
 * Source:     evaluation_ves.py of bird-bench/mini_dev 4d970a9.
 */
#ifndef RVES_H
#define RVES_H

#include <stddef.h>

double rves_ratio(const double *ratio, size_t n); /* 0: none is left */
double rves_reward(double ratio);                 /* 0 for 0 */
double rves_points(double ratio);                 /* in percent; 0 if negative */

#endif
