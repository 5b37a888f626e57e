/* SPDX-License-Identifier: GPL-2.0 */
/* Figures in the cells of a table, and facts in a list. */
#ifndef REPORT_CELLS_H
#define REPORT_CELLS_H

#include "screen.h"

#include <stdint.h>

#include "result/result.h"

void cell_number(struct table_row *row, size_t column, double value, int places);
void cell_count(struct table_row *row, size_t column, double value);
void cell_size(struct table_row *row, size_t column, uint64_t bytes);

/* "-" where it is not known. */
void cell_latency(struct table_row *row, size_t column, bool known, double ns);
void cell_percent(struct table_row *row, size_t column, bool known, double percent);

/* "-" where there is none; what lowers it stands out. */
void cell_verdict(struct table_row *row, size_t column, enum verdict verdict);

enum style verdict_style(enum verdict verdict);

/* Rounded down, without a sign: 99.996 % is not all. */
void cell_coverage(struct table_row *row, size_t column, double percent);

/* The same in words: "99.99 %". The caller frees it. */
char *coverage_in_words(uint64_t part, uint64_t whole);

/* One more fact in the list; lines are broken between facts only. */
void fact_add(struct text *list, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* "1 flush", "1,020 flushes"; nothing for 0. */
void fact_count(struct text *list, uint64_t count, const char *one, const char *many);

/* Prints the list, indented, unless it is empty; empties it. */
void facts_print(const struct screen *screen, enum style style, struct text *list);

#endif
