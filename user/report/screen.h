/* SPDX-License-Identifier: GPL-2.0 */
/* Paragraphs and columns on a screen of 80 columns. */
#ifndef REPORT_SCREEN_H
#define REPORT_SCREEN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

#define SCREEN_COLUMNS 80

enum style { STYLE_PLAIN, STYLE_HEADING, STYLE_WARNING, STYLE_FAILED };

struct screen {
	struct text *out;
	bool colour;
};

/* A space at which no line is broken. */
#define KEEP "\u00a0"

/* Between parts of a line, which may be broken behind the dot. */
#define DOT KEEP "· "

/* Puts KEEP in place of the spaces of a number with its unit. Returns `out`, which has room for both. */
char *keep_together(char *out, size_t room);

/*
 * Prints `text` in lines that end at spaces; the second and later lines begin with `indent` blanks. A word longer than
 * a line gets one of its own. Names and messages may be in it as they are: see utf8_printable().
 */
void screen_paragraph(const struct screen *screen, enum style style, size_t indent, const char *text);
void screen_paragraphf(const struct screen *screen, enum style style, size_t indent, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/*
 * Prints each line of `text` as a paragraph, but those that begin with a blank as they are: they are commands, which
 * are copied from the screen.
 */
void screen_lines(const struct screen *screen, enum style style, const char *text);

void screen_empty_line(const struct screen *screen);

/* Prints `line`, which is clean and fits, as it is. */
void screen_line(const struct screen *screen, enum style style, const char *line);

/* The first column is aligned left, the others right. */
#define TABLE_COLUMNS 10

struct table_row {
	char *cell[TABLE_COLUMNS]; /* NULL: empty */
	char *span;		   /* a text in place of the cells after the first */
	enum style style;
	enum style cell_style[TABLE_COLUMNS]; /* of a cell in a plain row */
};

/* All zero is an empty table. */
struct table {
	struct table_row *row;
	size_t rows;
};

/* Tables that share a grid stand in line with one another. */
struct grid {
	size_t columns;
	size_t width[TABLE_COLUMNS];
};

/* A new row at the end; valid until the next call. */
struct table_row *table_add(struct table *table, enum style style, const char *first);
void table_set(struct table_row *row, size_t column, const char *cell);
void table_set_styled(struct table_row *row, size_t column, enum style style, const char *cell);

/* Widens the grid so that `table` fits. */
void grid_take(struct grid *grid, const struct table *table);

/* Whether its rows are not longer than a line. */
bool grid_fits(const struct grid *grid);
void table_print(const struct table *table, const struct grid *grid, const struct screen *screen);
void table_free(struct table *table);

#endif
