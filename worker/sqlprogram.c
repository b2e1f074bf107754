/* sqlprogram.c - see sqlprogram.h */
#include "worker/sqlprogram.h"

/* Columns of EXPLAIN; what is between the address and the comment makes the program. */
enum { ADDRESS, OPCODE, P1, P2, P3, P4, P5, COMMENT, COLUMNS };

struct listing {
	struct buf *to;
	int rounded;
};

static int begin(void *l, uint32_t cols)
{
	(void)l;
	return cols == COLUMNS ? 0 : ERR_PROTO;
}

static int is_rounded(const struct cell *opcode)
{
	return view_eq(opcode->v, view_of("Real")) ||
	       view_eq(opcode->v, view_of("Blob"));
}

static int add(void *l_, const struct cell *cells)
{
	struct listing *l = l_;

	l->rounded |= is_rounded(&cells[OPCODE]);
	for (int i = OPCODE; i < COMMENT; i++)
		cell_pack(&cells[i], l->to);
	return l->to->bad;
}

int sqlprogram_list(struct sqlrun *r, struct sqlconn *c, struct view sql,
		    const struct sql_limits *limits, struct buf *ret)
{
	struct listing l = { .to = ret };
	struct buf explain = { 0 };
	int whole = 0;

	buf_add_str(&explain, "EXPLAIN ");
	buf_add(&explain, sql.p, sql.n);
	if (!explain.bad) {
		sqlrun_exec(r, c, buf_view(&explain), limits,
			    (struct sqlrun_sink){ begin, add, &l });
		whole = r->out.status == STATUS_rows && !l.rounded;
		sqlrun_end(r);
	}
	buf_free(&explain);
	return whole;
}
