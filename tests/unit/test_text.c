// SPDX-License-Identifier: GPL-2.0
#include "base/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static void allocates(void **state)
{
	(void)state;
	char *zeros = xcalloc(3, 5);
	char *nothing = xcalloc(0, 8);
	char *grown;

	for (int i = 0; i < 15; i++)
		assert_int_equal(zeros[i], 0);
	memcpy(zeros, "abc", 4);
	grown = xreallocarray(zeros, 1000, 1000);
	assert_string_equal(grown, "abc");
	assert_non_null(nothing);
	free(grown);
	free(nothing);
}

/* A product that wraps around must not come back as a small block. */
static void refuses_what_cannot_be(void **state)
{
	(void)state;
	volatile size_t count = SIZE_MAX / 2 + 2; /* twice this is 2 */
	pid_t child = fork();
	int status;

	if (!child) {
		close(STDERR_FILENO);
		xreallocarray(NULL, count, 2);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_not_equal(WEXITSTATUS(status), 0);
}

static void copies_strings(void **state)
{
	(void)state;
	char *copy = xstrdup("md0"), *made = xasprintf("%s-%d", "sda", 12);

	assert_string_equal(copy, "md0");
	assert_string_equal(made, "sda-12");
	free(copy);
	free(made);
}

static void grows(void **state)
{
	(void)state;
	struct text text = {0};

	for (int i = 0; i < 1000; i++)
		text_addf(&text, "%03d,", i);
	assert_int_equal(text.length, 4000);
	assert_true(text.room > text.length);
	assert_int_equal(strlen(text.data), 4000);
	assert_memory_equal(text.data, "000,001,", 8);
	assert_string_equal(text.data + 3992, "998,999,");
	text_free(&text);
	assert_null(text.data);
	assert_int_equal(text.length, 0);
	assert_int_equal(text.room, 0);
}

static void adds_bytes_as_they_are(void **state)
{
	(void)state;
	struct text text = {0};

	text_add(&text, "", 0);
	assert_string_equal(text.data, "");
	text_add(&text, "a\0b%s", 5);
	text_addf(&text, "%s", "");
	assert_int_equal(text.length, 5);
	assert_memory_equal(text.data, "a\0b%s", 6);
	text_free(&text);
}

static void is_taken(void **state)
{
	(void)state;
	struct text text = {0};
	char *empty = text_take(&text), *full;

	assert_string_equal(empty, "");
	text_addf(&text, "x");
	full = text_take(&text);
	assert_string_equal(full, "x");
	assert_null(text.data);
	assert_int_equal(text.length, 0);
	free(empty);
	free(full);
}

static void counts_columns(void **state)
{
	(void)state;
	assert_int_equal(text_columns(""), 0);
	assert_int_equal(text_columns("13.8 us"), 7);
	assert_int_equal(text_columns("13.8 \xc2\xb5s"), 7);
	assert_int_equal(text_columns("\xe2\x96\x88\xe2\x96\x88"), 2);
}

static void frees_arrays(void **state)
{
	(void)state;
	char **strings = xcalloc(3, sizeof(*strings));

	strings[0] = xstrdup("a");
	strings[1] = xstrdup("b");
	strings_free(strings);
	strings_free(NULL);
}

static void finds_whole_words(void **state)
{
	(void)state;
	assert_true(text_has_word("tsc hpet acpi_pm", "tsc"));
	assert_true(text_has_word("tsc hpet acpi_pm", "acpi_pm"));
	assert_true(text_has_word("Engines:\n\tlibaio\n\tio_uring\n", "io_uring"));
	assert_true(text_has_word("tsc-early tsc", "tsc"));
	assert_false(text_has_word("tsc-early", "tsc"));
	assert_false(text_has_word("hyperv_clocksource_tsc_page", "tsc"));
	assert_false(text_has_word("", "tsc"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(allocates),
		cmocka_unit_test(refuses_what_cannot_be),
		cmocka_unit_test(copies_strings),
		cmocka_unit_test(grows),
		cmocka_unit_test(adds_bytes_as_they_are),
		cmocka_unit_test(is_taken),
		cmocka_unit_test(counts_columns),
		cmocka_unit_test(frees_arrays),
		cmocka_unit_test(finds_whole_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
