// SPDX-License-Identifier: GPL-2.0
#include "report/terminal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/format.h"
#include "base/utf8.h"
#include "made_up_result.h"

#define COLUMNS 80
#define LINES	24

/* The report on `result`, which is freed. */
static char *render(struct result *result, bool colour)
{
	struct text out = {0};

	report_terminal(result, colour, &out);
	result_free(result);
	return text_take(&out);
}

static void assert_has(const char *report, const char *part)
{
	if (!strstr(report, part))
		fail_msg("no \"%s\" in:\n%s", part, report);
}

static void assert_lacks(const char *report, const char *part)
{
	if (strstr(report, part))
		fail_msg("\"%s\" in:\n%s", part, report);
}

static void assert_fits(const char *report)
{
	char *copy = xstrdup(report), *rest = copy, *line;

	while ((line = strsep(&rest, "\n")))
		if (text_columns(line) > COLUMNS)
			fail_msg("%zu columns: %s", text_columns(line), line);
	free(copy);
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

static void untraced(struct run *run, const char *why)
{
	trace_view_free(run->trace);
	run->trace = NULL;
	run->untraced = why ? xstrdup(why) : NULL;
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
	assert_has(report, "\nWarning: SEQ1M-Q8T1-Read and 2 more, balance: 0 bytes more.\n");
	assert_has(report, "\nFailed: RND4K-Q1T1-Read, identity: 3 requests are not accounted for.\n");
	assert_lacks(report, "1 bytes more");
	assert_lacks(report, "all is well");
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
	assert_int_equal(strncmp(report, "\033[33mWarning: this writes to a VHDX of Windows\033[0m\n", 50), 0);
	assert_has(report, " · WSL 2\n");
	free(report);
}

/* The largest numbers that a disk of today gives. */
static void fast_disks_fit(void **state)
{
	struct result *result = made_up_matrix(1, 1);
	char *report;

	(void)state;
	for (size_t i = 0; i < result->runs; i++) {
		struct direction *direction = result->run[i].engine->direction;

		direction[OP_READ].bytes_per_second *= 5;
		direction[OP_READ].ios_per_second *= 5;
	}
	report = render(result, false);
	assert_has(report, " 14056.17 ");
	assert_has(report, " 1,552,000 ");
	assert_fits(report);
	free(report);
}

/* No byte that a terminal obeys, and no bad UTF-8. */
static void assert_harmless(const char *report)
{
	while (*report) {
		uint32_t code;
		size_t length = utf8_decode(report, &code);

		if (!length || (code < ' ' && code != '\n') || (code >= 0x7f && code < 0xa0) || code == 0x202e)
			fail_msg("a harmful byte before: %.20s", report + 1);
		report += length;
	}
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
		cmocka_unit_test(several_targets),
		cmocka_unit_test(several_iterations),
		cmocka_unit_test(some_iterations_failed),
		cmocka_unit_test(shares_weigh_runs_the_same),
		cmocka_unit_test(quick_is_marked),
		cmocka_unit_test(warnings_come_first),
		cmocka_unit_test(fast_disks_fit),
		cmocka_unit_test(names_are_disarmed),
		cmocka_unit_test(colours_are_few),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
