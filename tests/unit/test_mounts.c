// SPDX-License-Identifier: GPL-2.0
#include "tree.h"

#include <errno.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>

#include "host/mounts.h"

#define SATA	"/sys/devices/pci0000:00/ata1/block"
#define VIRTUAL "/sys/devices/virtual/block"

/* --- mount_of_path --- */

/* A line of mountinfo. The numbers of its mounts are none that this machine could have. */
static void add_line(struct text *table, unsigned id, dev_t device, const char *point, const char *rest)
{
	text_addf(table, "%u 1 %u:%u / %s rw,relatime shared:1 - %s\n", 2000000000 + id, major(device), minor(device),
		  point, rest);
}

static void write_mounts(const struct tree *tree, struct text *table)
{
	char *content = text_take(table);

	tree_write(tree, "/proc/self/mountinfo", content);
	free(content);
}

static dev_t device_of(const char *path)
{
	struct stat status;

	assert_int_equal(stat(path, &status), 0);
	return status.st_dev;
}

static void assert_mount(const char *path, const char *point, const char *source)
{
	struct mount mount = {0};

	assert_int_equal(mount_of_path(path, &mount), 0);
	assert_string_equal(mount.point, point);
	assert_string_equal(mount.source, source);
	mount_clear(&mount);
	assert_null(mount.point);
}

static void longest_path_of_the_device_wins(void **state)
{
	const struct tree *tree = *state;
	char *inner = tree_path(tree, "/data/deep/file"), *data = tree_path(tree, "/data");
	char *beside = tree_path(tree, "/database/file");
	dev_t device = device_of(tree->root), other = makedev(4000, 1);
	struct text table = {0};

	add_line(&table, 1, device, "/", "ext4 /dev/root1 rw");
	add_line(&table, 2, device, data, "xfs /dev/data rw,noquota");
	add_line(&table, 3, other, inner, "tmpfs covered rw");
	write_mounts(tree, &table);
	tree_write(tree, "/data/deep/file", "x");
	tree_write(tree, "/database/file", "x");
	assert_mount(inner, data, "/dev/data");
	assert_mount(beside, "/", "/dev/root1"); /* /data is no part of /database */
	free(inner), free(data), free(beside);
}

static void last_of_two_on_one_point_wins(void **state)
{
	const struct tree *tree = *state;
	struct text table = {0};
	dev_t device = device_of(tree->root);

	add_line(&table, 1, device, "/", "ext4 /dev/root1 rw");
	add_line(&table, 2, device, tree->root, "ext4 /dev/below rw");
	add_line(&table, 3, device, tree->root, "ext4 /dev/above rw");
	write_mounts(tree, &table);
	assert_mount(tree->root, tree->root, "/dev/above");
}

/* btrfs gives its files a device number that no line of mountinfo has. */
static void without_the_device_the_longest_path_wins(void **state)
{
	const struct tree *tree = *state;
	struct text table = {0};

	add_line(&table, 1, makedev(0, 4001), "/", "btrfs /dev/none1 rw,subvol=/");
	add_line(&table, 2, makedev(0, 4002), tree->root, "btrfs /dev/none2 rw,subvol=/x");
	write_mounts(tree, &table);
	assert_mount(tree->root, tree->root, "/dev/none2");
}

/* What is written to an overlay lands in its upper directory. */
static void overlay_lies_where_its_upper_directory_does(void **state)
{
	/* One on a disk, as the tree may be in memory. */
	static const char *const places[] = {"/var/tmp", "/usr", "/"};
	const struct tree *tree = *state;
	const char *upper = NULL;
	struct mount mount = {0};
	struct text table = {0};
	char *line;

	for (size_t i = 0; i < ARRAY_SIZE(places) && !upper; i++)
		upper = major(device_of(places[i])) ? places[i] : NULL;
	if (!upper) {
		skip();
		return;
	}
	line = xasprintf("overlay overlay rw,lowerdir=/lower,upperdir=%s,workdir=/work", upper);
	add_line(&table, 1, makedev(0, 4003), tree->root, line);
	write_mounts(tree, &table);
	assert_int_equal(mount_of_path(tree->root, &mount), 0);
	assert_string_equal(mount.filesystem, "overlay");
	assert_true(mount.device == device_of(upper));
	mount_clear(&mount);
	free(line);
}

static void links_and_blanks_in_paths(void **state)
{
	const struct tree *tree = *state;
	char *directory = tree_path(tree, "/with blank"), *link = tree_path(tree, "/link");
	char *escaped = xasprintf("%s/with\\040blank", tree->root);
	struct text table = {0};

	tree_directory(tree, "/with blank");
	tree_link(tree, "/link", "with blank");
	add_line(&table, 1, device_of(tree->root), "/", "ext4 /dev/root1 rw");
	add_line(&table, 2, device_of(tree->root), escaped, "ext4 /dev/blank rw");
	write_mounts(tree, &table);
	assert_mount(link, directory, "/dev/blank");
	free(directory), free(link), free(escaped);
}

static void failures_leave_the_mount_alone(void **state)
{
	const struct tree *tree = *state;
	char *missing = tree_path(tree, "/missing");
	struct mount mount = {.point = (char *)"untouched"};

	assert_int_equal(mount_of_path(missing, &mount), -ENOENT);
	assert_int_equal(mount_of_path(tree->root, &mount), -ENOENT); /* no mountinfo */
	assert_string_equal(mount.point, "untouched");
	free(missing);
}

/* Of the table alone: neither the point nor the device have to be there. */
static void by_point(void **state)
{
	struct text table = {0};
	struct mount mount;

	assert_int_equal(mount_at("/", &mount), -ENOENT); /* no mountinfo */
	add_line(&table, 1, makedev(4000, 1), "/", "ext4 /dev/root1 rw");
	add_line(&table, 2, makedev(4000, 2), "/nonexistent/c", "ext4 /dev/first rw");
	add_line(&table, 3, makedev(4000, 3), "/nonexistent/c", "xfs /dev/second rw,noquota");
	write_mounts(*state, &table);
	assert_int_equal(mount_at("/nonexistent/c", &mount), 0);
	assert_string_equal(mount.filesystem, "xfs");
	assert_string_equal(mount.source, "/dev/second");
	assert_int_equal(mount.device, makedev(4000, 3));
	mount_clear(&mount);
	assert_int_equal(mount_at("/nonexistent", &mount), -ENOENT);
	assert_int_equal(mount_at("/", &mount), 0);
	assert_int_equal(mount.device, makedev(4000, 1));
	mount_clear(&mount);
}

static void proc_of_this_machine(void **state)
{
	struct mount mount;

	(void)state;
	assert_int_equal(mount_of_path("/proc/self/status", &mount), 0);
	assert_string_equal(mount.filesystem, "proc");
	assert_string_equal(mount.point, "/proc");
	assert_int_equal(mount.device, device_of("/proc/self/status"));
	assert_int_equal(major(mount.device), 0);
	assert_non_null(mount.options);
	mount_clear(&mount);
}

/* Whether the mount of `path` is the one on `point`. */
static bool lies_in(const char *path, const char *point)
{
	struct mount found;
	bool right;

	if (mount_of_path(path, &found))
		return false;
	right = strcmp(found.point, point) == 0;
	mount_clear(&found);
	return right;
}

/*
 * In a mount namespace of its own: what is mounted over `outer` later hides the mount on the longer path `inner`, be it
 * another file system or the same once more.
 */
static int overmount(const char *outer, const char *inner)
{
	if (unshare(CLONE_NEWNS) || mount("none", "/", "none", MS_REC | MS_PRIVATE, NULL))
		return 77;
	if (mount("first", outer, "tmpfs", 0, "size=1m") || mkdir(inner, 0755))
		return 77;
	if (mount(inner, inner, "none", MS_BIND, NULL) || !lies_in(inner, inner))
		return 1;
	if (mount(outer, outer, "none", MS_BIND, NULL) || !lies_in(inner, outer))
		return 2;
	if (mount("second", outer, "tmpfs", 0, "size=1m") || mkdir(inner, 0755) || !lies_in(inner, outer))
		return 3;
	return 0;
}

static void overmount_of_this_machine(void **state)
{
	char outer[] = "/tmp/iostrata-over-XXXXXX", inner[sizeof(outer) + sizeof("/inner")];
	int status;
	pid_t child;

	(void)state;
	assert_non_null(mkdtemp(outer));
	snprintf(inner, sizeof(inner), "%s/inner", outer);
	child = fork();
	if (child == 0)
		_exit(overmount(outer, inner));
	assert_int_equal(waitpid(child, &status, 0), child);
	rmdir(outer);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
		skip(); /* only root may mount */
	assert_int_equal(status, 0);
}

/* --- device_use --- */

static int make_disks(void **state)
{
	tree_setup(state);
	tree_disk(*state, SATA, "sda", "4000:0", "1000\n");
	tree_partition(*state, SATA, "sda", "sda1", "4000:1", "1\n", "100\n");
	tree_partition(*state, SATA, "sda", "sda2", "4000:2", "2\n", "100\n");
	tree_partition(*state, SATA, "sda", "sda3", "4000:3", "3\n", "100\n");
	tree_disk(*state, SATA, "sdb", "4000:16", "1000\n");
	tree_disk(*state, VIRTUAL, "md0", "4001:0", "100\n");
	tree_write(*state, "/proc/swaps", "Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n");
	tree_write(*state, "/proc/self/mountinfo", "20 1 0:21 / /proc rw - proc proc rw\n");
	return 0;
}

static void assert_use(const char *name, const char *expected)
{
	char *use = device_use(name);

	if (expected) {
		assert_non_null(use);
		assert_string_equal(use, expected);
	} else {
		assert_null(use);
	}
	free(use);
}

static void unused_disk(void **state)
{
	(void)state;
	assert_use("sda", NULL);
	assert_use("sdb", NULL);
	assert_use("no-such-disk", NULL);
}

/* The numbers are those that the tree gives to its disks; nothing is opened. */
static void btrfs_lies_on_all_of_its_devices(void **state)
{
	const struct tree *tree = *state;
	char file[] = "/dev/shm/iostrata-btrfs-XXXXXX", *node = tree_path(tree, "/dev/sdb");
	char *line = xasprintf("btrfs %s rw", node);
	struct text table = {0};
	struct layer *layers;
	struct mount mount;
	size_t count;
	int fd = mkstemp(file);

	if (fd < 0 || major(device_of(file)) || mknod(node, S_IFBLK | 0600, makedev(4000, 16))) {
		unlink(file);
		skip(); /* only root may, and /dev/shm need not be a tmpfs */
	}
	add_line(&table, 1, makedev(0, 4005), "/dev/shm", line);
	write_mounts(tree, &table);
	assert_int_equal(mount_of_path(file, &mount), 0);
	assert_null(mount.members);
	assert_true(mount.device == makedev(4000, 16));
	mount_clear(&mount);

	tree_link(tree, "/sys/fs/btrfs/0a1b/devices/sda3", "somewhere");
	tree_link(tree, "/sys/fs/btrfs/0a1b/devices/sdb", "somewhere");
	tree_link(tree, "/sys/fs/btrfs/0a1b/devices/sdz", "gone");
	assert_int_equal(mount_of_path(file, &mount), 0);
	assert_int_equal(mount_stack(&mount, &layers, &count), 0);
	assert_int_equal(count, 3);
	assert_string_equal(layers[0].name, "sda3");
	assert_string_equal(layers[1].name, "sdb");
	assert_string_equal(layers[2].name, "sda");
	for (size_t i = 0; i < count; i++)
		layer_clear(&layers[i]);
	free(layers);
	mount_clear(&mount);
	unlink(file);
	close(fd);
	free(node), free(line);
}

static void mounted_is_told_by_number_and_partition(void **state)
{
	struct text table = {0};

	add_line(&table, 1, makedev(4000, 1), "/my\\040data", "ext4 /dev/some-other-name rw");
	add_line(&table, 2, makedev(4000, 1), "/bind", "ext4 /dev/some-other-name rw");
	write_mounts(*state, &table);
	assert_use("sda1", "mounted at /my data");
	assert_use("sda", "mounted at /my data (sda1)");
	assert_use("sda2", NULL);
	assert_use("sdb", NULL);
}

static void swap_mount_and_holder_of_one_disk(void **state)
{
	struct text table = {0};

	add_line(&table, 1, makedev(4000, 1), "/boot", "ext4 /dev/sda1 rw");
	write_mounts(*state, &table);
	tree_write(
		*state, "/proc/swaps",
		"Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n/dev/sda2                               partition\t"
		"1048572\t\t0\t\t-2\n");
	tree_stack(*state, "md0", "sda3");
	assert_use("sda", "mounted at /boot (sda1), swap (sda2), held by md0 (sda3)");
	assert_use("sda3", "held by md0");
	assert_use("md0", NULL);
}

static void btrfs_is_told_by_its_source_and_members(void **state)
{
	struct text table = {0};

	add_line(&table, 1, makedev(0, 4005), "/pool", "btrfs /dev/sda3 rw,subvolid=5");
	write_mounts(*state, &table);
	tree_link(*state, "/sys/fs/btrfs/0a1b/devices/sda3", "somewhere");
	tree_link(*state, "/sys/fs/btrfs/0a1b/devices/sdb", "somewhere");
	tree_write(*state, "/sys/fs/btrfs/features/raid1c34", "1\n");
	assert_use("sda", "mounted at /pool (sda3)");
	assert_use("sdb", "part of a mounted btrfs");
	assert_use("sda2", NULL);
}

static void loop_over_a_device_uses_it(void **state)
{
	tree_disk(*state, VIRTUAL, "loop3", "4007:3", "100\n");
	tree_attribute(*state, "loop3", "loop/backing_file", "/dev/sdb\n");
	assert_use("sdb", "behind loop3");
	assert_use("sda", NULL);
	assert_use("loop3", NULL);
}

static void unreadable_mounts_are_no_free_disk(void **state)
{
	char *path = tree_path(*state, "/proc/self/mountinfo");

	assert_int_equal(unlink(path), 0);
	assert_use("sdb", "perhaps mounted: /proc/self/mountinfo can't be read");
	free(path);
}

/* --- device_content --- */

static void assert_content(const struct tree *tree, const char *name, const char *expected)
{
	char *path = tree_path(tree, name), *content = device_content(path);

	assert_string_equal(content, expected);
	free(path), free(content);
}

static char *make_image(const struct tree *tree, const char *name, off_t size)
{
	char *path = tree_path(tree, name);

	tree_write(tree, name, "");
	assert_int_equal(truncate(path, size), 0);
	return path;
}

static void put(const char *path, long offset, const void *data, size_t length)
{
	FILE *file = fopen(path, "r+");

	assert_non_null(file);
	assert_int_equal(fseek(file, offset, SEEK_SET), 0);
	assert_int_equal(fwrite(data, 1, length, file), length);
	assert_int_equal(fclose(file), 0);
}

static void empty_device(void **state)
{
	free(make_image(*state, "/empty", 4 << 20));
	assert_content(*state, "/empty", "nothing that libblkid knows");
}

static void unreadable_device(void **state)
{
	assert_content(*state, "/missing", "something that can't be read (No such file or directory)");
}

static void mbr_with_two_partitions(void **state)
{
	/* not bootable, CHS, type Linux, CHS, first sector, sectors */
	static const unsigned char entries[2][16] = {
		{0, 0, 2, 0, 0x83, 0, 3, 0, 0, 8, 0, 0, 0, 8, 0, 0},
		{0, 0, 2, 0, 0x83, 0, 3, 0, 0, 16, 0, 0, 0, 8, 0, 0},
	};
	static const unsigned char signature[] = {0x55, 0xaa};
	char *path = make_image(*state, "/mbr", 4 << 20);

	put(path, 446, entries, sizeof(entries));
	put(path, 510, signature, sizeof(signature));
	assert_content(*state, "/mbr", "MBR with 2 partitions");
	put(path, 446 + 16, (unsigned char[16]){0}, 16);
	assert_content(*state, "/mbr", "MBR with 1 partition");
	free(path);
}

/* The header of mkswap: version 1, 1023 pages after the first, at 1024; the signature at the first page's end. */
static void swap_with_a_label(void **state)
{
	static const unsigned char version_and_last_page[] = {1, 0, 0, 0, 0xff, 3, 0, 0};
	char *path = make_image(*state, "/swap", 4 << 20);

	put(path, 1024, version_and_last_page, sizeof(version_and_last_page));
	put(path, 4096 - 10, "SWAPSPACE2", 10);
	put(path, 1024 + 28, "page\033[2J\302\233x", 12);
	assert_content(*state, "/swap", "swap, label page?[2J?x");
	free(path);
}

static void run(char **command)
{
	int status;
	pid_t child = fork();

	if (child == 0) {
		execvp(command[0], command);
		_exit(127);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
		skip(); /* not installed */
	assert_int_equal(status, 0);
}

static void encrypted_device(void **state)
{
	static const unsigned char magic_and_version[] = {'L', 'U', 'K', 'S', 0xba, 0xbe, 0, 1};
	char *path = make_image(*state, "/luks", 4 << 20);

	put(path, 0, magic_and_version, sizeof(magic_and_version));
	assert_content(*state, "/luks", "crypto_LUKS (crypto)");
	free(path);
}

static void ext4_and_then_squashfs_too(void **state)
{
	char *path = make_image(*state, "/ext4", 8 << 20);

	setenv("PATH", "/usr/sbin:/usr/bin:/sbin:/bin", 1);
	run((char *[]){"mke2fs", "-q", "-F", "-t", "ext4", "-L", "data", path, NULL});
	assert_content(*state, "/ext4", "ext4, label data");
	put(path, 0, "hsqs", 4); /* now also squashfs, version 4 */
	put(path, 28, "\4\0", 2);
	assert_content(*state, "/ext4", "several things at once, which libblkid can't tell apart");
	free(path);
}

#define WITH_DISKS(test) cmocka_unit_test_setup_teardown(test, make_disks, tree_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_TREE(longest_path_of_the_device_wins),
		IN_TREE(last_of_two_on_one_point_wins),
		IN_TREE(without_the_device_the_longest_path_wins),
		IN_TREE(overlay_lies_where_its_upper_directory_does),
		IN_TREE(links_and_blanks_in_paths),
		IN_TREE(failures_leave_the_mount_alone),
		IN_TREE(by_point),
		cmocka_unit_test(proc_of_this_machine),
		cmocka_unit_test(overmount_of_this_machine),
		WITH_DISKS(unused_disk),
		WITH_DISKS(mounted_is_told_by_number_and_partition),
		WITH_DISKS(swap_mount_and_holder_of_one_disk),
		WITH_DISKS(btrfs_lies_on_all_of_its_devices),
		WITH_DISKS(btrfs_is_told_by_its_source_and_members),
		WITH_DISKS(loop_over_a_device_uses_it),
		WITH_DISKS(unreadable_mounts_are_no_free_disk),
		IN_TREE(empty_device),
		IN_TREE(unreadable_device),
		IN_TREE(mbr_with_two_partitions),
		IN_TREE(swap_with_a_label),
		IN_TREE(encrypted_device),
		IN_TREE(ext4_and_then_squashfs_too),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
