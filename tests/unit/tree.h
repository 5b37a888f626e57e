/* SPDX-License-Identifier: GPL-2.0 */
/* Small trees of /proc and /sys, laid out as the kernel does, that stand in for a machine; for the tests of host/. */
#ifndef TREE_H
#define TREE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "host/files.h"

struct tree {
	char root[64];
};

static inline void tree_make_parents(char *path)
{
	char *slash;

	for (slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(path, 0755);
		*slash = '/';
	}
}

/* The path of `name` (absolute) within the tree, its parents made; the caller frees it. */
static inline char *tree_path(const struct tree *tree, const char *name)
{
	char *path = xasprintf("%s%s", tree->root, name);

	tree_make_parents(path);
	return path;
}

static inline void tree_write_bytes(const struct tree *tree, const char *name, const void *data, size_t length)
{
	char *path = tree_path(tree, name);
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_int_equal(fwrite(data, 1, length, file), length);
	assert_int_equal(fclose(file), 0);
	free(path);
}

static inline void tree_write(const struct tree *tree, const char *name, const char *content)
{
	tree_write_bytes(tree, name, content, strlen(content));
}

static inline void tree_link(const struct tree *tree, const char *name, const char *target)
{
	char *path = tree_path(tree, name);

	assert_int_equal(symlink(target, path), 0);
	free(path);
}

static inline void tree_directory(const struct tree *tree, const char *name)
{
	char *path = tree_path(tree, name);

	assert_int_equal(mkdir(path, 0755), 0);
	free(path);
}

/* An empty tree, which host/ reads from now on: in memory, as a recorded machine is some hundreds of files. */
static inline void tree_make(struct tree *tree)
{
	strcpy(tree->root, "/dev/shm/iostrata-tree-XXXXXX");
	if (!mkdtemp(tree->root)) {
		strcpy(tree->root, "/tmp/iostrata-tree-XXXXXX");
		assert_non_null(mkdtemp(tree->root));
	}
	host_set_root(tree->root);
}

static inline int tree_remove_entry(const char *path, const struct stat *status, int type, struct FTW *walk)
{
	(void)status, (void)type, (void)walk;
	return remove(path);
}

/* Removes it; host/ reads the machine again. */
static inline void tree_remove(struct tree *tree)
{
	host_set_root(NULL);
	nftw(tree->root, tree_remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

/* One attribute of a block device that tree_disk() or tree_partition() made. */
static inline void tree_attribute(const struct tree *tree, const char *device, const char *name, const char *content)
{
	char *path = xasprintf("/sys/class/block/%s/%s", device, name);

	tree_write(tree, path, content);
	free(path);
}

static inline void tree_block(const struct tree *tree, const char *directory, const char *name, const char *number,
			      const char *sectors)
{
	char *path = xasprintf("%s/%s/size", directory, name);
	char *by_number = xasprintf("/sys/dev/block/%s", number), *by_name = xasprintf("/sys/class/block/%s", name);
	char *target = xasprintf("../..%s/%s", directory + strlen("/sys"), name);

	tree_write(tree, path, sectors);
	tree_link(tree, by_number, target);
	tree_link(tree, by_name, target);
	tree_attribute(tree, name, "dev", number);
	free(path), free(by_number), free(by_name), free(target);
}

/* Files of a disk in `directory` (such as /sys/devices/virtual/block), with its links and without attributes. */
static inline void tree_disk(const struct tree *tree, const char *directory, const char *name, const char *number,
			     const char *sectors)
{
	char *link = xasprintf("/sys/block/%s", name), *target = xasprintf("..%s/%s", directory + strlen("/sys"), name);
	char *slaves = xasprintf("%s/%s/slaves", directory, name),
	     *holders = xasprintf("%s/%s/holders", directory, name);

	tree_block(tree, directory, name, number, sectors);
	tree_link(tree, link, target);
	tree_directory(tree, slaves);
	tree_directory(tree, holders);
	free(link), free(target), free(slaves), free(holders);
}

/* Partition `index` called `name` of the disk at `directory`/`disk`. */
static inline void tree_partition(const struct tree *tree, const char *directory, const char *disk, const char *name,
				  const char *number, const char *index, const char *sectors)
{
	char *within = xasprintf("%s/%s", directory, disk), *holders = xasprintf("%s/%s/holders", within, name);

	tree_block(tree, within, name, number, sectors);
	tree_attribute(tree, name, "partition", index);
	tree_directory(tree, holders);
	free(within), free(holders);
}

/* `upper` stands on `lower`, as md and dm tell it at both ends. */
static inline void tree_stack(const struct tree *tree, const char *upper, const char *lower)
{
	char *slave = xasprintf("/sys/class/block/%s/slaves/%s", upper, lower);
	char *holder = xasprintf("/sys/class/block/%s/holders/%s", lower, upper);

	tree_link(tree, slave, "somewhere");
	tree_link(tree, holder, "somewhere");
	free(slave), free(holder);
}

/* `\n`, `\"`, `\\` and `\xNN` of the `length` characters at `text` turned into bytes; the caller frees them. */
static inline char *tree_unescaped(const char *text, size_t length, size_t *bytes)
{
	char *data = xcalloc(length + 1, 1);
	const char *end = text + length;
	unsigned byte;

	for (*bytes = 0; text < end; text++) {
		if (*text != '\\') {
			data[(*bytes)++] = *text;
		} else if (*++text == 'x') {
			assert_int_equal(sscanf(text + 1, "%2x", &byte), 1);
			data[(*bytes)++] = (char)byte;
			text += 2;
		} else {
			data[(*bytes)++] = *text == 'n' ? '\n' : *text;
		}
	}
	return data;
}

static inline void tree_write_line(const struct tree *tree, const char *name, const char *line)
{
	char *content = xasprintf("%s\n", line);

	tree_write(tree, name, content);
	free(content);
}

/* What stands in quotes, up to the last one of the line. */
static inline void tree_write_quoted(const struct tree *tree, const char *name, const char *quoted)
{
	size_t length = strlen(quoted), bytes;
	char *data;

	assert_true(length > 0 && quoted[length - 1] == '"');
	data = tree_unescaped(quoted, length - 1, &bytes);
	tree_write_bytes(tree, name, data, bytes);
	free(data);
}

static inline void tree_directories(const struct tree *tree, const char *name)
{
	char *below = xasprintf("%s/.", name);

	free(tree_path(tree, below));
	free(below);
}

/* Where a recorded machine is read: `name` is the file whose lines come next, `within` what short names lie in. */
struct tree_reading {
	const struct tree *tree;
	char *within, *name;
	struct text content;
};

/* Empty lines at the end only divide the file from what comes next. */
static inline void tree_end_file(struct tree_reading *reading)
{
	char *content = text_take(&reading->content);
	size_t length = strlen(content);

	while (length > 1 && content[length - 1] == '\n' && content[length - 2] == '\n')
		content[--length] = '\0';
	if (reading->name)
		tree_write(reading->tree, reading->name, content);
	free(content);
	free(reading->name);
	reading->name = NULL;
}

static inline void tree_begin_directory(struct tree_reading *reading, char *name)
{
	name[strlen(name) - 1] = '\0';
	tree_directories(reading->tree, name);
	free(reading->within);
	reading->within = xstrdup(name);
}

/* What follows "=== " in a line. */
static inline void tree_begin_entry(struct tree_reading *reading, char *entry)
{
	char *value = strstr(entry, " = "), *target = strstr(entry, " -> "), *quoted = strstr(entry, " \"");
	char *end = value ? value : target ? target : quoted ? quoted : entry + strlen(entry), *name;

	name = *entry == '/' ? xasprintf("%.*s", (int)(end - entry), entry)
			     : xasprintf("%s/%.*s", reading->within, (int)(end - entry), entry);
	if (value) {
		tree_write_line(reading->tree, name, value + strlen(" = "));
	} else if (target) {
		tree_link(reading->tree, name, target + strlen(" -> "));
	} else if (quoted) {
		tree_write_quoted(reading->tree, name, quoted + strlen(" \""));
	} else if (*entry == '/' && end[-1] == '/') {
		tree_begin_directory(reading, name);
	} else if (end[-1] == '/') {
		name[strlen(name) - 1] = '\0';
		tree_directories(reading->tree, name);
	} else {
		reading->name = xstrdup(name);
	}
	free(name);
}

/* Lays out the recorded machine tests/data/machines/`machine`.tree; README there tells how such a file is written. */
static inline void tree_load(const struct tree *tree, const char *machine)
{
	struct tree_reading reading = {.tree = tree};
	char *path = xasprintf("tests/data/machines/%s.tree", machine), *line = NULL;
	FILE *file = fopen(path, "r");
	size_t room = 0;

	assert_non_null(file);
	while (getline(&line, &room, file) > 0) {
		if (*line == '#' || strncmp(line, "=== ", 4) == 0)
			tree_end_file(&reading);
		if (strncmp(line, "=== ", 4) == 0) {
			line[strcspn(line, "\n")] = '\0';
			tree_begin_entry(&reading, line + 4);
		} else if (*line != '#' && reading.name) {
			text_addf(&reading.content, "%s", line);
		}
	}
	tree_end_file(&reading);
	free(reading.within);
	free(line);
	free(path);
	assert_int_equal(fclose(file), 0);
}

/* Each such test begins with an empty tree, which `state` points to. */
#define IN_TREE(test) cmocka_unit_test_setup_teardown(test, tree_setup, tree_teardown)

static inline int tree_setup(void **state)
{
	static struct tree tree;

	tree_make(&tree);
	*state = &tree;
	return 0;
}

static inline int tree_teardown(void **state)
{
	tree_remove(*state);
	return 0;
}

#endif
