/* sweepfile.c - a sweep file: YAML, one mapping of flags' keys to values
 *
 * A value is a scalar, or a sequence of scalars for a list. Everything else (anchors,
 * nested mappings, several documents) is refused with its line: it would be silently
 * something else than it looks.
 */
#include "ops/guess.h"
#include "ops/options.h"
#include "ops/textfile.h"

#include <stdio.h>
#include <yaml.h>

struct reader {
	struct options *s;
	const char *path;
	yaml_parser_t yaml;
	yaml_event_t event;
	struct err *e;
};

static int wrong(struct reader *r, const char *what)
{
	return err_set(r->e, ERR_INPUT, "%s:%zu: %s", r->path,
		       r->event.start_mark.line + 1, what);
}

static int next(struct reader *r)
{
	yaml_event_delete(&r->event);
	if (yaml_parser_parse(&r->yaml, &r->event))
		return 0;
	return err_set(r->e, ERR_INPUT, "%s:%zu:%zu: %s", r->path,
		       r->yaml.problem_mark.line + 1, r->yaml.problem_mark.column + 1,
		       r->yaml.problem ? r->yaml.problem : "bad YAML");
}

static int expect(struct reader *r, yaml_event_type_t type, const char *what)
{
	int rc = next(r);

	return rc ? rc : r->event.type == type ? 0 : wrong(r, what);
}

static int flag_of(struct reader *r, enum flag *ret)
{
	const char *key = (const char *)r->event.data.scalar.value;
	const char *names[FLAGS], *near;

	for (enum flag f = 0; f < FLAGS; f++) {
		names[f] = flag_key(f);
		if (strcmp(key, flag_key(f)) == 0 || strcmp(key, flag_name(f)) == 0) {
			*ret = f;
			return 0;
		}
	}
	near = guess_of(key, names, FLAGS);
	return err_set(r->e, ERR_INPUT, "%s:%zu: unknown key %s%s%s", r->path,
		       r->event.start_mark.line + 1, key, near ? "; did you mean " : "",
		       near ? near : "");
}

static int scalar(struct reader *r, enum flag f)
{
	const char *v = (const char *)r->event.data.scalar.value;
	char where[512];

	if (r->event.data.scalar.style == YAML_PLAIN_SCALAR_STYLE &&
	    (strcmp(v, "") == 0 || strcmp(v, "null") == 0 || strcmp(v, "~") == 0))
		return 0;
	snprintf(where, sizeof where, "%s:%zu: %s", r->path,
		 r->event.start_mark.line + 1, flag_key(f));
	return options_set(r->s, f, FROM_FILE, where, v, r->e);
}

static int value(struct reader *r, enum flag f)
{
	int rc = next(r);

	if (rc)
		return rc;
	if (r->event.type == YAML_SCALAR_EVENT)
		return scalar(r, f);
	if (r->event.type != YAML_SEQUENCE_START_EVENT)
		return wrong(r, "a value or a list of values is wanted here");
	while (!(rc = next(r)) && r->event.type == YAML_SCALAR_EVENT && !rc)
		if ((rc = scalar(r, f)))
			return rc;
	if (rc)
		return rc;
	return r->event.type == YAML_SEQUENCE_END_EVENT
		       ? 0
		       : wrong(r, "a list holds plain values only");
}

static int mapping(struct reader *r)
{
	uint8_t seen[FLAGS] = { 0 };
	enum flag f = 0;
	int rc;

	while (!(rc = next(r)) && r->event.type == YAML_SCALAR_EVENT) {
		if ((rc = flag_of(r, &f)))
			return rc;
		if (seen[f]++)
			return wrong(r, "this key stands here a second time");
		if ((rc = value(r, f)))
			return rc;
	}
	if (rc)
		return rc;
	return r->event.type == YAML_MAPPING_END_EVENT
		       ? 0
		       : wrong(r, "KEY: VALUE expected");
}

static int document(struct reader *r)
{
	int rc;

	if ((rc = expect(r, YAML_STREAM_START_EVENT, "a document expected")) ||
	    (rc = next(r)))
		return rc;
	if (r->event.type == YAML_STREAM_END_EVENT)
		return err_set(r->e, ERR_INPUT, "%s: is empty", r->path);
	if ((rc = expect(r, YAML_MAPPING_START_EVENT, "KEY: VALUE lines expected")) ||
	    (rc = mapping(r)) ||
	    (rc = expect(r, YAML_DOCUMENT_END_EVENT, "one document expected")))
		return rc;
	return expect(r, YAML_STREAM_END_EVENT, "one document expected");
}

int options_yaml(struct options *s, const char *path, struct err *e)
{
	struct reader r = { .s = s, .path = path, .e = e };
	struct textfile file;
	int rc = textfile_read(&s->arena, path, &file, e);

	if (rc)
		return rc;
	if (!yaml_parser_initialize(&r.yaml))
		return err_set(e, ERR_NOMEM, "%s", path);
	yaml_parser_set_input_string(&r.yaml, (const unsigned char *)file.text.p,
				     file.text.n);
	rc = document(&r);
	yaml_event_delete(&r.event);
	yaml_parser_delete(&r.yaml);
	s->sweep_file = file.path;
	return rc;
}
