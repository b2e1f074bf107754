/* zsock.c - no wake-up is lost, and nothing is dropped without a word */
#include "tests/support/cm.h"

#include "common/io/zsock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FRAMES = 1000 };

static uv_loop_t loop;
static uv_timer_t alarm_clock;
static char dir[60], address[100];
static struct zsock *router, *dealer;
static uint32_t asked, answered, late;
static int closed;

static void post(struct zsock *z, struct zpeer to, uint32_t number)
{
	struct view frame = { (char *)&number, sizeof number };
	int rc = ERR_LIMIT;

	for (int i = 0; i < 5000 && rc == ERR_LIMIT; i++) { /* not connected yet */
		rc = zsock_send(z, to, frame);
		if (rc)
			usleep(1000);
	}
	assert_int_equal(rc, 0);
}

static void at_router(void *arg, struct zpeer from, struct view frame)
{
	uint32_t number;

	(void)arg;
	assert_int_equal(frame.n, sizeof number);
	assert_true(from.n > 0);
	memcpy(&number, frame.p, sizeof number);
	assert_int_equal(number, asked++);
	post(router, from, number);
}

static void at_dealer(void *arg, struct zpeer from, struct view frame)
{
	uint32_t number;

	(void)arg, (void)from;
	memcpy(&number, frame.p, sizeof number);
	assert_int_equal(number, answered++);
	if (answered == FRAMES)
		uv_stop(&loop);
}

static void on_alarm(uv_timer_t *t)
{
	(void)t;
	late = 1;
	uv_stop(&loop);
}

static void on_closed(void *arg)
{
	(void)arg;
	closed++;
}

static struct zsock *open_one(int is_router, zsock_frame_fn *on_frame)
{
	struct zsock_config c = { .router = is_router,
				  .address = address,
				  .largest = 1 << 20,
				  .backlog = 2 * FRAMES,
				  .on_frame = on_frame };
	struct zsock *z;
	struct err e;

	if (zsock_open(&loop, &c, &z, &e))
		fail_msg("%s", e.text);
	return z;
}

static int begin(void **unused)
{
	(void)unused;
	snprintf(dir, sizeof dir, "/tmp/zsock.XXXXXX");
	assert_non_null(mkdtemp(dir));
	snprintf(address, sizeof address, "ipc://%s/socket", dir);
	uv_loop_init(&loop);
	asked = answered = late = 0;
	closed = 0;
	router = open_one(1, at_router);
	dealer = open_one(0, at_dealer);
	uv_timer_init(&loop, &alarm_clock);
	uv_timer_start(&alarm_clock, on_alarm, 20000, 0);
	return 0;
}

static int end(void **unused)
{
	(void)unused;
	zsock_close(dealer, 0, on_closed);
	zsock_close(router, 0, on_closed);
	uv_close((uv_handle_t *)&alarm_clock, NULL);
	while (uv_run(&loop, UV_RUN_DEFAULT))
		;
	assert_int_equal(closed, 2);
	assert_int_equal(uv_loop_close(&loop), 0);
	strcat(dir, "/socket");
	unlink(dir);
	*strrchr(dir, '/') = '\0';
	rmdir(dir);
	return 0;
}

static void a_thousand_frames_queued_before_the_loop_runs_all_arrive(void **unused)
{
	(void)unused;
	for (uint32_t i = 0; i < FRAMES; i++)
		post(dealer, (struct zpeer){ 0 }, i);
	usleep(50000); /* they are there, and their one edge is spent */
	uv_run(&loop, UV_RUN_DEFAULT);
	assert_int_equal(late, 0);
	assert_int_equal(asked, FRAMES);
	assert_int_equal(answered, FRAMES);
}

static void a_frame_for_nobody_is_refused_not_dropped(void **unused)
{
	struct zpeer nobody = { 5, { 0, 9, 9, 9, 9 } };

	(void)unused;
	assert_int_equal(zsock_send(router, nobody, view_of("x")), ERR_NET);
}

static void a_full_queue_is_told(void **unused)
{
	static char large[1 << 16];
	int rc = 0;

	(void)unused; /* nobody reads: the loop does not run */
	for (int i = 0; i < 100 * FRAMES && !rc; i++)
		rc = zsock_send(dealer, (struct zpeer){ 0 },
				(struct view){ large, sizeof large });
	assert_int_equal(rc, ERR_LIMIT);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_thousand_frames_queued_before_the_loop_runs_all_arrive),
		TEST(a_frame_for_nobody_is_refused_not_dropped),
		TEST(a_full_queue_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
