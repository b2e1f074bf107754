/* student.h - distribution functions that statistics lean on
 *
 * Units:  absolute error below 1e-12 for the distribution functions, df from 1 to 1e6;
 *         a quantile is the inverse as exactly as the function allows.
 * Source: the continued fraction of the incomplete beta function, DLMF 8.17.22,
 *         evaluated by the modified Lentz method.
 */
#ifndef STUDENT_H
#define STUDENT_H

double student_cdf(double t, double df);      /* df > 0 */
double student_quantile(double p, double df); /* p in (0, 1) */
double normal_cdf(double z);
double normal_quantile(double p); /* p in (0, 1) */

#endif
