// SPDX-License-Identifier: GPL-2.0
#include "log.h"

#include "text.h"
#include "utf8.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define WIPE_LINE "\r\033[K"
#define RED	  "\033[1;31m"
#define YELLOW	  "\033[1;33m"
#define PLAIN	  "\033[0m"

/* The process has one stderr, so this is the one place with state of its own. */
static int verbosity;
static bool progress_drawn;

void log_set_verbosity(int level)
{
	verbosity = level;
}

bool log_on_terminal(void)
{
	return isatty(STDERR_FILENO);
}

static bool understands_escapes(int fd)
{
	const char *kind = getenv("TERM");

	return isatty(fd) && !(kind && !strcmp(kind, "dumb"));
}

bool log_colourful(int fd)
{
	const char *refused = getenv("NO_COLOR");

	return understands_escapes(fd) && !(refused && *refused);
}

/* C0, DEL and C1 command the terminal; the others turn the direction of what follows. */
static bool commands_terminal(uint32_t code)
{
	return code < 0x20 || (code >= 0x7f && code < 0xa0) || (code >= 0x202a && code <= 0x202e) ||
	       (code >= 0x2066 && code <= 0x2069);
}

/* Names of files come from others: none of their bytes may reach the terminal as a command. */
static void add_harmless(struct text *line, const char *message)
{
	while (*message) {
		uint32_t code;
		size_t length = utf8_decode(message, &code);

		if (length && !commands_terminal(code)) {
			text_add(line, message, length);
			message += length;
			continue;
		}
		for (size_t i = 0; i < (length ? length : 1); i++)
			text_addf(line, "\\x%02x", (unsigned char)*message++);
	}
}

static char *vmessage(const char *format, va_list arguments) __attribute__((format(printf, 1, 0)));

static char *vmessage(const char *format, va_list arguments)
{
	char *message;

	return vasprintf(&message, format, arguments) < 0 ? xstrdup(format) : message;
}

/* One write, so that lines of several processes don't mix; nothing can be done if it fails. */
static void put(const struct text *line)
{
	fwrite(line->data, 1, line->length, stderr);
}

static void vprint(const char *colour, const char *front, const char *format, va_list arguments)
	__attribute__((format(printf, 3, 0)));

/* errno is kept, so that a caller may log first and use it afterwards, and "%m" works. */
static void vprint(const char *colour, const char *front, const char *format, va_list arguments)
{
	int kept = errno;
	char *message = vmessage(format, arguments);
	struct text line = {0};

	if (progress_drawn)
		text_addf(&line, WIPE_LINE);
	progress_drawn = false;
	if (colour && log_colourful(STDERR_FILENO))
		text_addf(&line, "%s%s%s", colour, front, PLAIN);
	else
		text_addf(&line, "%s", front);
	add_harmless(&line, message);
	text_add(&line, "\n", 1);
	put(&line);
	text_free(&line);
	free(message);
	errno = kept;
}

void log_error(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vprint(RED, "iostrata: ", format, arguments);
	va_end(arguments);
}

void log_warning(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vprint(YELLOW, "iostrata: warning: ", format, arguments);
	va_end(arguments);
}

void log_info(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vprint(NULL, "", format, arguments);
	va_end(arguments);
}

void log_detail(const char *format, ...)
{
	va_list arguments;

	if (verbosity < 1)
		return;
	va_start(arguments, format);
	vprint(NULL, "", format, arguments);
	va_end(arguments);
}

int log_failure(int code, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vprint(RED, "iostrata: ", format, arguments);
	va_end(arguments);
	return code;
}

/* One column less than there are: a character in the last one makes some terminals scroll. */
static size_t usable_columns(void)
{
	struct winsize size;

	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) || size.ws_col < 2)
		return 79;
	return size.ws_col - 1;
}

static void cut_to_columns(struct text *line, size_t columns)
{
	size_t end = 0;

	for (; end < line->length; end++) {
		bool starts_character = (line->data[end] & 0xc0) != 0x80;

		if (starts_character && !columns--)
			break;
	}
	line->length = end;
}

void log_progress(const char *format, ...)
{
	struct text line = {0}, drawn = {0};
	int kept = errno;
	va_list arguments;
	char *message;

	if (!understands_escapes(STDERR_FILENO))
		return;
	va_start(arguments, format);
	message = vmessage(format, arguments);
	va_end(arguments);
	add_harmless(&line, message);
	cut_to_columns(&line, usable_columns());
	text_addf(&drawn, WIPE_LINE);
	text_add(&drawn, line.data ? line.data : "", line.length);
	put(&drawn);
	progress_drawn = true;
	text_free(&drawn);
	text_free(&line);
	free(message);
	errno = kept;
}

void log_progress_end(void)
{
	if (progress_drawn)
		fputs(WIPE_LINE, stderr);
	progress_drawn = false;
}
