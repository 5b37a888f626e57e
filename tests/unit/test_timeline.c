// SPDX-License-Identifier: GPL-2.0
#include "report/timeline.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "shown.h"

/* A second after the recording began. */
#define CALLED 1000000000ull

/* 720 ns, 10 for each column: submit 0-100, queue -200, device -500, deliver -720; B at 260, W at 600, P at 300. */
static struct io_record usual(void)
{
	return (struct io_record){
		.boundary =
			{
				[BOUNDARY_CALL] = CALLED,
				[BOUNDARY_QUEUE] = CALLED + 100,
				[BOUNDARY_ISSUE] = CALLED + 200,
				[BOUNDARY_DOORBELL] = CALLED + 260,
				[BOUNDARY_COMPLETE] = CALLED + 500,
				[BOUNDARY_SYNCED] = CALLED + 500,
				[BOUNDARY_ASK] = CALLED + 300,
				[BOUNDARY_WAKE] = CALLED + 600,
				[BOUNDARY_RETURN] = CALLED + 720,
			},
		.last_complete = CALLED + 500,
		.first_issue = CALLED + 200,
		.sector = 4096,
		.bytes = 8192,
		.requests = 1,
		.thread = 77,
		.op = IO_OP_READ,
		.way = IO_WAY_LIBAIO,
		.end = IO_END_JOINED,
		.command = "fio",
	};
}

/* A run of which nothing is known but the record. */
static const struct run alone;

static char *draw(const struct io_record *record)
{
	struct text out = {0};
	const struct screen screen = {.out = &out};

	print_record(&screen, &alone, record);
	assert_fits(out.data);
	assert_harmless(out.data);
	return text_take(&out);
}

/* The `number`th line, from 0, of what is drawn. */
static char *line_of(const struct io_record *record, int number)
{
	char *drawn = draw(record), *rest = drawn, *line = NULL;

	for (int i = 0; i <= number; i++)
		line = strsep(&rest, "\n");
	assert_non_null(line);
	line = xstrdup(line);
	free(drawn);
	return line;
}

static void assert_line(const struct io_record *record, int number, const char *expected)
{
	char *line = line_of(record, number);

	assert_string_equal(line, expected);
	free(line);
}

static void the_whole_record(void **state)
{
	struct io_record record = usual();
	char *drawn;

	(void)state;
	record.idle = 1500;
	drawn = draw(&record);
	assert_string_equal(drawn, "read 720 ns · device 300 ns · 8 KiB · libaio · fio 77 · at 1.000 s\n"
				   "  S         Q         D     B   P                   C         W          R\n"
				   "  ··········░░░░░░░░░░██████████████████████████████======================\n"
				   "  device idle for 1.50 µs before · CPU 0 · sector 4096\n");
	free(drawn);
}

static void what_each_part_took(void **state)
{
	struct io_record record = usual();
	uint64_t sum = 0;

	(void)state;
	record.boundary[BOUNDARY_SYNCED] += 50;
	record.boundary[BOUNDARY_ASK] = CALLED + 570;
	assert_int_equal(record_total(&record), 720);
	assert_int_equal(record_part(&record, IO_STAGE_SUBMIT), 100);
	assert_int_equal(record_part(&record, IO_STAGE_QUEUE), 100);
	assert_int_equal(record_part(&record, IO_STAGE_DEVICE), 300);
	assert_int_equal(record_part(&record, IO_STAGE_THROUGH), 0);
	assert_int_equal(record_part(&record, IO_STAGE_SYNC), 50);
	assert_int_equal(record_part(&record, IO_STAGE_UNREAPED), 20);
	assert_int_equal(record_part(&record, IO_STAGE_DELIVER), 150);
	for (int part = 0; part < IO_PARTS; part++)
		sum += record_part(&record, part);
	assert_int_equal(sum, 720);
}

/* 10 columns of the flush, 5 in which the program had not asked. */
static void flush_and_unreaped(void **state)
{
	struct io_record record = usual();

	(void)state;
	record.boundary[BOUNDARY_SYNCED] += 100;
	record.boundary[BOUNDARY_ASK] = CALLED + 650;
	record.boundary[BOUNDARY_WAKE] = 0;
	assert_line(&record, 1, "  S         Q         D     B                       C         C'   P     R");
	assert_line(&record, 2, "  ··········░░░░░░░░░░██████████████████████████████▒▒▒▒▒▒▒▒▒▒-----=======");
}

/* Without a D it went through a device without requests. */
static void through(void **state)
{
	struct io_record record = usual();

	(void)state;
	record.boundary[BOUNDARY_ISSUE] = record.boundary[BOUNDARY_DOORBELL] = 0;
	assert_line(&record, 0, "read 720 ns · through 400 ns · 8 KiB · libaio · fio 77 · at 1.000 s");
	assert_line(&record, 1, "  S         Q                   P                   C         W          R");
	assert_line(&record, 2, "  ··········▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓======================");
}

static void unknown_time(void **state)
{
	struct io_record record = usual();

	(void)state;
	record.boundary[BOUNDARY_COMPLETE] = record.boundary[BOUNDARY_SYNCED] = 0;
	record.boundary[BOUNDARY_WAKE] = record.boundary[BOUNDARY_ASK] = 0;
	record.end = IO_END_UNSEEN;
	assert_line(&record, 1, "  S         Q         D     B                                            R");
	assert_line(&record, 2, "  ··········░░░░░░░░░░????????????????????????????????????????????????????");
	assert_line(&record, 3, "  completion not seen · CPU 0 · sector 4096");
}

/* It never came to the block layer. */
static void nothing_but_its_ends(void **state)
{
	struct io_record record = usual();

	(void)state;
	for (int i = BOUNDARY_QUEUE; i < BOUNDARY_RETURN; i++)
		record.boundary[i] = 0;
	record.end = IO_END_NOT_QUEUED;
	record.bytes = 0;
	assert_line(&record, 0, "read 720 ns · libaio · fio 77 · at 1.000 s");
	assert_line(&record, 1, "  not queued · CPU 0"); /* a bar would say nothing */
}

/* Of a system call P is S, and without a flush C' is C. */
static void what_says_nothing_is_left_out(void **state)
{
	struct io_record record = usual();

	(void)state;
	record.way = IO_WAY_CALL;
	record.boundary[BOUNDARY_ASK] = CALLED;
	assert_line(&record, 1, "  S         Q         D     B                       C         W          R");
}

/* All nine letters, those of one place side by side. */
static void no_letter_is_lost(void **state)
{
	struct io_record record = usual();

	(void)state;
	record.boundary[BOUNDARY_QUEUE] = CALLED + 1;
	record.boundary[BOUNDARY_ISSUE] = CALLED + 2;
	record.boundary[BOUNDARY_DOORBELL] = CALLED + 9;
	record.boundary[BOUNDARY_ASK] = CALLED + 39;
	record.boundary[BOUNDARY_COMPLETE] = CALLED + 40;
	record.boundary[BOUNDARY_SYNCED] = CALLED + 718;
	record.boundary[BOUNDARY_WAKE] = CALLED + 719;
	assert_line(&record, 1, "  SQDBPC                                                              C'WR");
	assert_line(&record, 2, "  ████▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒");

	/* woken before its own completion, by another's */
	record = usual();
	record.boundary[BOUNDARY_WAKE] = CALLED + 450;
	assert_line(&record, 1, "  S         Q         D     B   P              W    C                    R");
}

/* Of an I/O that was asked for before it was called, and of a file that lies. */
static void moments_outside_are_not_drawn(void **state)
{
	struct io_record record = usual();

	(void)state;
	record.boundary[BOUNDARY_ASK] = CALLED - 5;
	record.boundary[BOUNDARY_WAKE] = CALLED + 721;
	record.boundary[BOUNDARY_QUEUE] = UINT64_MAX;
	assert_line(&record, 1, "  S                   D     B                       C                    R");
	record.boundary[BOUNDARY_RETURN] = CALLED - 1;
	assert_line(&record, 1, "  CPU 0 · sector 4096"); /* no total, nothing drawn */
}

static void what_was_in_the_way(void **state)
{
	struct io_record record = usual();
	char *drawn;

	(void)state;
	record.company[CLASS_DATA] = 3;
	record.company[CLASS_JOURNAL] = 1;
	record.company[CLASS_FLUSH] = 2;
	record.idle = 0;
	record.requests = 4;
	record.first_issue -= 80;
	record.last_complete += 90;
	record.notes = 1 << IO_NOTE_SPLIT | 1 << IO_NOTE_THROTTLED | 1 << IO_NOTE_RETRIED;
	record.call_cpu = 1;
	record.issue_cpu = 1;
	record.complete_cpu = 0;
	record.return_cpu = 1;
	drawn = draw(&record);
	assert_has(drawn, "\n  beside 3 own, 1 of the journal, 2 flush · 4 requests · issued over 80 ns ·\n"
			  "  90 ns for the rest of its batch · throttled · retried · CPUs 1 → 0 → 1 ·\n"
			  "  sector 4096\n");
	assert_lacks(drawn, "idle");
	assert_lacks(drawn, "split"); /* that is said by "4 requests" */
	free(drawn);
}

/* The name of a thread is its own choice, and may not end. */
static void names_are_disarmed(void **state)
{
	struct io_record record = usual();
	char *drawn;

	(void)state;
	memset(record.command, '\033', sizeof(record.command));
	drawn = draw(&record);
	assert_has(drawn, "\xef\xbf\xbd 77");
	free(drawn);
}

/* In one line, for the live view. */
static void a_record_in_one_line(void **state)
{
	struct io_record record = usual();
	struct text out = {0};
	const struct screen screen = {.out = &out};

	(void)state;
	record.company[CLASS_OTHERS] = 1;
	record.notes = 1 << IO_NOTE_WORKER;
	print_record_line(&screen, &record);
	assert_string_equal(out.data, "  slowest · read 720 ns · device 300 ns · beside 1 of others · by a worker\n");
	text_free(&out);
}

static void fill_run(struct run *run, size_t count, uint64_t first)
{
	struct trace_view *trace = xcalloc(1, sizeof(*trace));

	*run = (struct run){.state = RUN_DONE, .trace = trace};
	trace->slowest_count = count;
	trace->slowest = xcalloc(count, sizeof(*trace->slowest));
	for (size_t i = 0; i < count; i++) {
		trace->slowest[i] = usual();
		trace->slowest[i].boundary[BOUNDARY_RETURN] = CALLED + first - 1000 * i;
	}
}

/* 9000, 8500, 8000, ns; of a run that failed none. */
static void the_slowest_of_several_runs(void **state)
{
	struct run run[3];
	const struct run *runs[] = {&run[0], &run[1], &run[2]};
	struct text out = {0};
	const struct screen screen = {.out = &out};

	(void)state;
	fill_run(&run[0], 2, 8500);
	fill_run(&run[1], 3, 9000);
	fill_run(&run[2], 1, 90000);
	run[2].state = RUN_FAILED;
	print_slowest(&screen, "The slowest", runs, 3, 3);
	assert_has(out.data, "\nThe slowest  · submit  ░ queue  █ device  = deliver\nread 9.00 µs ");
	assert_has(out.data, "\nread 8.50 µs ");
	assert_has(out.data, "\nread 8.00 µs ");
	assert_true(strstr(out.data, "read 9.00") < strstr(out.data, "read 8.50"));
	assert_true(strstr(out.data, "read 8.50") < strstr(out.data, "read 8.00"));
	assert_lacks(out.data, "read 7.50");
	assert_lacks(out.data, "read 90.0");
	text_free(&out);

	run[0].trace->slowest_count = run[1].trace->slowest_count = 0;
	print_slowest(&screen, "The slowest", runs, 3, 3);
	assert_int_equal(out.length, 0);
	for (size_t i = 0; i < 3; i++)
		trace_view_free(run[i].trace);
}

/* 9000 ns and five within 1 % of it, of which three are drawn; then others. */
static void those_that_look_alike(void **state)
{
	struct run run;
	const struct run *runs[] = {&run};
	struct text out = {0};
	const struct screen screen = {.out = &out};

	(void)state;
	fill_run(&run, 8, 9000);
	for (size_t i = 0; i < 8; i++)
		run.trace->slowest[i].boundary[BOUNDARY_RETURN] = CALLED + 9000 - (i < 6 ? 18 * i : 91 + i);
	print_slowest(&screen, "The slowest", runs, 1, 8);
	assert_has(out.data, "\nread 8.96 µs ");
	assert_lacks(out.data, "\nread 8.95 µs ");
	assert_has(out.data, "\n3 more look like these, down to 8.91 µs.\nread 8.90 µs ");
	out.length = 0;

	/* one of them for another reason: no three in a row are left out */
	run.trace->slowest[4].boundary[BOUNDARY_ISSUE] = CALLED + 8000;
	run.trace->slowest[4].boundary[BOUNDARY_COMPLETE] = CALLED + 8000;
	run.trace->slowest[4].boundary[BOUNDARY_SYNCED] = CALLED + 8000;
	print_slowest(&screen, "The slowest", runs, 1, 8);
	assert_has(out.data, "\n1 more looks like these, down to 8.95 µs.\nread 8.93 µs · queue 7.90 µs ");
	assert_has(out.data, "\nread 8.91 µs ");
	text_free(&out);
	trace_view_free(run.trace);
}

/* Two that take as long, one of them because the machine stood still, which is told of it alone. */
static void what_a_pause_did(void **state)
{
	struct pause pause = {CALLED + 50000, 100000000};
	struct conditions conditions = {.pause = &pause, .pauses = 1};
	struct run run;
	const struct run *runs[] = {&run};
	struct text out = {0};
	const struct screen screen = {.out = &out};
	struct io_record *slowest;

	(void)state;
	fill_run(&run, 2, 120000000);
	run.conditions = &conditions;
	slowest = run.trace->slowest;
	for (int boundary = 0; boundary < BOUNDARIES; boundary++)
		slowest[1].boundary[boundary] += 100050000;
	print_slowest(&screen, "The slowest", runs, 1, 8);
	assert_has(out.data, "\n  the machine stood still for 100.0 ms of it, at 1.000 s · CPU 0 · sector 4096\nread 120.0 ms ");
	assert_has(out.data, "\n  CPU 0 · sector 4096\n");
	assert_fits(out.data);
	text_free(&out);
	trace_view_free(run.trace);
}

/* Nothing but their totals is known: no legend, and no blanks in its place. */
static void a_heading_without_a_legend(void **state)
{
	struct run run;
	const struct run *runs[] = {&run};
	struct text out = {0};
	const struct screen screen = {.out = &out};

	(void)state;
	fill_run(&run, 1, 9000);
	for (int i = BOUNDARY_QUEUE; i < BOUNDARY_RETURN; i++)
		run.trace->slowest[0].boundary[i] = 0;
	print_slowest(&screen, "The slowest", runs, 1, 3);
	assert_has(out.data, "\nThe slowest\nread 9.00 µs ");
	assert_lacks(out.data, "?");
	text_free(&out);
	trace_view_free(run.trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_whole_record),
		cmocka_unit_test(what_each_part_took),
		cmocka_unit_test(flush_and_unreaped),
		cmocka_unit_test(through),
		cmocka_unit_test(unknown_time),
		cmocka_unit_test(nothing_but_its_ends),
		cmocka_unit_test(what_says_nothing_is_left_out),
		cmocka_unit_test(no_letter_is_lost),
		cmocka_unit_test(moments_outside_are_not_drawn),
		cmocka_unit_test(what_was_in_the_way),
		cmocka_unit_test(names_are_disarmed),
		cmocka_unit_test(a_record_in_one_line),
		cmocka_unit_test(the_slowest_of_several_runs),
		cmocka_unit_test(those_that_look_alike),
		cmocka_unit_test(a_heading_without_a_legend),
		cmocka_unit_test(what_a_pause_did),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
