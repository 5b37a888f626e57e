// SPDX-License-Identifier: GPL-2.0
#include "doctor_options.h"

#include <errno.h>
#include <stdio.h>

#include "base/log.h"
#include "base/options.h"

enum key { KEY_JSON = 256, KEY_PROBE };

static const struct option_row rows[] = {
	{KEY_PROBE, "probe", NULL,
	 "read one block of each target again and again: the least that the way to it and back takes"},
	{KEY_JSON, "json", NULL, "print all of it as JSON"},
	{'v', "verbose", NULL, "show where each value is from, details, and all that tells which machine it is"},
	{'h', "help", NULL, "show this"},
	{0},
};

static int take(void *context, const struct option_row *row, const char *value, const char **expected)
{
	struct doctor_options *to = context;

	(void)value, (void)expected;
	switch (row->key) {
	case KEY_PROBE:
		to->probe = true;
		return 0;
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

int doctor_options_parse(struct doctor_options *options, int argc, char **argv)
{
	int first;

	*options = (struct doctor_options){0};
	first = options_parse(argc, argv, rows, take, options);
	if (first < 0 || options->help)
		return first < 0 ? first : 0;
	options->target = argv + first;
	options->targets = (size_t)(argc - first);
	if (options->probe && !options->targets)
		return log_failure(-EINVAL, "--probe reads from a target, and none is given");
	return 0;
}

void doctor_options_print(void)
{
	puts("usage: iostrata doctor [options] [TARGET...]\n"
	     "       iostrata doctor [options] RESULT\n"
	     "\n"
	     "Says whether iostrata can work here, what this machine is, what each TARGET (a\n"
	     "directory, a file or a block device) is, and what to fix. Nothing is written.\n"
	     "Of a saved RESULT (*.json), what the machine was that measured it.\n");
	options_print(rows);
}
