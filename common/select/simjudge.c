/* simjudge.c - see simjudge.h */
#include "common/select/simjudge.h"

#include "common/base/hash.h"
#include "common/base/rng.h"
#include "common/base/round.h"

#include <assert.h>
#include <math.h>

int simjudge_check(const struct simjudge *j, struct err *e)
{
	if (!(j->accuracy > 0 && j->accuracy < 1))
		return err_set(
			e, ERR_VALUE,
			"accuracy=%g: a simulated judge's accuracy lies between 0 "
			"and 1, both out",
			j->accuracy);
	if (!(j->shared >= 0 && j->shared <= 1))
		return err_set(
			e, ERR_VALUE,
			"shared=%g: the shared part of a simulated judge's error "
			"lies between 0 and 1",
			j->shared);
	if (!isfinite(j->bias))
		return err_set(e, ERR_VALUE,
			       "bias=%g: a simulated judge's bias is finite", j->bias);
	return 0;
}

/* A normal that is the same whenever the same three meet. `ask` is empty for the part
 * that all asks about the question share. */
static double z(const struct simjudge *j, const char *what, struct view question,
		struct view ask, struct view candidate)
{
	struct hasher h;
	struct hash id;
	struct rng r;

	hash_begin(&h);
	hash_add(&h, question.p, question.n);
	hash_add(&h, ask.p, ask.n);
	hash_add(&h, candidate.p, candidate.n);
	id = hash_end(&h);
	rng_init(&r, what, j->seed, (struct view){ (const char *)id.b, sizeof id.b },
		 0);
	return rng_normal(&r);
}

/* -ln(-ln Phi(z)), each tail by the function that keeps its digits. */
static double gumbel(double z_)
{
	double tail = 0.5 * erfc(fabs(z_) / 1.41421356237309504880);

	return -log(z_ > 0 ? -log1p(-tail) : -log(tail));
}

void simjudge_scores(const struct simjudge *j, struct view question, struct view ask,
		     const struct sim_candidate *c, uint32_t n, double *ret)
{
	double skill = log(j->accuracy / (1 - j->accuracy));
	double whole = sqrt(j->shared), own = sqrt(1 - j->shared);

	assert(simjudge_check(j, NULL) == 0);
	for (uint32_t i = 0; i < n; i++) {
		struct view none = { "", 0 };
		double noise = whole * z(j, "sim question", question, none, c[i].name) +
			       own * z(j, "sim ask", question, ask, c[i].name);

		ret[i] =
			round20((c[i].right ? skill : 0) - j->bias * i + gumbel(noise));
	}
}
