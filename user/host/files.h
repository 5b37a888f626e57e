/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reading /proc and /sys. Every reader of host/ goes through here, so that a recorded tree can stand in for the
 * machine: paths are absolute and are looked up below the root that host_set_root() names.
 */
#ifndef HOST_FILES_H
#define HOST_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* NULL or "" is the machine itself. The string must stay valid. */
void host_set_root(const char *root);

/* Whether a tree stands in for the machine, so that only what is in it may be told. */
bool host_has_root(void);

/* The path below the root; the caller frees it. */
char *host_path(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The whole file, or NULL (errno says why) when it can't be read; the caller frees it. */
char *host_read(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same for a binary file, with its length. */
char *host_read_bytes(size_t *length, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The first line without surrounding blanks; NULL when it can't be read or is empty; the caller frees it. */
char *host_read_line(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A decimal number. 0, or -errno and `value` untouched. */
int host_read_number(uint64_t *value, const char *format, ...) __attribute__((format(printf, 2, 3)));

bool host_exists(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* What a symbolic link points to, as it stands there; NULL when it isn't one; the caller frees it. */
char *host_link(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The last component of what a symbolic link points to; NULL when it isn't one; the caller frees it. */
char *host_link_name(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The names in a directory, sorted, NULL-terminated, for strings_free(); NULL when it can't be read. */
char **host_list(const char *format, ...) __attribute__((format(printf, 1, 2)));

/*
 * From lines of "key: value", as many files of /proc have them: the value of the first whose key is `key`, without
 * surrounding blanks; NULL when there is none; the caller frees it.
 */
char *host_field(const char *content, const char *key);

#endif
