// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/log.h"
#include "base/options.h"
#include "base/text.h"
#include "command.h"
#include "load.h"
#include "report/split.h"
#include "result/split.h"

enum key { KEY_HOST = 256, KEY_JSON };

static const struct option_row rows[] = {
	{KEY_HOST, "host", "HOST.json",
	 "divide the device time of GUEST.json, the result of a virtual machine, with the help of this one: what "
	 "trace -p PID -o DIR, of the virtual machine monitor, wrote on its host meanwhile"},
	{KEY_JSON, "json", NULL, "print it as JSON"},
	{'h', "help", NULL, "show this"},
	{0},
};

/* One invocation. */
struct compare {
	const char *host, *guest;
	bool json, help;
};

static int take(void *context, const struct option_row *row, const char *value, const char **expected)
{
	struct compare *compare = context;

	switch (row->key) {
	case KEY_HOST:
		*expected = "the name of a file";
		compare->host = value;
		return *value ? 0 : -EINVAL;
	case KEY_JSON:
		compare->json = true;
		return 0;
	case 'h':
		compare->help = true;
		return 0;
	}
	return -EINVAL;
}

static void print_help(void)
{
	puts("usage: iostrata compare --host HOST.json GUEST.json\n"
	     "\n"
	     "Shows what a virtual machine's device time is made of: the way to its host and\n"
	     "back, the host's kernel, and the host's device.\n");
	options_print(rows);
}

static int parse(struct compare *compare, int argc, char **argv)
{
	int first = options_parse(argc, argv, rows, take, compare);

	if (first < 0 || compare->help)
		return first < 0 ? first : 0;
	if (!compare->host)
		return log_failure(-EINVAL,
				   "--host is missing: a virtual machine's result and its host's are all that can be "
				   "compared so far, with --host HOST.json GUEST.json (see iostrata compare -h)");
	if (argc - first != 1)
		return log_failure(-EINVAL,
				   "one result of the virtual machine is expected beside --host, and %d are given",
				   argc - first);
	compare->guest = argv[first];
	return 0;
}

static void print(const struct compare *compare, const struct split *split)
{
	struct text text = {0};
	char *json;

	if (compare->json) {
		json = split_to_json(split);
		puts(json);
		free(json);
		return;
	}
	report_split(split, log_colourful(STDOUT_FILENO), &text);
	fwrite(text.data, 1, text.length, stdout);
	text_free(&text);
}

static int divide(const struct compare *compare)
{
	struct result *host = load_result(compare->host), *guest = host ? load_result(compare->guest) : NULL;
	int status = EXIT_FAILED;
	struct split split;

	if (guest) {
		split_of_results(&split, host, guest);
		print(compare, &split);
		status = split.obstacle ? EXIT_FAILED : EXIT_DONE;
		split_clear(&split);
	}
	result_free(guest);
	result_free(host);
	return status;
}

int command_compare(int argc, char **argv)
{
	struct compare compare = {0};

	if (parse(&compare, argc, argv))
		return EXIT_USAGE;
	if (compare.help) {
		print_help();
		return EXIT_DONE;
	}
	return divide(&compare);
}
