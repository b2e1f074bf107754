/* softmax.c - shares of exponentials, and one of them alone */
#include "tests/support/cm.h"

#include "common/base/softmax.h"

#include <math.h>

static void shares_go_by_exponentials_and_sum_to_one(void **unused)
{
	double v[] = { 0, log(3), 0 };

	(void)unused;
	softmax(v, 3, v); /* in place */
	assert_true(fabs(v[1] - 0.6) < 1e-12);
	assert_true(fabs(v[0] + v[1] + v[2] - 1) < 1e-12);
}

static void one_alone_is_as_among_all(void **unused)
{
	static const double v[] = { 5000, 4999, -5000, 4998.5 };
	double share[4];

	(void)unused;
	softmax(v, 4, share);
	for (size_t i = 0; i < 4; i++)
		assert_true(share[i] == softmax_at(v, 4, i));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shares_go_by_exponentials_and_sum_to_one),
		cmocka_unit_test(one_alone_is_as_among_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
