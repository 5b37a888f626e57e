// SPDX-License-Identifier: GPL-2.0
#include "tree.h"

#include <errno.h>

#include "host/cgroup.h"

#define V1    "33 31 0:30 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory\n"
#define V2    "41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw\n"
#define ALONE "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n"

static void add_cgroup(const struct tree *tree, const char *directory)
{
	char *file = xasprintf("%s/cgroup.controllers", directory);

	tree_write(tree, file, "io memory\n");
	free(file);
}

static void assert_found(const char *given, const char *expected)
{
	char *directory;

	assert_int_equal(cgroup_directory(given, &directory), 0);
	assert_string_equal(directory, expected);
	free(directory);
}

static void assert_not_found(const char *given, int error)
{
	char *directory = NULL;

	assert_int_equal(cgroup_directory(given, &directory), error);
	assert_null(directory);
}

static void by_path_and_as_systemd_names_it(void **state)
{
	const struct tree *tree = *state;

	tree_write(tree, "/proc/self/mountinfo", ALONE);
	add_cgroup(tree, "/sys/fs/cgroup");
	add_cgroup(tree, "/sys/fs/cgroup/system.slice/cron.service");
	assert_found("/sys/fs/cgroup/system.slice/cron.service", "/sys/fs/cgroup/system.slice/cron.service");
	assert_found("/system.slice/cron.service", "/sys/fs/cgroup/system.slice/cron.service");
	assert_found("system.slice/cron.service", "/sys/fs/cgroup/system.slice/cron.service");
	assert_found("/system.slice/cron.service/", "/sys/fs/cgroup/system.slice/cron.service");
	assert_found("/", "/sys/fs/cgroup");
	assert_not_found("/system.slice/ssh.service", -ENOENT);
	assert_not_found("cron.service", -ENOENT);
}

/* Its directories are of v1 but for one. */
static void beside_v1(void **state)
{
	const struct tree *tree = *state;

	tree_write(tree, "/proc/self/mountinfo", V1 V2);
	tree_write(tree, "/sys/fs/cgroup/memory/job/memory.limit_in_bytes", "1\n");
	add_cgroup(tree, "/sys/fs/cgroup/unified/job");
	assert_found("/job", "/sys/fs/cgroup/unified/job");
	assert_not_found("/sys/fs/cgroup/memory/job", -ENOENT);
	assert_not_found("/memory/job", -ENOENT);
}

static void without_v2(void **state)
{
	const struct tree *tree = *state;

	assert_not_found("/job", -ENODEV);
	tree_write(tree, "/proc/self/mountinfo", V1);
	add_cgroup(tree, "/sys/fs/cgroup/memory/job");
	assert_not_found("/job", -ENODEV);
	assert_not_found("/sys/fs/cgroup/memory/job", -ENODEV);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_TREE(by_path_and_as_systemd_names_it),
		IN_TREE(beside_v1),
		IN_TREE(without_v2),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
