// SPDX-License-Identifier: GPL-2.0
#include "host/block.h"
#include "workload/place.h"

#include "capture.h"
#include "tree.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/sysmacros.h>

#define VIRTUAL "/sys/devices/virtual/block"

/* A disk with all its names, one that only NVMe would have, one without any, and a partition of the first. */
static void make_disks(const struct tree *tree)
{
	tree_disk(tree, VIRTUAL, "sdx", "8:240", "2048000\n");
	tree_attribute(tree, "sdx", "device/wwid", "naa.5000c500a1b2c3d4\n");
	tree_disk(tree, VIRTUAL, "nvme9n1", "259:77", "2048000\n");
	tree_attribute(tree, "nvme9n1", "wwid", "eui.0025385b01404c0d\n");
	tree_disk(tree, VIRTUAL, "loop99", "7:99", "2048000\n");
	tree_partition(tree, VIRTUAL, "sdx", "sdx1", "8:241", "1\n", "1024000\n");
}

static bool is_named(const char *device, const char *parent_disk, const char *serial, const char *name)
{
	struct layer layer = {.name = (char *)device, .parent_disk = (char *)parent_disk, .serial = (char *)serial};
	struct target target = {.layer = &layer, .layers = 1};

	return place_is_named(&target, name);
}

static void by_serial_number(void **state)
{
	make_disks(*state);
	assert_true(is_named("sdx", NULL, "S1234 5", "S1234 5"));
	assert_false(is_named("sdx", NULL, "S1234 5", "S1234"));
	assert_false(is_named("sdx", NULL, "S1234 5", "s1234 5"));
	assert_false(is_named("sdx", NULL, "S1234 5", "S1234 55"));
	assert_false(is_named("sdx", NULL, NULL, "S1234 5"));
}

static void by_wwn(void **state)
{
	static const char *const same[] = {
		"naa.5000c500a1b2c3d4",	  "0x5000c500a1b2c3d4",	  "5000C500A1B2C3D4",
		"wwn-0x5000c500a1b2c3d4", "NAA.5000C500A1B2C3D4", "0X5000c500a1b2c3d4",
	};
	static const char *const others[] = {
		"naa.5000c500a1b2c3d5", "5000c500a1b2c3d", "5000c500a1b2c3d44", "naa.", "0x", "c500a1b2c3d4",
	};

	make_disks(*state);
	for (size_t i = 0; i < ARRAY_SIZE(same); i++)
		assert_true(is_named("sdx", NULL, NULL, same[i]));
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		assert_false(is_named("sdx", NULL, NULL, others[i]));
	assert_true(is_named("nvme9n1", NULL, NULL, "eui.0025385b01404c0d"));
	assert_true(is_named("nvme9n1", NULL, NULL, "0025385B01404C0D"));
	assert_false(is_named("nvme9n1", NULL, NULL, "5000c500a1b2c3d4"));
}

/* Those names are the whole disk's: what they permit must not be turned on one of its partitions. */
static void a_disk_is_not_its_partition(void **state)
{
	make_disks(*state);
	assert_false(is_named("sdx1", "sdx", "S1234", "S1234"));
	assert_false(is_named("sdx1", "sdx", "S1234", "naa.5000c500a1b2c3d4"));
}

/* An empty word, and the bare name of a device, which is a path to something else or nothing, permit nothing. */
static void nothing_by_accident(void **state)
{
	make_disks(*state);
	assert_false(is_named("sdx", NULL, "", ""));
	assert_false(is_named("sdx", NULL, "S1234", ""));
	assert_false(is_named("loop99", NULL, NULL, ""));
	assert_false(is_named("loop99", NULL, NULL, "naa."));
	assert_false(is_named("sdx", NULL, "S1234", "sdx"));
	assert_false(is_named("sdx", NULL, "S1234", "."));
	assert_false(is_named("sdx", NULL, "S1234", "../../null"));
	assert_false(is_named("sdz", NULL, "S1234", "S1234")); /* gone */
}

static char *make_node(const struct tree *tree, const char *name, mode_t kind, dev_t number)
{
	char *path = tree_path(tree, name);

	if (mknod(path, kind | 0600, number)) {
		free(path);
		return NULL;
	}
	return path;
}

/* By whatever path leads to the block device with that number. */
static void by_path(void **state)
{
	const struct tree *tree = *state;
	char *disk = make_node(tree, "/nodes/disk", S_IFBLK, makedev(8, 240)), *partition, *character, *link;

	if (!disk)
		skip(); /* needs root */
	make_disks(tree);
	partition = make_node(tree, "/nodes/partition", S_IFBLK, makedev(8, 241));
	character = make_node(tree, "/nodes/character", S_IFCHR, makedev(8, 240));
	tree_link(tree, "/nodes/link", "disk");
	link = tree_path(tree, "/nodes/link");
	assert_true(is_named("sdx", NULL, NULL, disk));
	assert_true(is_named("sdx", NULL, NULL, link));
	assert_false(is_named("sdx", NULL, NULL, partition));
	assert_false(is_named("sdx", NULL, NULL, character));
	assert_true(is_named("sdx1", "sdx", NULL, partition));
	assert_false(is_named("sdx1", "sdx", NULL, disk));
	free(disk);
	free(partition);
	free(character);
	free(link);
}

/* --- files that exist --- */

#define MIB (1ull << 20)

struct existing {
	struct tree tree;
	char *file;
	struct place place;
	struct target target;
};

/* One of three MiB, in a directory of its own on the machine itself. */
static void make_existing(struct existing *existing)
{
	tree_make(&existing->tree);
	host_set_root(NULL);
	existing->file = tree_path(&existing->tree, "/precious");
	tree_write(&existing->tree, "/precious", "precious");
	assert_int_equal(truncate(existing->file, 3 * MIB), 0);
}

static int open_existing(struct existing *existing, uint64_t size, bool read_only)
{
	const struct permission permission = {.read_only = read_only};

	existing->target = (struct target){0};
	return place_open(&existing->place, &existing->target, existing->file, size, &permission);
}

/* Gives the file back: still there, and still itself. */
static void close_existing(struct existing *existing, const struct stat *before)
{
	char content[9] = "";
	struct stat st;
	int fd;

	place_close(&existing->place);
	assert_int_equal(stat(existing->file, &st), 0);
	assert_int_equal(st.st_ino, before->st_ino);
	assert_int_equal(st.st_size, before->st_size);
	assert_int_equal(st.st_mtim.tv_sec, before->st_mtim.tv_sec);
	assert_int_equal(st.st_mtim.tv_nsec, before->st_mtim.tv_nsec);
	fd = open(existing->file, O_RDONLY | O_CLOEXEC);
	assert_int_equal(read(fd, content, 8), 8);
	assert_string_equal(content, "precious");
	close(fd);
}

static void an_existing_file_is_only_read(void **state)
{
	struct existing existing;
	struct stat before, opened;

	(void)state;
	make_existing(&existing);
	assert_int_equal(stat(existing.file, &before), 0);
	assert_int_equal(open_existing(&existing, 3 * MIB, true), 0);
	assert_int_equal(existing.target.kind, TARGET_FILE);
	assert_string_equal(existing.target.path, existing.file);
	assert_non_null(existing.target.filesystem);
	assert_false(existing.place.writable);
	assert_null(existing.place.name);
	assert_int_equal(fcntl(existing.place.fd, F_GETFL) & O_ACCMODE, O_RDONLY);
	assert_int_equal(fstat(existing.place.fd, &opened), 0);
	assert_int_equal(opened.st_ino, before.st_ino);
	assert_false(place_shrunk(&existing.place, 3 * MIB));
	assert_true(place_shrunk(&existing.place, 3 * MIB + 1));
	assert_true(place_lock(&existing.place));
	close_existing(&existing, &before);
	target_clear(&existing.target);
	tree_remove(&existing.tree);
	free(existing.file);
}

/* The link may lead anywhere: nothing is written there. */
static void through_a_link(void **state)
{
	const struct permission permission = {.read_only = true};
	struct existing existing;
	struct stat before;
	char *link;

	(void)state;
	make_existing(&existing);
	assert_int_equal(stat(existing.file, &before), 0);
	tree_link(&existing.tree, "/link", "precious");
	link = tree_path(&existing.tree, "/link");
	existing.target = (struct target){0};
	assert_int_equal(place_open(&existing.place, &existing.target, link, MIB, &permission), 0);
	assert_string_equal(existing.target.given, link);
	assert_string_equal(existing.target.path, existing.file);
	close_existing(&existing, &before);
	assert_int_equal(access(link, F_OK), 0);
	target_clear(&existing.target);
	tree_remove(&existing.tree);
	free(existing.file);
	free(link);
}

/* The one line that a refused file gets; the caller frees it. */
static char *refusal(struct existing *existing, uint64_t size, bool read_only)
{
	struct stat before;
	int err;

	assert_int_equal(stat(existing->file, &before), 0);
	capture(STDERR_FILENO);
	err = open_existing(existing, size, read_only);
	close_existing(existing, &before);
	target_clear(&existing->target);
	assert_int_equal(err, -EINVAL);
	return captured_text();
}

static void refused_files(void **state)
{
	struct existing existing;
	char *line;

	(void)state;
	make_existing(&existing);
	line = refusal(&existing, MIB, false);
	assert_non_null(strstr(line, "exists"));
	assert_non_null(strstr(line, "--read-only"));
	free(line);
	line = refusal(&existing, 4 * MIB, true);
	assert_non_null(strstr(line, ": 4 MiB are asked for; the file has 3 MiB: add --size 3M\n"));
	free(line);
	assert_int_equal(truncate(existing.file, 4096), 0);
	line = refusal(&existing, MIB, true);
	assert_non_null(strstr(line, ": the file has 4 KiB: 1 MiB is the least that can be measured\n"));
	free(line);
	tree_remove(&existing.tree);
	free(existing.file);
}

static void assert_not_looked_at(const char *given, const char *says)
{
	struct target target = {0};
	char *line;
	int err;

	capture(STDERR_FILENO);
	err = place_look(&target, given);
	line = captured_text();
	assert_int_equal(err, -EINVAL);
	assert_non_null(strstr(line, given));
	if (!strstr(line, says))
		fail_msg("no '%s' in: %s", says, line);
	target_clear(&target);
	free(line);
}

/* Looking makes no file and opens none. */
static void looking(void **state)
{
	struct target target = {0};
	struct existing existing;
	struct stat before, after;

	(void)state;
	make_existing(&existing);
	assert_int_equal(stat(existing.file, &before), 0);
	assert_int_equal(place_look(&target, existing.file), 0);
	assert_int_equal(target.kind, TARGET_FILE);
	assert_string_equal(target.path, existing.file);
	assert_non_null(target.filesystem);
	target_clear(&target);
	assert_int_equal(stat(existing.tree.root, &before), 0);
	assert_int_equal(place_look(&target, existing.tree.root), 0);
	assert_int_equal(target.kind, TARGET_DIRECTORY);
	assert_string_equal(target.given, existing.tree.root);
	assert_int_equal(stat(existing.tree.root, &after), 0);
	assert_memory_equal(&before.st_mtim, &after.st_mtim, sizeof(before.st_mtim));
	target_clear(&target);
	assert_not_looked_at("/nonexistent/place", "No such file");
	assert_not_looked_at("/dev/null", "neither a directory, a file nor a block device");
	tree_remove(&existing.tree);
	free(existing.file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_TREE(by_serial_number),
		IN_TREE(by_wwn),
		IN_TREE(a_disk_is_not_its_partition),
		IN_TREE(nothing_by_accident),
		IN_TREE(by_path),
		cmocka_unit_test(an_existing_file_is_only_read),
		cmocka_unit_test(through_a_link),
		cmocka_unit_test(refused_files),
		cmocka_unit_test(looking),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
