/* plot.c - see plot.h */
#include "results/plot.h"

#include <math.h>
#include <stdio.h>

enum {
	WIDTH = 860,
	HEIGHT = 440,
	LEFT = 60,
	RIGHT = 190, /* room for names */
	TOP = 34,
	BOTTOM = 46,
	TICKS = 6,
	LABEL = 13, /* between two names */
	NAMES = 64, /* at most; more could not be read */
};

/* What is drawn where. */
struct frame {
	double x_low, x_high, y_low, y_high; /* x as drawn: logarithms where log */
	double least;                        /* smallest positive x */
	int log_x;
};

static void text_of(struct buf *b, const char *s)
{
	for (; *s; s++)
		switch (*s) {
		case '&': buf_add_str(b, "&amp;"); break;
		case '<': buf_add_str(b, "&lt;"); break;
		case '>': buf_add_str(b, "&gt;"); break;
		default: buf_add_char(b, *s);
		}
}

static double as_drawn(const struct frame *f, double x)
{
	if (!f->log_x)
		return x;
	return log10(x > 0 ? x : f->least) - (x > 0 ? 0 : .35);
}

static double across(const struct frame *f, double x)
{
	double share = (as_drawn(f, x) - f->x_low) / (f->x_high - f->x_low);

	return LEFT + share * (WIDTH - LEFT - RIGHT);
}

static double down(const struct frame *f, double y)
{
	double share = (y - f->y_low) / (f->y_high - f->y_low);

	return HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM);
}

static void widen(double *low, double *high)
{
	double room = (*high - *low) * .05;

	if (!(*high > *low))
		room = *low != 0 ? fabs(*low) * .05 : 1;
	*low -= room;
	*high += room;
}

static struct frame frame_of(const struct plot *p)
{
	struct frame f = { .x_low = INFINITY,
			   .x_high = -INFINITY,
			   .y_low = INFINITY,
			   .y_high = -INFINITY,
			   .least = INFINITY,
			   .log_x = p->log_x };

	for (unsigned s = 0; s < p->n; s++)
		for (unsigned i = 0; i < p->series[s].n; i++)
			if (p->series[s].point[i].x > 0)
				f.least = fmin(f.least, p->series[s].point[i].x);
	if (!isfinite(f.least))
		f.least = 1;
	for (unsigned s = 0; s < p->n; s++)
		for (unsigned i = 0; i < p->series[s].n; i++) {
			const struct plot_point *q = &p->series[s].point[i];

			f.x_low = fmin(f.x_low, as_drawn(&f, q->x));
			f.x_high = fmax(f.x_high, as_drawn(&f, q->x));
			f.y_low = fmin(f.y_low, q->y);
			f.y_high = fmax(f.y_high, q->y);
		}
	widen(&f.x_low, &f.x_high);
	widen(&f.y_low, &f.y_high);
	if (p->y_low < p->y_high) {
		f.y_low = p->y_low;
		f.y_high = p->y_high;
	}
	return f;
}

/* 1, 2 or 5 times a power of ten, so that there are about TICKS. */
static double step_of(double span)
{
	double rough = span / TICKS, power = pow(10, floor(log10(rough)));
	double share = rough / power;

	return power * (share < 1.5 ? 1 : share < 3.5 ? 2 : share < 7.5 ? 5 : 10);
}

static void tick_x(struct buf *b, const struct frame *f, double x)
{
	double at = across(f, x);

	if (at < LEFT - .5 || at > WIDTH - RIGHT + .5)
		return;
	buf_addf(b,
		 "<path d=\"M%.1f %d V%d\" stroke=\"currentColor\" "
		 "stroke-opacity=\".15\"/><text x=\"%.1f\" y=\"%d\" "
		 "text-anchor=\"middle\">%.6g</text>\n",
		 at, TOP, HEIGHT - BOTTOM, at, HEIGHT - BOTTOM + 16, x);
}

static void ticks(struct buf *b, const struct frame *f)
{
	double step = step_of(f->y_high - f->y_low);

	for (double y = ceil(f->y_low / step) * step; y <= f->y_high; y += step)
		buf_addf(b,
			 "<path d=\"M%d %.1f H%d\" stroke=\"currentColor\" "
			 "stroke-opacity=\".15\"/><text x=\"%d\" y=\"%.1f\" "
			 "text-anchor=\"end\">%.6g</text>\n",
			 LEFT, down(f, y), WIDTH - RIGHT, LEFT - 6, down(f, y) + 4,
			 fabs(y) < step / 1000 ? 0 : y);
	if (!f->log_x) {
		step = step_of(f->x_high - f->x_low);
		for (double x = ceil(f->x_low / step) * step; x <= f->x_high; x += step)
			tick_x(b, f, fabs(x) < step / 1000 ? 0 : x);
		return;
	}
	tick_x(b, f, 0);
	for (int e = (int)floor(f->x_low) - 1; e <= f->x_high; e++)
		for (int k = 1; k <= 5; k += k == 1 ? 1 : 3) /* 1, 2, 5 */
			if (k * pow(10, e) >= f->least)
				tick_x(b, f, k * pow(10, e));
}

static void axes(struct buf *b, const struct plot *p, const struct frame *f)
{
	ticks(b, f);
	buf_addf(b,
		 "<path d=\"M%d %d V%d H%d\" fill=\"none\" stroke=\"currentColor\"/>"
		 "<text x=\"%d\" y=\"18\" font-weight=\"bold\">",
		 LEFT, TOP, HEIGHT - BOTTOM, WIDTH - RIGHT, LEFT);
	text_of(b, p->title);
	buf_addf(b, "</text><text x=\"%d\" y=\"%d\" text-anchor=\"middle\">",
		 (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 10);
	text_of(b, p->x);
	buf_addf(b,
		 "</text><text transform=\"translate(16 %d) rotate(-90)\" "
		 "text-anchor=\"middle\">",
		 (TOP + HEIGHT - BOTTOM) / 2);
	text_of(b, p->y);
	buf_add_str(b, "</text>\n");
}

/* Hues that neighbours do not share. */
static void colour(char ret[32], unsigned i)
{
	snprintf(ret, 32, "hsl(%u,70%%,45%%)", i * 137 % 360);
}

static void draw(struct buf *b, const struct plot_series *s, const struct frame *f,
		 const char *hue)
{
	if (s->n > 1)
		buf_addf(b,
			 "<path fill=\"none\" stroke=\"%s\" stroke-width=\"1.5\" d=\"",
			 hue);
	for (unsigned i = 0; s->n > 1 && i < s->n; i++)
		buf_addf(b, "%c%.1f %.1f", i ? 'L' : 'M', across(f, s->point[i].x),
			 down(f, s->point[i].y));
	if (s->n > 1)
		buf_add_str(b, "\"/>\n");
	for (unsigned i = 0; s->dots && i < s->n; i++) {
		buf_addf(b,
			 "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3.5\" fill=\"%s\">"
			 "<title>",
			 across(f, s->point[i].x), down(f, s->point[i].y), hue);
		text_of(b, s->name);
		buf_addf(b, ": %.4g, %.4g</title></circle>\n", s->point[i].x,
			 s->point[i].y);
	}
}

/* Names stand at the right, each as near its last point's height as the others let it,
 * with a line that leads there. */
static void names(struct buf *b, const struct plot *p, const struct frame *f)
{
	double at[NAMES];
	unsigned order[NAMES], n = p->n < NAMES ? p->n : NAMES;
	char hue[32];

	for (unsigned i = 0; i < n; i++) {
		const struct plot_series *s = &p->series[i];
		unsigned k = i;

		at[i] = s->n ? down(f, s->point[s->n - 1].y) : TOP;
		for (; k > 0 && at[order[k - 1]] > at[i]; k--)
			order[k] = order[k - 1];
		order[k] = i;
	}
	for (unsigned k = 0; k < n; k++) {
		const struct plot_series *s = &p->series[order[k]];
		double y = at[order[k]], room = (double)(n - 1 - k) * LABEL;

		y = fmin(y, HEIGHT - BOTTOM - room);
		if (k > 0)
			y = fmax(y, at[order[k - 1]] + LABEL);
		at[order[k]] = y;
		if (!s->n)
			continue;
		colour(hue, order[k]);
		buf_addf(b,
			 "<path d=\"M%.1f %.1f L%d %.1f\" stroke=\"%s\" "
			 "stroke-opacity=\".35\"/><text x=\"%d\" y=\"%.1f\" "
			 "fill=\"%s\">",
			 across(f, s->point[s->n - 1].x), down(f, s->point[s->n - 1].y),
			 WIDTH - RIGHT + 8, y, hue, WIDTH - RIGHT + 11, y + 4, hue);
		text_of(b, s->name);
		buf_add_str(b, "</text>\n");
	}
}

void plot_svg(struct buf *b, const struct plot *p)
{
	struct frame f = frame_of(p);
	char hue[32];
	unsigned points = 0;

	for (unsigned i = 0; i < p->n; i++)
		points += p->series[i].n;
	if (!points)
		return;
	buf_addf(b,
		 "<svg viewBox=\"0 0 %d %d\" width=\"%d\" role=\"img\" "
		 "style=\"max-width:100%%;font:12px system-ui,sans-serif\" "
		 "fill=\"currentColor\">\n",
		 WIDTH, HEIGHT, WIDTH);
	axes(b, p, &f);
	for (unsigned i = 0; i < p->n; i++) {
		colour(hue, i);
		draw(b, &p->series[i], &f, hue);
	}
	names(b, p, &f);
	buf_add_str(b, "</svg>\n");
}
