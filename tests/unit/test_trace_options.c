// SPDX-License-Identifier: GPL-2.0
#include "command/trace_options.h"

#include <errno.h>

#include "capture.h"

static struct trace_options options;
static int status;
static char *message; /* what was said on stderr */

static int forget(void **state)
{
	(void)state;
	trace_options_clear(&options);
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
	words = xasprintf("trace %s", line);
	argc = split_words(words, argv);
	capture(STDERR_FILENO);
	status = trace_options_parse(&options, argc, argv);
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
	accept("-p 1");
	assert_true(options.options.trace && options.options.queue && options.options.ios);
	assert_int_equal(options.options.duration, 0);
	assert_int_equal(options.options.interval, 0);
	assert_int_equal(options.options.slow_from, 0);
	assert_int_equal(options.slow_records, 0);
	assert_int_equal(options.slowest, 64);
	assert_null(options.program);
	assert_null(options.cgroup);
	assert_null(options.user);
	assert_null(options.outdir);
	assert_int_equal(options.devices, 0);
	assert_false(options.no_children || options.json || options.help);
	assert_int_equal(options.verbosity, 0);
}

/* Its own options are not ours, with "--" or without. */
static void the_program_is_the_rest(void **state)
{
	(void)state;
	accept("-d 3 -- dd if=/dev/zero -d 5 --json");
	assert_string_equal(options.program[0], "dd");
	assert_string_equal(options.program[3], "5");
	assert_string_equal(options.program[4], "--json");
	assert_null(options.program[5]);
	assert_int_equal(options.options.duration, 3000000000);
	assert_false(options.json);
	accept("-v ls -v -p 1");
	assert_string_equal(options.program[0], "ls");
	assert_int_equal(options.verbosity, 1);
	assert_int_equal(options.pids, 0);
	accept("-- --odd");
	assert_string_equal(options.program[0], "--odd");
}

static void processes(void **state)
{
	(void)state;
	accept("-p 12,34 --pid 56");
	assert_int_equal(options.pids, 3);
	assert_int_equal(options.pid[0], 12);
	assert_int_equal(options.pid[1], 34);
	assert_int_equal(options.pid[2], 56);
	accept("-p 2147483647 --no-children");
	assert_int_equal(options.pid[0], 2147483647);
	assert_true(options.no_children);
	refuse("-p 0", "-p/--pid '0'");
	refuse("-p -1", "-p/--pid '-1'");
	refuse("-p 2147483648", "-p/--pid");
	refuse("-p 1,", "-p/--pid '1,'");
	refuse("-p 1,x", "numbers of processes");
	refuse("-p init", "numbers of processes");
	refuse("-p", "needs a value");
}

static void cgroup_and_devices(void **state)
{
	(void)state;
	accept("-g /system.slice/a_b.service -D sda,/dev/sdb --device /dev/md0");
	assert_string_equal(options.cgroup, "/system.slice/a b.service");
	assert_int_equal(options.devices, 3);
	assert_string_equal(options.device[0], "sda");
	assert_string_equal(options.device[2], "/dev/md0");
	assert_null(options.device[3]);
	accept("-D sda");
	assert_int_equal(options.devices, 1);
	refuse("-g ''", "-g/--cgroup");
	refuse("-D ''", "-D/--device");
	refuse("-D sda,,sdb", "-D/--device");
}

static void one_subject_at_a_time(void **state)
{
	(void)state;
	refuse("", "nothing to trace");
	refuse("-d 5", "nothing to trace");
	refuse("--", "nothing to trace");
	refuse("-p 1 -g /x", "one of a program, -p and -g");
	refuse("-p 1 ls", "'ls' is taken for a program");
	refuse("-p 1 2", "'2' is taken for a program");
	refuse("-g /x -- ls", "one of a program, -p and -g");
	accept("-p 1 -D sda");
	accept("-g /x -D sda");
	accept("-D sda -- ls");
}

static void what_only_some_have(void **state)
{
	(void)state;
	accept("-u nobody -- id");
	assert_string_equal(options.user, "nobody");
	refuse("-u nobody -p 1", "-u/--user");
	refuse("-u '' -- id", "-u/--user");
	accept("--no-children -- make");
	refuse("--no-children -g /x", "--no-children");
	refuse("--no-children -D sda", "--no-children");
	accept("--json -D sda");
	assert_true(options.json);
	refuse("--json -- ls", "-o DIR");
	accept("-o /tmp -- ls");
	assert_string_equal(options.outdir, "/tmp");
	refuse("-o '' -- ls", "-o/--outdir");
}

static void times(void **state)
{
	(void)state;
	accept("-d 1.5 --interval 0.25 -D sda");
	assert_int_equal(options.options.duration, 1500000000);
	assert_int_equal(options.options.interval, 250000000);
	accept("-d 2m -D sda");
	assert_int_equal(options.options.duration, 120000000000);
	refuse("-d 0 -D sda", "-d/--duration '0'");
	refuse("-d 8640001 -D sda", "-d/--duration");
	refuse("-d soon -D sda", "'soon'");
	refuse("--interval 0 -D sda", "--interval '0'");
	refuse("--interval 0.05 -D sda", "--interval '0.05'");
}

static void slow_ones(void **state)
{
	(void)state;
	accept("--slow 10ms -D sda");
	assert_int_equal(options.options.slow_from, 10000000);
	assert_int_equal(options.slow_records, 1000);
	accept("--slow 250us,5 -D sda");
	assert_int_equal(options.options.slow_from, 250000);
	assert_int_equal(options.slow_records, 5);
	accept("--slow 1.5s,100000 -D sda");
	assert_int_equal(options.options.slow_from, 1500000000);
	assert_int_equal(options.slow_records, 100000);
	refuse("--slow 10 -D sda", "--slow '10': expected a time with its unit");
	refuse("--slow 0ms -D sda", "--slow '0ms'");
	refuse("--slow ms -D sda", "--slow 'ms'");
	refuse("--slow 10ms, -D sda", "after the comma");
	refuse("--slow 10ms,0 -D sda", "after the comma");
	refuse("--slow 10ms,100001 -D sda", "after the comma");
	refuse("--slow 10ms,5,5 -D sda", "after the comma");
	accept("--slowest 0 -D sda");
	assert_int_equal(options.slowest, 0);
	accept("--slowest 1000 -D sda");
	assert_int_equal(options.slowest, 1000);
	refuse("--slowest 1001 -D sda", "--slowest '1001'");
	refuse("--slowest few -D sda", "--slowest 'few'");
}

/* Then the rest needs no sense. */
static void help(void **state)
{
	(void)state;
	accept("-h");
	assert_true(options.help);
	accept("--json --help");
	assert_true(options.help);
	accept("-v -v -D sda");
	assert_int_equal(options.verbosity, 2);
	assert_false(options.help);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(the_defaults, forget),
		cmocka_unit_test_teardown(the_program_is_the_rest, forget),
		cmocka_unit_test_teardown(processes, forget),
		cmocka_unit_test_teardown(cgroup_and_devices, forget),
		cmocka_unit_test_teardown(one_subject_at_a_time, forget),
		cmocka_unit_test_teardown(what_only_some_have, forget),
		cmocka_unit_test_teardown(times, forget),
		cmocka_unit_test_teardown(slow_ones, forget),
		cmocka_unit_test_teardown(help, forget),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
