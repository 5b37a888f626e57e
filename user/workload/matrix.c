// SPDX-License-Identifier: GPL-2.0
#include "matrix.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/parse.h"
#include "base/text.h"

#define MAX_JOBS 1024

/* Of all jobs together. More than any device takes, and what fio can be asked for without running out of memory. */
#define MAX_DEPTH 65536

/* "1M" and the like, at most 64 MiB: the sizes that O_DIRECT takes are multiples of 512. */
static int parse_block_size(const char *string, uint64_t *size)
{
	uint64_t bytes;

	if (parse_size(string, &bytes) || bytes < 512 || bytes % 512 || bytes > 64u << 20)
		return -EINVAL;
	*size = bytes;
	return 0;
}

static int parse_pattern(const char *string, struct test *test)
{
	if (!strncasecmp(string, "SEQ", 3))
		test->random = false;
	else if (!strncasecmp(string, "RND", 3))
		test->random = true;
	else
		return -EINVAL;
	return parse_block_size(string + 3, &test->block_size);
}

/* "Q8T1" */
static int parse_load(char *string, struct test *test)
{
	char *jobs = strpbrk(string, "tT");

	if ((*string != 'Q' && *string != 'q') || !jobs)
		return -EINVAL;
	*jobs++ = '\0';
	if (parse_count(string + 1, 1, MAX_DEPTH, &test->depth) || parse_count(jobs, 1, MAX_JOBS, &test->jobs))
		return -EINVAL;
	return test->depth * test->jobs <= MAX_DEPTH ? 0 : -EINVAL;
}

static int parse_access(const char *string, struct test *test)
{
	if (!strcasecmp(string, "Read")) {
		test->access = ACCESS_READ;
		test->read_percent = 100;
		return 0;
	}
	if (!strcasecmp(string, "Write")) {
		test->access = ACCESS_WRITE;
		test->read_percent = 0;
		return 0;
	}
	test->access = ACCESS_MIX;
	if (strncasecmp(string, "Mix", 3) || parse_count(string + 3, 1, 99, &test->read_percent))
		return -EINVAL;
	return 0;
}

static void format_block_size(char *out, size_t room, uint64_t bytes)
{
	if (bytes % (1 << 20) == 0)
		snprintf(out, room, "%uM", (unsigned)(bytes >> 20));
	else if (bytes % 1024 == 0)
		snprintf(out, room, "%uK", (unsigned)(bytes >> 10));
	else
		snprintf(out, room, "%u", (unsigned)bytes);
}

static void spell(struct test *test)
{
	char size[16], access[16];

	format_block_size(size, sizeof(size), test->block_size);
	if (test->access == ACCESS_MIX)
		snprintf(access, sizeof(access), "Mix%u", test->read_percent);
	else
		snprintf(access, sizeof(access), "%s", test->access == ACCESS_READ ? "Read" : "Write");
	snprintf(test->name, sizeof(test->name), "%s%s-Q%uT%u-%s", test->random ? "RND" : "SEQ", size, test->depth,
		 test->jobs, access);
}

int test_parse(const char *name, struct test *test)
{
	struct test parsed = {0};
	char *copy = xstrdup(name), *load = strchr(copy, '-'), *access = load ? strchr(load + 1, '-') : NULL;
	int err = -EINVAL;

	if (access) {
		*load++ = *access++ = '\0';
		err = parse_pattern(copy, &parsed);
		if (!err)
			err = parse_load(load, &parsed);
		if (!err)
			err = parse_access(access, &parsed);
	}
	free(copy);
	if (err)
		return err;
	spell(&parsed);
	*test = parsed;
	return 0;
}

static bool is_among(const struct test *tests, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(tests[i].name, name))
			return true;
	return false;
}

int test_parse_list(const char *list, struct test **tests, size_t *count, char **bad)
{
	char *copy = xstrdup(list), *rest = copy, *name;
	struct test *parsed = NULL;
	size_t found = 0;

	while ((name = strsep(&rest, ","))) {
		int err;

		parsed = xreallocarray(parsed, found + 1, sizeof(*parsed));
		err = test_parse(name, &parsed[found]);
		if (!err && is_among(parsed, found, parsed[found].name))
			err = -EEXIST;
		if (err) {
			*bad = xstrdup(name);
			free(parsed);
			free(copy);
			return err;
		}
		found++;
	}
	free(copy);
	*tests = parsed;
	*count = found;
	return 0;
}

/* --- a sweep --- */

static int sweep_depth(const struct test *pattern, const char *depth, struct test *test)
{
	int err;

	*test = *pattern;
	err = parse_count(depth, 1, MAX_DEPTH, &test->depth);
	if (!err && test->depth * test->jobs > MAX_DEPTH)
		err = -ERANGE;
	if (!err)
		spell(test);
	return err;
}

static int by_depth(const void *a, const void *b)
{
	const struct test *one = a, *other = b;

	return one->depth < other->depth ? -1 : one->depth > other->depth;
}

int test_sweep(const struct test *pattern, const char *depths, struct test **tests, size_t *count, char **bad)
{
	char *copy = xstrdup(depths), *rest = copy, *depth;
	struct test *swept = NULL;
	size_t found = 0;
	int err = 0;

	while (!err && (depth = strsep(&rest, ","))) {
		swept = xreallocarray(swept, found + 1, sizeof(*swept));
		err = sweep_depth(pattern, depth, &swept[found]);
		if (!err && is_among(swept, found, swept[found].name))
			err = -EEXIST;
		if (!err && ++found == 1 && !rest)
			err = -ENODATA;
		if (err)
			*bad = xstrdup(depth);
	}
	free(copy);
	if (err) {
		free(swept);
		return err;
	}
	qsort(swept, found, sizeof(*swept), by_depth);
	*tests = swept;
	*count = found;
	return 0;
}

bool test_writes(const struct test *test)
{
	return test->access != ACCESS_READ;
}
