// SPDX-License-Identifier: GPL-2.0
#include "cells.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/format.h"

/* --- cells --- */

void cell_number(struct table_row *row, size_t column, double value, int places)
{
	char number[FORMAT_LENGTH];

	table_set(row, column, format_fixed(number, value, places));
}

void cell_count(struct table_row *row, size_t column, double value)
{
	char number[FORMAT_LENGTH];

	table_set(row, column, format_count(number, (uint64_t)(value + 0.5)));
}

void cell_size(struct table_row *row, size_t column, uint64_t bytes)
{
	char size[FORMAT_LENGTH];

	table_set(row, column, format_size(size, bytes));
}

void cell_latency(struct table_row *row, size_t column, bool known, double ns)
{
	char number[FORMAT_LENGTH];

	table_set(row, column, known ? format_latency(number, ns) : "-");
}

void cell_percent(struct table_row *row, size_t column, bool known, double percent)
{
	char number[FORMAT_LENGTH], *cell;

	if (!known) {
		table_set(row, column, "-");
		return;
	}
	cell = xasprintf("%s %%", format_fixed(number, percent, 1));
	table_set(row, column, cell);
	free(cell);
}

void cell_verdict(struct table_row *row, size_t column, enum verdict verdict)
{
	enum style style = verdict_style(verdict);

	table_set_styled(row, column, style, verdict == VERDICT_NONE ? "-" : verdict_name[verdict]);
}

enum style verdict_style(enum verdict verdict)
{
	return verdict == VERDICT_NOT_REAL ? STYLE_FAILED : verdict == VERDICT_SUSPECT ? STYLE_WARNING : STYLE_PLAIN;
}

/* Whole hundredths below it; all is said without any. */
static char *format_coverage(char number[FORMAT_LENGTH], double percent)
{
	return format_fixed(number, (double)(uint64_t)(percent * 100) / 100, percent < 100 ? 2 : 0);
}

void cell_coverage(struct table_row *row, size_t column, double percent)
{
	char number[FORMAT_LENGTH];

	table_set(row, column, format_coverage(number, percent));
}

char *coverage_in_words(uint64_t part, uint64_t whole)
{
	char number[FORMAT_LENGTH];

	return xasprintf("%s %%", format_coverage(number, whole ? 100 * (double)part / (double)whole : 0));
}

/* --- facts --- */

void fact_add(struct text *list, const char *format, ...)
{
	va_list arguments;
	char *fact;

	va_start(arguments, format);
	if (vasprintf(&fact, format, arguments) < 0)
		fact = xstrdup(format);
	va_end(arguments);
	text_addf(list, "%s", list->length ? DOT : "");
	for (const char *at = fact; *at; at++)
		text_addf(list, *at == ' ' ? KEEP : "%c", *at);
	free(fact);
}

void fact_count(struct text *list, uint64_t count, const char *one, const char *many)
{
	char number[FORMAT_LENGTH];

	if (count)
		fact_add(list, "%s %s", format_count(number, count), count == 1 ? one : many);
}

void facts_print(const struct screen *screen, enum style style, struct text *list)
{
	if (list->length) {
		char *indented = xasprintf(KEEP KEEP "%s", list->data);

		screen_paragraph(screen, style, 2, indented);
		free(indented);
	}
	text_free(list);
}
