/* write_predictions.c - predictions/RUN: the benchmark's own file of each run */
#include "results/write.h"

#include "common/base/mem.h"
#include "results/outfile.h"
#include "results/predfile.h"

int predictions_begin(struct predictions *p, const struct sweep *s)
{
	*p = (struct predictions){ .sweep = s,
				   .file = mem_alloc(s->nrun + 1, sizeof *p->file) };
	return p->file ? 0 : ERR_NOMEM;
}

void predictions_free(struct predictions *p)
{
	for (uint32_t r = 0; p->file && r < p->sweep->nrun; r++)
		buf_free(&p->file[r]);
	mem_free(p->file);
	*p = (struct predictions){ 0 };
}

/* The benchmark's files, whatever rule scores it. */
static enum rule format_of(const struct sweep *s)
{
	int rule = s->benchmark ? rule_by_name(s->benchmark) : -1;

	return rule >= 0 ? (enum rule)rule : s->rule;
}

void predictions_add(struct predictions *p, const struct sample *x)
{
	const struct candidate *c = sample_chosen(x);
	const struct prediction item = { .at = x->q,
					 .id = x->question->id,
					 .db = x->sweep->db[x->question->db].id,
					 .sql = c ? c->sql : view_of(""),
					 .chosen = c != NULL };

	predfile_add(format_of(p->sweep), &p->file[x->r], &item);
}

int predictions_end(struct predictions *p, const char *dir, struct err *e)
{
	enum rule rule = format_of(p->sweep);
	int rc = 0;

	for (uint32_t r = 0; rc == 0 && r < p->sweep->nrun; r++) {
		struct buf *b = &p->file[r], name = { 0 };

		predfile_end(rule, b);
		buf_addf(&name, "predictions/%s/%s", p->sweep->run[r].name,
			 predfile_name(rule));
		if (b->bad || name.bad)
			rc = err_set(e, ERR_NOMEM, "predictions of %s",
				     p->sweep->run[r].name);
		else
			rc = outfile_put(dir, name.p, buf_view(b), e);
		buf_free(&name);
	}
	return rc;
}
