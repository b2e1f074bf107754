/* evidence.c - dossiers, profiles, scores and search outputs from outside
 *
 * First byte: what the rest is. A dossier is judged against a small database's profile;
 * a profile is asked about its own columns and judges a small dossier.
 */
#include "tests/fuzz/fuzz.h"

#include "proto/search_out.h"
#include "tests/support/kennel.h"
#include "worker/evidence.h"

static void judge(const struct dossier *d, const struct profile *p, struct arena *a)
{
	struct score_out s;

	evidence_score(d, p, NULL, 42, 0, a, &s, NULL);
}

static void one_dossier(struct view v, struct arena *a)
{
	struct buf bytes = { 0 };
	struct profile p = kennel_profile(&bytes);
	struct dossier d;

	if (!dossier_decode(v, a, &d, NULL))
		judge(&d, &p, a);
	profile_free(&p);
	buf_free(&bytes);
}

static void one_profile(struct view v, struct arena *a)
{
	static const char sql[] = "SELECT * FROM pet JOIN owner ON pet.owner_id = "
				  "owner.owner_id WHERE species = 'dog'";
	struct dossier_member m = { view_of(sql), 1, 0, 0, 3 };
	struct dossier_group g = { STATUS_rows, 1, &m, 1 };
	struct dossier d = { .id = view_of("1"),
			     .text = view_of("Which dogs?"),
			     .evidence = view_of(""),
			     .asked = 1,
			     .group = &g,
			     .n = 1 };
	struct profile p;

	if (profile_decode(v, &p, NULL))
		return;
	for (size_t t = 0; t < p.schema.n_tables; t++)
		for (size_t c = 0; c < p.schema.tables[t].n; c++) {
			profile_holds_loosely(&p, (int)t, (int)c, view_of("dog"));
			profile_contains(&p, (int)t, (int)c, 0, 0, 0.95);
		}
	judge(&d, &p, a);
	profile_free(&p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct view v = { (const char *)data + 1, n - 1 };
	struct arena a = { 0 };
	struct score_out s;
	struct search_out f;

	if (!n)
		return 0;
	switch (data[0] % 4) {
	case 0: one_dossier(v, &a); break;
	case 1: one_profile(v, &a); break;
	case 2: score_out_decode(v, &a, &s, NULL); break;
	default: search_out_decode(v, &a, &f, NULL);
	}
	arena_free(&a);
	return 0;
}
