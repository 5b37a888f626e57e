// SPDX-License-Identifier: GPL-2.0
#include "capture.h"

#include <errno.h>

#include "command/doctor_options.h"

/* 0, or the line that the refusal of argv got. */
static char *parse(struct doctor_options *options, int argc, char **argv)
{
	char *line;
	int err;

	capture(STDERR_FILENO);
	err = doctor_options_parse(options, argc, argv);
	line = captured_text();
	assert_int_equal(err, *line ? -EINVAL : 0);
	return line;
}

static void assert_refused(int argc, char **argv, const char *part)
{
	struct doctor_options options;
	char *line = parse(&options, argc, argv);

	if (!strstr(line, part))
		fail_msg("no '%s' in: %s", part, line);
	free(line);
}

static void taken(void **state)
{
	char *argv[] = {"doctor", "/mnt", "--json", "-v", "/dev/sdb", "--probe", "-v", NULL};
	struct doctor_options options;

	(void)state;
	free(parse(&options, 7, argv));
	assert_true(options.json && options.probe && !options.help);
	assert_int_equal(options.verbosity, 2);
	assert_int_equal(options.targets, 2);
	assert_string_equal(options.target[0], "/mnt");
	assert_string_equal(options.target[1], "/dev/sdb");
}

static void nothing_given(void **state)
{
	char *argv[] = {"doctor", NULL};
	struct doctor_options options;

	(void)state;
	free(parse(&options, 1, argv));
	assert_false(options.json || options.probe || options.help);
	assert_int_equal(options.targets, 0);
}

static void refused(void **state)
{
	(void)state;
	assert_refused(2, (char *[]){"doctor", "--jsom", NULL}, "jsom");
	assert_refused(2, (char *[]){"doctor", "--probe", NULL}, "--probe");
	assert_refused(2, (char *[]){"doctor", "--json=1", NULL}, "json");
}

static void help(void **state)
{
	char *argv[] = {"doctor", "-h", "--probe", NULL}, *text;
	struct doctor_options options;

	(void)state;
	free(parse(&options, 3, argv));
	assert_true(options.help);
	capture(STDOUT_FILENO);
	doctor_options_print();
	text = captured_text();
	assert_non_null(strstr(text, "usage: iostrata doctor"));
	assert_non_null(strstr(text, "--probe"));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(taken),
		cmocka_unit_test(nothing_given),
		cmocka_unit_test(refused),
		cmocka_unit_test(help),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
