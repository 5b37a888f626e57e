/* SPDX-License-Identifier: GPL-2.0 */
/* Strings that grow, and allocation that does not fail: without memory for a few kilobytes there is nothing to save. */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

void *xcalloc(size_t count, size_t size);
void *xreallocarray(void *old, size_t count, size_t size);
char *xstrdup(const char *string);
char *xasprintf(const char *format, ...) __attribute__((format(printf, 1, 2)));
char *xvasprintf(const char *format, va_list arguments) __attribute__((format(printf, 1, 0)));

/* All zero is an empty text; `data` is NUL-terminated once anything was added. */
struct text {
	char *data;
	size_t length, room;
};

void text_add(struct text *text, const char *data, size_t length);
void text_addf(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_free(struct text *text);

/* The text's string, never NULL, for the caller to free; the text is empty afterwards. */
char *text_take(struct text *text);

/* Columns that UTF-8 `string` takes on a terminal (none of our own characters is wide). */
size_t text_columns(const char *string);

/* Whether `list`, of words with blanks or ends of lines between them, has this word. */
bool text_has_word(const char *list, const char *word);

/* Adds a copy of `string` to a NULL-terminated array of *count strings; NULL is an empty one. */
void strings_add(char ***strings, size_t *count, const char *string);

/* Frees a NULL-terminated array of strings. */
void strings_free(char **strings);

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

#endif
