/* plot.h - a chart as inline SVG: points, lines, axes, names at their ends
 *
 * No script, no style sheet, nothing fetched: the picture stands in the page, and its
 * text takes the page's colour. Names are escaped.
 *
 * Errors: the buffer's, sticky.
 */
#ifndef PLOT_H
#define PLOT_H

#include "common/base/buf.h"

struct plot_point {
	double x, y;
};

struct plot_series {
	const char *name;
	const struct plot_point *point; /* in the order of the line */
	unsigned n;
	int dots; /* 1: a dot at each point */
};

struct plot {
	const char *title, *x, *y; /* what the axes are */
	int log_x;                 /* x >= 0; 0 stands left of the smallest */
	double y_low, y_high;      /* both 0: as the points want it */
	const struct plot_series *series;
	unsigned n;
};

void plot_svg(struct buf *b, const struct plot *p);

#endif
