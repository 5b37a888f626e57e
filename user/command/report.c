// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/options.h"
#include "base/output.h"
#include "base/text.h"
#include "base/utf8.h"
#include "command.h"
#include "common.h"
#include "load.h"
#include "report/csv.h"
#include "report/layers.h"
#include "report/terminal.h"
#include "report/trace.h"

enum key { KEY_CSV = 256 };

static const struct option_row rows[] = {
	{KEY_CSV, "csv", "FILE", "write the figures as CSV to this new file, too; of one result of bench"},
	{'v', "verbose", NULL, "show more: of bench, what each device of the stack did in each test"},
	{'h', "help", NULL, "show this"},
	{0},
};

/* One invocation. */
struct report {
	const char *csv;
	bool verbose, help;
	char *const *file;
	size_t files, shown;
};

/* --- the command line --- */

static int take(void *context, const struct option_row *row, const char *value, const char **expected)
{
	struct report *report = context;

	switch (row->key) {
	case KEY_CSV:
		*expected = "the name of a file";
		report->csv = value;
		return *value ? 0 : -EINVAL;
	case 'v':
		report->verbose = true;
		return 0;
	case 'h':
		report->help = true;
		return 0;
	}
	return -EINVAL;
}

static void print_help(void)
{
	puts("usage: iostrata report [options] RESULT...\n"
	     "\n"
	     "Shows results that bench or trace have saved (iostrata_*.json), as they did.\n");
	options_print(rows);
}

static int parse(struct report *report, int argc, char **argv)
{
	int first = options_parse(argc, argv, rows, take, report);

	if (first < 0 || report->help)
		return first < 0 ? first : 0;
	report->file = argv + first;
	report->files = argc - first;
	if (!report->files)
		return log_failure(-EINVAL,
				   "no result: name a file that bench or trace has written, iostrata_*.json (see "
				   "iostrata report -h)");
	if (report->csv && report->files > 1)
		return log_failure(-EINVAL, "--csv is of one result, and %zu are given", report->files);
	return 0;
}

/* --- output --- */

static void print(const struct report *report, const struct result *result)
{
	bool colour = log_colourful(STDOUT_FILENO);
	struct text text = {0};

	if (result_is_trace(result))
		report_trace(result, colour, report->verbose, &text);
	else
		report_terminal(result, colour, &text);
	if (report->verbose && !result_is_trace(result))
		report_layers(result, colour, &text);
	fwrite(text.data, 1, text.length, stdout);
	text_free(&text);
}

static struct output_file *open_csv(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *directory = slash ? xasprintf("%.*s", (int)(slash - path) + 1, path) : xstrdup(".");
	struct output_file *file = NULL;
	struct stat st;

	if (!lstat(path, &st))
		log_error("%s: exists already, and is left as it is", path);
	else
		file = output_open(directory, slash ? slash + 1 : path);
	free(directory);
	return file;
}

static int write_csv(const char *path, const struct result *result)
{
	struct output_file *file = open_csv(path);
	struct text csv = {0};
	int err = -EINVAL;

	if (file) {
		report_csv(result, &csv);
		err = output_write(file, csv.data, csv.length);
	}
	if (!err)
		puts(output_path(file));
	text_free(&csv);
	output_close(file);
	return err;
}

static void print_name(struct report *report, const char *path)
{
	char *name = utf8_printable(path);

	printf("%s%s:\n", report->shown++ ? "\n" : "", name);
	free(name);
}

static int show(struct report *report, const char *path)
{
	struct result *result = load_result(path);
	int err = 0;

	if (!result)
		return -EINVAL;
	if (report->files > 1)
		print_name(report, path);
	print(report, result);
	if (report->csv && result_is_trace(result))
		err = log_failure(-EINVAL, "%s: is of trace, and has no figures for --csv", path);
	else if (report->csv)
		err = write_csv(report->csv, result);
	result_free(result);
	return err;
}

int command_report(int argc, char **argv)
{
	struct report report = {0};
	int status = EXIT_DONE;

	if (parse(&report, argc, argv))
		return EXIT_USAGE;
	if (report.help) {
		print_help();
		return EXIT_DONE;
	}
	for (size_t i = 0; i < report.files; i++)
		if (show(&report, report.file[i]))
			status = EXIT_FAILED;
	return status;
}
