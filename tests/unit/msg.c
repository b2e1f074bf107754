/* msg.c - the wire's bytes are what PROTOCOL.md says, and nothing else is believed */
#include "tests/support/cm.h"

#include "common/base/pack.h"
#include "proto/msg.h"

#include <stdio.h>
#include <string.h>

/* Golden bytes, written by hand from PROTOCOL.md. */
static const struct golden {
	const char *bytes;
	size_t n;
	const char *printed;
} golden[] = {
#define G(bytes, printed) \
	{ \
		bytes, sizeof bytes - 1, printed \
	}
	G("\x97\x01\x01\x02\xa3h:1\x03\x93\x01\x02\x03\x90",
	  "HELLO version=1 epoch=2 worker=\"h:1\" boot=3 slots=<4 bytes> held=<1 "
	  "bytes>"),
	G("\x97\x02\x01\x05\x06\xcd\x75\x30\xce\x04\x00\x00\x00\xc4\x01\x97",
	  "WELCOME version=1 epoch=5 boot=6 lease_ms=30000 largest=67108864 "
	  "settings=<1 bytes>"),
	G("\x93\x03\x05\x91\x96\x07\x01\x01\xc4\x01x\x90\x00",
	  "LEASE epoch=5 leases=<10 bytes>"),
	G("\x93\x04\x05\x91\x92\x07\x01", "RENEW epoch=5 tasks=<4 bytes>"),
	G("\x93\x05\x05\x91\x97\x07\x01\x00\xa0\xc4\x01o\x90\x09",
	  "RESULT epoch=5 results=<11 bytes>"),
	G("\x93\x06\x05\x91\x92\x07\x01", "ACK epoch=5 tasks=<4 bytes>"),
	G("\x93\x07\x05\x90", "RETURN epoch=5 tasks=<1 bytes>"),
	G("\x93\x08\x05\x91\x92\x07\x01", "CANCEL epoch=5 tasks=<4 bytes>"),
	G("\x93\x09\x05\x91\x92\x07\x01", "STALE epoch=5 tasks=<4 bytes>"),
	G("\x92\x0a\x05", "REJOIN epoch=5"),
	G("\x93\x0b\x05\x11", "PING epoch=5 nonce=17"),
	G("\x93\x0c\x05\x11", "PONG epoch=5 nonce=17"),
	G("\x93\x0d\x05\xa7"
	  "drained",
	  "BYE epoch=5 reason=\"drained\""),
	G("\x95\x0e\x05\xc4\x02hh\x00\xce\x00\x10\x00\x00",
	  "FETCH epoch=5 hash=<2 bytes> offset=0 most=1048576"),
	G("\x98\x0f\x05\xc4\x02hh\x01\x03\xa0\x00\xc4\x03"
	  "abc",
	  "BLOB epoch=5 hash=<2 bytes> found=1 size=3 path=\"\" offset=0 bytes=<3 "
	  "bytes>"),
	G("\x93\x10\x05\xa2no", "REFUSED epoch=5 reason=\"no\""),
#undef G
};

enum { GOLDEN = sizeof golden / sizeof *golden };

static void every_message_has_these_bytes(void **unused)
{
	const char *name, *sender;
	unsigned tag;
	size_t fields, messages = 0;

	(void)unused;
	while (msg_describe(messages, &name, &tag, &sender, &fields))
		messages++;
	assert_int_equal(messages, GOLDEN);
	for (size_t i = 0; i < GOLDEN; i++) {
		struct view frame = { golden[i].bytes, golden[i].n };
		struct buf again = { 0 }, printed = { 0 };
		struct msg m;
		struct err e;

		if (msg_decode(frame, &m, &e))
			fail_msg("%s: %s", golden[i].printed, e.text);
		msg_print(&m, &printed);
		assert_string_equal(printed.p, golden[i].printed);
		assert_int_equal(msg_encode(&m, &again, &e), 0);
		assert_true(view_eq(buf_view(&again), frame));
		buf_free(&again);
		buf_free(&printed);
	}
}

static void a_message_cut_anywhere_is_refused_and_writes_nothing(void **unused)
{
	(void)unused;
	for (size_t i = 0; i < GOLDEN; i++)
		for (size_t n = 0; n < golden[i].n; n++) {
			struct msg m = { .tag = MSG_TAG_PING };
			struct err e = { 0 };
			struct view cut = { golden[i].bytes, n };

			assert_int_equal(msg_decode(cut, &m, &e), ERR_PROTO);
			assert_true(e.text[0]);
			assert_int_equal(m.tag, MSG_TAG_PING);
		}
}

static void a_byte_too_many_is_refused(void **unused)
{
	char frame[] = "\x92\x0a\x05\x00";
	struct msg m;
	struct err e;

	(void)unused;
	assert_int_equal(msg_decode((struct view){ frame, 4 }, &m, &e), ERR_PROTO);
	assert_non_null(strstr(e.text, "REJOIN"));
}

static void every_wrong_byte_is_decoded_or_refused_never_worse(void **unused)
{
	(void)unused;
	for (size_t i = 0; i < GOLDEN; i++)
		for (size_t n = 0; n < golden[i].n; n++)
			for (int b = 0; b < 256; b++) {
				char frame[128];
				struct msg m;

				assert_true(golden[i].n < sizeof frame);
				memcpy(frame, golden[i].bytes, golden[i].n);
				frame[n] = (char)b;
				msg_decode((struct view){ frame, golden[i].n }, &m,
					   NULL);
			}
}

static void refusals_name_message_and_field(void **unused)
{
	static const struct {
		const char *bytes;
		size_t n;
		const char *says;
	} bad[] = {
		{ "", 0, "not an array" },
		{ "\xc0", 1, "not an array" },
		{ "\x90", 1, "not an array" },
		{ "\x91\x63", 2, "no message has tag 99" },
		{ "\x91\x00", 2, "no message has tag 0" },
		{ "\x91\x0a", 2, "REJOIN with 0 fields, not 1" },
		{ "\x93\x0b\x05\xa1x", 5, "PING.nonce is not a u64" },
		{ "\x93\x0b\xff\x01", 4, "PING.epoch is not a u64" },
		{ "\x97\x01\xcf\x00\x00\x00\x01\x00\x00\x00\x00\x02\xa0\x03\x90\x90",
		  16, "HELLO.version is not a u32" },
		{ "\x93\x0d\x05\xc4\x01x", 6, "BYE.reason is not a str" },
		{ "\x93\x04\x05\xdd\xff\xff\xff\xff", 8, "RENEW.tasks is not a any" },
	};

	(void)unused;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct msg m;
		struct err e = { 0 };

		assert_int_equal(
			msg_decode((struct view){ bad[i].bytes, bad[i].n }, &m, &e),
			ERR_PROTO);
		if (!strstr(e.text, bad[i].says))
			fail_msg("\"%s\" instead of \"%s\"", e.text, bad[i].says);
	}
}

static void an_unknown_tag_is_not_encoded(void **unused)
{
	struct msg m = { .tag = 99 };
	struct buf b = { 0 };

	(void)unused;
	assert_int_equal(msg_encode(&m, &b, NULL), ERR_PROTO);
	assert_int_equal(b.n, 0);
	assert_string_equal(msg_name(99), "?");
	buf_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_message_has_these_bytes),
		cmocka_unit_test(a_message_cut_anywhere_is_refused_and_writes_nothing),
		cmocka_unit_test(a_byte_too_many_is_refused),
		cmocka_unit_test(every_wrong_byte_is_decoded_or_refused_never_worse),
		cmocka_unit_test(refusals_name_message_and_field),
		cmocka_unit_test(an_unknown_tag_is_not_encoded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
