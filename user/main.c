// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

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
	{"trace", command_trace, "show where the time of a program's I/Os goes"},
	{"compare", command_compare, "divide a virtual machine's device time with the help of its host"},
	{"report", command_report, "show saved results again, in more detail if wanted"},
	{"doctor", command_doctor, "say whether it can work here, what this machine is, and what to fix"},
};

static void print_help(void)
{
	puts("usage: iostrata COMMAND ...\n");
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		printf("  %-10s%s\n", commands[i].name, commands[i].help);
	puts("\niostrata COMMAND -h says more; iostrata --version tells the version.");
}

/* A descriptor of ours in the place of a closed one would get what is meant for stdout, or be closed as stdin. */
static int fill_standard_descriptors(void)
{
	int fd;

	do {
		fd = open("/dev/null", O_RDWR);
	} while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd < 0)
		return log_failure(EXIT_FAILED, "/dev/null cannot be opened: %m");
	close(fd);
	return EXIT_DONE;
}

/* A reader that had enough, as head(1), is not an error. */
static bool reader_left(void)
{
	struct pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT};

	return poll(&out, 1, 0) > 0 && (out.revents & POLLERR);
}

/* Stopped, refused, or the program's own status: they tell more. */
static bool outranks_failure(int status)
{
	return status == EXIT_USAGE || status >= EXIT_OURS;
}

/*
 * What was printed may not have arrived, as on a full disk. Where more than the buffer holds was printed at once the
 * error came earlier, and errno is another one by now.
 */
static int check_output(int status)
{
	bool before = ferror(stdout);

	if (!fflush(stdout) && !before)
		return status;
	if (!before && errno != EPIPE)
		log_error("standard output cannot be written: %m");
	else if (before && !reader_left())
		log_error("standard output cannot be written: a part of what was printed is missing");
	else
		return status;
	return outranks_failure(status) ? status : EXIT_FAILED;
}

static int run_command(int argc, char **argv)
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

int main(int argc, char **argv)
{
	int status = fill_standard_descriptors();

	return status == EXIT_DONE ? check_output(run_command(argc, argv)) : status;
}
