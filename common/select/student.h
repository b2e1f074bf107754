/* student.h - distribution functions that statistics lean on
 *
 * Units:  absolute error below 1e-12 for the distribution functions at df from 1 to
 *         1e6; quantiles are their inverses to about 1e-10 relative.
 * Source: the continued fraction of the incomplete beta function, DLMF 8.17.22,
 *         evaluated by the modified Lentz method.
 */
#ifndef STUDENT_H
#define STUDENT_H

double beta_inc(double x, double a, double b); /* I_x(a, b), regularised; x in [0, 1] */
double student_cdf(double t, double df);       /* df > 0 */
double student_quantile(double p, double df);  /* p in (0, 1) */
double normal_cdf(double z);
double normal_quantile(double p); /* p in (0, 1) */

#endif
