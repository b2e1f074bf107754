/* doc.c - see doc.h */
#include "results/doc.h"

#include "common/base/mem.h"

#include <stdio.h>

static const char style[] =
	"body{font:15px/1.45 system-ui,sans-serif;max-width:70rem;margin:2rem auto;"
	"padding:0 1rem;color:#1d2126;background:#fff}"
	"h1{font-size:1.6rem}h2{font-size:1.25rem;margin-top:2.2rem;border-bottom:1px "
	"solid #d5d9de}h3{font-size:1.05rem;margin-top:1.6rem}"
	"table{border-collapse:collapse;margin:.8rem "
	"0;font-variant-numeric:tabular-nums;"
	"display:block;overflow-x:auto}"
	"th,td{padding:.2rem .6rem;border-bottom:1px solid #e4e7eb;text-align:right}"
	"th:first-child,td:first-child{text-align:left}th{border-bottom:2px solid "
	"#aab2bb}"
	"pre{background:#f4f6f8;padding:.6rem;overflow-x:auto;white-space:pre-wrap}"
	"@media(prefers-color-scheme:dark){body{background:#15181c;color:#dde2e8}"
	"pre{background:#1f242a}th,td{border-color:#323941}}";

static void md_text(struct buf *b, const char *s, int in_table)
{
	for (; *s; s++)
		if (*s == '\n' || *s == '\r' || *s == '\t')
			buf_add_char(b, ' ');
		else if ((*s == '|' && in_table) || strchr("*_`<\\", *s)) {
			buf_add_char(b, '\\');
			buf_add_char(b, *s);
		} else
			buf_add_char(b, *s);
}

static void html_text(struct buf *b, const char *s)
{
	for (; *s; s++)
		switch (*s) {
		case '&': buf_add_str(b, "&amp;"); break;
		case '<': buf_add_str(b, "&lt;"); break;
		case '>': buf_add_str(b, "&gt;"); break;
		case '"': buf_add_str(b, "&quot;"); break;
		default: buf_add_char(b, *s);
		}
}

/* The formatted text; NULL when memory is out, which then is sticky. */
static char *format(struct doc *d, const char *fmt, va_list ap)
{
	char *s = NULL;

	if (vasprintf(&s, fmt, ap) < 0) {
		d->md.bad = d->html.bad = 1;
		return NULL;
	}
	return s;
}

void doc_begin(struct doc *d, const char *title)
{
	buf_add_str(&d->html, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta "
			      "charset=\"utf-8\"><meta name=\"viewport\" "
			      "content=\"width=device-width\"><title>");
	html_text(&d->html, title);
	buf_addf(&d->html, "</title><style>%s</style></head><body>\n", style);
}

void doc_end(struct doc *d)
{
	buf_add_str(&d->html, "</body></html>\n");
}

void doc_free(struct doc *d)
{
	buf_free(&d->md);
	buf_free(&d->html);
}

void doc_heading(struct doc *d, int level, const char *fmt, ...)
{
	va_list ap;
	char *s;

	va_start(ap, fmt);
	s = format(d, fmt, ap);
	va_end(ap);
	if (!s)
		return;
	buf_addf(&d->md, "%s%.*s ", d->md.n ? "\n" : "", level, "####");
	md_text(&d->md, s, 0);
	buf_add_str(&d->md, "\n\n");
	buf_addf(&d->html, "<h%d>", level);
	html_text(&d->html, s);
	buf_addf(&d->html, "</h%d>\n", level);
	mem_free(s);
}

void doc_para(struct doc *d, const char *fmt, ...)
{
	va_list ap;
	char *s;

	va_start(ap, fmt);
	s = format(d, fmt, ap);
	va_end(ap);
	if (!s)
		return;
	md_text(&d->md, s, 0);
	buf_add_str(&d->md, "\n\n");
	buf_add_str(&d->html, "<p>");
	html_text(&d->html, s);
	buf_add_str(&d->html, "</p>\n");
	mem_free(s);
}

/* The longest run of backticks in it, so that the fence is longer. */
static int ticks(const char *s)
{
	int most = 0, run = 0;

	for (; *s; s++) {
		run = *s == '`' ? run + 1 : 0;
		most = run > most ? run : most;
	}
	return most;
}

void doc_html(struct doc *d, const char *text)
{
	html_text(&d->html, text);
}

void doc_code(struct doc *d, const char *text)
{
	int fence = ticks(text) + 1 > 3 ? ticks(text) + 1 : 3;

	for (int pass = 0; pass < 2; pass++) {
		for (int i = 0; i < fence; i++)
			buf_add_char(&d->md, '`');
		buf_add_str(&d->md, pass ? "\n\n" : "sql\n");
		if (!pass)
			buf_addf(&d->md, "%s\n", text);
	}
	buf_add_str(&d->html, "<pre>");
	html_text(&d->html, text);
	buf_add_str(&d->html, "</pre>\n");
}

void doc_table(struct doc *d, const char *const *column, unsigned n)
{
	buf_add_str(&d->html, "<table><thead><tr>");
	for (unsigned i = 0; i < n; i++) {
		buf_add_str(&d->md, i ? " | " : "| ");
		md_text(&d->md, column[i], 1);
		buf_add_str(&d->html, "<th>");
		html_text(&d->html, column[i]);
		buf_add_str(&d->html, "</th>");
	}
	buf_add_str(&d->md, " |\n");
	for (unsigned i = 0; i < n; i++)
		buf_add_str(&d->md, i ? "|---:" : "|---");
	buf_add_str(&d->md, "|\n");
	buf_add_str(&d->html, "</tr></thead>\n");
	d->cell = 0;
}

static void close_row(struct doc *d)
{
	if (d->cell) {
		buf_add_str(&d->md, " |\n");
		buf_add_str(&d->html, "</tr>\n");
	}
	d->cell = 0;
}

void doc_row(struct doc *d)
{
	close_row(d);
	buf_add_str(&d->html, "<tr>");
}

void doc_cell(struct doc *d, const char *fmt, ...)
{
	va_list ap;
	char *s;

	va_start(ap, fmt);
	s = format(d, fmt, ap);
	va_end(ap);
	if (!s)
		return;
	buf_add_str(&d->md, d->cell++ ? " | " : "| ");
	md_text(&d->md, s, 1);
	buf_add_str(&d->html, "<td>");
	html_text(&d->html, s);
	buf_add_str(&d->html, "</td>");
	mem_free(s);
}

void doc_table_end(struct doc *d)
{
	close_row(d);
	buf_add_str(&d->md, "\n");
	buf_add_str(&d->html, "</table>\n");
}
