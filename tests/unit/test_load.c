// SPDX-License-Identifier: GPL-2.0
/* Results from files. */
#include "command/load.h"

#include "capture.h"

#include "made_up_result.h"
#include "result/file.h"
#include "shown.h"

/* Of a file of this text; what was said about it. */
static char *load(const char *text, struct result **result)
{
	char path[] = "/tmp/iostrata-test-XXXXXX", *message;
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	capture(STDERR_FILENO);
	*result = load_result(path);
	message = captured_text();
	unlink(path);
	return message;
}

static void test_a_result_is_loaded(void **state)
{
	struct result *made_up = made_up_matrix(1, 1), *result;
	char *json = result_to_json(made_up, false), *message = load(json, &result);

	(void)state;
	assert_non_null(result);
	assert_string_equal(message, "");
	assert_int_equal(result->runs, made_up->runs);
	result_free(result);
	result_free(made_up);
	free(message);
	free(json);
}

static void test_others_are_refused(void **state)
{
	struct result *result;
	char *message = load("{}", &result);

	(void)state;
	assert_null(result);
	assert_has(message, "/tmp/iostrata-test-");
	free(message);
	message = load("", &result);
	assert_null(result);
	assert_has(message, "/tmp/iostrata-test-");
	free(message);
	capture(STDERR_FILENO);
	assert_null(load_result("/nonexistent/file"));
	message = captured_text();
	assert_has(message, "/nonexistent/file: cannot be read: No such file or directory");
	free(message);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_result_is_loaded),
		cmocka_unit_test(test_others_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
