// SPDX-License-Identifier: GPL-2.0
#include "report/remote.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "shown.h"

static struct remote_view views[2][2];
static struct trace_view traces[2];
static struct io_view reads = {.counts.end[IO_END_JOINED] = 100};
static struct run made_up[2];

/* Two runs; the second has just the first kind. */
static int make(void **state)
{
	(void)state;
	memset(views, 0, sizeof(views));
	for (int i = 0; i < 2; i++) {
		views[i][0] = (struct remote_view){.protocol = (char *)"fuse", .kind = (char *)"FUSE_READ"};
		views[i][0].sent = views[i][0].answered = 100;
		views[i][0].has_bytes = true;
		views[i][0].bytes = 409600;
		hist_add(&views[i][0].time, 1000000, 100);
		traces[i] = (struct trace_view){.remote = views[i], .remotes = 1, .io = {[IO_OP_READ] = &reads}};
		made_up[i] = (struct run){.state = RUN_DONE, .trace = &traces[i]};
	}
	views[0][1] = (struct remote_view){.protocol = (char *)"fuse", .kind = (char *)"FUSE_WRITE", .sent = 7};
	views[0][1].written_back = true;
	views[0][1].failed = 3;
	traces[0].remotes = 2;
	return 0;
}

static char *shown(size_t count)
{
	const struct run *const runs[] = {&made_up[0], &made_up[1]};
	struct text out = {0};
	struct screen screen = {.out = &out};
	bool any = print_round_trips(&screen, runs, count);

	assert_int_equal(any, out.length > 0);
	if (!any)
		return NULL;
	assert_fits(out.data);
	return text_take(&out);
}

static void one_run(void **state)
{
	char *text = shown(1);

	(void)state;
	assert_says(text, "round trips number per I/O mean p99 max bytes failed");
	assert_says(text, "FUSE_READ 100 1.00 1.000 ms");
	assert_says(text, "400 KiB");
	assert_says(text, "FUSE_WRITE (writeback) 7 0.07 - - - 3");
	free(text);
}

static void runs_add_up(void **state)
{
	char *text = shown(2);

	(void)state;
	assert_says(text, "FUSE_READ 200 1.00");
	assert_says(text, "800 KiB");
	assert_says(text, "FUSE_WRITE (writeback) 7 0.04");
	free(text);
}

static void none_is_nothing(void **state)
{
	(void)state;
	traces[0].remotes = 0;
	assert_null(shown(1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(one_run, make),
		cmocka_unit_test_setup(runs_add_up, make),
		cmocka_unit_test_setup(none_is_nothing, make),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
