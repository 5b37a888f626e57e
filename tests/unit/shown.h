/* SPDX-License-Identifier: GPL-2.0 */
/* What the tests of report/ ask of a text. Include cmocka.h first. */
#ifndef TEST_SHOWN_H
#define TEST_SHOWN_H

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/utf8.h"

#define COLUMNS 80

static __attribute__((unused)) void assert_has(const char *report, const char *part)
{
	if (!strstr(report, part))
		fail_msg("no \"%s\" in:\n%s", part, report);
}

static __attribute__((unused)) void assert_lacks(const char *report, const char *part)
{
	if (strstr(report, part))
		fail_msg("\"%s\" in:\n%s", part, report);
}

static __attribute__((unused)) void assert_begins(const char *report, const char *start)
{
	if (strncmp(report, start, strlen(start)))
		fail_msg("not \"%s\" at the start of:\n%s", start, report);
}

/* Wherever its lines are broken. */
static __attribute__((unused)) void assert_says(const char *report, const char *part)
{
	char *flat = xstrdup(report), *to = flat;

	for (const char *from = report; *from; from++) {
		if (*from != '\n' && *from != ' ')
			*to++ = *from;
		else if (to > flat && to[-1] != ' ')
			*to++ = ' ';
	}
	*to = '\0';
	assert_has(flat, part);
	free(flat);
}

/* No line is longer than the screen is wide. */
static __attribute__((unused)) void assert_fits(const char *report)
{
	char *copy = xstrdup(report), *rest = copy, *line;

	while ((line = strsep(&rest, "\n")))
		if (text_columns(line) > COLUMNS)
			fail_msg("%zu columns: %s", text_columns(line), line);
	free(copy);
}

/* No byte that a terminal obeys, and no bad UTF-8. */
static __attribute__((unused)) void assert_harmless(const char *report)
{
	while (*report) {
		uint32_t code;
		size_t length = utf8_decode(report, &code);

		if (!length || (code < ' ' && code != '\n') || (code >= 0x7f && code < 0xa0) || code == 0x202e)
			fail_msg("a harmful byte before: %.20s", report + 1);
		report += length;
	}
}

#endif
