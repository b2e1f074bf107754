/* verb_memory_stats.c - what memories were retrieved for, where they helped and misled
 */
#include "ops/hits.h"
#include "ops/plaintext.h"
#include "ops/verb.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>

enum { SHOWN = 20 };

static json_t *document(const struct hits *h)
{
	json_t *doc = json_object(), *list = json_array();

	json_object_set_new(doc, "memory", json_string(h->bank));
	json_object_set_new(doc, "choices", json_integer((json_int_t)h->choices));
	for (uint32_t i = 0; i < h->n; i++) {
		const struct hit *k = &h->v[i];
		json_t *o = json_object();

		json_object_set_new(
			o, "id", json_loadb(k->id.p, k->id.n, JSON_DECODE_ANY, NULL));
		json_object_set_new(o, "retrieved",
				    json_integer((json_int_t)k->retrieved));
		json_object_set_new(o, "right", json_integer((json_int_t)k->right));
		json_object_set_new(o, "helped", json_integer((json_int_t)k->helped));
		json_object_set_new(o, "misled", json_integer((json_int_t)k->misled));
		json_array_append_new(list, o);
	}
	json_object_set_new(doc, "memories", list);
	return doc;
}

/* The worst first, of equals those retrieved more often. */
static int worse(const struct hit *a, const struct hit *b)
{
	int64_t x = (int64_t)a->misled - (int64_t)a->helped,
		y = (int64_t)b->misled - (int64_t)b->helped;

	return x != y ? x > y : a->retrieved > b->retrieved;
}

static void print_worst(struct hits *h)
{
	puts("retrieved   right  helped  misled  memory");
	for (uint32_t i = 0; i < h->n && i < SHOWN; i++) {
		struct hit k;

		for (uint32_t j = i + 1; j < h->n; j++)
			if (worse(&h->v[j], &h->v[i])) {
				k = h->v[i];
				h->v[i] = h->v[j];
				h->v[j] = k;
			}
		k = h->v[i];
		printf("%9" PRIu64 " %7" PRIu64 " %7" PRIu64 " %7" PRIu64 "  ",
		       k.retrieved, k.right, k.helped, k.misled);
		plaintext_put(stdout, k.id.p, k.id.n);
		putchar('\n');
	}
	if (h->n > SHOWN)
		printf("(%u more; --json lists all)\n", h->n - SHOWN);
}

static int run(struct options *o, struct err *e)
{
	struct hits h;
	int rc = hits_read(o->arg, (uint32_t)o->nargs, NULL, &h, e);

	if (rc)
		return rc;
	if (opt_on(o, FLAG_json)) {
		json_t *doc = document(&h);

		json_dumpf(doc, stdout, JSON_INDENT(1));
		putchar('\n');
		json_decref(doc);
	} else {
		printf("bank %.8s: %u memories in %" PRIu64 " choices with a verdict\n",
		       h.bank, h.n, h.choices);
		print_worst(&h);
	}
	hits_free(&h);
	return 0;
}

const struct verb verb_memory_stats = {
	"memory stats",
	"DIR...",
	"what the memories of a bank did in finished runs: helped where the choice was "
	"right\nand the vote wrong, misled where it was the other way round\n"
	"Counted are memories that a model was shown; the evidence judge shows none.",
	V_MEMORY,
	1,
	-1,
	0,
	run
};
