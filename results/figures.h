/* figures.h - the report's charts: what is gained for how many asks, and at what risk
 *
 * Made from results.json and from what the samples tell of confidence; in report.md a
 * line says that the chart is in report.html, whose tables hold the same numbers.
 *
 * Errors: the document's, sticky.
 */
#ifndef FIGURES_H
#define FIGURES_H

#include "results/doc.h"

#include <jansson.h>

/* EX against asks: a chart for each judge and draw, a line for each method. */
void figure_asks(struct doc *d, json_t *results);

/* Error among the questions that a method is surest of. `sure`: run -> [[confidence,
 * right], ...]. */
void figure_risk(struct doc *d, json_t *results, json_t *sure);

/* EHRSQL: what is left of the score when a wrong answer costs more. */
void figure_reliability(struct doc *d, json_t *runs);

#endif
