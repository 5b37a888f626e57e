// SPDX-License-Identifier: GPL-2.0
#include "trace_options.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/options.h"
#include "base/parse.h"
#include "base/text.h"

#define SLOW_RECORDS	 1000
#define MAX_SLOW_RECORDS 100000
#define MAX_SLOWEST	 1000

enum key {
	KEY_NO_CHILDREN = 256,
	KEY_INTERVAL,
	KEY_SLOW,
	KEY_SLOWEST,
	KEY_JSON,
};

static const struct option_row rows[] = {
	{0, "What is traced", NULL, NULL},
	{'p', "pid", "PID,...", "these processes, with their children and those to come"},
	{'g', "cgroup", "CGROUP",
	 "all in this cgroup (v2) and below it, by its path, or as systemd names it: /system.slice/x.service"},
	{'D', "device", "DEVICE,...",
	 "alone: all I/O on these block devices; else only that of the program, the processes or the cgroup on "
	 "them (all disks)"},
	{KEY_NO_CHILDREN, "no-children", NULL, "without the children of the program or the processes"},
	{'u', "user", "USER", "run the program as this user"},
	{0, "How long, and what is kept", NULL, NULL},
	{'d', "duration", "S", "record for this many seconds (until the program or the processes end, or Ctrl-C)"},
	{KEY_INTERVAL, "interval", "S", "print a line every S seconds, on standard error"},
	{KEY_SLOW, "slow", "TIME[,MAX]",
	 "keep every I/O that took TIME or longer, such as 10ms or 250us, up to MAX of them (1000); buffered calls "
	 "and fsync are no I/Os"},
	{KEY_SLOWEST, "slowest", "N", "keep the N slowest I/Os, not buffered calls or fsync (64)"},
	{0, "Output", NULL, NULL},
	{'o', "outdir", "DIR", "write all that is known to a JSON file in this directory (no file is written)"},
	{KEY_JSON, "json", NULL, "print a summary as JSON instead of the report; not with a program"},
	{'v', "verbose", NULL, "say more about what is done and what was seen"},
	{'h', "help", NULL, "show this"},
	{0},
};

static int take_pids(struct trace_options *to, const char *value, const char **expected)
{
	char **number = NULL;
	size_t count = 0;
	unsigned pid;
	int err = option_list(&number, &count, value, expected);

	*expected = "numbers of processes, separated by commas";
	for (size_t i = 0; i < count && !err; i++) {
		err = parse_count(number[i], 1, INT_MAX, &pid);
		to->pid = xreallocarray(to->pid, to->pids + 1, sizeof(*to->pid));
		to->pid[to->pids++] = (pid_t)pid;
	}
	strings_free(number);
	return err;
}

static int take_slow(struct trace_options *to, const char *value, const char **expected)
{
	const char *comma = strchr(value, ',');
	char *latency = comma ? xasprintf("%.*s", (int)(comma - value), value) : xstrdup(value);
	int err = parse_latency(latency, &to->options.slow_from);

	free(latency);
	*expected = "a time with its unit (ns, us, ms, s), such as 10ms or 250us";
	if (err || !to->options.slow_from)
		return -EINVAL;
	*expected = "a whole number from 1 to 100000 after the comma";
	return comma ? parse_count(comma + 1, 1, MAX_SLOW_RECORDS, &to->slow_records) : 0;
}

static int take(void *context, const struct option_row *row, const char *value, const char **expected)
{
	struct trace_options *to = context;

	switch (row->key) {
	case 'p':
		return take_pids(to, value, expected);
	case 'g':
		return option_string(&to->cgroup, value, expected);
	case 'D':
		return option_list(&to->device, &to->devices, value, expected);
	case KEY_NO_CHILDREN:
		to->no_children = true;
		return 0;
	case 'u':
		return option_string(&to->user, value, expected);
	case 'd':
		return option_seconds(&to->options.duration, value, NS_PER_SECOND / 10, expected);
	case KEY_INTERVAL:
		return option_seconds(&to->options.interval, value, NS_PER_SECOND / 10, expected);
	case KEY_SLOW:
		return take_slow(to, value, expected);
	case KEY_SLOWEST:
		*expected = "a whole number from 0 to 1000";
		return parse_count(value, 0, MAX_SLOWEST, &to->slowest);
	case 'o':
		return option_string(&to->outdir, value, expected);
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

/* What goes together, and what does not. */
static int check(const struct trace_options *options)
{
	int subjects = (options->program != NULL) + (options->pids > 0) + (options->cgroup != NULL);

	if (subjects > 1)
		return log_failure(-EINVAL, "trace takes one of a program, -p and -g%s%s%s",
				   options->program ? ": '" : "", options->program ? options->program[0] : "",
				   options->program ? "' is taken for a program" : "");
	if (!subjects && !options->devices)
		return log_failure(-EINVAL,
				   "nothing to trace: give a program (-- PROGRAM ARG...), -p PID, -g CGROUP or "
				   "-D DEVICE (see iostrata trace -h)");
	if (options->user && !options->program)
		return log_failure(-EINVAL, "-u/--user is for a program that trace starts, and none is given");
	if (options->no_children && !options->program && !options->pids)
		return log_failure(-EINVAL, "--no-children is for a program or -p, and neither is given");
	if (options->json && options->program)
		return log_failure(-EINVAL, "--json: standard output is the program's own; -o DIR writes all that is "
					    "known to a file");
	return 0;
}

int trace_options_parse(struct trace_options *options, int argc, char **argv)
{
	int first;

	*options = (struct trace_options){
		.options = {.iterations = 1, .latency = LATENCY_LAT, .trace = true, .queue = true, .ios = true},
		.slowest = SLOWEST,
	};
	first = options_parse_leading(argc, argv, rows, take, options);
	if (first < 0)
		return first;
	if (options->help)
		return 0;
	if (first < argc)
		options->program = argv + first;
	if (options->options.slow_from && !options->slow_records)
		options->slow_records = SLOW_RECORDS;
	return check(options);
}

void trace_options_clear(struct trace_options *options)
{
	strings_free(options->device);
	free(options->pid);
	*options = (struct trace_options){0};
}

void trace_options_print(void)
{
	puts("usage: iostrata trace [options] [--] PROGRAM ARG...\n"
	     "       iostrata trace [options] -p PID,... | -g CGROUP | -D DEVICE,...\n"
	     "\n"
	     "Follows I/Os from the call that begins them to its return, and shows where\n"
	     "their time goes.\n");
	options_print(rows);
}
