/* feature.c - see feature.h */
#include "proto/feature.h"

static const struct {
	const char *name;
	int centred, drawn;
} features[FEATURES] = {
#define FEATURE(name, centred, drawn, meaning) { #name, centred, drawn },
#include "proto/features.def"
#undef FEATURE
};

const char *feature_name(enum feature f)
{
	return features[f].name;
}

int feature_centred(enum feature f)
{
	return features[f].centred;
}

int feature_drawn(enum feature f)
{
	return features[f].drawn;
}

int feature_by_name(struct view name)
{
	for (int f = 0; f < FEATURES; f++)
		if (view_eq(name, view_of(features[f].name)))
			return f;
	return -1;
}
