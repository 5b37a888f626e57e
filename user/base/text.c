// SPDX-License-Identifier: GPL-2.0
#include "text.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* exit() and not abort(): the handlers that remove our files from the target must still run. */
static void __attribute__((noreturn)) out_of_memory(void)
{
	static const char message[] = "iostrata: out of memory\n";

	if (write(STDERR_FILENO, message, sizeof(message) - 1) < 0)
		exit(EXIT_FAILURE);
	exit(EXIT_FAILURE);
}

static void *must(void *pointer)
{
	if (!pointer)
		out_of_memory();
	return pointer;
}

/* Nothing is asked as one element, so that NULL never comes back for an empty array. */
void *xcalloc(size_t count, size_t size)
{
	return must(count && size ? calloc(count, size) : calloc(1, 1));
}

void *xreallocarray(void *old, size_t count, size_t size)
{
	return must(count && size ? reallocarray(old, count, size) : reallocarray(old, 1, 1));
}

char *xstrdup(const char *string)
{
	return must(strdup(string));
}

char *xvasprintf(const char *format, va_list arguments)
{
	char *string;

	if (vasprintf(&string, format, arguments) < 0)
		out_of_memory();
	return string;
}

char *xasprintf(const char *format, ...)
{
	va_list arguments;
	char *string;

	va_start(arguments, format);
	string = xvasprintf(format, arguments);
	va_end(arguments);
	return string;
}

/* Room for `length` more bytes and the NUL. */
static void text_reserve(struct text *text, size_t length)
{
	size_t need, room = text->room ? text->room : 128;

	if (__builtin_add_overflow(text->length, length, &need) || __builtin_add_overflow(need, 1, &need))
		out_of_memory();
	if (need <= text->room)
		return;
	while (room < need)
		room = room > SIZE_MAX / 2 ? need : room * 2;
	text->data = xreallocarray(text->data, room, 1);
	text->room = room;
}

void text_add(struct text *text, const char *data, size_t length)
{
	text_reserve(text, length);
	if (length)
		memcpy(text->data + text->length, data, length);
	text->length += length;
	text->data[text->length] = '\0';
}

void text_addf(struct text *text, const char *format, ...)
{
	va_list arguments;
	char *added;

	va_start(arguments, format);
	added = xvasprintf(format, arguments);
	va_end(arguments);
	text_add(text, added, strlen(added));
	free(added);
}

void text_free(struct text *text)
{
	free(text->data);
	*text = (struct text){0};
}

char *text_take(struct text *text)
{
	char *string = text->data ? text->data : xstrdup("");

	*text = (struct text){0};
	return string;
}

size_t text_columns(const char *string)
{
	size_t columns = 0;

	for (; *string; string++)
		columns += (*string & 0xc0) != 0x80;
	return columns;
}

static bool is_between_words(char c)
{
	return c == '\0' || c == ' ' || c == '\t' || c == '\n';
}

bool text_has_word(const char *list, const char *word)
{
	size_t length = strlen(word);

	for (const char *found = list; (found = strstr(found, word)); found += length)
		if ((found == list || is_between_words(found[-1])) && is_between_words(found[length]))
			return true;
	return false;
}

void strings_add(char ***strings, size_t *count, const char *string)
{
	*strings = xreallocarray(*strings, *count + 2, sizeof(char *));
	(*strings)[(*count)++] = xstrdup(string);
	(*strings)[*count] = NULL;
}

void strings_free(char **strings)
{
	if (!strings)
		return;
	for (char **string = strings; *string; string++)
		free(*string);
	free(strings);
}
