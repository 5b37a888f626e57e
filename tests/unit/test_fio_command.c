// SPDX-License-Identifier: GPL-2.0
/* The exact command: the series' parameters, and none that the test does not need. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>

#include "base/clock.h"
#include "base/text.h"
#include "workload/fio.h"
#include "workload/matrix.h"

static const struct fio fio = {.path = (char *)"/opt/fio", .version = (char *)"fio-3.33"};

static const struct options defaults = {
	.size = 8ull << 30,
	.duration = 30 * NS_PER_SECOND,
	.ioengine = (char *)"libaio",
};

/* The whole command as one string. */
static char *command(const char *name, const struct options *options, uint64_t runtime)
{
	struct text line = {0};
	struct test test;
	char **argv;

	assert_int_equal(test_parse(name, &test), 0);
	argv = fio_command(&fio, options, &test, "/proc/self/fd/5", false, runtime, "/proc/self/fd/6");
	for (size_t i = 0; argv[i]; i++)
		text_addf(&line, "%s%s", i ? " " : "", argv[i]);
	strings_free(argv);
	return text_take(&line);
}

static void the_series_parameters(void **state)
{
	char *line = command("RND4K-Q32T16-Write", &defaults, 30 * NS_PER_SECOND);

	(void)state;
	assert_string_equal(line, "/opt/fio --name=RND4K-Q32T16-Write --filename=/proc/self/fd/5 --rw=randwrite "
				  "--bs=4096 --iodepth=32 --numjobs=16 --direct=1 --ioengine=libaio "
				  "--size=8589934592 --runtime=30 --time_based=1 --group_reporting=1 "
				  "--allow_file_create=0 --lat_percentiles=1 --clat_percentiles=1 "
				  "--slat_percentiles=1 --percentile_list=50:90:95:99:99.9:99.99 "
				  "--output-format=json+ --output=/proc/self/fd/6 --eta=never");
	free(line);
}

static void what_options_add(void **state)
{
	struct options options = defaults;
	char *line;

	(void)state;
	options.write_through = options.thread = true;
	options.ioengine = (char *)"io_uring";
	line = command("SEQ1M-Q8T1-Mix70", &options, 1500 * NS_PER_MS);
	assert_non_null(strstr(line, " --rw=rw --rwmixread=70 "));
	assert_non_null(strstr(line, " --sync=dsync --thread "));
	assert_non_null(strstr(line, " --ioengine=io_uring "));
	assert_non_null(strstr(line, " --runtime=1500000us "));
	assert_null(strstr(line, "--readonly"));
	free(line);
}

/* Where direct I/O is refused. */
static void through_the_page_cache(void **state)
{
	struct text line = {0};
	struct test test;
	char **argv;

	(void)state;
	assert_int_equal(test_parse("SEQ1M-Q8T1-Read", &test), 0);
	argv = fio_command(&fio, &defaults, &test, "/file", true, NS_PER_SECOND, "/output");
	for (size_t i = 0; argv[i]; i++)
		text_addf(&line, " %s", argv[i]);
	assert_non_null(strstr(line.data, " --direct=0 "));
	assert_null(strstr(line.data, "--direct=1"));
	strings_free(argv);
	text_free(&line);
}

static void reads_cannot_write(void **state)
{
	char *line = command("SEQ1M-Q8T1-Read", &defaults, NS_PER_SECOND);

	(void)state;
	assert_non_null(strstr(line, " --rw=read "));
	assert_non_null(strstr(line, " --readonly "));
	free(line);
}

static void ages(void **state)
{
	(void)state;
	assert_int_equal(fio_age("fio-3.17"), FIO_TOO_OLD);
	assert_int_equal(fio_age("fio-2.99"), FIO_TOO_OLD);
	assert_int_equal(fio_age("fio-3.18"), FIO_WITHOUT_DSYNC);
	assert_int_equal(fio_age("fio-3.23-5-gabcdef"), FIO_WITHOUT_DSYNC);
	assert_int_equal(fio_age("fio-3.24"), FIO_NEW);
	assert_int_equal(fio_age("fio-4.0"), FIO_NEW);
	assert_int_equal(fio_age("true (GNU coreutils) 9.1"), FIO_OF_NO_AGE);
	assert_int_equal(fio_age(""), FIO_OF_NO_AGE);
}

static void answers(void **state)
{
	char *answer;

	(void)state;
	assert_int_equal(fio_ask("/bin/echo", "--engines", &answer), 0);
	assert_string_equal(answer, "--engines\n");
	free(answer);
	assert_int_equal(fio_ask("/bin/false", "--version", &answer), -ENOEXEC);
	free(answer);
	assert_int_equal(fio_ask("/nonexistent/fio", "--version", &answer), -ENOENT);
	assert_string_equal(answer, "");
	free(answer);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_series_parameters),
		cmocka_unit_test(what_options_add),
		cmocka_unit_test(through_the_page_cache),
		cmocka_unit_test(reads_cannot_write),
		cmocka_unit_test(ages),
		cmocka_unit_test(answers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
