// SPDX-License-Identifier: GPL-2.0
#include "report/interval.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "shown.h"

static struct hist stage[IO_OPS][IO_STAGES], call[CALLS];
static struct interval_line line;

static int empty(void **state)
{
	(void)state;
	memset(stage, 0, sizeof(stage));
	memset(call, 0, sizeof(call));
	line = (struct interval_line){.from = 1000000000, .to = 3000000000, .call = call};
	return 0;
}

/* `count` I/Os of these stages. */
static void fill(enum io_op op, const uint64_t times[IO_STAGES], uint64_t count)
{
	uint64_t total = 0;

	for (int i = 0; i < IO_PARTS; i++)
		total += times[i];
	for (int i = 0; i < IO_STAGES; i++)
		if (times[i])
			hist_add(&stage[op][i], times[i], count);
	hist_add(&stage[op][IO_STAGE_TOTAL], total, count);
	line.stage[op] = stage[op];
}

static char *render(void)
{
	struct text out = {0};

	interval_print(&line, false, &out);
	assert_fits(out.data);
	return text_take(&out);
}

static void columns_stand_in_line(void **state)
{
	static const uint64_t times[IO_STAGES] = {
		[IO_STAGE_SUBMIT] = 850,   [IO_STAGE_QUEUE] = 3200,	[IO_STAGE_DEVICE] = 40100,
		[IO_STAGE_SYNC] = 1230000, [IO_STAGE_DELIVER] = 125000, [IO_STAGE_DOORBELL] = 35000,
	};
	struct text out = {0};

	(void)state;
	fill(IO_OP_WRITE, times, 154600);
	line.bytes[IO_OP_WRITE] = 633241600;
	interval_heading(false, &out);
	interval_print(&line, false, &out);
	assert_fits(out.data);
	assert_string_equal(out.data,
			    "    s         IOPS   MB/s  mean   p99 submit queue device  sync unreaped deliver\n"
			    "  3.0 write  77.3k  316.6 1.40m 1.40m   850n 3.20µ  40.1µ 1.23m        -    125µ\n");
	text_free(&out);
}

/* 99.96 µs are 100, and 999.6 of a unit is one of the next. */
static void figures_stay_short(void **state)
{
	static const uint64_t times[IO_STAGES] = {
		[IO_STAGE_SUBMIT] = 9996,
		[IO_STAGE_QUEUE] = 99960,
		[IO_STAGE_DEVICE] = 999600,
		[IO_STAGE_DELIVER] = 16000000000,
	};
	char *report;

	(void)state;
	fill(IO_OP_READ, times, 1);
	line.to = line.from + 12345000000000;
	line.bytes[IO_OP_READ] = 1;
	report = render();
	assert_string_equal(report,
			    "12346  read      0    0.0 16.0s 16.0s  10.0µ  100µ  1.00m     -        -   16.0s\n");
	free(report);
}

static void each_op_has_a_line(void **state)
{
	static const uint64_t reads[IO_STAGES] = {[IO_STAGE_QUEUE] = 5000, [IO_STAGE_THROUGH] = 70000};
	static const uint64_t syncs[IO_STAGES] = {[IO_STAGE_DEVICE] = 2000};
	char *report;

	(void)state;
	fill(IO_OP_READ, reads, 3100000);
	fill(IO_OP_SYNC, syncs, 20);
	line.bytes[IO_OP_READ] = 56200000000;
	report = render();
	/* through stands where device does */
	assert_string_equal(report,
			    "  3.0  read  1.55M  28100 75.0µ 75.0µ      - 5.00µ  70.0µ     -        -       -\n"
			    "  3.0  sync     10    0.0 2.00µ 2.00µ      -     -  2.00µ     -        -       -\n");
	free(report);
}

/* What the program took from the ring itself has no total. */
static void without_a_total(void **state)
{
	char *report;

	(void)state;
	hist_add(&stage[IO_OP_READ][IO_STAGE_DEVICE], 10000, 500);
	line.stage[IO_OP_READ] = stage[IO_OP_READ];
	report = render();
	assert_string_equal(report,
			    "  3.0  read    250    0.0     -     -      -     -  10.0µ     -        -       -\n");
	free(report);
}

static void calls_of_a_buffered_program(void **state)
{
	char *report;

	(void)state;
	line.stage[IO_OP_READ] = stage[IO_OP_READ];
	hist_add(&call[CALL_READ], 1200, 24600);
	hist_add(&call[CALL_FSYNC], 1700000, 40);
	report = render();
	assert_string_equal(report, "  3.0 s  read 12.3k/s mean 1.20 µs p99 1.20 µs ·\n"
				    "         fsync 20/s mean 1.70 ms p99 1.70 ms\n");
	free(report);
	for (int i = 0; i < CALLS; i++)
		hist_add(&call[i], 1700000, 4000000000);
	report = render(); /* it fits */
	assert_has(report, "\n         sync_file_range 2.00G/s mean 1.70 ms p99 1.70 ms ·\n");
	assert_has(report, "page fault 2.00G/s mean 1.70 ms p99 1.70 ms\n");
	free(report);
}

/* Direct reads are I/Os; buffered ones beside them, and a sync, are not. */
static void calls_beside_ios(void **state)
{
	static const uint64_t times[IO_STAGES] = {[IO_STAGE_DEVICE] = 2000};
	char *report;

	(void)state;
	fill(IO_OP_READ, times, 10);
	hist_add(&call[CALL_READ], 2000, 10);
	report = render();
	assert_lacks(report, "/s");
	free(report);
	hist_add(&call[CALL_READ], 1000, 10);
	report = render();
	assert_has(report, "\n  3.0 s  read 10/s mean 1.50 µs p99 2.00 µs\n");
	free(report);
	memset(call, 0, sizeof(call));
	hist_add(&call[CALL_FDATASYNC], 9000, 1);
	report = render();
	assert_has(report, "\n  3.0 s  fdatasync 1/s mean 9.00 µs p99 9.00 µs\n"); /* half a call per second */
	free(report);
}

static void nothing_happened(void **state)
{
	char *report;

	(void)state;
	report = render();
	assert_string_equal(report, "  3.0 s  nothing\n");
	free(report);
	line.call = NULL;
	line.to = line.from;
	report = render();
	assert_string_equal(report, "  1.0 s  nothing\n");
	free(report);
}

/* Calls that are no I/Os need no heading of I/Os. */
static void what_stands_under_the_heading(void **state)
{
	(void)state;
	line.stage[IO_OP_WRITE] = stage[IO_OP_WRITE];
	hist_add(&call[CALL_WRITE], 1000, 10);
	assert_false(interval_has_ios(&line));
	hist_add(&stage[IO_OP_WRITE][IO_STAGE_DEVICE], 10000, 1); /* without a total, too */
	assert_true(interval_has_ios(&line));
}

static void the_slowest_has_its_own_line(void **state)
{
	static const uint64_t times[IO_STAGES] = {[IO_STAGE_DEVICE] = 2000};
	const struct io_record record = {
		.boundary = {[BOUNDARY_CALL] = 1,
			     [BOUNDARY_QUEUE] = 2,
			     [BOUNDARY_ISSUE] = 3,
			     [BOUNDARY_COMPLETE] = 7000003,
			     [BOUNDARY_RETURN] = 8000001},
		.op = IO_OP_WRITE,
		.company = {[CLASS_FLUSH] = 1},
	};
	char *report;

	(void)state;
	fill(IO_OP_WRITE, times, 10);
	line.slowest = &record;
	report = render();
	assert_has(report, "\n  slowest · write 8.000 ms · device 7.000 ms · beside 1 flush\n");
	free(report);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(columns_stand_in_line, empty),
		cmocka_unit_test_setup(figures_stay_short, empty),
		cmocka_unit_test_setup(each_op_has_a_line, empty),
		cmocka_unit_test_setup(without_a_total, empty),
		cmocka_unit_test_setup(calls_of_a_buffered_program, empty),
		cmocka_unit_test_setup(calls_beside_ios, empty),
		cmocka_unit_test_setup(nothing_happened, empty),
		cmocka_unit_test_setup(what_stands_under_the_heading, empty),
		cmocka_unit_test_setup(the_slowest_has_its_own_line, empty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
