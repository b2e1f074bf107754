/* tolerance.c - see tolerance.h */
#include "results/tolerance.h"

#include <math.h>

static int is_number(const struct cell *c)
{
	return c->type == CELL_INT || c->type == CELL_REAL;
}

static double value(const struct cell *c)
{
	return c->type == CELL_INT ? (double)c->i : c->d;
}

static int near(const struct cell *a, const struct cell *b, double tolerance)
{
	if (is_number(a) && is_number(b) && fabs(value(a) - value(b)) <= tolerance)
		return 1;
	return cell_eq(a, b);
}

static int rows_near(const struct exec_out *a, uint32_t i, const struct exec_out *b,
		     uint32_t j, double tolerance)
{
	const struct cell *x = a->preview + (size_t)i * a->cols;
	const struct cell *y = b->preview + (size_t)j * b->cols;

	for (uint32_t k = 0; k < a->cols; k++)
		if (!near(&x[k], &y[k], tolerance))
			return 0;
	return 1;
}

static int whole(const struct exec_out *o)
{
	return !o->cut && o->preview_rows == o->rows;
}

/* Every row of a has one in b. */
static int covered(const struct exec_out *a, const struct exec_out *b, double tolerance)
{
	for (uint32_t i = 0; i < a->preview_rows; i++) {
		uint32_t j = 0;

		while (j < b->preview_rows && !rows_near(a, i, b, j, tolerance))
			j++;
		if (j == b->preview_rows)
			return 0;
	}
	return 1;
}

/* Every row of a has one of its own in b. */
static int paired(const struct exec_out *a, const struct exec_out *b, double tolerance)
{
	uint8_t taken[EXEC_PREVIEW_ROWS] = { 0 };

	for (uint32_t i = 0; i < a->preview_rows; i++) {
		uint32_t j = 0;

		while (j < b->preview_rows &&
		       (taken[j] || !rows_near(a, i, b, j, tolerance)))
			j++;
		if (j == b->preview_rows)
			return 0;
		taken[j] = 1;
	}
	return 1;
}

static int in_order(const struct exec_out *a, const struct exec_out *b,
		    double tolerance)
{
	for (uint32_t i = 0; i < a->preview_rows; i++)
		if (!rows_near(a, i, b, i, tolerance))
			return 0;
	return 1;
}

int tolerance_equal(const struct exec_out *a, const struct exec_out *b, enum rows_as as,
		    double tolerance)
{
	if (a->cols != b->cols || (as != ROWS_SET && a->rows != b->rows))
		return 0;
	if (!whole(a) || !whole(b) || a->preview_rows > EXEC_PREVIEW_ROWS ||
	    b->preview_rows > EXEC_PREVIEW_ROWS)
		return -1;
	switch (as) {
	case ROWS_SET: return covered(a, b, tolerance) && covered(b, a, tolerance);
	case ROWS_BAG: return paired(a, b, tolerance);
	default: return in_order(a, b, tolerance);
	}
}
