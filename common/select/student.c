/* student.c - see student.h */
#include "common/select/student.h"

#include <assert.h>
#include <float.h>
#include <math.h>

static const double ln_pi_half = 0.57236494292470008707; /* ln Gamma(1/2) */

static double ln_gamma(double x)
{
	int sign;

	return lgamma_r(x, &sign);
}

/* ln B(a, 1/2). Two large ln_gamma would cancel, so from 20 on their difference is
 * taken from the asymptotic series, good to 1e-15 there. */
static double ln_beta_half(double a)
{
	double r = 1 / a, q = r * r, series;

	if (a < 20)
		return ln_gamma(a) + ln_pi_half - ln_gamma(a + 0.5);
	series = r *
		 (-1 / 8.0 + q * (1 / 192.0 + q * (-1 / 640.0 + q * (17 / 14336.0))));
	return ln_pi_half - 0.5 * log(a) - series;
}

static double not_zero(double v)
{
	return fabs(v) < DBL_MIN ? DBL_MIN : v;
}

/* The continued fraction of I_x(a, b), without its factor; quick for x below
 * (a+1)/(a+b+2). */
static double fraction(double x, double a, double b)
{
	enum { MOST = 20000 };
	double c = 1, d = 1 / not_zero(1 - (a + b) * x / (a + 1)), h = d;

	for (int m = 1; m < MOST; m++) {
		double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)), step;
		double odd =
			-(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));

		d = 1 / not_zero(1 + even * d);
		c = not_zero(1 + even / c);
		h *= d * c;
		d = 1 / not_zero(1 + odd * d);
		c = not_zero(1 + odd / c);
		step = d * c;
		h *= step;
		if (fabs(step - 1) < 1e-16)
			break;
	}
	return h;
}

/* P(T > t) for t >= 0: I_x(df/2, 1/2) / 2 with x = df / (df + t^2). Both x and 1-x are
 * had without subtracting, and the smaller side is the one expanded. */
static double upper_tail(double t, double df)
{
	double a = df / 2, q = t * t / df, x = 1 / (1 + q), y = q / (1 + q);
	double ln_factor;

	if (q == 0)
		return 0.5;
	if (isinf(q))
		return 0;
	ln_factor = -a * log1p(q) + 0.5 * log(y) - ln_beta_half(a);
	if (x < (a + 1) / (a + 2.5))
		return 0.5 * exp(ln_factor) / a * fraction(x, a, 0.5);
	return 0.5 - exp(ln_factor) * fraction(y, 0.5, a);
}

double student_cdf(double t, double df)
{
	assert(df > 0 && !isnan(t));
	return t > 0 ? 1 - upper_tail(t, df) : upper_tail(-t, df);
}

static double normal_upper_tail(double z, double unused)
{
	(void)unused;
	return 0.5 * erfc(z / 1.41421356237309504880);
}

/* The t >= 0 whose upper tail is q, by halving until no double lies between. */
static double solve(double (*tail)(double, double), double q, double df)
{
	double low = 0, high = 1;

	while (tail(high, df) > q && high < 1e300) {
		low = high;
		high *= 2;
	}
	for (;;) {
		double middle = low + (high - low) / 2;

		if (middle <= low || middle >= high)
			return middle;
		if (tail(middle, df) > q)
			low = middle;
		else
			high = middle;
	}
}

double student_quantile(double p, double df)
{
	assert(p > 0 && p < 1 && df > 0);
	if (p == 0.5)
		return 0;
	return p > 0.5 ? solve(upper_tail, 1 - p, df) : -solve(upper_tail, p, df);
}

double normal_cdf(double z)
{
	return normal_upper_tail(-z, 0);
}

double normal_quantile(double p)
{
	assert(p > 0 && p < 1);
	if (p == 0.5)
		return 0;
	return p > 0.5 ? solve(normal_upper_tail, 1 - p, 0)
		       : -solve(normal_upper_tail, p, 0);
}
