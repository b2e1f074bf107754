/* method.h - the selection methods, one row each
 *
 * A method is a planner (proto/plan.h) in a file of its own here, and a row of
 * methods.def. It begins with aggregate() and ends with a struct choice.
 */
#ifndef METHOD_H
#define METHOD_H

#include "proto/plan.h"

struct method {
	const char *name;
	plan_fn *plan;
	int asks; /* reads judge and passes */
	const char *what;
};

const struct method *method_by_name(const char *name); /* NULL: no such method */
const struct method *method_at(size_t i);              /* NULL past the last */

#define METHOD(name, asks, what) plan_fn method_##name;
#include "broker/method/methods.def"
#undef METHOD

#endif
