// SPDX-License-Identifier: GPL-2.0
#include "screen.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

#define MOST_GAP 3

static const char *const style_start[] = {
	[STYLE_PLAIN] = "",
	[STYLE_HEADING] = "\033[1m",
	[STYLE_WARNING] = "\033[33m",
	[STYLE_FAILED] = "\033[31m",
};

static void add_styled(struct text *text, bool colour, enum style style, const char *part, size_t length)
{
	bool marked = colour && style != STYLE_PLAIN && length;

	if (marked)
		text_addf(text, "%s", style_start[style]);
	text_add(text, part, length);
	if (marked)
		text_addf(text, "\033[0m");
}

/* Marks each line by itself, so that a pager that cuts the text at lines shows it right. */
static void print_line(const struct screen *screen, enum style style, const char *line, size_t length)
{
	add_styled(screen->out, screen->colour, style, line, length);
	text_addf(screen->out, "\n");
}

static void undo_keeps(char *string)
{
	for (char *at = strstr(string, KEEP); at; at = strstr(at, KEEP)) {
		*at++ = ' ';
		memmove(at, at + strlen(KEEP) - 1, strlen(at + strlen(KEEP) - 1) + 1);
	}
}

char *keep_together(char *out, size_t room)
{
	char *copy = xstrdup(out);
	struct text kept = {0};

	for (const char *at = copy; *at; at++)
		text_addf(&kept, *at == ' ' ? KEEP : "%c", *at);
	if (kept.length < room && kept.data)
		memcpy(out, kept.data, kept.length + 1);
	text_free(&kept);
	free(copy);
	return out;
}

/* Where the line that starts at `text` ends, if it may take `columns`: at the last space that fits, or the first. */
static size_t line_length(const char *text, size_t columns)
{
	size_t end = 0, used = 0;

	for (size_t at = 0; text[at]; at++) {
		used += (text[at] & 0xc0) != 0x80;
		if (used > columns && end)
			return end;
		if (text[at + 1] == ' ' || !text[at + 1])
			end = at + 1;
	}
	return end;
}

/* The words of a clean `text`, the first line after what is in `line` already. */
static void print_wrapped(const struct screen *screen, enum style style, struct text *line, size_t indent,
			  const char *text)
{
	size_t used = line->length ? text_columns(line->data) : 0;

	do {
		size_t length = line_length(text, used < SCREEN_COLUMNS ? SCREEN_COLUMNS - used : 1);

		text_add(line, text, length);
		undo_keeps(line->data);
		print_line(screen, style, line->data, strlen(line->data));
		line->length = 0;
		text += length;
		text += strspn(text, " ");
		text_addf(line, "%*s", (int)indent, "");
		used = indent;
	} while (*text);
	text_free(line);
}

void screen_paragraph(const struct screen *screen, enum style style, size_t indent, const char *text)
{
	char *clean = utf8_printable(text);
	struct text line = {0};

	print_wrapped(screen, style, &line, indent, clean);
	free(clean);
}

void screen_paragraphf(const struct screen *screen, enum style style, size_t indent, const char *format, ...)
{
	va_list arguments, again;
	char *string;
	int length;

	va_start(arguments, format);
	va_copy(again, arguments);
	length = vsnprintf(NULL, 0, format, arguments);
	va_end(arguments);
	string = xcalloc((size_t)length + 1, 1);
	vsnprintf(string, (size_t)length + 1, format, again);
	va_end(again);
	screen_paragraph(screen, style, indent, string);
	free(string);
}

void screen_lines(const struct screen *screen, enum style style, const char *text)
{
	while (*text) {
		size_t length = strcspn(text, "\n");
		char *line = xasprintf("%.*s", (int)length, text), *clean = utf8_printable(line);

		if (*line == ' ')
			screen_line(screen, style, clean);
		else
			screen_paragraph(screen, style, 0, line);
		free(clean);
		free(line);
		text += length + (text[length] == '\n');
	}
}

void screen_empty_line(const struct screen *screen)
{
	print_line(screen, STYLE_PLAIN, "", 0);
}

void screen_line(const struct screen *screen, enum style style, const char *line)
{
	print_line(screen, style, line, strlen(line));
}

struct table_row *table_add(struct table *table, enum style style, const char *first)
{
	struct table_row *row;

	table->row = xreallocarray(table->row, table->rows + 1, sizeof(*table->row));
	row = &table->row[table->rows++];
	*row = (struct table_row){.style = style};
	table_set(row, 0, first);
	return row;
}

void table_set(struct table_row *row, size_t column, const char *cell)
{
	free(row->cell[column]);
	row->cell[column] = utf8_printable(cell);
}

void table_set_styled(struct table_row *row, size_t column, enum style style, const char *cell)
{
	table_set(row, column, cell);
	row->cell_style[column] = style;
}

void grid_take(struct grid *grid, const struct table *table)
{
	for (size_t i = 0; i < table->rows; i++) {
		for (size_t column = 0; column < TABLE_COLUMNS; column++) {
			const char *cell = table->row[i].cell[column];
			size_t width = cell ? text_columns(cell) : 0;

			if (width > grid->width[column])
				grid->width[column] = width;
			if (cell && column >= grid->columns)
				grid->columns = column + 1;
		}
	}
}

static size_t cell_columns(const struct grid *grid)
{
	size_t used = 0;

	for (size_t i = 0; i < grid->columns; i++)
		used += grid->width[i];
	return used;
}

bool grid_fits(const struct grid *grid)
{
	return !grid->columns || cell_columns(grid) + grid->columns - 1 <= SCREEN_COLUMNS;
}

/* Blanks before `column`: what the cells leave free is spread evenly, the remainder goes behind the names. */
static size_t gap_before(const struct grid *grid, size_t column)
{
	size_t used = cell_columns(grid), gaps = grid->columns - 1, free_columns;

	if (used + gaps >= SCREEN_COLUMNS)
		return 1;
	free_columns = SCREEN_COLUMNS - used;
	if (free_columns / gaps >= MOST_GAP)
		return MOST_GAP;
	return free_columns / gaps + (column == 1 ? free_columns % gaps : 0);
}

static int blanks_beside(const char *cell, size_t width)
{
	size_t columns = text_columns(cell);

	return columns < width ? (int)(width - columns) : 0;
}

static void add_left(struct text *line, const char *cell, size_t width)
{
	text_addf(line, "%s%*s", cell, blanks_beside(cell, width), "");
}

static void add_right(struct text *line, const struct table_row *row, size_t column, const struct grid *grid,
		      bool colour)
{
	const char *cell = row->cell[column] ? row->cell[column] : "";

	text_addf(line, "%*s", (int)gap_before(grid, column) + blanks_beside(cell, grid->width[column]), "");
	add_styled(line, colour && row->style == STYLE_PLAIN, row->cell_style[column], cell, strlen(cell));
}

static void print_span(const struct table_row *row, const struct grid *grid, const struct screen *screen)
{
	char *clean = utf8_printable(row->span);
	struct text line = {0};

	add_left(&line, row->cell[0], grid->width[0]);
	text_addf(&line, "  ");
	print_wrapped(screen, row->style, &line, grid->width[0] + 2, clean);
	free(clean);
}

static void print_cells(const struct table_row *row, const struct grid *grid, const struct screen *screen)
{
	size_t last = TABLE_COLUMNS - 1;
	struct text line = {0};

	while (last && !row->cell[last])
		last--;
	add_left(&line, row->cell[0], last ? grid->width[0] : 0);
	for (size_t column = 1; column <= last; column++)
		add_right(&line, row, column, grid, screen->colour);
	print_line(screen, row->style, line.data, line.length);
	text_free(&line);
}

void table_print(const struct table *table, const struct grid *grid, const struct screen *screen)
{
	for (size_t i = 0; i < table->rows; i++) {
		if (table->row[i].span)
			print_span(&table->row[i], grid, screen);
		else
			print_cells(&table->row[i], grid, screen);
	}
}

void table_free(struct table *table)
{
	for (size_t i = 0; i < table->rows; i++) {
		for (size_t column = 0; column < TABLE_COLUMNS; column++)
			free(table->row[i].cell[column]);
		free(table->row[i].span);
	}
	free(table->row);
	*table = (struct table){0};
}
