/* protocol_doc.c - PROTOCOL.md has each message of messages.def, and no other */
#include "tests/support/cm.h"

#include "common/base/buf.h"
#include "proto/msg.h"
#include "tests/support/skip.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The section exactly as the list has it. */
static void expect_section(size_t i, struct buf *ret)
{
	const char *name, *sender, *kind, *field, *meaning;
	unsigned tag;
	size_t fields;

	assert_true(msg_describe(i, &name, &tag, &sender, &fields));
	buf_addf(ret,
		 "### %s\n\nTag %u, sent by: %s.\n\n| field | kind | meaning |\n"
		 "|---|---|---|\n",
		 name, tag, sender);
	for (size_t k = 0; k < fields; k++) {
		assert_true(msg_describe_field(i, k, &kind, &field, &meaning));
		buf_addf(ret, "| %s | %s | %s |\n", field, kind, meaning);
	}
	buf_add_str(ret, "\n");
}

static void every_message_stands_in_the_document_as_in_the_list(void **unused)
{
	const char *name, *sender;
	unsigned tag;
	size_t fields, i = 0, sections = 0;
	char *doc = source_text("proto/PROTOCOL.md");

	(void)unused;
	for (; msg_describe(i, &name, &tag, &sender, &fields); i++) {
		struct buf section = { 0 };

		expect_section(i, &section);
		if (!strstr(doc, section.p))
			fail_msg("PROTOCOL.md lacks this section:\n%s", section.p);
		buf_free(&section);
	}
	for (const char *p = doc; (p = strstr(p, "\n### ")); p++)
		sections++;
	assert_int_equal(sections, i);
	free(doc);
}

static void the_document_names_the_version_and_the_lists(void **unused)
{
	char *doc = source_text("proto/PROTOCOL.md"), version[40];

	(void)unused;
	snprintf(version, sizeof version, "Version: %d (`PROTO_VERSION`)",
		 PROTO_VERSION);
	assert_non_null(strstr(doc, version));
	assert_non_null(strstr(doc, "`[[task u64, attempt u32], ...]`"));
	assert_non_null(strstr(doc,
			       "`[[task u64, attempt u32, kind u32, spec bin, [inline "
			       "blob bin, ...], timeout_ms u64], ...]`"));
	assert_non_null(strstr(doc,
			       "`[[task u64, attempt u32, code u32, text str, output "
			       "bin, [call bin, ...], spent_us u64], ...]`"));
	free(doc);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_message_stands_in_the_document_as_in_the_list),
		cmocka_unit_test(the_document_names_the_version_and_the_lists),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
