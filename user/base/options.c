// SPDX-License-Identifier: GPL-2.0
#include "options.h"

#include "clock.h"
#include "log.h"
#include "parse.h"
#include "text.h"

#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE_WIDTH     79
#define LONGEST	       (8640000 * NS_PER_SECOND)
#define MAX_LEFT_WIDTH 30 /* an option wider than this gets a line of its own */

static bool is_option(const struct option_row *row)
{
	return row->help;
}

static bool has_letter(const struct option_row *row)
{
	return row->key > 0 && row->key <= 255;
}

/* What getopt wants, made from the rows. */
struct getopt_tables {
	struct text letters;
	struct option *names;
};

static struct getopt_tables make_tables(const struct option_row *rows, bool leading)
{
	struct getopt_tables tables = {0};
	size_t count = 0;

	/* A missing value is told from an unknown option. */
	text_addf(&tables.letters, leading ? "+:" : ":");
	for (const struct option_row *row = rows; row->name; row++) {
		const struct option name = {row->name, row->argument ? required_argument : no_argument, NULL, row->key};

		if (!is_option(row))
			continue;
		tables.names = xreallocarray(tables.names, count + 2, sizeof(*tables.names));
		tables.names[count++] = name;
		tables.names[count] = (struct option){0};
		if (has_letter(row))
			text_addf(&tables.letters, "%c%s", row->key, row->argument ? ":" : "");
	}
	if (!tables.names)
		tables.names = xcalloc(1, sizeof(*tables.names));
	return tables;
}

static void free_tables(struct getopt_tables *tables)
{
	text_free(&tables->letters);
	free(tables->names);
}

static const struct option_row *find_row(const struct option_row *rows, int key)
{
	for (; rows->name; rows++) {
		if (is_option(rows) && rows->key == key)
			return rows;
	}
	return NULL;
}

/* "-s/--size-gb": whichever of the two was typed is found in the message. */
static char *row_label(const struct option_row *row)
{
	return has_letter(row) ? xasprintf("-%c/--%s", row->key, row->name) : xasprintf("--%s", row->name);
}

static int usage_error(const char *command, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Names the command, as getopt's own messages would. */
static int usage_error(const char *command, const char *format, ...)
{
	va_list arguments;
	char *message;

	va_start(arguments, format);
	if (vasprintf(&message, format, arguments) < 0)
		message = xstrdup(format);
	va_end(arguments);
	log_info("iostrata %s: %s (see iostrata %s -h)", command, message, command);
	free(message);
	return -EINVAL;
}

/* The options that start like `typed` ("--si=3"), separated by commas; empty when there is none. */
static char *candidates(const struct option_row *rows, const char *typed)
{
	struct text list = {0};
	size_t length;

	typed += 2;
	length = strcspn(typed, "=");
	for (; rows->name; rows++) {
		if (is_option(rows) && !strncmp(rows->name, typed, length))
			text_addf(&list, "%s--%s", list.length ? ", " : "", rows->name);
	}
	return text_take(&list);
}

static int unknown_name(const char *command, const struct option_row *rows, const char *typed)
{
	char *list = candidates(rows, typed);

	if (*list)
		usage_error(command, "option '%s' could be any of %s", typed, list);
	else
		usage_error(command, "unknown option '%.*s'", (int)strcspn(typed, "="), typed);
	free(list);
	return -EINVAL;
}

/* getopt said '?': `letter` is its optopt and `typed` the argument it stopped at. */
static int refused(const char *command, const struct option_row *rows, int letter, const char *typed)
{
	const struct option_row *row = letter ? find_row(rows, letter) : NULL;

	if (row)
		return usage_error(command, "option '--%s' takes no value", row->name);
	if (letter)
		return usage_error(command, "unknown option '-%c'", letter);
	return unknown_name(command, rows, typed);
}

static int missing_value(const char *command, const struct option_row *rows, int key)
{
	const struct option_row *row = find_row(rows, key);
	char *label = row_label(row);

	usage_error(command, "option '%s' needs a value: %s", label, row->argument);
	free(label);
	return -EINVAL;
}

static int bad_value(const char *command, const struct option_row *row, const char *value, const char *expected)
{
	char *label = row_label(row);

	if (!expected)
		expected = "something else";
	if (value)
		log_info("iostrata %s: %s '%s': expected %s", command, label, value, expected);
	else
		log_info("iostrata %s: %s: expected %s", command, label, expected);
	free(label);
	return -EINVAL;
}

static int parse(int argc, char **argv, const struct option_row *rows, bool leading,
		 int (*take)(void *context, const struct option_row *row, const char *value, const char **expected),
		 void *context)
{
	struct getopt_tables tables = make_tables(rows, leading);
	int key, error = 0;

	optind = 0; /* glibc: start afresh, whatever was parsed before */
	opterr = 0;
	while (!error && (key = getopt_long(argc, argv, tables.letters.data, tables.names, NULL)) != -1) {
		const struct option_row *row = find_row(rows, key);
		const char *expected = NULL;

		if (key == '?')
			error = refused(argv[0], rows, optopt, argv[optind - 1]);
		else if (key == ':')
			error = missing_value(argv[0], rows, optopt);
		else if (take(context, row, optarg, &expected))
			error = bad_value(argv[0], row, optarg, expected);
	}
	free_tables(&tables);
	return error ? error : optind;
}

int options_parse(int argc, char **argv, const struct option_row *rows,
		  int (*take)(void *context, const struct option_row *row, const char *value, const char **expected),
		  void *context)
{
	return parse(argc, argv, rows, false, take, context);
}

int options_parse_leading(int argc, char **argv, const struct option_row *rows,
			  int (*take)(void *context, const struct option_row *row, const char *value,
				      const char **expected),
			  void *context)
{
	return parse(argc, argv, rows, true, take, context);
}

/* --- values --- */

int option_string(const char **to, const char *value, const char **expected)
{
	*expected = "something that is not empty";
	if (!*value)
		return -EINVAL;
	*to = value;
	return 0;
}

int option_list(char ***list, size_t *count, const char *value, const char **expected)
{
	char *copy = xstrdup(value), *rest = copy, *name;
	int err = 0;

	*expected = "names separated by commas, none of them empty";
	while (!err && (name = strsep(&rest, ","))) {
		if (*name)
			strings_add(list, count, name);
		else
			err = -EINVAL;
	}
	free(copy);
	return err;
}

int option_seconds(uint64_t *ns, const char *value, uint64_t shortest, const char **expected)
{
	uint64_t parsed;

	*expected = shortest ? "seconds from 0.1 to 8640000, such as 30" : "seconds from 0 to 8640000, such as 5";
	if (parse_duration(value, &parsed) || parsed < shortest || parsed > LONGEST)
		return -EINVAL;
	*ns = parsed;
	return 0;
}

/* --- help --- */

static char *left_column(const struct option_row *row)
{
	struct text left = {0};

	if (has_letter(row))
		text_addf(&left, "  -%c, --%s", row->key, row->name);
	else
		text_addf(&left, "      --%s", row->name);
	if (row->argument)
		text_addf(&left, " %s", row->argument);
	return text_take(&left);
}

static size_t left_width(const struct option_row *rows)
{
	size_t widest = 0;

	for (; rows->name; rows++) {
		char *left = is_option(rows) ? left_column(rows) : xstrdup("");
		size_t width = text_columns(left);

		if (width > widest && width <= MAX_LEFT_WIDTH)
			widest = width;
		free(left);
	}
	return widest + 2;
}

static void new_line(struct text *out, size_t indent)
{
	text_addf(out, "\n%*s", (int)indent, "");
}

/* Adds `help` at column `indent`, word by word. */
static void add_wrapped(struct text *out, const char *help, size_t indent)
{
	size_t column = indent;

	while (*help) {
		char *word = xasprintf("%.*s", (int)strcspn(help, " "), help);
		size_t width = text_columns(word);

		if (column > indent && column + 1 + width > LINE_WIDTH) {
			new_line(out, indent);
			column = indent;
		}
		text_addf(out, "%s%s", column > indent ? " " : "", word);
		column += width + (column > indent);
		help += strlen(word);
		help += strspn(help, " ");
		free(word);
	}
	text_add(out, "\n", 1);
}

static void add_row(struct text *out, const struct option_row *row, size_t indent)
{
	char *left = left_column(row);
	size_t width = text_columns(left);

	text_addf(out, "%s", left);
	if (width + 2 > indent)
		new_line(out, indent);
	else
		text_addf(out, "%*s", (int)(indent - width), "");
	add_wrapped(out, row->help, indent);
	free(left);
}

void options_print(const struct option_row *rows)
{
	size_t indent = left_width(rows);
	struct text out = {0};

	for (const struct option_row *row = rows; row->name; row++) {
		if (is_option(row))
			add_row(&out, row, indent);
		else
			text_addf(&out, "%s%s:\n", row == rows ? "" : "\n", row->name);
	}
	fputs(out.data ? out.data : "", stdout);
	text_free(&out);
}
