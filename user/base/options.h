/* SPDX-License-Identifier: GPL-2.0 */
/* Command-line options from a table: one row gives the parsing, the -h text and the error messages. */
#ifndef BASE_OPTIONS_H
#define BASE_OPTIONS_H

#include <stddef.h>
#include <stdint.h>

struct option_row {
	int key;	      /* the short option's letter, or a number above 255 where there is none */
	const char *name;     /* the long name */
	const char *argument; /* what -h calls the value; NULL: takes none */
	const char *help;     /* NULL: a heading called `name` instead of an option */
};

/*
 * Takes apart argv (argv[0] is the command's name; the table ends with an all-zero row). For each option `take` is
 * called with the row and its value; it returns 0, or -EINVAL with *expected set to what would have been right, for the
 * message "--name 'value': expected ...". Returns the index of the first positional argument (they are moved to the
 * end) or -EINVAL after logging one line that names the option.
 */
int options_parse(int argc, char **argv, const struct option_row *rows,
		  int (*take)(void *context, const struct option_row *row, const char *value, const char **expected),
		  void *context);

/* The same for a command that takes another one: the first word that is no option ends ours, and "--" does. */
int options_parse_leading(int argc, char **argv, const struct option_row *rows,
			  int (*take)(void *context, const struct option_row *row, const char *value,
				      const char **expected),
			  void *context);

/*
 * Values as several commands take them. All return 0, or -EINVAL with *expected set.
 */

/* Anything but "". The result is `value` itself. */
int option_string(const char **to, const char *value, const char **expected);

/* Names separated by commas, none of them empty; copies are added to the *count strings that are there. */
int option_list(char ***list, size_t *count, const char *value, const char **expected);

/* Seconds from `shortest` (ns) to a hundred days; longer is a slip of the hand. Result in ns. */
int option_seconds(uint64_t *ns, const char *value, uint64_t shortest, const char **expected);

/* Prints the rows, aligned, on stdout. */
void options_print(const struct option_row *rows);

#endif
