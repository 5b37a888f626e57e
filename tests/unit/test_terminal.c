// SPDX-License-Identifier: GPL-2.0
#include "report/terminal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/format.h"
#include "made_up_result.h"
#include "shown.h"

#define LINES 24

/* The report on `result`, which is freed. */
static char *render(struct result *result, bool colour)
{
	struct text out = {0};

	report_terminal(result, colour, &out);
	result_free(result);
	return text_take(&out);
}

static size_t count_lines(const char *report)
{
	size_t lines = 0;

	for (; *report; report++)
		lines += *report == '\n';
	return lines;
}

static void others_write(struct result *result, uint64_t bytes)
{
	for (size_t i = 0; i < result->runs; i++)
		if (result->run[i].trace)
			result->run[i].trace->queued[OWNER_OTHERS][OP_WRITE].bytes = bytes;
}

static void the_whole_report(void **state)
{
	struct result *result = made_up_matrix(1, 1);
	char *report;

	(void)state;
	others_write(result, 20 << 20);
	report = render(result, false);
	assert_string_equal(report, "iostrata 0.1 · NonRAID · 2026-11-30 17:00:21 · fio-3.33 libaio · 5 s + 30 s each\n"
				    "/mnt/fast: ext4 on nvme0n1p2 (Made-up SSD 500, 1 TB) · 8 GiB file\n"
				    "\n"
				    "program (lat)           MB/s     IOPS     mean      p50      p99    p99.9  CPU %\n"
				    "SEQ1M-Q8T1-Read      2811.23    2,681 2.973 ms 2.916 ms 3.452 ms 4.948 ms    3.1\n"
				    "SEQ1M-Q8T1-Write     1934.01    1,844 4.335 ms 4.293 ms 5.341 ms 7.963 ms    4.3\n"
				    "RND4K-Q32T16-Read    1271.40  310,400 1.649 ms 1.598 ms 2.179 ms 3.064 ms   61.7\n"
				    "RND4K-Q32T16-Write    942.08  230,000 2.225 ms 2.162 ms 5.669 ms 9.372 ms   58.0\n"
				    "RND4K-Q1T1-Read        51.20   12,500  78.8 µs  76.4 µs 106.8 µs 253.0 µs    4.9\n"
				    "RND4K-Q1T1-Write      226.13   55,206  17.4 µs  16.6 µs  31.9 µs  66.3 µs    9.2\n"
				    "\n"
				    "device (nvme0n1)      of lat     rest     mean      p50      p99    p99.9 seen %\n"
				    "SEQ1M-Q8T1-Read            -        - 1.400 ms 1.400 ms 1.400 ms 1.400 ms    100\n"
				    "SEQ1M-Q8T1-Write           -        - 2.100 ms 2.100 ms 2.100 ms 2.100 ms    100\n"
				    "RND4K-Q32T16-Read     93.2 % 111.9 µs 1.537 ms 1.532 ms 1.532 ms 1.532 ms    100\n"
				    "RND4K-Q32T16-Write    93.9 % 135.2 µs 2.090 ms 2.089 ms 2.089 ms 2.089 ms    100\n"
				    "RND4K-Q1T1-Read       86.4 %  10.7 µs  68.1 µs  68.1 µs  68.1 µs  68.1 µs    100\n"
				    "RND4K-Q1T1-Write      65.7 %  5.95 µs  11.4 µs  11.4 µs  11.4 µs  11.4 µs    100\n"
				    "\n"
				    "At depth 1 a 4 KiB read takes 78.8 µs, 68.1 µs of it in the device; a write\n"
				    "17.4 µs, 11.4 µs of it. Rest: program, kernel and queues, not yet separated.\n"
				    "Several requests per I/O, so no share: SEQ1M-Q8T1-Read 2.00, -Write 2.00.\n"
				    "Other I/O on nvme0n1: 120 MiB, 0.1 % of what was moved.\n"
				    "One run each: small differences mean nothing; --iterations 3 takes 10:36 min.\n");
	assert_true(count_lines(report) <= LINES);
	assert_fits(report);
	free(report);
}

/* The line of a test in the table whose heading starts with `title`. */
static char *find_line(const char *report, const char *title, const char *test)
{
	const char *table = strstr(report, title), *line;
	char *start = xasprintf("\n%s ", test);

	assert_non_null(table);
	line = strstr(table, start);
	assert_non_null(line);
	free(start);
	return xasprintf("%.*s", (int)strcspn(line + 1, "\n"), line + 1);
}

/* The next word; numbers and their units are two. */
static const char *next_word(char **rest)
{
	char *word;

	do
		word = strsep(rest, " ");
	while (word && !*word);
	return word ? word : "";
}

static void assert_next_latency(char **rest, double ns)
{
	char expected[FORMAT_LENGTH], *found;
	const char *number = next_word(rest);

	found = xasprintf("%s %s", number, next_word(rest));
	assert_string_equal(found, format_latency(expected, ns));
	free(found);
}

/* Every number of every line of the first table; the made-up latencies of the kinds are all different. */
static void a_line_never_mixes_kinds(void **state)
{
	(void)state;
	for (int kind = 0; kind < LATENCY_KINDS; kind++) {
		struct result *result = made_up_matrix(1, 1);
		char *title = xasprintf("program (%s)", latency_name[kind]), *report, number[FORMAT_LENGTH];

		result->options.latency = kind;
		report = render(result, false);
		for (size_t i = 0; i < ARRAY_SIZE(made_up); i++) {
			const struct made_up *row = &made_up[i];
			char *line = find_line(report, title, row->name), *rest = line;

			assert_string_equal(next_word(&rest), row->name);
			assert_string_equal(next_word(&rest),
					    format_fixed(number, (double)row->bytes_per_second / 1e6, 2));
			assert_string_equal(next_word(&rest), format_count(number, (uint64_t)row->ios_per_second));
			assert_next_latency(&rest, row->mean[kind]);
			assert_next_latency(&rest, (double)row->p50[kind]);
			assert_next_latency(&rest, (double)row->p99[kind]);
			assert_next_latency(&rest, (double)row->p99_9[kind]);
			assert_string_equal(next_word(&rest), format_fixed(number, row->cpu, 1));
			assert_string_equal(next_word(&rest), "");
			free(line);
		}
		free(report);
		free(title);
	}
}

static void untraced(struct run *run, const char *why)
{
	trace_view_free(run->trace);
	run->trace = NULL;
	run->untraced = why ? xstrdup(why) : NULL;
}

/* --- where I/Os were followed from call to return --- */

static struct result *followed_matrix(size_t targets, unsigned iterations)
{
	struct result *result = made_up_matrix(targets, iterations);

	for (size_t i = 0; i < result->runs; i++)
		made_up_ios(&result->run[i]);
	return result;
}

/*
 * RND4K-Q1T1-Read: lat 78,840 ns, the mean total 76,852 ns: 99 % of 76,400, of them 68,100 at the device. With its
 * sentence about what a single I/O takes it fits the screen.
 */
static void the_whole_followed_report(void **state)
{
	struct result *result = followed_matrix(1, 1);
	char *report;

	(void)state;
	others_write(result, 20 << 20);
	report = render(result, false);
	assert_string_equal(report, "iostrata 0.1 · NonRAID · 2026-11-30 17:00:21 · fio-3.33 libaio · 5 s + 30 s each\n"
				    "/mnt/fast: ext4 on nvme0n1p2 (Made-up SSD 500, 1 TB) · 8 GiB file\n"
				    "\n"
				    "program (lat)             MB/s    IOPS     mean      p50      p99    p99.9 CPU %\n"
				    "SEQ1M-Q8T1-Read        2811.23   2,681 2.973 ms 2.916 ms 3.452 ms 4.948 ms   3.1\n"
				    "SEQ1M-Q8T1-Write       1934.01   1,844 4.335 ms 4.293 ms 5.341 ms 7.963 ms   4.3\n"
				    "RND4K-Q32T16-Read      1271.40 310,400 1.649 ms 1.598 ms 2.179 ms 3.064 ms  61.7\n"
				    "RND4K-Q32T16-Write      942.08 230,000 2.225 ms 2.162 ms 5.669 ms 9.372 ms  58.0\n"
				    "RND4K-Q1T1-Read          51.20  12,500  78.8 µs  76.4 µs 106.8 µs 253.0 µs   4.9\n"
				    "RND4K-Q1T1-Write        226.13  55,206  17.4 µs  16.6 µs  31.9 µs  66.3 µs   9.2\n"
				    "\n"
				    "of lat (nvme0n1)     program    down  device    back   dev p99  doorbell  joined\n"
				    "SEQ1M-Q8T1-Read        6.8 %  25.5 %  47.3 %  20.4 %  1.401 ms  175.0 µs   100 %\n"
				    "SEQ1M-Q8T1-Write       5.7 %  25.4 %  48.7 %  20.3 %  2.114 ms  262.5 µs   100 %\n"
				    "RND4K-Q32T16-Read      3.0 %   1.9 %  93.5 %   1.5 %  1.532 ms  192.1 µs   100 %\n"
				    "RND4K-Q32T16-Write     1.4 %   2.0 %  95.1 %   1.5 %  2.089 ms  261.3 µs   100 %\n"
				    "RND4K-Q1T1-Read        2.5 %   5.4 %  86.8 %   5.3 %   68.1 µs   8.51 µs   100 %\n"
				    "RND4K-Q1T1-Write       3.2 %  15.2 %  66.5 %  15.1 %   11.5 µs   1.43 µs   100 %\n"
				    "\n"
				    "At depth 1 a 4 KiB read takes 78.8 µs: program 2.0, kernel down 4.2, device 68.4\n"
				    "(doorbell 8.5), kernel back 4.2; a write 17.4 µs: program 0.6, down 2.6,\n"
				    "device 11.5, back 2.6. Deeper, shares show queues, not limits.\n"
				    "Other I/O on nvme0n1: 120 MiB, 0.1 % of what was moved.\n"
				    "One run each: small differences mean nothing; --iterations 3 takes 10:36 min.\n");
	assert_true(count_lines(report) <= LINES);
	assert_fits(report);
	free(report);
}

/* As in many virtual machines: most of the device's time is the doorbell, of both. */
static void long_doorbells_fit_too(void **state)
{
	struct result *result = followed_matrix(1, 1);
	char *report;

	(void)state;
	others_write(result, 20 << 20);
	for (int op = 0; op < DIRECTIONS; op++) {
		struct hist *doorbell = &result->run[4 + op].trace->io[op]->stage[IO_STAGE_DOORBELL];
		uint64_t count = doorbell->count;

		memset(doorbell, 0, sizeof(*doorbell));
		hist_add(doorbell, op ? 10100 : 53200, count);
	}
	report = render(result, false);
	assert_says(report, "device 68.4 (doorbell 53.2), kernel back 4.2; a write 17.4 µs: program 0.6, down 2.6, "
			    "device 11.5 (doorbell 10.1), back 2.6. Deeper, shares show queues, not limits.");
	assert_true(count_lines(report) <= LINES);
	free(report);
}

/* What rings for few I/Os only is not known of the usual one. */
static void rare_doorbells_are_not_said(void **state)
{
	struct result *result = followed_matrix(1, 1);
	struct hist *doorbell = &result->run[4].trace->io[IO_OP_READ]->stage[IO_STAGE_DOORBELL];
	char *report, *line;

	(void)state;
	memset(doorbell, 0, sizeof(*doorbell));
	hist_add(doorbell, 60000, 1000);
	report = render(result, false);
	assert_lacks(report, "(doorbell");
	line = find_line(report, "of lat", "RND4K-Q1T1-Read");
	assert_has(line, " 60.0 µs ");
	free(line);
	free(report);
}

/* All of an op's I/Os, each like the others. */
static void fill_ios(struct run *run, enum io_op op, const uint64_t stage[IO_STAGES], uint64_t count)
{
	struct io_view *view = run->trace->io[op];
	struct latency_row *row;
	uint64_t total = 0;

	io_view_clear(view);
	for (int part = 0; part < IO_PARTS; part++)
		total += stage[part];
	row = &view->row[latency_row_of(total)];
	row->count = count;
	for (int part = 0; part < IO_PARTS; part++)
		row->sum[part] = stage[part] * count;
	for (int i = 0; i < IO_STAGES; i++)
		if (stage[i])
			hist_add(&view->stage[i], stage[i], count);
	hist_add(&view->stage[IO_STAGE_TOTAL], total, count);
	view->counts.called = view->counts.end[IO_END_JOINED] = view->counts.requests = count;
}

/* RND4K-Q1T1-Write, lat 17,350 ns, with a flush: 12,145 of it. */
static void flushes_have_a_column(void **state)
{
	static const uint64_t stage[IO_STAGES] = {
		[IO_STAGE_SUBMIT] = 500,  [IO_STAGE_QUEUE] = 367, [IO_STAGE_DEVICE] = 2602,
		[IO_STAGE_SYNC] = 12145,  [IO_STAGE_DELIVER] = 868, [IO_STAGE_DOORBELL] = 1000,
	};
	struct result *result = followed_matrix(1, 1);
	char *report, *line;

	(void)state;
	fill_ios(&result->run[5], IO_OP_WRITE, stage, 1000);
	report = render(result, false);
	assert_has(report, "\nof lat (nvme0n1)    program   down device   sync   back  dev p99 doorbell joined\n");
	line = find_line(report, "of lat", "RND4K-Q1T1-Write");
	assert_string_equal(line, "RND4K-Q1T1-Write      5.0 %  5.0 % 15.0 % 70.0 %  5.0 %  2.60 µs  1.00 µs  100 %");
	free(line);
	line = find_line(report, "of lat", "RND4K-Q1T1-Read");
	assert_has(line, " 86.8 %  0.0 %  5.3 %");
	free(line);
	assert_says(report, "program 0.9, down 0.9, device 2.6, sync 12.1, back 0.9.");
	assert_fits(report);
	free(report);
}

/* Where the doorbell's column has no room, it is left out. */
static void the_doorbell_gives_way(void **state)
{
	static const uint64_t stage[IO_STAGES] = {[IO_STAGE_DEVICE] = 30000, [IO_STAGE_SYNC] = 46000,
						  [IO_STAGE_DOORBELL] = 20000};
	struct result *result = followed_matrix(1, 1);
	char *report;

	(void)state;
	strcpy(result->test[4].name, "RND1048576-Q1T1-Read");
	fill_ios(&result->run[4], IO_OP_READ, stage, 1000);
	report = render(result, false);
	assert_says(report, " of lat (nvme0n1) program down device sync back dev p99 joined SEQ1M-Q8T1-Read ");
	assert_says(report, "device 30.0 (doorbell 20.0), sync 46.0, kernel back 0.0;");
	assert_fits(report);
	free(report);
}

/* md and dm have no requests: there all of it is one stage. */
static void through_stands_for_the_device(void **state)
{
	static const uint64_t stage[IO_STAGES] = {[IO_STAGE_SUBMIT] = 2000, [IO_STAGE_THROUGH] = 70000,
						  [IO_STAGE_DELIVER] = 3000};
	struct result *result = followed_matrix(1, 1);
	char *report, *line;

	(void)state;
	fill_ios(&result->run[4], IO_OP_READ, stage, 1000);
	report = render(result, false);
	assert_says(report, "program 3.8, kernel down 2.0, through 70.0, kernel back 3.0;");
	line = find_line(report, "of lat", "RND4K-Q1T1-Read");
	assert_has(line, " 88.8 % ");
	assert_has(line, " 70.0 µs  ");
	free(line);
	free(report);
}

/* In the unit of the latency where that is µs, in their own otherwise. */
static void slow_disks_and_fast_ones(void **state)
{
	static const uint64_t slow[IO_STAGES] = {[IO_STAGE_SUBMIT] = 3000, [IO_STAGE_DEVICE] = 8000000,
						 [IO_STAGE_DELIVER] = 5000};
	static const uint64_t fast[IO_STAGES] = {[IO_STAGE_SUBMIT] = 1300, [IO_STAGE_DEVICE] = 3170,
						 [IO_STAGE_DELIVER] = 800};
	struct result *result = followed_matrix(1, 1);
	char *report;

	(void)state;
	fill_ios(&result->run[4], IO_OP_READ, slow, 1000);
	result->run[4].engine->direction[OP_READ].latency[LATENCY_LAT].mean = 8010000;
	fill_ios(&result->run[5], IO_OP_WRITE, fast, 1000);
	result->run[5].engine->direction[OP_WRITE].latency[LATENCY_LAT].mean = 5500;
	report = render(result, false);
	assert_says(report, "a 4 KiB read takes 8.010 ms: program 2.00 µs, kernel down 3.00 µs, device 8.000 ms, "
			    "kernel back 5.00 µs; a write 5.50 µs: program 0.23, down 1.30, device 3.17, back 0.80.");
	free(report);
}

/* Of the same test's runs each weighs the same, on both sides. */
static void followed_iterations(void **state)
{
	static const double speed[] = {1, 0.1};
	struct result *result = made_up_result(1);
	char *report;

	(void)state;
	result->options.iterations = 2;
	for (unsigned i = 0; i < 2; i++) {
		const uint64_t stage[IO_STAGES] = {[IO_STAGE_DEVICE] = (uint64_t)(39420 / speed[i])};
		struct run *run = made_up_run(result, 0, 4, i + 1, speed[i]);

		made_up_ios(run);
		fill_ios(run, IO_OP_READ, stage, run->engine->direction[OP_READ].ios); /* half of lat, in both */
	}
	report = render(result, false);
	assert_says(report, "RND4K-Q1T1-Read 50.0 % 0.0 % 50.0 % 0.0 % ");
	assert_says(report, "a 4 KiB read takes 433.6 µs: program 216.8, kernel down 0.0, device 216.8");
	free(report);
}

static void ios_that_are_not_joined(void **state)
{
	struct result *result = followed_matrix(1, 1);
	struct io_counts *counts = &result->run[4].trace->io[IO_OP_READ]->counts;
	char *report, *line;

	(void)state;
	counts->end[IO_END_UNSEEN] = 30;
	counts->table_full = 8;
	counts->end[IO_END_JOINED] -= 38;
	counts = &result->run[5].trace->io[IO_OP_WRITE]->counts;
	counts->end[IO_END_BUFFERED] = counts->end[IO_END_JOINED] - 5;
	counts->end[IO_END_UNSEEN] = 5;
	counts->end[IO_END_JOINED] = 0;
	io_view_clear(result->run[3].trace->io[IO_OP_WRITE]);
	report = render(result, false);
	line = find_line(report, "of lat", "RND4K-Q1T1-Read");
	assert_has(line, " 99.98 %");
	free(line);
	assert_has(report, "\nRND4K-Q1T1-Write    no I/O was joined: 1,656,175 buffered\n");
	assert_has(report, "\nRND4K-Q32T16-Write  no I/O of it was seen\n");
	assert_lacks(report, "a write");
	assert_fits(report);
	free(report);
}

/* The engine's latency would be less than a part of it: a check tells, and no share is made up. */
static void no_program_below_nothing(void **state)
{
	static const uint64_t stage[IO_STAGES] = {[IO_STAGE_DEVICE] = 100000};
	struct result *result = followed_matrix(1, 1);
	char *report, *line;

	(void)state;
	fill_ios(&result->run[4], IO_OP_READ, stage, 1000);
	report = render(result, false);
	line = find_line(report, "of lat", "RND4K-Q1T1-Read");
	assert_has(line, "RND4K-Q1T1-Read           -   0.0 %  126.8 %");
	assert_lacks(report, "a 4 KiB read takes");
	assert_has(report, "At depth 1 a 4 KiB write takes 17.4 µs");
	free(line);
	free(report);
}

/* Where none can be joined, what is known of the device's requests stands as without I/Os. */
static void hidden_addresses(void **state)
{
	struct result *result = followed_matrix(1, 1);
	char *report;

	(void)state;
	for (size_t i = 0; i < result->runs; i++) {
		struct trace_view *trace = result->run[i].trace;

		trace->hidden = xstrdup("I/Os cannot be joined: the kernel hides its addresses");
		for (int op = 0; op < IO_OPS; op++) {
			struct io_view *view = trace->io[op];

			if (!view)
				continue;
			view->counts.end[IO_END_UNJOINED] = view->counts.end[IO_END_JOINED];
			view->counts.end[IO_END_JOINED] = 0;
		}
	}
	report = render(result, false);
	assert_has(report, "\nRND4K-Q1T1-Read       86.4 %  10.7 µs  68.1 µs ");
	assert_has(report, "\nI/Os cannot be joined: the kernel hides its addresses.\n");
	assert_lacks(report, "joined  ");
	free(report);
}

static void followed_and_not(void **state)
{
	struct result *result = followed_matrix(2, 1);
	char *report;

	(void)state;
	untraced(&result->run[4], "the program could not be marked");
	for (size_t i = 6; i < result->runs; i++)
		result->run[i].trace->ios = false;
	report = render(result, false);
	assert_has(report, "\nRND4K-Q1T1-Read     not traced: the program could not be marked\n");
	assert_has(report, "\nof lat (nvme0n1) ");
	assert_has(report, "\ndevice (nvme0n1) ");
	assert_fits(report);
	free(report);
}

/* Of whom there is most, over all runs together. */
static void the_biggest_foreigner(void **state)
{
	static const struct {
		size_t run;
		const char *command;
		uint64_t bytes;
	} others[] = {{0, "backup", 5000000}, {1, "jbd2/nvme0n1p2-", 3000000}, {2, "jbd2/nvme0n1p2-", 3000000},
		      {3, NULL, 90000000}};
	struct result *result = followed_matrix(1, 1);
	char *report;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
		struct trace_view *trace = result->run[others[i].run].trace;

		trace->foreigners = 1;
		trace->foreigner = xcalloc(1, sizeof(*trace->foreigner));
		trace->foreigner->command = others[i].command ? xstrdup(others[i].command) : NULL;
		trace->foreigner->op[OP_WRITE] = (struct bio_counts){1, others[i].bytes};
		trace->queued[OWNER_JOURNAL][OP_WRITE].bytes = 3000000;
	}
	report = render(result, false);
	assert_has(report, "\nOther I/O on nvme0n1: 11.4 MiB, under 0.1 % of what was moved, most by\n"
			   "  jbd2/nvme0n1p2-.\n");
	free(report);
}

static void followed_shares_are_of_lat(void **state)
{
	struct result *result = followed_matrix(1, 1);
	char *report;

	(void)state;
	result->options.latency = LATENCY_CLAT;
	report = render(result, false);
	assert_has(report, "\nRND4K-Q1T1-Read        2.5 %   5.4 %  86.8 % ");
	assert_says(report, "Shares are of lat: clat is only a part of it.");
	free(report);
}

/* --- where only requests were timed --- */

/* Of clat the device's time is no part: submitting, which clat leaves out, may contain some of it. */
static void shares_are_of_lat(void **state)
{
	struct result *result = made_up_matrix(1, 1);
	char *report, *line;

	(void)state;
	result->options.latency = LATENCY_CLAT;
	report = render(result, false);
	line = find_line(report, "device (nvme0n1)", "RND4K-Q1T1-Read");
	assert_has(line, " 86.4 %  10.7 µs  68.1 µs ");
	assert_has(report, "a 4 KiB read takes 78.8 µs, 68.1 µs of it in the device");
	assert_has(report, "\nShare and rest are of lat: clat is only a part of it.\n");
	assert_fits(report);
	free(line);
	free(report);
}

static void no_share_above_the_latency(void **state)
{
	struct result *result = made_up_matrix(1, 1);
	struct hist *hist = &result->run[4].trace->leaf[0].op[OP_READ]->stage[STAGE_DEVICE];
	char *report, *line;

	(void)state;
	hist->sum = hist->count * 78841; /* lat's mean is 78,840 */
	report = render(result, false);
	line = find_line(report, "device (nvme0n1)", "RND4K-Q1T1-Read");
	assert_has(line, "RND4K-Q1T1-Read            -        -  78.8 µs ");
	assert_has(report, "Other I/O makes the device's mean exceed lat, so no share: RND4K-Q1T1-Read.\n");
	assert_lacks(report, "a 4 KiB read takes");
	assert_has(report, "At depth 1 a 4 KiB write takes 17.4 µs");
	free(line);
	free(report);
}

/* 1 % more requests than I/Os are the file system's; more than that are splits, fewer are merges or a cache. */
static void requests_that_are_no_io(void **state)
{
	struct result *result = made_up_matrix(1, 1);
	char *report;

	(void)state;
	result->run[2].trace->leaf[0].op[OP_READ]->issues = 9312000 + 93119;
	result->run[3].trace->leaf[0].op[OP_WRITE]->issues = 3450000;
	result->run[5].trace->leaf[0].op[OP_WRITE]->issues = 1656180 * 1.02;
	report = render(result, false);
	assert_has(report, "Several requests per I/O, so no share: SEQ1M-Q8T1-Read 2.00, -Write 2.00,\n"
			   "  RND4K-Q1T1-Write 1.02.\n");
	assert_has(report, "Fewer requests than I/Os, so no share: RND4K-Q32T16-Write 0.50.\n");
	assert_has(report, "\nRND4K-Q32T16-Read     93.2 %");
	free(report);
}

/* A part of a per cent is not rounded up to all. */
static void coverage_and_losses(void **state)
{
	struct result *result = made_up_matrix(1, 1);
	struct op_view *view = result->run[4].trace->leaf[0].op[OP_READ];
	char *report, *line;

	(void)state;
	view->completions -= 12;
	view->loss[LOSS_UNSEEN] = 12;
	result->run[5].trace->leaf[0].op[OP_WRITE]->loss[LOSS_TABLE_FULL] = 1000;
	report = render(result, false);
	line = find_line(report, "device (nvme0n1)", "RND4K-Q1T1-Read");
	assert_string_equal(line + strlen(line) - 6, " 99.99");
	assert_has(report, "Requests without a time: 1,000 (table full), 12 (completion not seen).\n");
	assert_lacks(report, "clock went backwards");
	assert_lacks(report, "test build");
	free(line);
	free(report);
}

static void a_test_build_says_so(void **state)
{
	struct result *result = made_up_matrix(1, 1);
	char *report;

	(void)state;
	result->run[4].trace->leaf[0].op[OP_READ]->faults = 375;
	report = render(result, false);
	assert_has(report, "This is a test build: it dropped 375 completions on purpose.\n");
	free(report);
}

static void nothing_was_traced(void **state)
{
	struct result *result = made_up_matrix(1, 1);
	char *report;

	(void)state;
	for (size_t i = 0; i < result->runs; i++)
		untraced(&result->run[i], NULL);
	result->no_trace = xstrdup("CAP_BPF and CAP_PERFMON are missing: run sudo iostrata ...");
	report = render(result, false);
	assert_has(report,
		   "\n\nDevice times are missing: CAP_BPF and CAP_PERFMON are missing: run sudo iostrata\n  ...\n");
	assert_lacks(report, "of lat");
	assert_lacks(report, "At depth 1");
	assert_has(report, "RND4K-Q1T1-Read");
	free(report);
}

static void one_target_was_not_traced(void **state)
{
	struct result *result = made_up_matrix(1, 1);
	char *report;

	(void)state;
	untraced(&result->run[4], "the program could not be marked: No such process");
	report = render(result, false);
	assert_has(report, "\nRND4K-Q1T1-Read     not traced: the program could not be marked: No such process\n");
	free(report);

	result = made_up_matrix(1, 1);
	for (size_t i = 0; i < result->runs; i++)
		untraced(&result->run[i], "no device with requests was found under the target");
	report = render(result, false);
	assert_has(report, "Device times are missing: no device with requests was found under the target\n");
	free(report);
}

static void runs_that_are_not_done(void **state)
{
	struct result *result = made_up_matrix(1, 1);
	char *report;

	(void)state;
	made_up_not_done(
		&result->run[1], RUN_FAILED,
		"fio: io_u error on file /mnt/fast/x: No space left on device: write offset=0, buflen=1048576");
	made_up_not_done(&result->run[3], RUN_SKIPPED, "--read-only");
	made_up_not_done(&result->run[5], RUN_INTERRUPTED, "stopped by SIGINT");
	report = render(result, false);
	assert_has(report, "\nSEQ1M-Q8T1-Write    failed: fio: io_u error on file /mnt/fast/x: No space left\n"
			   "                    on device: write offset=0, buflen=1048576\n");
	assert_has(report, "\nRND4K-Q32T16-Write  skipped: --read-only\n");
	assert_has(report, "\nRND4K-Q1T1-Write    interrupted: stopped by SIGINT\n");
	assert_lacks(report, "a write");
	assert_has(report, "--iterations 3 takes 8:51 min."); /* five tests of 3 × 35 s, and the layout */
	assert_fits(report);
	free(report);
}

static void nothing_is_done(void **state)
{
	struct result *result = made_up_matrix(1, 1);
	char *report;

	(void)state;
	for (size_t i = 0; i < result->runs; i++)
		made_up_not_done(&result->run[i], RUN_FAILED, "fio: not found");
	report = render(result, false);
	assert_has(report, "\nRND4K-Q1T1-Write    failed: fio: not found\n");
	assert_lacks(report, "Device times");
	assert_lacks(report, "device (");
	free(report);
}

static void checks_that_did_not_pass(void **state)
{
	struct result *result = made_up_matrix(1, 1);
	char *report;

	(void)state;
	for (size_t i = 0; i < 3; i++)
		run_add_check(&result->run[i], "balance", CHECK_WARNING, NULL, NULL, "%zu bytes more.", i);
	run_add_check(&result->run[4], "identity", CHECK_FAILED, NULL, NULL, "3 requests are not accounted for.");
	run_add_check(&result->run[4], "await", CHECK_PASSED, NULL, NULL, "all is well.");
	report = render(result, false);
	assert_has(report, "\nWarning: SEQ1M-Q8T1-Read and 2 more, balance (figures of the first): 0 bytes\n"
			   "  more.\n");
	assert_has(report, "\nFailed: RND4K-Q1T1-Read, identity: 3 requests are not accounted for.\n");
	assert_lacks(report, "1 bytes more");
	assert_lacks(report, "all is well");
	free(report);
}

/* What to do is said once for a run, and again where it is about other figures. */
static void the_same_advice_once(void **state)
{
	struct result *result = made_up_matrix(1, 1);
	char *report;

	(void)state;
	for (size_t i = 0; i < 3; i++)
		run_add_check(&result->run[i / 2], "identity", CHECK_FAILED, NULL, NULL,
			      "%zu requests too many. Do not rely on this run's times; repeat it.", i);
	run_add_check(&result->run[0], "identity", CHECK_FAILED, NULL, NULL,
		      "an I/O too many. Do not rely on this run's stages; repeat it.");
	report = render(result, false);
	assert_says(report, "Failed: SEQ1M-Q8T1-Read and 1 more, identity (figures of the first): 0 requests too many. "
			    "Do not rely on this run's times; repeat it. Failed: ");
	assert_says(report, "identity: 1 requests too many. Failed: ");
	assert_says(report, "identity: an I/O too many. Do not rely on this run's stages; repeat it. One run each");
	free(report);
}

static void several_targets(void **state)
{
	char *report = render(made_up_matrix(2, 1), false);

	(void)state;
	assert_has(report, "\n\n/mnt/fast0: ext4 on");
	assert_has(report, "\n\n/mnt/fast1: ext4 on");
	/* 12,500 and 11,875 IOPS; 78.84 and 82.99 µs */
	assert_has(report, "average of 2 targets (lat)    runs     MB/s      mean     IOPS   lowest  highest\n");
	assert_has(report, "\nRND4K-Q1T1-Read                  2    49.92   80.9 µs   12,188   11,875   12,500\n");
	assert_has(report, "--iterations 3 takes 21:12 min.");
	assert_fits(report);
	free(report);
}

static void several_iterations(void **state)
{
	char *report = render(made_up_matrix(1, 3), false), *line;

	(void)state;
	/* 12,500, 11,250 and 10,000; lat 78.84 µs divided by 1, 0.9 and 0.8 */
	line = find_line(report, "program (lat)", "RND4K-Q1T1-Read");
	assert_has(line, " 46.08   11,250  88.3 µs ");
	free(line);
	assert_has(report, "IOPS of 3 runs       average    lowest   highest   spread\n");
	assert_has(report, "RND4K-Q1T1-Read       11,250    10,000    12,500   22.2 %\n");
	assert_has(report, "Averages of 3 runs per test; percentiles are of all their I/Os together.\n");
	assert_lacks(report, "small differences");
	assert_fits(report);
	free(report);
}

static void some_iterations_failed(void **state)
{
	struct result *result = made_up_matrix(1, 3);
	char *report;

	(void)state;
	made_up_not_done(&result->run[4 * 3 + 1], RUN_FAILED, "fio died");
	report = render(result, false);
	assert_has(report, "\nRND4K-Q1T1-Read        46.08   11,250  88.7 µs"); /* of two runs */
	assert_has(report, "\n                    iteration 2 failed: fio died\n");
	free(report);
}

/* The device's mean is averaged as lat is: from all requests together, the fast run would outweigh the slow one. */
static void shares_weigh_runs_the_same(void **state)
{
	static const double speed[] = {1, 0.1};
	struct result *result = made_up_result(1);
	char *report;

	(void)state;
	result->options.iterations = 2;
	for (unsigned i = 0; i < 2; i++) {
		struct run *run = made_up_run(result, 0, 4, i + 1, speed[i]);
		struct hist *hist = &run->trace->leaf[0].op[OP_READ]->stage[STAGE_DEVICE];
		uint64_t count = hist->count;

		memset(hist, 0, sizeof(*hist));
		hist_add(hist, (uint64_t)(39420 / speed[i]), count); /* half of lat, in both */
	}
	report = render(result, false);
	assert_has(report, "RND4K-Q1T1-Read        50.0 % 216.8 µs 216.8 µs ");
	free(report);
}

static void quick_is_marked(void **state)
{
	struct result *result = made_up_matrix(2, 1);
	char *report;

	(void)state;
	result->options.quick = true;
	result->options.size = 1 << 30;
	result->options.duration = 5000000000;
	result->options.warmup = 1000000000;
	report = render(result, false);
	assert_has(report, "iostrata 0.1 · QUICK · NonRAID · ");
	assert_has(report, "\nQUICK: 1 GiB, 1 s + 5 s each: a look, not a measurement.\n");
	assert_has(report, "\nQUICK (lat) ");
	assert_has(report, "\nQUICK (nvme0n1) ");
	assert_has(report, "\nQUICK average of 2 targets (lat) ");
	assert_has(report, "\nQUICK, one run: small differences mean nothing;");
	assert_fits(report);
	free(report);
}

static void warnings_come_first(void **state)
{
	struct result *result = made_up_matrix(1, 1);
	char *report;

	(void)state;
	target_warn(&result->target[0], "this writes to a VHDX of Windows");
	result->machine.wsl = xstrdup("2");
	result->machine.hypervisor = true;
	report = render(result, true);
	assert_begins(report, "\033[33mWarning: /mnt/fast: this writes to a VHDX of Windows\033[0m\n");
	assert_has(report, " · WSL 2\n");
	free(report);
}

static void assert_machine(const char *name, const char *certainty, const char *container, const char *expected)
{
	struct result *result = made_up_matrix(1, 1);
	char *report;

	result->machine.hypervisor = true;
	result->machine.platform.name = name ? xstrdup(name) : NULL;
	result->machine.platform.certainty = certainty ? xstrdup(certainty) : NULL;
	result->machine.platform.container = container ? xstrdup(container) : NULL;
	report = render(result, false);
	assert_has(report, expected);
	assert_fits(report);
	free(report);
}

static void the_machine_by_its_name(void **state)
{
	(void)state;
	assert_machine("WSL 2", "certain", NULL, " · WSL 2\n");
	assert_machine("KVM virtual machine", "likely", NULL, "KVM virtual machine\n");
	assert_machine("Firecracker microVM", "a guess", NULL, "perhaps Firecracker microVM\n");
	assert_machine("bare metal", "certain", "docker", "bare metal ·\n  container (docker)\n");
	assert_machine("bare metal", "certain", "container", "bare metal ·\n  container\n");
	assert_machine(NULL, NULL, NULL, " ·\n  virtual machine\n");
}

/* The largest numbers that a disk of today gives. */
static void fast_disks_fit(void **state)
{
	struct result *result = made_up_matrix(1, 1);
	char *report;

	(void)state;
	result->run[0].verdict = VERDICT_NOT_REAL;
	for (size_t i = 0; i < result->runs; i++) {
		struct direction *direction = result->run[i].engine->direction;

		direction[OP_READ].bytes_per_second *= 5;
		direction[OP_READ].ios_per_second *= 5;
	}
	report = render(result, false);
	assert_has(report, " 14056.17 ");
	assert_has(report, " 1,552,000 ");
	assert_has(report, " NOT REAL\n");
	assert_fits(report);
	free(report);
}

/* --- whether the numbers can be believed --- */

static void judge(struct result *result, const enum verdict verdict[], size_t count)
{
	for (size_t i = 0; i < result->runs; i++)
		result->run[i].verdict = verdict[i < count ? i : count - 1];
}

/* The median gives way to it. */
static void each_line_has_its_verdict(void **state)
{
	static const enum verdict verdict[] = {VERDICT_REAL, VERDICT_SUSPECT, VERDICT_NOT_REAL, VERDICT_NONE,
					       VERDICT_REAL};
	struct result *result = followed_matrix(1, 1);
	char *report;

	(void)state;
	judge(result, verdict, ARRAY_SIZE(verdict));
	made_up_not_done(&result->run[5], RUN_FAILED, "fio died");
	result->run[5].verdict = VERDICT_NONE;
	report = render(result, false);
	assert_has(report, "\nprogram (lat)             MB/s    IOPS     mean      p99    p99.9 CPU %  verdict\n"
			   "SEQ1M-Q8T1-Read        2811.23   2,681 2.973 ms 3.452 ms 4.948 ms   3.1     REAL\n"
			   "SEQ1M-Q8T1-Write       1934.01   1,844 4.335 ms 5.341 ms 7.963 ms   4.3  SUSPECT\n"
			   "RND4K-Q32T16-Read      1271.40 310,400 1.649 ms 2.179 ms 3.064 ms  61.7 NOT REAL\n"
			   "RND4K-Q32T16-Write      942.08 230,000 2.225 ms 5.669 ms 9.372 ms  58.0        -\n"
			   "RND4K-Q1T1-Read          51.20  12,500  78.8 µs 106.8 µs 253.0 µs   4.9     REAL\n"
			   "RND4K-Q1T1-Write    failed: fio died\n");
	assert_lacks(report, "p50");
	assert_lacks(report, "virtual machine");
	assert_fits(report);
	free(report);
}

static void verdicts_where_only_requests_were_timed(void **state)
{
	static const enum verdict verdict[] = {VERDICT_REAL};
	struct result *result = made_up_matrix(1, 1);
	char *report, *line;

	(void)state;
	judge(result, verdict, 1);
	report = render(result, false);
	assert_says(report, "device (nvme0n1) of lat rest mean p99 p99.9 seen % SEQ1M");
	line = find_line(report, "device (nvme0n1)", "RND4K-Q1T1-Read");
	assert_has(line, " 86.4 %  10.7 µs  68.1 µs  68.1 µs  68.1 µs    100");
	assert_fits(report);
	free(line);
	free(report);
}

/* Of several runs the worst counts; REAL is all of them. */
static void the_worst_of_the_iterations(void **state)
{
	static const enum verdict verdict[] = {VERDICT_REAL, VERDICT_SUSPECT, VERDICT_REAL, /* SEQ1M-Q8T1-Read */
					       VERDICT_REAL, VERDICT_REAL, VERDICT_NONE, /* SEQ1M-Q8T1-Write */
					       VERDICT_NONE, VERDICT_NOT_REAL, VERDICT_SUSPECT, VERDICT_REAL};
	struct result *result = made_up_matrix(1, 3);
	char *report, *line;

	(void)state;
	judge(result, verdict, ARRAY_SIZE(verdict));
	made_up_not_done(&result->run[9], RUN_FAILED, "fio died");
	result->run[9].verdict = VERDICT_NONE;
	report = render(result, false);
	line = find_line(report, "program (lat)", "SEQ1M-Q8T1-Read");
	assert_string_equal(line + strlen(line) - 10, "1  SUSPECT");
	free(line);
	line = find_line(report, "program (lat)", "SEQ1M-Q8T1-Write");
	assert_string_equal(line + strlen(line) - 3, "  -");
	free(line);
	line = find_line(report, "program (lat)", "RND4K-Q32T16-Read");
	assert_has(line, " NOT REAL");
	free(line);
	line = find_line(report, "program (lat)", "RND4K-Q32T16-Write"); /* of two, the third failed */
	assert_has(line, "  REAL");
	free(line);
	free(report);
}

static void real_in_a_guest(void **state)
{
	static const char reach[] = "\nREAL: as far as this virtual machine sees; what its host does is not visible\n"
				    "  from here.\nOne run each:";
	static const enum verdict verdict[] = {VERDICT_SUSPECT, VERDICT_REAL}, none[] = {VERDICT_NOT_REAL};
	struct result *result = made_up_matrix(2, 1);
	char *report;

	(void)state;
	result->machine.hypervisor = true;
	judge(result, verdict, ARRAY_SIZE(verdict));
	report = render(result, false);
	assert_has(report, reach);
	assert_null(strstr(strstr(report, reach) + 1, reach));
	free(report);

	result = made_up_matrix(1, 1);
	result->machine.hypervisor = true;
	judge(result, none, 1);
	report = render(result, false);
	assert_lacks(report, "as far as");
	free(report);
}

/* The cell alone: the figures stay readable. */
static void verdicts_have_colours(void **state)
{
	static const enum verdict verdict[] = {VERDICT_SUSPECT, VERDICT_NOT_REAL, VERDICT_REAL};
	struct result *result = made_up_matrix(1, 1);
	char *report;

	(void)state;
	judge(result, verdict, ARRAY_SIZE(verdict));
	report = render(result, true);
	assert_has(report, " 4.948 ms    3.1  \033[33mSUSPECT\033[0m\nSEQ1M");
	assert_has(report, "    4.3 \033[31mNOT REAL\033[0m\nRND4K");
	assert_has(report, "   61.7     REAL\nRND4K");
	free(report);
}

static void names_are_disarmed(void **state)
{
	static const char evil[] = "\033[2J\007\x7f\xff\xc2\x9b"
				   "31m\xe2\x80\xae\r\nbad";
	struct result *result = made_up_matrix(2, 1);
	char *report;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct target *target = &result->target[i];

		free(target->given);
		free(target->filesystem);
		free(target->layer[1].model);
		target->given = xstrdup(evil);
		target->filesystem = xstrdup(evil);
		target->layer[1].model = xstrdup(evil);
		target_warn(target, "%s", evil);
	}
	free(result->config);
	result->config = xstrdup(evil);
	made_up_not_done(&result->run[0], RUN_FAILED, evil);
	untraced(&result->run[1], evil);
	run_add_check(&result->run[2], "await", CHECK_WARNING, NULL, NULL, "%s", evil);
	free(result->run[3].trace->leaf[0].device);
	result->run[3].trace->leaf[0].device = xstrdup(evil);
	free(result->run[6].trace->top);
	result->run[6].trace->top = xstrdup(evil);
	others_write(result, 4096);
	report = render(result, false);
	assert_harmless(report);
	assert_has(report, "bad");
	free(report);
}

static void colours_are_few(void **state)
{
	static const char *const allowed[] = {"\033[0m", "\033[1m", "\033[31m", "\033[33m"};
	struct result *result = made_up_matrix(1, 1);
	char *report, *at;

	(void)state;
	made_up_not_done(&result->run[0], RUN_FAILED, "fio died");
	report = render(result, true);
	assert_has(report, "\033[1mprogram (lat) ");
	assert_has(report, "\033[31mSEQ1M-Q8T1-Read     failed: fio died\033[0m\n");
	for (at = strchr(report, '\033'); at; at = strchr(at + 1, '\033')) {
		bool known = false;

		for (size_t i = 0; i < ARRAY_SIZE(allowed); i++)
			known |= !strncmp(at, allowed[i], strlen(allowed[i]));
		assert_true(known);
	}
	free(report);
	report = render(made_up_matrix(1, 1), false);
	assert_lacks(report, "\033");
	free(report);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_whole_report),
		cmocka_unit_test(a_line_never_mixes_kinds),
		cmocka_unit_test(the_whole_followed_report),
		cmocka_unit_test(long_doorbells_fit_too),
		cmocka_unit_test(rare_doorbells_are_not_said),
		cmocka_unit_test(flushes_have_a_column),
		cmocka_unit_test(the_doorbell_gives_way),
		cmocka_unit_test(through_stands_for_the_device),
		cmocka_unit_test(slow_disks_and_fast_ones),
		cmocka_unit_test(followed_iterations),
		cmocka_unit_test(ios_that_are_not_joined),
		cmocka_unit_test(no_program_below_nothing),
		cmocka_unit_test(hidden_addresses),
		cmocka_unit_test(followed_and_not),
		cmocka_unit_test(the_biggest_foreigner),
		cmocka_unit_test(followed_shares_are_of_lat),
		cmocka_unit_test(shares_are_of_lat),
		cmocka_unit_test(no_share_above_the_latency),
		cmocka_unit_test(requests_that_are_no_io),
		cmocka_unit_test(coverage_and_losses),
		cmocka_unit_test(a_test_build_says_so),
		cmocka_unit_test(nothing_was_traced),
		cmocka_unit_test(one_target_was_not_traced),
		cmocka_unit_test(runs_that_are_not_done),
		cmocka_unit_test(nothing_is_done),
		cmocka_unit_test(checks_that_did_not_pass),
		cmocka_unit_test(the_same_advice_once),
		cmocka_unit_test(several_targets),
		cmocka_unit_test(several_iterations),
		cmocka_unit_test(some_iterations_failed),
		cmocka_unit_test(shares_weigh_runs_the_same),
		cmocka_unit_test(quick_is_marked),
		cmocka_unit_test(warnings_come_first),
		cmocka_unit_test(the_machine_by_its_name),
		cmocka_unit_test(fast_disks_fit),
		cmocka_unit_test(each_line_has_its_verdict),
		cmocka_unit_test(verdicts_where_only_requests_were_timed),
		cmocka_unit_test(the_worst_of_the_iterations),
		cmocka_unit_test(real_in_a_guest),
		cmocka_unit_test(verdicts_have_colours),
		cmocka_unit_test(names_are_disarmed),
		cmocka_unit_test(colours_are_few),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
