// SPDX-License-Identifier: GPL-2.0
#include "base/options.h"

#include <errno.h>

#include "capture.h"

enum { OPTION_SIZE = 256, OPTION_WARMUP, OPTION_YES };

static const struct option_row rows[] = {
	{0, "What to run", NULL, NULL},
	{'s', "size-gb", "N", "size of the test file in GiB"},
	{OPTION_SIZE, "size", "SIZE", "the same with a unit"},
	{OPTION_WARMUP, "warmup", "S", "seconds before"},
	{0, "What may be written", NULL, NULL},
	{OPTION_YES, "yes", NULL, "ask nothing"},
	{'v', "verbose", NULL, "say more"},
	{0, NULL, NULL, NULL},
};

/* Writes down what it is given; "12Q" and every value of --warmup are refused. */
static int take(void *context, const struct option_row *row, const char *value, const char **expected)
{
	struct text *seen = context;

	text_addf(seen, "%s=%s;", row->name, value ? value : "-");
	if (row->key == OPTION_WARMUP)
		return -EINVAL;
	if (value && !strcmp(value, "12Q")) {
		*expected = "a size such as 512M or 8G";
		return -EINVAL;
	}
	return 0;
}

struct outcome {
	int first;
	char *seen;
	char *error;
	char *argv[16];
};

static struct outcome parse_with(int (*parser)(int, char **, const struct option_row *,
					       int (*)(void *, const struct option_row *, const char *, const char **),
					       void *),
				 const char *const *words)
{
	struct outcome outcome = {0};
	struct text seen = {0};
	int count = 0;

	for (; words[count]; count++)
		outcome.argv[count] = (char *)words[count];
	capture(STDERR_FILENO);
	outcome.first = parser(count, outcome.argv, rows, take, &seen);
	outcome.error = captured_text();
	outcome.seen = text_take(&seen);
	return outcome;
}

static struct outcome parse(const char *const *words)
{
	return parse_with(options_parse, words);
}

static void release(struct outcome *outcome)
{
	free(outcome->seen);
	free(outcome->error);
}

#define WORDS(...) ((const char *const[]){"bench", __VA_ARGS__, NULL})

static void assert_taken(const char *const *words, const char *seen, int first, const char *positional)
{
	struct outcome outcome = parse(words);
	struct text rest = {0};
	char *joined;

	assert_string_equal(outcome.error, "");
	assert_string_equal(outcome.seen, seen);
	assert_int_equal(outcome.first, first);
	for (char **word = outcome.argv + outcome.first; *word; word++)
		text_addf(&rest, "%s;", *word);
	joined = text_take(&rest);
	assert_string_equal(joined, positional);
	free(joined);
	release(&outcome);
}

static void assert_refused(const char *const *words, const char *error)
{
	struct outcome outcome = parse(words);

	assert_int_equal(outcome.first, -EINVAL);
	assert_string_equal(outcome.error, error);
	release(&outcome);
}

static void takes_every_form(void **state)
{
	(void)state;
	assert_taken((const char *const[]){"bench", NULL}, "", 1, "");
	assert_taken(WORDS("-s", "8", "-v"), "size-gb=8;verbose=-;", 4, "");
	assert_taken(WORDS("-vs8"), "verbose=-;size-gb=8;", 2, "");
	assert_taken(WORDS("--size-gb", "8", "--size=512M"), "size-gb=8;size=512M;", 4, "");
	assert_taken(WORDS("--size="), "size=;", 2, "");
	assert_taken(WORDS("--verb", "--y"), "verbose=-;yes=-;", 3, "");
	assert_taken(WORDS("-s", "-5"), "size-gb=-5;", 3, "");
}

/* "--size" is the start of "--size-gb" too, and yet a name of its own. */
static void an_exact_name_wins(void **state)
{
	(void)state;
	assert_taken(WORDS("--size", "1G"), "size=1G;", 3, "");
}

static void options_may_follow_targets(void **state)
{
	(void)state;
	assert_taken(WORDS("/mnt", "-v", "/srv", "--size", "1G"), "verbose=-;size=1G;", 4, "/mnt;/srv;");
	assert_taken(WORDS("a", "-v", "--", "-s", "--foo"), "verbose=-;", 3, "a;-s;--foo;");
	assert_taken(WORDS("-"), "", 1, "-;");
}

static void assert_led(const char *const *words, const char *seen, int first)
{
	struct outcome outcome = parse_with(options_parse_leading, words);

	assert_string_equal(outcome.error, "");
	assert_string_equal(outcome.seen, seen);
	assert_int_equal(outcome.first, first);
	/* Nothing is moved: what follows is another program's. */
	for (int i = 0; words[i]; i++)
		assert_string_equal(outcome.argv[i], words[i]);
	release(&outcome);
}

static void leading_options_end_at_the_first_word(void **state)
{
	(void)state;
	assert_led(WORDS("-v", "ls", "-v", "--size", "1G"), "verbose=-;", 2);
	assert_led(WORDS("-v", "--", "-v", "--foo"), "verbose=-;", 3);
	assert_led(WORDS("-s", "--", "-v", "ls"), "size-gb=--;verbose=-;", 4);
	assert_led(WORDS("ls", "--foo"), "", 1);
	assert_led(WORDS("-v"), "verbose=-;", 2);
}

static void values_of_several_commands(void **state)
{
	const char *expected, *string = "untouched";
	char **list = NULL;
	size_t count = 0;
	uint64_t ns = 7;

	(void)state;
	assert_int_equal(option_string(&string, "", &expected), -EINVAL);
	assert_string_equal(string, "untouched");
	assert_int_equal(option_string(&string, "x", &expected), 0);
	assert_string_equal(string, "x");

	assert_int_equal(option_list(&list, &count, "a,b c", &expected), 0);
	assert_int_equal(option_list(&list, &count, "d", &expected), 0);
	assert_int_equal(count, 3);
	assert_string_equal(list[1], "b c");
	assert_string_equal(list[2], "d");
	assert_null(list[3]);
	assert_int_equal(option_list(&list, &count, "", &expected), -EINVAL);
	assert_int_equal(option_list(&list, &count, "e,", &expected), -EINVAL);
	strings_free(list);

	assert_int_equal(option_seconds(&ns, "0", 0, &expected), 0);
	assert_int_equal(ns, 0);
	assert_int_equal(option_seconds(&ns, "0.05", 100000000, &expected), -EINVAL);
	assert_int_equal(option_seconds(&ns, "8640001", 0, &expected), -EINVAL);
	assert_int_equal(ns, 0);
	assert_int_equal(option_seconds(&ns, "8640000", 0, &expected), 0);
	assert_int_equal(ns, 8640000000000000);
}

static void starts_afresh_each_time(void **state)
{
	(void)state;
	assert_refused(WORDS("-vx"), "iostrata bench: unknown option '-x' (see iostrata bench -h)\n");
	assert_taken(WORDS("-v", "a"), "verbose=-;", 2, "a;");
	assert_taken(WORDS("-v", "a"), "verbose=-;", 2, "a;");
}

static void refuses_unknown_options(void **state)
{
	(void)state;
	assert_refused(WORDS("--foo"), "iostrata bench: unknown option '--foo' (see iostrata bench -h)\n");
	assert_refused(WORDS("a", "--foo=3", "-v"), "iostrata bench: unknown option '--foo' (see iostrata bench -h)\n");
	assert_refused(WORDS("-Z"), "iostrata bench: unknown option '-Z' (see iostrata bench -h)\n");
	assert_refused(WORDS("-v\033"), "iostrata bench: unknown option '-\\x1b' (see iostrata bench -h)\n");
	assert_refused(WORDS("--What to run"),
		       "iostrata bench: unknown option '--What to run' (see iostrata bench -h)\n");
}

static void refuses_ambiguous_prefixes(void **state)
{
	(void)state;
	assert_refused(WORDS("--siz=3"),
		       "iostrata bench: option '--siz=3' could be any of --size-gb, --size (see iostrata bench -h)\n");
}

static void refuses_missing_and_needless_values(void **state)
{
	(void)state;
	assert_refused(WORDS("a", "-s"),
		       "iostrata bench: option '-s/--size-gb' needs a value: N (see iostrata bench -h)\n");
	assert_refused(WORDS("--size"),
		       "iostrata bench: option '--size' needs a value: SIZE (see iostrata bench -h)\n");
	assert_refused(WORDS("--yes=1"), "iostrata bench: option '--yes' takes no value (see iostrata bench -h)\n");
	assert_refused(WORDS("--verbose=1"),
		       "iostrata bench: option '--verbose' takes no value (see iostrata bench -h)\n");
}

static void names_the_option_of_a_bad_value(void **state)
{
	(void)state;
	assert_refused(WORDS("--size", "12Q"), "iostrata bench: --size '12Q': expected a size such as 512M or 8G\n");
	assert_refused(WORDS("-s12Q"), "iostrata bench: -s/--size-gb '12Q': expected a size such as 512M or 8G\n");
	assert_refused(WORDS("--size-gb=12Q", "--size=12Q"),
		       "iostrata bench: -s/--size-gb '12Q': expected a size such as 512M or 8G\n");
	assert_refused(WORDS("--warmup", "5"), "iostrata bench: --warmup '5': expected something else\n");
}

static void assert_printed(const struct option_row *printed, const char *expected)
{
	char *text;

	capture(STDOUT_FILENO);
	options_print(printed);
	text = captured_text();
	assert_string_equal(text, expected);
	free(text);
}

static void help_is_aligned(void **state)
{
	(void)state;
	assert_printed(rows, "What to run:\n"
			     "  -s, --size-gb N  size of the test file in GiB\n"
			     "      --size SIZE  the same with a unit\n"
			     "      --warmup S   seconds before\n"
			     "\n"
			     "What may be written:\n"
			     "      --yes        ask nothing\n"
			     "  -v, --verbose    say more\n");
}

/* "twelve x" ends in column 79; one letter more goes to the next line. Columns count, not bytes. */
static void help_is_wrapped(void **state)
{
	static const struct option_row wrapped[] = {
		{'a', "all", "X", "one two three four five six seven eight nine ten eleven twelve x 14"},
		{'b', "bees", NULL, "one two three four five six seven eight nine ten eleven twelve xy 14"},
		{'c', "c", NULL, "\xc2\xb5\xc2\xb5 two three four five six seven eight nine ten eleven twelve xy"},
		{'d', "an-option-that-is-far-too-long", "ARGUMENT", "below"},
		{0, NULL, NULL, NULL},
	};

	(void)state;
	assert_printed(wrapped,
		       "  -a, --all X  one two three four five six seven eight nine ten eleven twelve x\n"
		       "               14\n"
		       "  -b, --bees   one two three four five six seven eight nine ten eleven twelve\n"
		       "               xy 14\n"
		       "  -c, --c      \xc2\xb5\xc2\xb5 two three four five six seven eight nine ten eleven twelve xy\n"
		       "  -d, --an-option-that-is-far-too-long ARGUMENT\n"
		       "               below\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(takes_every_form),
		cmocka_unit_test(an_exact_name_wins),
		cmocka_unit_test(options_may_follow_targets),
		cmocka_unit_test(leading_options_end_at_the_first_word),
		cmocka_unit_test(values_of_several_commands),
		cmocka_unit_test(starts_afresh_each_time),
		cmocka_unit_test(refuses_unknown_options),
		cmocka_unit_test(refuses_ambiguous_prefixes),
		cmocka_unit_test(refuses_missing_and_needless_values),
		cmocka_unit_test(names_the_option_of_a_bad_value),
		cmocka_unit_test(help_is_aligned),
		cmocka_unit_test(help_is_wrapped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
