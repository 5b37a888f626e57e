// SPDX-License-Identifier: GPL-2.0
/* The command line of compare. */
#include "command/command.h"

#include "capture.h"

#include "shown.h"

static char *run(const char *line, int stream, int *status)
{
	char *words = xasprintf("compare %s", line), *argv[CAPTURE_WORDS], *text;
	int argc = split_words(words, argv);

	capture(stream);
	*status = command_compare(argc, argv);
	text = captured_text();
	free(words);
	return text;
}

static void refuse(const char *line, const char *part)
{
	int status;
	char *message = run(line, STDERR_FILENO, &status);

	assert_int_equal(status, EXIT_USAGE);
	assert_has(message, part);
	assert_ptr_equal(strchr(message, '\n'), message + strlen(message) - 1);
	free(message);
}

static void test_what_is_asked_for(void **state)
{
	(void)state;
	refuse("", "--host is missing");
	refuse("a.json b.json", "are all that can be compared so far");
	refuse("--host a.json", "one result of the virtual machine is expected beside --host, and 0 are given");
	refuse("--host a.json b.json c.json", "2 are given");
	refuse("--host '' b.json", "--host '': expected the name of a file");
	refuse("--guest a.json", "--guest");
}

static void test_help(void **state)
{
	int status;
	char *help = run("-h", STDOUT_FILENO, &status);

	(void)state;
	assert_int_equal(status, EXIT_DONE);
	assert_has(help, "--host HOST.json");
	free(help);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_is_asked_for),
		cmocka_unit_test(test_help),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
