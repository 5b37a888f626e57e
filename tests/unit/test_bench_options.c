// SPDX-License-Identifier: GPL-2.0
#include "command/bench_options.h"

#include <errno.h>

#include "capture.h"

#define SECOND 1000000000ull
#define MIB    1048576ull
#define GIB    (1024 * MIB)

static struct bench_options options;
static int status;
static char *message; /* what was said on stderr */

static int forget(void **state)
{
	(void)state;
	bench_options_clear(&options);
	free(message);
	message = NULL;
	return 0;
}

static void parse(const char *line)
{
	static char *words, *argv[CAPTURE_WORDS]; /* the options keep pointers into it */
	int argc;

	forget(NULL);
	free(words);
	words = xasprintf("bench %s", line);
	argc = split_words(words, argv);
	capture(STDERR_FILENO);
	status = bench_options_parse(&options, argc, argv);
	message = captured_text();
}

static void accept(const char *line)
{
	parse(line);
	if (status)
		fail_msg("'%s' is refused: %s", line, message);
	assert_string_equal(message, "");
}

/* One line that names what is wrong. */
static void refuse(const char *line, const char *part)
{
	parse(line);
	if (status != -EINVAL)
		fail_msg("'%s': %d instead of -EINVAL", line, status);
	if (!strstr(message, part))
		fail_msg("'%s' is not in: %s", part, message);
	assert_ptr_equal(strchr(message, '\n'), message + strlen(message) - 1);
}

static void the_defaults(void **state)
{
	(void)state;
	accept("/mnt");
	assert_int_equal(options.options.size, 8 * GIB);
	assert_int_equal(options.options.duration, 30 * SECOND);
	assert_int_equal(options.options.warmup, 5 * SECOND);
	assert_int_equal(options.options.iterations, 1);
	assert_int_equal(options.options.latency, LATENCY_LAT);
	assert_true(options.options.trace && options.options.queue);
	assert_false(options.options.quick || options.options.write_through || options.options.read_only ||
		     options.options.thread || options.options.floor);
	assert_string_equal(options.options.ioengine, "libaio");
	assert_string_equal(options.config, "NonRAID");
	assert_string_equal(options.outdir, ".");
	assert_null(options.fio_path);
	assert_int_equal(options.targets, 1);
	assert_int_equal(options.tests, 6);
	assert_string_equal(options.test[0].name, "SEQ1M-Q8T1-Read");
	assert_string_equal(options.test[5].name, "RND4K-Q1T1-Write");
	assert_false(options.permission.read_only);
	assert_int_equal(options.permission.destroys, 0);
	assert_false(options.json || options.yes || options.help);
	assert_int_equal(options.verbosity, 0);
}

static void targets(void **state)
{
	(void)state;
	accept("/c -T /a,b_b /d --targets e");
	assert_int_equal(options.targets, 5);
	assert_string_equal(options.target[0], "/a");
	assert_string_equal(options.target[1], "b b");
	assert_string_equal(options.target[2], "e");
	assert_string_equal(options.target[3], "/c");
	assert_string_equal(options.target[4], "/d");
	assert_null(options.target[5]);
	refuse("", "no target");
	refuse("--quick", "no target");
	refuse("-T /a,,b", "--targets");
	refuse("-T ''", "--targets");
	refuse("-T /a,", "--targets");
}

static void strings(void **state)
{
	(void)state;
	accept("-c RAID_0 -o out --ioengine io_uring --ioengine psync --fio-path /opt/fio --engine fio /mnt");
	assert_string_equal(options.config, "RAID 0");
	assert_string_equal(options.outdir, "out");
	assert_string_equal(options.options.ioengine, "psync");
	assert_string_equal(options.fio_path, "/opt/fio");
	refuse("-c '' /mnt", "--config");
	refuse("-o '' /mnt", "--outdir");
	refuse("--ioengine '' /mnt", "--ioengine");
	refuse("--fio-path '' /mnt", "--fio-path");
	refuse("--engine dd /mnt", "--engine 'dd'");
	refuse("--nothing /mnt", "nothing");
	refuse("/mnt --config", "config");
}

static void sizes(void **state)
{
	(void)state;
	static const struct {
		const char *line;
		uint64_t size;
	} good[] = {
		{"-s 2 /mnt", 2 * GIB},
		{"--size-gb 0.5 /mnt", GIB / 2},
		{"--size 512M /mnt", 512 * MIB},
		{"--size 1M --tests RND4K-Q1T1-Read /mnt", MIB},
		{"--size 3T /mnt", 3072 * GIB},
		{"--size 4194303 --tests RND4K-Q1T1-Read /mnt", 3 * MIB}, /* whole MiB */
		{"-s 0.0015 --tests RND4K-Q1T1-Read /mnt", MIB},	  /* 1.536 MiB */
		{"--size 1G -s 2 /mnt", 2 * GIB},			  /* the last one */
	};

	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		accept(good[i].line);
		assert_int_equal(options.options.size, good[i].size);
	}
	refuse("-s 0 /mnt", "--size-gb '0': expected at least 1 MiB");
	refuse("-s -1 /mnt", "--size-gb '-1'");
	refuse("-s x /mnt", "--size-gb 'x'");
	refuse("-s nan /mnt", "--size-gb");
	refuse("-s 9000000000 /mnt", "8 EiB");
	refuse("--size 1048575 /mnt", "at least 1 MiB");
	refuse("--size 8E /mnt", "--size '8E'");
	refuse("--size 1X /mnt", "--size '1X'");
	refuse("--size '' /mnt", "--size");
}

static void durations(void **state)
{
	(void)state;
	accept("-d 0.1 --warmup 0 /mnt");
	assert_int_equal(options.options.duration, SECOND / 10);
	assert_int_equal(options.options.warmup, 0);
	accept("--duration 8640000 --warmup 8640000 /mnt");
	assert_int_equal(options.options.duration, 8640000 * SECOND);
	assert_int_equal(options.options.warmup, 8640000 * SECOND);
	refuse("-d 0 /mnt", "--duration '0'");
	refuse("-d 0.09 /mnt", "--duration '0.09'");
	refuse("-d 8640001 /mnt", "--duration");
	refuse("-d -5 /mnt", "--duration");
	refuse("-d inf /mnt", "--duration");
	refuse("--warmup 8640001 /mnt", "--warmup");
	refuse("--warmup x /mnt", "--warmup 'x'");
}

static void iterations(void **state)
{
	(void)state;
	accept("-i 1000 /mnt");
	assert_int_equal(options.options.iterations, 1000);
	refuse("-i 0 /mnt", "--iterations '0': expected a whole number from 1 to 1000");
	refuse("-i 1001 /mnt", "--iterations");
	refuse("-i 1.5 /mnt", "--iterations");
	refuse("--iterations -1 /mnt", "--iterations");
}

/* What is given explicitly beats it, before or after it. */
static void quick(void **state)
{
	(void)state;
	accept("--quick /mnt");
	assert_true(options.options.quick);
	assert_int_equal(options.options.size, GIB);
	assert_int_equal(options.options.duration, 5 * SECOND);
	assert_int_equal(options.options.warmup, SECOND);
	accept("--size 64M --quick /mnt");
	assert_int_equal(options.options.size, 64 * MIB);
	assert_int_equal(options.options.duration, 5 * SECOND);
	assert_int_equal(options.options.warmup, SECOND);
	accept("--quick -d 7 /mnt");
	assert_int_equal(options.options.size, GIB);
	assert_int_equal(options.options.duration, 7 * SECOND);
	assert_int_equal(options.options.warmup, SECOND);
	accept("--quick -s 8 -d 30 --warmup 5 /mnt"); /* what would be taken without it */
	assert_int_equal(options.options.size, 8 * GIB);
	assert_int_equal(options.options.duration, 30 * SECOND);
	assert_int_equal(options.options.warmup, 5 * SECOND);
	assert_true(options.options.quick);
}

static void tests_by_name(void **state)
{
	(void)state;
	accept("--tests RND16K-Q8T2-Mix70,SEQ1M-Q8T1-Write /mnt");
	assert_int_equal(options.tests, 2);
	assert_string_equal(options.test[0].name, "RND16K-Q8T2-Mix70");
	assert_int_equal(options.test[0].read_percent, 70);
	assert_string_equal(options.test[1].name, "SEQ1M-Q8T1-Write");
	refuse("--tests RND4K /mnt", "--tests: 'RND4K' is no test");
	refuse("--tests '' /mnt", "--tests");
	refuse("--tests SEQ1M-Q8T1-Read,,SEQ1M-Q8T1-Write /mnt", "--tests: ''");
	parse("--tests SEQ1M-Q8T1-Read,SEQ1M-Q8T1-Read /mnt");
	assert_true(status < 0);
	assert_non_null(strstr(message, "named twice"));
}

static void tests_that_do_not_fit(void **state)
{
	(void)state;
	accept("--size 4M --tests SEQ4M-Q1T1-Read /mnt");
	refuse("--size 4M --tests SEQ8M-Q1T1-Read /mnt", "SEQ8M-Q1T1-Read: its blocks are larger");
	refuse("--tests SEQ64M-Q65536T1-Read /mnt", "more than half of this machine's memory"); /* 4 TiB */
}

static void a_sweep(void **state)
{
	static const char *const depths[] = {"RND4K-Q1T1-Read", "RND4K-Q2T1-Read", "RND4K-Q16T1-Read"};

	(void)state;
	accept("/mnt");
	assert_false(options.options.sweep);
	accept("--sweep 16,1,2 /mnt");
	assert_true(options.options.sweep);
	assert_int_equal(options.tests, ARRAY_SIZE(depths));
	for (size_t i = 0; i < ARRAY_SIZE(depths); i++)
		assert_string_equal(options.test[i].name, depths[i]);
	accept("--sweep 1,4 --tests SEQ64K-Q32T2-Write /mnt"); /* its own depth is none of them */
	assert_int_equal(options.tests, 2);
	assert_string_equal(options.test[0].name, "SEQ64K-Q1T2-Write");
	assert_string_equal(options.test[1].name, "SEQ64K-Q4T2-Write");
	accept("--tests RND4K-Q1T1-Read --sweep 1,2 --sweep 4,65536 --size 1G /mnt"); /* the last one */
	assert_int_equal(options.test[1].depth, 65536);
	refuse("--sweep '' /mnt", "--sweep");
	refuse("--sweep 8 /mnt", "--sweep: 8 alone is no sweep");
	refuse("--sweep 1,2,1 /mnt", "--sweep: depth 1 is named twice");
	refuse("--sweep 1,0 /mnt", "--sweep: '0' is no depth of RND4K-Q1T1-Read");
	refuse("--sweep 1,2,many /mnt", "--sweep: 'many'");
	refuse("--sweep 1,4097 --tests RND4K-Q1T16-Read /mnt", "'4097' is no depth of RND4K-Q1T16-Read");
	refuse("--sweep 1,2 --tests RND4K-Q1T1-Read,RND4K-Q1T1-Write /mnt", "--sweep: --tests names 2 tests");
	refuse("--sweep 1,2 --tests RND4K /mnt", "--tests: 'RND4K' is no test");
	refuse("--sweep 1,65536 --tests SEQ64M-Q1T1-Read /mnt", "SEQ64M-Q65536T1-Read: its I/Os in flight");
}

static void assert_expected(size_t index, const char *tests, enum measure measure, double limit)
{
	const struct expectation *expectation = &options.options.expectation[index];

	if (tests)
		assert_string_equal(expectation->tests, tests);
	else
		assert_null(expectation->tests);
	assert_int_equal(expectation->measure, measure);
	assert_float_equal(expectation->limit, limit, limit * 1e-12);
}

static void expectations(void **state)
{
	(void)state;
	accept("/mnt");
	assert_int_equal(options.options.expectations, 0);
	accept("--expect iops=3000,mbps=12.5 --expect RND4K*Read:p99=2ms,lat=500us,seq1024k-q8t1-write:p99.9=1s /mnt");
	assert_int_equal(options.options.expectations, 5);
	assert_expected(0, NULL, MEASURE_IOPS, 3000);
	assert_expected(1, NULL, MEASURE_MBPS, 12.5);
	assert_expected(2, "RND4K*Read", MEASURE_P99, 2e6);
	assert_expected(3, NULL, MEASURE_LAT, 5e5);
	assert_expected(4, "SEQ1M-Q8T1-Write", MEASURE_P99_9, 1e9); /* as the matrix spells it */
	accept("--sweep 1,2 --expect RND4K-Q2T1-*:iops=0.5 /mnt");
	assert_expected(0, "RND4K-Q2T1-*", MEASURE_IOPS, 0.5);
}

static void other_expectations_are_refused(void **state)
{
	static const struct {
		const char *given, *said;
	} rows[] = {
		{"''", "--expect"},
		{"iops", "--expect: 'iops': expected [TEST:]MEASURE=NUMBER, such as"},
		{"iops=3000,,mbps=1", "--expect: '': expected [TEST:]"},
		{"iops=3000,", "--expect: '': expected [TEST:]"},
		{":iops=3000", "--expect: ':iops=3000': expected [TEST:]"},
		{"iops=3000,iosp=1", "--expect: 'iosp=1': expected one of the measures iops, mbps, lat, p99 and p99.9"},
		{"RND4K-Q1T1-Read=1", "one of the measures"},
		{"RND4K-Q1T1-Read:=1", "one of the measures"},
		{"IOPS=1", "one of the measures"},
		{"=1", "one of the measures"},
		{"iops=", "--expect: 'iops=': expected a number above 0"},
		{"iops=0", "a number above 0"},
		{"iops=-1", "a number above 0"},
		{"iops=3k", "a number above 0"},
		{"iops=1e9", "a number above 0"},
		{"iops=1=2", "a number above 0"},
		{"mbps=nan", "a number above 0"},
		{"p99=2", "--expect: 'p99=2': expected a time such as 500us, 2ms or 1s"},
		{"lat=0ms", "a time such as"},
		{"p99.9=2MB", "a time such as"},
		{"RND8K*:iops=1", "--expect: 'RND8K*' fits none of the tests to be run, which are called like SEQ1M"},
		{"RND4K:iops=1", "--expect: 'RND4K' fits none"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char *line = xasprintf("--expect %s /mnt", rows[i].given);

		refuse(line, rows[i].said);
		free(line);
	}
	refuse("--expect *Write:iops=1 --tests RND4K-Q1T1-Read /mnt", "'*Write' fits none");
	refuse("--expect iops=1 --expect lat=1 /mnt", "'lat=1'");
}

static void stages(void **state)
{
	(void)state;
	accept("/mnt");
	assert_true(options.options.queue && options.options.ios);
	accept("--stages device /mnt");
	assert_false(options.options.queue || options.options.ios);
	assert_true(options.options.trace);
	accept("--stages device,queue /mnt");
	assert_true(options.options.queue);
	assert_false(options.options.ios);
	accept("--stages device --stages all /mnt");
	assert_true(options.options.queue && options.options.ios);
	accept("--stages all --stages device /mnt");
	assert_false(options.options.queue || options.options.ios);
	accept("--stages queue,device /mnt");
	assert_true(options.options.queue);
	accept("--stages device --stages device,queue /mnt");
	assert_true(options.options.queue);
	refuse("--stages queue /mnt", "--stages 'queue': expected device, device,queue or all");
	refuse("--stages all,device /mnt", "--stages");
	refuse("--stages device, /mnt", "--stages");
	refuse("--stages DEVICE /mnt", "--stages");
	refuse("--stages '' /mnt", "--stages");
	refuse("/mnt --stages", "stages");
}

static void latencies(void **state)
{
	(void)state;
	accept("--latency clat /mnt");
	assert_int_equal(options.options.latency, LATENCY_CLAT);
	accept("--latency lat /mnt");
	assert_int_equal(options.options.latency, LATENCY_LAT);
	refuse("--latency slat /mnt", "--latency 'slat': expected lat or clat");
	refuse("--latency '' /mnt", "--latency");
}

static void switches(void **state)
{
	(void)state;
	accept("--thread --write-through --no-trace --floor --read-only --yes --json -v -v /mnt");
	assert_true(options.options.thread && options.options.write_through && options.options.read_only);
	assert_true(options.options.floor);
	assert_false(options.options.trace);
	assert_true(options.permission.read_only);
	assert_true(options.yes && options.json);
	assert_int_equal(options.verbosity, 2);
	refuse("--yes=no /mnt", "yes");
}

static void what_may_be_destroyed(void **state)
{
	(void)state;
	accept("--destroy-data /dev/sdx --destroy-data S12_34 /dev/sdx");
	assert_int_equal(options.permission.destroys, 2);
	assert_string_equal(options.permission.destroy[0], "/dev/sdx");
	assert_string_equal(options.permission.destroy[1], "S12 34");
	assert_null(options.permission.destroy[2]);
	assert_false(options.yes);
	refuse("--destroy-data '' /dev/sdx", "--destroy-data");
}

/* It needs no target. */
static void help(void **state)
{
	(void)state;
	accept("-h");
	assert_true(options.help);
	accept("--help");
	assert_true(options.help);
}

#define TEST(function) cmocka_unit_test_teardown(function, forget)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_defaults),
		TEST(targets),
		TEST(strings),
		TEST(sizes),
		TEST(durations),
		TEST(iterations),
		TEST(quick),
		TEST(tests_by_name),
		TEST(tests_that_do_not_fit),
		TEST(a_sweep),
		TEST(expectations),
		TEST(other_expectations_are_refused),
		TEST(stages),
		TEST(latencies),
		TEST(switches),
		TEST(what_may_be_destroyed),
		TEST(help),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
