// SPDX-License-Identifier: GPL-2.0
#include "tree.h"

#include <errno.h>
#include <sched.h>
#include <sys/mount.h>

#include "trace/cgroup.h"

static uint64_t id;
static uint32_t level;

static int find(const struct tree *tree, const char *name)
{
	char *path = xasprintf("%s%s", tree->root, name);
	int err = cgroup_find(path, &id, &level);

	free(path);
	return err;
}

static void no_cgroups(void **state)
{
	tree_write(*state, "/directory/file", "");
	assert_int_equal(find(*state, "/nothing"), -ENOENT);
	assert_int_equal(find(*state, "/directory"), -ENOTSUP);
	assert_int_equal(find(*state, "/directory/file"), -ENOTSUP);
}

/* A hierarchy of our own view, gone with it; false where we may not mount. */
static bool mount_hierarchy(const struct tree *tree)
{
	char *path = tree_path(tree, "/cgroups");
	bool mounted = !mkdir(path, 0755) && !unshare(CLONE_NEWNS) &&
		       !mount("none", "/", "none", MS_REC | MS_PRIVATE, NULL) && !mount("none", path, "cgroup2", 0, NULL);

	free(path);
	return mounted;
}

static void unmount(const struct tree *tree, const char *name)
{
	char *path = xasprintf("%s%s", tree->root, name);

	assert_int_equal(umount2(path, MNT_DETACH), 0);
	free(path);
}

static void levels(void **state)
{
	const struct tree *tree = *state;
	char *outer = xasprintf("%s/cgroups/iostrata-test-%d", tree->root, (int)getpid());
	char *inner = xasprintf("%s/inner", outer), *bound = xasprintf("%s/bound", tree->root);
	struct stat status;

	if (!mount_hierarchy(tree)) {
		free(outer), free(inner), free(bound);
		skip();
	}
	assert_int_equal(find(tree, "/cgroups"), 0);
	assert_int_equal(level, 0);
	assert_int_equal(mkdir(outer, 0755), 0);
	assert_int_equal(mkdir(inner, 0755), 0);
	assert_int_equal(stat(inner, &status), 0);
	assert_int_equal(cgroup_find(inner, &id, &level), 0);
	assert_int_equal(level, 2);
	assert_int_equal(id, status.st_ino);
	/* From here on the root cannot be seen, as in a container. */
	assert_int_equal(mkdir(bound, 0755), 0);
	assert_int_equal(mount(outer, bound, "none", MS_BIND, NULL), 0);
	assert_int_equal(find(tree, "/bound/inner"), -ENOTSUP);
	unmount(tree, "/bound");
	assert_int_equal(rmdir(inner), 0);
	assert_int_equal(rmdir(outer), 0);
	unmount(tree, "/cgroups");
	free(outer), free(inner), free(bound);
}

int main(void)
{
	const struct CMUnitTest tests[] = {IN_TREE(no_cgroups), IN_TREE(levels)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
