// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/text.h"
#include "command/command.h"
#include "version.h"

static const struct command {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *help;
} commands[] = {
	{"bench", command_bench, "run the disk benchmark matrix and report where the time goes"},
};

static void print_help(void)
{
	puts("usage: iostrata COMMAND ...\n");
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		printf("  %-10s%s\n", commands[i].name, commands[i].help);
	puts("\niostrata COMMAND -h says more; iostrata --version tells the version.");
}

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : NULL;

	if (name && (!strcmp(name, "-h") || !strcmp(name, "--help") || !strcmp(name, "help"))) {
		print_help();
		return EXIT_DONE;
	}
	if (name && (!strcmp(name, "-V") || !strcmp(name, "--version"))) {
		puts("iostrata " IOSTRATA_VERSION);
		return EXIT_DONE;
	}
	for (size_t i = 0; name && i < ARRAY_SIZE(commands); i++)
		if (!strcmp(name, commands[i].name))
			return commands[i].run(argc - 1, argv + 1);
	if (name)
		log_error("unknown command '%s' (see iostrata -h)", name);
	else
		log_error("no command: try iostrata bench DIRECTORY (see iostrata -h)");
	return EXIT_USAGE;
}
