// SPDX-License-Identifier: GPL-2.0
#include "files.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"

static const char *root_prefix = "";

void host_set_root(const char *root)
{
	root_prefix = root ? root : "";
}

bool host_has_root(void)
{
	return *root_prefix;
}

static char *__attribute__((format(printf, 1, 0))) path_below_root(const char *format, va_list arguments)
{
	size_t prefix = strlen(root_prefix);
	va_list again;
	char *path;
	int length;

	va_copy(again, arguments);
	length = vsnprintf(NULL, 0, format, again);
	va_end(again);
	path = xcalloc(prefix + (size_t)length + 1, 1);
	memcpy(path, root_prefix, prefix);
	vsnprintf(path + prefix, (size_t)length + 1, format, arguments);
	return path;
}

/* Sets `path` from the caller's own variable arguments. */
#define PATH_FROM_ARGUMENTS(path, format)                                                                              \
	do {                                                                                                           \
		va_list arguments_;                                                                                    \
                                                                                                                       \
		va_start(arguments_, format);                                                                          \
		(path) = path_below_root(format, arguments_);                                                          \
		va_end(arguments_);                                                                                    \
	} while (0)

char *host_path(const char *format, ...)
{
	char *path;

	PATH_FROM_ARGUMENTS(path, format);
	return path;
}

/* Files of /proc and /sys don't tell their size, so they are read until they end. */
static int read_until_end(int fd, struct text *content)
{
	char chunk[4096];
	ssize_t got;

	for (;;) {
		got = read(fd, chunk, sizeof(chunk));
		if (got > 0)
			text_add(content, chunk, (size_t)got);
		else if (got == 0)
			return 0;
		else if (errno != EINTR)
			return -errno;
	}
}

/* Frees `path`. */
static char *read_file(char *path, size_t *length)
{
	struct text content = {0};
	int error = 0, fd;

	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		error = -errno;
	else
		error = read_until_end(fd, &content);
	if (fd >= 0)
		close(fd);
	free(path);
	if (error) {
		text_free(&content);
		errno = -error;
		return NULL;
	}
	*length = content.length;
	return text_take(&content);
}

char *host_read(const char *format, ...)
{
	size_t length;
	char *path;

	PATH_FROM_ARGUMENTS(path, format);
	return read_file(path, &length);
}

char *host_read_bytes(size_t *length, const char *format, ...)
{
	char *path;

	PATH_FROM_ARGUMENTS(path, format);
	return read_file(path, length);
}

/* Cuts blanks off both ends of `length` bytes; a copy, or NULL when nothing is left. */
static char *trimmed(const char *start, size_t length)
{
	while (length && isspace((unsigned char)*start))
		start++, length--;
	while (length && isspace((unsigned char)start[length - 1]))
		length--;
	return length ? xasprintf("%.*s", (int)length, start) : NULL;
}

/* Frees `path`. */
static char *read_line(char *path)
{
	size_t length;
	char *content = read_file(path, &length), *line;

	if (!content)
		return NULL;
	line = trimmed(content, strcspn(content, "\n"));
	free(content);
	if (!line)
		errno = ENODATA;
	return line;
}

char *host_read_line(const char *format, ...)
{
	char *path;

	PATH_FROM_ARGUMENTS(path, format);
	return read_line(path);
}

int host_read_number(uint64_t *value, const char *format, ...)
{
	unsigned long long number;
	char *path, *line;
	int error = 0;

	PATH_FROM_ARGUMENTS(path, format);
	line = read_line(path);
	if (!line)
		return -errno;
	errno = 0;
	number = strtoull(line, NULL, 10);
	if (line[strspn(line, "0123456789")])
		error = -EINVAL; /* strtoull() would take signs and what follows the digits */
	else if (errno)
		error = -errno;
	else
		*value = number;
	free(line);
	return error;
}

bool host_exists(const char *format, ...)
{
	struct stat status;
	char *path;
	bool exists;

	PATH_FROM_ARGUMENTS(path, format);
	exists = lstat(path, &status) == 0; /* the links of a recorded tree may lead nowhere */
	free(path);
	return exists;
}

/* Frees `path`. */
static char *read_link(char *path)
{
	char target[4096];
	ssize_t length = readlink(path, target, sizeof(target) - 1);

	free(path);
	if (length < 0)
		return NULL;
	target[length] = '\0';
	return xstrdup(target);
}

char *host_link(const char *format, ...)
{
	char *path;

	PATH_FROM_ARGUMENTS(path, format);
	return read_link(path);
}

char *host_link_name(const char *format, ...)
{
	char *path, *target, *slash, *name;

	PATH_FROM_ARGUMENTS(path, format);
	target = read_link(path);
	slash = target ? strrchr(target, '/') : NULL;
	if (!slash)
		return target;
	name = xstrdup(slash + 1);
	free(target);
	return name;
}

static int is_no_dot_entry(const struct dirent *entry)
{
	return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
}

char **host_list(const char *format, ...)
{
	struct dirent **entries;
	char *path, **names;
	int count, i;

	PATH_FROM_ARGUMENTS(path, format);
	count = scandir(path, &entries, is_no_dot_entry, versionsort);
	free(path);
	if (count < 0)
		return NULL;
	names = xcalloc((size_t)count + 1, sizeof(*names));
	for (i = 0; i < count; i++) {
		names[i] = xstrdup(entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
	return names;
}

char *host_field(const char *content, const char *key)
{
	size_t length = strlen(key);
	const char *line, *value;

	for (line = content; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		if (strncmp(line, key, length) != 0)
			continue;
		value = line + length + strspn(line + length, " \t");
		if (*value == ':')
			return trimmed(value + 1, strcspn(value + 1, "\n"));
	}
	return NULL;
}
