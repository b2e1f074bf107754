/* feature.h - the features of the evidence judge, by number and by name
 *
 * The list is features.def; weights.h says how much each counts.
 */
#ifndef FEATURE_H
#define FEATURE_H

#include "common/base/view.h"

enum feature {
#define FEATURE(name, centred, drawn, meaning) FEATURE_##name,
#include "proto/features.def"
#undef FEATURE
	FEATURES
};

const char *feature_name(enum feature f);
int feature_centred(enum feature f);
int feature_drawn(enum feature f);
int feature_by_name(struct view name); /* -1: unknown */

#endif
