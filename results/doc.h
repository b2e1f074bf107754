/* doc.h - one text, written as Markdown and as HTML at once
 *
 * Headings, paragraphs, tables and code: what a report needs and no more. Text is
 * escaped for either, so that a query with pipes, backticks or tags stays a query.
 *
 * Errors: the buffers', sticky.
 */
#ifndef DOC_H
#define DOC_H

#include "common/base/buf.h"

struct doc {
	struct buf md, html;
	unsigned cell; /* of the row that is open */
};

void doc_begin(struct doc *d, const char *title);
void doc_end(struct doc *d);
void doc_free(struct doc *d);

void doc_heading(struct doc *d, int level, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void doc_para(struct doc *d, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void doc_html(struct doc *d, const char *text); /* escaped, in the HTML alone */
void doc_code(struct doc *d, const char *text);

/* A table: its columns, then rows of as many cells. */
void doc_table(struct doc *d, const char *const *column, unsigned n);
void doc_row(struct doc *d);
void doc_cell(struct doc *d, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void doc_table_end(struct doc *d);

#endif
