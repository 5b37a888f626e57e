/* SPDX-License-Identifier: GPL-2.0 */
/* Strings that come from outside (paths, models, messages) may be anything; what we print or store must be UTF-8. */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

#define UTF8_REPLACEMENT "\uFFFD"

/* Bytes (1 to 4) of the well-formed character at `string`, whose number goes to *code; 0 when there is none. */
size_t utf8_decode(const char *string, uint32_t *code);

/* A copy with U+FFFD in place of every byte that is no part of a well-formed character. The caller frees it. */
char *utf8_repair(const char *string);

/*
 * A copy that can't move the cursor, switch colours or turn the direction of a terminal line: blanks of every kind
 * become a space, other control and formatting characters and bad bytes U+FFFD. The caller frees it.
 */
char *utf8_printable(const char *string);

#endif
