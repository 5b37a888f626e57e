// SPDX-License-Identifier: GPL-2.0
#include "report/screen.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define TEN "123456789 "

static void check(struct text *out, const char *expected)
{
	assert_string_equal(out->data, expected);
	text_free(out);
}

static void wraps_at_eighty(void **state)
{
	struct text out = {0};
	struct screen screen = {.out = &out};

	(void)state;
	/* 80 columns fit, and the blank after them belongs to no line. */
	screen_paragraph(&screen, STYLE_PLAIN, 2, TEN TEN TEN TEN TEN TEN TEN "1234567890 next");
	check(&out, TEN TEN TEN TEN TEN TEN TEN "1234567890\n  next\n");
	screen_paragraph(&screen, STYLE_PLAIN, 0, TEN TEN TEN TEN TEN TEN TEN "12345678901 next");
	check(&out, TEN TEN TEN TEN TEN TEN "123456789\n12345678901 next\n");
	screen_paragraphf(&screen, STYLE_PLAIN, 4, "%s", "");
	check(&out, "\n");
}

static void counts_columns_not_bytes(void **state)
{
	struct text out = {0};
	struct screen screen = {.out = &out};

	(void)state;
	screen_paragraph(&screen, STYLE_PLAIN, 0, TEN TEN TEN TEN TEN TEN TEN "1234567\u00b5\u00b5\u00b5 next");
	check(&out, TEN TEN TEN TEN TEN TEN TEN "1234567\u00b5\u00b5\u00b5\nnext\n");
}

static void keeps_numbers_with_their_units(void **state)
{
	char number[16] = "13.8 ms";
	struct text out = {0};
	struct screen screen = {.out = &out};

	(void)state;
	screen_paragraphf(&screen, STYLE_PLAIN, 0, TEN TEN TEN TEN TEN TEN TEN "123 %s end",
			  keep_together(number, sizeof(number)));
	check(&out, TEN TEN TEN TEN TEN TEN TEN "123\n13.8 ms end\n");
}

static void leaves_long_words_whole(void **state)
{
	char word[101];
	struct text out = {0}, expected = {0};
	struct screen screen = {.out = &out};

	(void)state;
	memset(word, 'x', 100);
	word[100] = '\0';
	screen_paragraphf(&screen, STYLE_PLAIN, 2, "a %s b", word);
	text_addf(&expected, "a\n  %s\n  b\n", word);
	check(&out, expected.data);
	text_free(&expected);
}

/* The mark takes no column, and a row with a mark of its own has no other in it. */
static void marks_single_cells(void **state)
{
	struct text out = {0};
	struct screen screen = {.out = &out, .colour = true};
	struct grid grid = {.columns = 3, .width = {2, 5, 1}};
	struct table table = {0};

	(void)state;
	table_set_styled(table_add(&table, STYLE_PLAIN, "a"), 1, STYLE_FAILED, "bad");
	table_set(&table.row[0], 2, "x");
	table_set_styled(table_add(&table, STYLE_WARNING, "b"), 1, STYLE_FAILED, "bad");
	table_print(&table, &grid, &screen);
	check(&out, "a      \033[31mbad\033[0m   x\n\033[33mb      bad\033[0m\n");
	screen.colour = false;
	table_print(&table, &grid, &screen);
	check(&out, "a      bad   x\nb      bad\n");
	table_free(&table);
}

static void marks_every_line(void **state)
{
	struct text out = {0};
	struct screen screen = {.out = &out, .colour = true};

	(void)state;
	screen_paragraph(&screen, STYLE_FAILED, 0, TEN TEN TEN TEN TEN TEN TEN "1234567890 next");
	check(&out, "\033[31m" TEN TEN TEN TEN TEN TEN TEN "1234567890\033[0m\n\033[31mnext\033[0m\n");
	screen_paragraph(&screen, STYLE_PLAIN, 0, "plain");
	check(&out, "plain\n");
}

static void leaves_commands_as_they_are(void **state)
{
	struct text out = {0};
	struct screen screen = {.out = &out};

	(void)state;
	screen_lines(&screen, STYLE_PLAIN,
		     TEN TEN TEN TEN TEN TEN TEN "1234567890 next:\n    " TEN TEN TEN TEN TEN TEN TEN
						 "1234567890  a\033[31m\n\nThen.");
	check(&out, TEN TEN TEN TEN TEN TEN TEN "1234567890\nnext:\n    " TEN TEN TEN TEN TEN TEN TEN
						"1234567890  a\uFFFD[31m\n\nThen.\n");
}

static void aligns_tables_in_one_grid(void **state)
{
	struct table first = {0}, second = {0};
	struct grid grid = {0};
	struct text out = {0};
	struct screen screen = {.out = &out};
	struct table_row *row;

	(void)state;
	row = table_add(&first, STYLE_PLAIN, "name");
	table_set(row, 1, "1 \u00b5s");
	table_set(row, 2, "12345");
	row = table_add(&second, STYLE_PLAIN, "longer name");
	table_set(row, 2, "7");
	row = table_add(&second, STYLE_PLAIN, "x");
	row->span = xstrdup("a text in place of cells");
	grid_take(&grid, &first);
	grid_take(&grid, &second);
	table_print(&first, &grid, &screen);
	table_print(&second, &grid, &screen);
	table_free(&first);
	table_free(&second);
	check(&out, "name          1 \u00b5s   12345\n"
		    "longer name              7\n"
		    "x            a text in place of cells\n");
}

/* 8 columns and nine times 7 with a blank before them are the 80 that there are. */
static void knows_what_fits(void **state)
{
	struct table table = {0};
	struct grid grid = {0};
	struct table_row *row = table_add(&table, STYLE_PLAIN, "");

	(void)state;
	assert_true(grid_fits(&grid));
	for (size_t column = 0; column < TABLE_COLUMNS; column++)
		table_set(row, column, "1234567");
	table_set(row, 0, "12345678");
	grid_take(&grid, &table);
	assert_true(grid_fits(&grid));
	table_set(row, 4, "12345678");
	grid_take(&grid, &table);
	assert_false(grid_fits(&grid));
	table_free(&table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wraps_at_eighty),
		cmocka_unit_test(counts_columns_not_bytes),
		cmocka_unit_test(keeps_numbers_with_their_units),
		cmocka_unit_test(leaves_long_words_whole),
		cmocka_unit_test(marks_every_line),
		cmocka_unit_test(marks_single_cells),
		cmocka_unit_test(leaves_commands_as_they_are),
		cmocka_unit_test(aligns_tables_in_one_grid),
		cmocka_unit_test(knows_what_fits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
