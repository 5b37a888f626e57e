// SPDX-License-Identifier: GPL-2.0
#include "bench_options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/format.h"
#include "base/log.h"
#include "base/options.h"
#include "base/parse.h"
#include "base/text.h"
#include "bench_expect.h"
#include "workload/matrix.h"

#define MIB (1ull << 20)
#define GIB (1ull << 30)

enum key {
	KEY_SIZE = 256,
	KEY_WARMUP,
	KEY_TESTS,
	KEY_SWEEP,
	KEY_EXPECT,
	KEY_QUICK,
	KEY_ENGINE,
	KEY_IOENGINE,
	KEY_FIO_PATH,
	KEY_THREAD,
	KEY_LATENCY,
	KEY_WRITE_THROUGH,
	KEY_NO_TRACE,
	KEY_FLOOR,
	KEY_STAGES,
	KEY_READ_ONLY,
	KEY_DESTROY_DATA,
	KEY_YES,
	KEY_JSON,
};

static const struct option_row rows[] = {
	{0, "What is measured", NULL, NULL},
	{'T', "targets", "A,B",
	 "targets, separated by commas; they can also stand alone on the command line: a directory, "
	 "a file to create, or a block device"},
	{'c', "config", "LABEL", "what this run is compared by, such as RAID0 (NonRAID)"},
	{'s', "size-gb", "N", "size of the test file in GiB, fractions allowed (8)"},
	{KEY_SIZE, "size", "SIZE", "the same as a size, such as 512M"},
	{'d', "duration", "S", "seconds that each test is measured for (30)"},
	{KEY_WARMUP, "warmup", "S", "seconds that each test runs before, unmeasured (5)"},
	{'i', "iterations", "N", "how often each test is repeated (1)"},
	{KEY_TESTS, "tests", "LIST", "tests by name, such as SEQ1M-Q8T1-Read,RND4K-Q8T4-Mix70 (the six of the matrix)"},
	{KEY_SWEEP, "sweep", "LIST",
	 "the one test that --tests names (RND4K-Q1T1-Read) at each of these depths, such as 1,2,4,8,16,32"},
	{KEY_EXPECT, "expect", "LIST",
	 "what the tests must reach, such as iops=3000,mbps=125,RND4K*Read:p99=2ms: rates at least, the latencies "
	 "lat, p99 and p99.9 at most; else the exit status is 4"},
	{KEY_QUICK, "quick", NULL, "1 GiB, 5 s, warm-up 1 s: a look, not a measurement"},
	{0, "How", NULL, NULL},
	{KEY_ENGINE, "engine", "NAME", "what makes the I/O: fio"},
	{KEY_IOENGINE, "ioengine", "NAME", "fio's I/O engine (libaio)"},
	{KEY_FIO_PATH, "fio-path", "PATH", "the fio to run (the one on PATH)"},
	{KEY_THREAD, "thread", NULL, "fio's jobs are threads instead of processes"},
	{KEY_LATENCY, "latency", "lat|clat",
	 "which of fio's latencies is shown: lat, from call to reaping as DiskSpd has "
	 "it, or clat, as older results have (lat)"},
	{KEY_WRITE_THROUGH, "write-through", NULL, "every write is synced (O_DSYNC), as DiskSpd's -Sh"},
	{KEY_STAGES, "stages", "LIST",
	 "what is timed: device; device,queue; or all: every I/O from its call to its return, too; each costs more "
	 "than the one before (all)"},
	{KEY_NO_TRACE, "no-trace", NULL, "without BPF: the figures of fio alone"},
	{KEY_FLOOR, "floor", NULL,
	 "before the tests, also time one block read again and again, beside random ones: a bound on what the way to "
	 "the disk and back takes"},
	{0, "What may be written", NULL, NULL},
	{KEY_READ_ONLY, "read-only", NULL,
	 "run the read tests only; a device is not written at all, and a file that exists may be a target"},
	{KEY_DESTROY_DATA, "destroy-data", "DEVICE",
	 "allow the write tests to overwrite this target, named by path, "
	 "by-id name, WWN or serial number"},
	{KEY_YES, "yes", NULL, "do not ask before a device is overwritten"},
	{0, "Output", NULL, NULL},
	{'o', "outdir", "DIR", "where the CSV and the JSON go (.)"},
	{KEY_JSON, "json", NULL, "print a summary as JSON instead of the report"},
	{'v', "verbose", NULL, "say more about what is done, and what each device of the stack did"},
	{'h', "help", NULL, "show this"},
	{0},
};

/* While the line is being read: what was given explicitly beats what --quick implies. */
struct reading {
	struct bench_options *to;
	bool size, duration, warmup;
	const char *tests, *sweep;
};

static int take_size(struct reading *reading, const char *value, bool gib, const char **expected)
{
	uint64_t size;

	*expected = gib ? "a number of GiB such as 8 or 0.5, below 8 EiB" : "a size such as 512M or 8G, below 8 EiB";
	if ((gib ? parse_gib(value, &size) : parse_size(value, &size)) || size > INT64_MAX)
		return -EINVAL;
	*expected = "at least 1 MiB";
	if (size < MIB)
		return -EINVAL;
	/* Whole MiB, so that every block size fits evenly. */
	reading->to->options.size = size / MIB * MIB;
	reading->size = true;
	return 0;
}

static int take_latency(struct bench_options *to, const char *value, const char **expected)
{
	*expected = "lat or clat";
	if (!strcmp(value, "lat"))
		to->options.latency = LATENCY_LAT;
	else if (!strcmp(value, "clat"))
		to->options.latency = LATENCY_CLAT;
	else
		return -EINVAL;
	return 0;
}

/* The device is always timed; what is left out of the rest is not in the loaded programs either. */
static int take_stages(struct bench_options *to, const char *value, const char **expected)
{
	bool all = !strcmp(value, "all");

	*expected = "device, device,queue or all";
	if (!all && strcmp(value, "device") && strcmp(value, "device,queue") && strcmp(value, "queue,device"))
		return -EINVAL;
	to->options.queue = all || strcmp(value, "device");
	to->options.ios = all;
	return 0;
}

static int take_destroy(struct bench_options *to, const char *value, const char **expected)
{
	const char *device;
	int err = option_string(&device, value, expected);

	if (!err)
		strings_add(&to->destroy, &to->permission.destroys, device);
	return err;
}

static int take_expect(struct bench_options *to, const char *value, const char **expected)
{
	const char *list;
	int err = option_string(&list, value, expected);

	if (!err)
		strings_add(&to->expect, &to->expects, list);
	return err;
}

static int take_ioengine(struct bench_options *to, const char *value, const char **expected)
{
	const char *name;
	int err = option_string(&name, value, expected);

	if (!err) {
		free(to->options.ioengine);
		to->options.ioengine = xstrdup(name);
	}
	return err;
}

static int take(void *context, const struct option_row *row, const char *value, const char **expected)
{
	struct reading *reading = context;
	struct bench_options *to = reading->to;

	switch (row->key) {
	case 'T':
		return option_list(&to->target, &to->targets, value, expected);
	case 'c':
		return option_string(&to->config, value, expected);
	case 's':
		return take_size(reading, value, true, expected);
	case KEY_SIZE:
		return take_size(reading, value, false, expected);
	case 'd':
		reading->duration = true;
		return option_seconds(&to->options.duration, value, NS_PER_SECOND / 10, expected);
	case KEY_WARMUP:
		reading->warmup = true;
		return option_seconds(&to->options.warmup, value, 0, expected);
	case 'i':
		*expected = "a whole number from 1 to 1000";
		return parse_count(value, 1, 1000, &to->options.iterations);
	case KEY_TESTS:
		return option_string(&reading->tests, value, expected);
	case KEY_SWEEP:
		return option_string(&reading->sweep, value, expected);
	case KEY_EXPECT:
		return take_expect(to, value, expected);
	case KEY_QUICK:
		to->options.quick = true;
		return 0;
	case KEY_ENGINE:
		*expected = "fio, the only engine of this version";
		return strcmp(value, "fio") ? -EINVAL : 0;
	case KEY_IOENGINE:
		return take_ioengine(to, value, expected);
	case KEY_FIO_PATH:
		return option_string(&to->fio_path, value, expected);
	case KEY_THREAD:
		to->options.thread = true;
		return 0;
	case KEY_LATENCY:
		return take_latency(to, value, expected);
	case KEY_WRITE_THROUGH:
		to->options.write_through = true;
		return 0;
	case KEY_STAGES:
		return take_stages(to, value, expected);
	case KEY_NO_TRACE:
		to->options.trace = false;
		return 0;
	case KEY_FLOOR:
		to->options.floor = true;
		return 0;
	case KEY_READ_ONLY:
		to->options.read_only = to->permission.read_only = true;
		return 0;
	case KEY_DESTROY_DATA:
		return take_destroy(to, value, expected);
	case KEY_YES:
		to->yes = true;
		return 0;
	case 'o':
		return option_string(&to->outdir, value, expected);
	case KEY_JSON:
		to->json = true;
		return 0;
	case 'v':
		to->verbosity++;
		return 0;
	case 'h':
		to->help = true;
		return 0;
	}
	return -EINVAL;
}

static void apply_quick(const struct reading *reading)
{
	struct options *options = &reading->to->options;

	if (!options->quick)
		return;
	if (!reading->size)
		options->size = GIB;
	if (!reading->duration)
		options->duration = 5 * NS_PER_SECOND;
	if (!reading->warmup)
		options->warmup = NS_PER_SECOND;
}

static int refuse_test(int err, char *bad)
{
	if (err == -EEXIST)
		log_error("--tests: '%s' is named twice", bad);
	else
		log_error(
			"--tests: '%s' is no test: they are called like SEQ1M-Q8T1-Read, RND4K-Q32T16-Write or "
			"RND16K-Q8T2-Mix70, with blocks of 512 bytes to 64M, up to 1024 jobs, and up to 65536 I/Os in "
			"flight over all jobs",
			bad);
	free(bad);
	return err;
}

/* What fio allocates for I/Os in flight must not drive the machine out of memory. */
static int check_test(const struct bench_options *to, const struct test *test)
{
	uint64_t memory = (uint64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
	uint64_t buffers = test->block_size * test->depth * test->jobs;
	char size[FORMAT_LENGTH];

	if (test->block_size > to->options.size)
		return log_failure(-EINVAL, "%s: its blocks are larger than the test file of %s", test->name,
				   format_size(size, to->options.size));
	if (buffers > memory / 2)
		return log_failure(-EINVAL,
				   "%s: its I/Os in flight would take %s, more than half of this machine's memory",
				   test->name, format_size(size, buffers));
	return 0;
}

static int refuse_depth(int err, char *bad, const struct test *pattern)
{
	if (err == -EEXIST)
		log_error("--sweep: depth %s is named twice", bad);
	else if (err == -ENODATA)
		log_error("--sweep: %s alone is no sweep: name at least two depths, such as 1,2,4,8,16,32", bad);
	else
		log_error("--sweep: '%s' is no depth of %s: whole numbers are expected, such as 1,2,4,8,16,32, up to "
			  "65536 I/Os in flight over all jobs",
			  bad, pattern->name);
	free(bad);
	return -EINVAL;
}

/* The one test becomes as many as there are depths. */
static int sweep_tests(struct bench_options *to, const char *depths)
{
	struct test *swept;
	size_t count;
	char *bad;
	int err;

	if (to->tests != 1)
		return log_failure(-EINVAL,
				   "--sweep: --tests names %zu tests, and one is expected, whose depth is swept",
				   to->tests);
	err = test_sweep(&to->test[0], depths, &swept, &count, &bad);
	if (err)
		return refuse_depth(err, bad, &to->test[0]);
	free(to->test);
	to->test = swept;
	to->tests = count;
	to->options.sweep = true;
	return 0;
}

static int choose_tests(struct bench_options *to, const char *list, const char *depths)
{
	char *bad;
	int err;

	if (!list)
		list = depths ? SWEEP_STANDARD : MATRIX_STANDARD;
	err = test_parse_list(list, &to->test, &to->tests, &bad);
	if (err)
		return refuse_test(err, bad);
	err = depths ? sweep_tests(to, depths) : 0;
	for (size_t i = 0; i < to->tests && !err; i++)
		err = check_test(to, &to->test[i]);
	return err;
}

static int choose_expectations(struct bench_options *to)
{
	int err = 0;

	for (size_t i = 0; i < to->expects && !err; i++)
		err = bench_expect_parse(&to->options, to->expect[i]);
	return err ? err : bench_expect_check(to);
}

int bench_options_parse(struct bench_options *options, int argc, char **argv)
{
	struct reading reading = {.to = options};
	int first;

	*options = (struct bench_options){
		.options = {.size = 8 * GIB,
			    .duration = 30 * NS_PER_SECOND,
			    .warmup = 5 * NS_PER_SECOND,
			    .iterations = 1,
			    .latency = LATENCY_LAT,
			    .trace = true,
			    .queue = true,
			    .ios = true,
			    .ioengine = xstrdup("libaio")},
		.config = "NonRAID",
		.outdir = ".",
	};
	first = options_parse(argc, argv, rows, take, &reading);
	if (first < 0)
		return first;
	if (options->help)
		return 0;
	for (int i = first; i < argc; i++)
		strings_add(&options->target, &options->targets, argv[i]);
	if (!options->targets)
		return log_failure(-EINVAL, "no target: name a directory, a file to create or a block device "
					    "(see iostrata bench -h)");
	options->permission.destroy = options->destroy;
	apply_quick(&reading);
	return choose_tests(options, reading.tests, reading.sweep) || choose_expectations(options) ? -EINVAL : 0;
}

void bench_options_clear(struct bench_options *options)
{
	strings_free(options->target);
	strings_free(options->destroy);
	strings_free(options->expect);
	bench_expect_clear(&options->options);
	free(options->test);
	free(options->options.ioengine);
	*options = (struct bench_options){0};
}

void bench_options_print(void)
{
	puts("usage: iostrata bench [options] TARGET...\n"
	     "\n"
	     "Runs the disk benchmark matrix on each target and shows where the latency went:\n"
	     "program, kernel on the way down, device, kernel on the way back.\n");
	options_print(rows);
}
