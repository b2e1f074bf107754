/* filter.c - see filter.h */
#include "ops/filter.h"

#include "ops/join.h"

#include <ctype.h>
#include <stdlib.h>

static int parse_limit(const char *v, struct filter *f, struct err *e)
{
	char *end;
	unsigned long long a, b;

	f->seen = 0;
	f->from = 1;
	f->to = UINT64_MAX;
	if (!v)
		return 0;
	a = strtoull(v, &end, 10);
	b = a;
	if (isdigit((unsigned char)*v) && *end == '-' && isdigit((unsigned char)end[1]))
		b = strtoull(end + 1, &end, 10);
	else if (isdigit((unsigned char)*v))
		a = 1;
	if (!isdigit((unsigned char)*v) || *end || a < 1 || b < a)
		return err_set(e, ERR_USAGE, "--limit %s: N or A-B, counted from 1", v);
	f->from = a;
	f->to = b;
	return 0;
}

int filter_parse(struct options *o, struct filter *f, struct err *e)
{
	const char **list = opt_list(o, FLAG_filter, &f->ndb);

	f->db = list;
	for (size_t i = 0; i < f->ndb; i++) {
		if (strncmp(list[i], "db_id=", 6) != 0 &&
		    (i == 0 || strchr(list[i], '=')))
			return err_set(e, ERR_USAGE,
				       "--filter %s: only db_id=NAME,... is known",
				       list[i]);
		if (strncmp(list[i], "db_id=", 6) == 0)
			list[i] += 6;
	}
	f->id = opt_list(o, FLAG_sample_id, &f->nid);
	return parse_limit(opt_text(o, FLAG_limit), f, e);
}

static int among(const char *const *list, size_t n, struct view v)
{
	for (size_t i = 0; i < n; i++)
		if (view_eq(view_of(list[i]), v))
			return 1;
	return n == 0;
}

int filter_meets(const struct filter *f, const struct items *l, struct err *e)
{
	for (size_t i = 0; i < f->nid + f->ndb; i++) {
		int is_id = i < f->nid, found = 0;
		const char *v = is_id ? f->id[i] : f->db[i - f->nid];

		for (uint32_t k = 0; k < l->n && !found; k++)
			found = view_eq(view_of(v),
					is_id ? id_typed(l->v[k].id) : l->v[k].db_id);
		if (!found)
			return err_set(e, ERR_USAGE, "%s%s: no such question in %s",
				       is_id ? "--sample-id " : "--filter db_id=", v,
				       l->path);
	}
	return 0;
}

int filter_takes(struct filter *f, const struct item *i)
{
	if (!among(f->id, f->nid, id_typed(i->id)) || !among(f->db, f->ndb, i->db_id))
		return 0;
	f->seen++;
	return f->seen >= f->from && f->seen <= f->to;
}
