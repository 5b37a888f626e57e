// SPDX-License-Identifier: GPL-2.0
#include "output.h"

#include "log.h"
#include "parse.h"
#include "text.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Bytes that a temporary name or "_2" may add to the planned one. */
#define NAME_EXTRA   24
#define MAX_ATTEMPTS 10000

struct output_file {
	int directory;
	char *prefix;	 /* what comes before the name in a path, with its slash */
	char *name;	 /* the planned one */
	char *temporary; /* in use only during output_write() */
	char *taken;	 /* the name under which the file is there now */
	char *path;
};

static char *path_prefix(const char *directory)
{
	size_t length = strlen(directory);

	if (!strcmp(directory, ".") || !strcmp(directory, "./"))
		return xstrdup("");
	return xasprintf("%s%s", directory, length && directory[length - 1] == '/' ? "" : "/");
}

static int check_name(const char *name)
{
	if (!*name || strchr(name, '/'))
		return log_failure(-EINVAL, "cannot write '%s': it is no name for a file", name);
	if (strlen(name) > NAME_MAX - NAME_EXTRA)
		return log_failure(-ENAMETOOLONG, "cannot write '%s': the name is too long", name);
	return 0;
}

/* Asked now, because the alternative is to learn it after an hour of measuring. */
static int open_directory(const char *directory)
{
	int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return log_failure(-errno, "cannot write files to '%s': %s", directory, strerror(errno));
	if (faccessat(fd, ".", W_OK | X_OK, AT_EACCESS)) {
		int error = log_failure(-errno, "cannot write files to '%s': %s", directory, strerror(errno));

		close(fd);
		return error;
	}
	return fd;
}

struct output_file *output_open(const char *directory, const char *name)
{
	struct output_file *file;
	int fd;

	if (check_name(name))
		return NULL;
	fd = open_directory(directory);
	if (fd < 0)
		return NULL;
	file = xcalloc(1, sizeof(*file));
	file->directory = fd;
	file->prefix = path_prefix(directory);
	file->name = xstrdup(name);
	file->temporary = xasprintf(".%s.tmp-%d", name, getpid());
	return file;
}

static bool read_id(const char *variable, unsigned *id)
{
	const char *value = getenv(variable);

	return value && !parse_count(value, 0, UINT_MAX - 1, id); /* -1 would mean "leave it" to chown */
}

/* File systems without owners (FAT, some network ones) refuse; the content matters more. */
static void give_to_caller(int fd)
{
	unsigned uid, gid;

	if (geteuid() || !read_id("SUDO_UID", &uid) || !read_id("SUDO_GID", &gid))
		return;
	if (fchown(fd, uid, gid))
		log_detail("a file cannot be given to user %u: %s", uid, strerror(errno));
}

static int write_all(int fd, const char *data, size_t length)
{
	while (length) {
		ssize_t written = write(fd, data, length);

		if (written < 0 && errno == EINTR)
			continue;
		if (written < 0)
			return -errno;
		data += written;
		length -= written;
	}
	return 0;
}

/* 0 too where the file system cannot sync this kind of file: then there is nothing to wait for. */
static int sync_file(int fd)
{
	while (fsync(fd)) {
		if (errno == EINVAL || errno == EOPNOTSUPP)
			return 0;
		if (errno != EINTR)
			return -errno;
	}
	return 0;
}

static int write_temporary(const struct output_file *file, const char *data, size_t length)
{
	int fd = openat(file->directory, file->temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
	int error;

	if (fd < 0)
		return -errno;
	give_to_caller(fd);
	error = write_all(fd, data, length);
	if (!error)
		error = sync_file(fd);
	if (close(fd) && !error && errno != EINTR) /* network file systems tell of a full disk only here */
		error = -errno;
	if (error)
		unlinkat(file->directory, file->temporary, 0);
	return error;
}

/* For file systems without hard links: an empty file of ours holds the name until the rename. */
static int reserve_and_rename(const struct output_file *file, const char *name)
{
	int fd = openat(file->directory, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
	int error;

	if (fd < 0)
		return -errno;
	close(fd);
	if (!renameat(file->directory, file->temporary, file->directory, name))
		return 0;
	error = -errno;
	unlinkat(file->directory, name, 0);
	return error;
}

static int link_and_unlink(const struct output_file *file, const char *name)
{
	if (linkat(file->directory, file->temporary, file->directory, name, 0))
		return -errno;
	unlinkat(file->directory, file->temporary, 0);
	return 0;
}

/* Returns -EEXIST when the name is taken, by whatever it may be. */
static int rename_without_replacing(const struct output_file *file, const char *name)
{
	int error;

	if (!renameat2(file->directory, file->temporary, file->directory, name, RENAME_NOREPLACE))
		return 0;
	if (errno != EINVAL && errno != ENOSYS)
		return -errno;
	error = link_and_unlink(file, name);
	if (error == -EPERM || error == -EOPNOTSUPP || error == -ENOSYS || error == -EMLINK)
		error = reserve_and_rename(file, name);
	return error;
}

/* "a.json", "a_2.json", "a_3.json", ... */
static char *numbered_name(const char *name, unsigned number)
{
	const char *suffix = strrchr(name, '.');

	if (number == 1)
		return xstrdup(name);
	if (!suffix || suffix == name)
		suffix = name + strlen(name);
	return xasprintf("%.*s_%u%s", (int)(suffix - name), name, number, suffix);
}

static int take_free_name(struct output_file *file)
{
	for (unsigned number = 1; number <= MAX_ATTEMPTS; number++) {
		char *name = numbered_name(file->name, number);
		int error = rename_without_replacing(file, name);

		if (!error) {
			file->taken = name;
			file->path = xasprintf("%s%s", file->prefix, name);
			return 0;
		}
		free(name);
		if (error != -EEXIST)
			return error;
	}
	return -EEXIST;
}

static int publish(struct output_file *file)
{
	int error = 0;

	if (!file->taken)
		error = take_free_name(file);
	else if (renameat(file->directory, file->temporary, file->directory, file->taken))
		error = -errno;
	if (error) {
		unlinkat(file->directory, file->temporary, 0);
		return error;
	}
	return sync_file(file->directory);
}

int output_write(struct output_file *file, const char *data, size_t length)
{
	int error = write_temporary(file, data, length);

	if (!error)
		error = publish(file);
	if (error)
		log_error("cannot write '%s%s': %s", file->prefix, file->taken ? file->taken : file->name,
			  strerror(-error));
	return error;
}

const char *output_path(const struct output_file *file)
{
	return file->path;
}

void output_close(struct output_file *file)
{
	if (!file)
		return;
	close(file->directory);
	free(file->prefix);
	free(file->name);
	free(file->temporary);
	free(file->taken);
	free(file->path);
	free(file);
}

static bool is_safe(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '-' ||
	       c == '_';
}

static bool continues_character(const char *start, const char *at)
{
	return (*at & 0xc0) == 0x80 && at > start && (at[-1] & 0x80);
}

char *output_safe_name(const char *label)
{
	struct text name = {0};

	for (const char *at = label; *at; at++) {
		if (is_safe(*at))
			text_add(&name, at, 1);
		else if (!continues_character(label, at)) /* one '_' per character, not per byte */
			text_add(&name, "_", 1);
	}
	return text_take(&name);
}
