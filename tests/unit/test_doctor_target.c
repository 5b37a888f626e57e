// SPDX-License-Identifier: GPL-2.0
#include "findings.h"

#include <sys/statvfs.h>

#include "command/doctor_target.h"

static struct diagnosis *diagnosis;
static struct section *section;

static void examine(const struct target *target)
{
	diagnosis_free(diagnosis);
	diagnosis = diagnosis_new();
	doctor_target(diagnosis, target);
	assert_int_equal(diagnosis->sections, 1);
	section = &diagnosis->section[0];
	assert_string_equal(section->title, target->given);
	for (size_t i = 0; i < section->findings; i++)
		assert_ptr_equal(find_finding(section, section->finding[i].name), &section->finding[i]);
}

static int end(void **state)
{
	diagnosis_free(diagnosis);
	diagnosis = NULL;
	return tree_teardown(state);
}

static void examine_options(const struct tree *tree, const char *filesystem, const char *options)
{
	struct layer layer = {.name = (char *)"sda", .path = (char *)"native-ata", .leaf = true};
	struct target target = {
		.given = (char *)"here",
		.kind = TARGET_DIRECTORY,
		.filesystem = (char *)filesystem,
		.mount_point = (char *)"/tmp",
		.layer = &layer,
		.layers = 1,
	};
	char *mounts = xasprintf("2000000001 1 0:4005 / /tmp %s - %s source rw\n", options, filesystem);

	tree_write(tree, "/proc/self/mountinfo", mounts);
	examine(&target);
	free(mounts);
}

static void options_that_are_fine(void **state)
{
	examine_options(*state, "ext4", "rw,relatime,discard,errors=remount-ro,data=ordered");
	assert_plain(section, "path", "ext4 on sda");
	assert_fine(section, "file system", "ext4 at /tmp, rw,relatime,discard,errors=remount-ro,data=ordered");
	examine_options(*state, "xfs", "rw,noatime,attr2,inode64,logbufs=8");
	assert_int_equal(get_finding(section, "file system")->fitness, FITNESS_FINE);
	examine_options(*state, "ext4", "ro");
	assert_int_equal(get_finding(section, "file system")->fitness, FITNESS_FINE);
	/* what these options mean elsewhere is not known here */
	examine_options(*state, "vfat", "rw,fmask=0022");
	assert_int_equal(get_finding(section, "file system")->fitness, FITNESS_PLAIN);
}

static void options_that_limit(void **state)
{
	examine_options(*state, "ext4", "rw,relatime,nobarrier");
	assert_blamed(section, "file system", FITNESS_LIMITED, "sends no flushes",
		      "sudo mount -o remount,barrier /tmp");
	examine_options(*state, "ext4", "rw,relatime,barrier=0");
	assert_blamed(section, "file system", FITNESS_LIMITED, "sends no flushes",
		      "sudo mount -o remount,barrier /tmp");
	examine_options(*state, "ext4", "rw,relatime,data=journal");
	assert_blamed(section, "file system", FITNESS_LIMITED, "written twice",
		      "sudo umount /tmp, and mount it without that option");
	examine_options(*state, "ext4", "rw,sync,relatime");
	assert_blamed(section, "file system", FITNESS_LIMITED, "All writes are synchronous",
		      "sudo mount -o remount,async /tmp");
	examine_options(*state, "btrfs", "rw,relatime,compress=zstd:3,space_cache=v2");
	assert_blamed(section, "file system", FITNESS_LIMITED, "compresses", "sudo mount -o remount,compress=no /tmp");
	examine_options(*state, "xfs", "rw,attr2");
	assert_blamed(section, "file system", FITNESS_LIMITED, "strictatime", "sudo mount -o remount,noatime /tmp");
}

/* For the shell that the command is pasted into. */
static void mount_points_are_quoted(void **state)
{
	char place[] = "/tmp/iostrata it's XXXXXX", *cure, *line;
	struct layer layer = {.name = (char *)"sda", .leaf = true};
	struct target target = {.given = (char *)"x", .filesystem = (char *)"ext4", .mount_point = place};

	assert_non_null(mkdtemp(place));
	line = xasprintf("2000000001 1 0:4005 / /tmp/iostrata\\040it's\\040%s rw - ext4 source rw\n",
			 strrchr(place, ' ') + 1);
	tree_write(*state, "/proc/self/mountinfo", line);
	target.layer = &layer;
	target.layers = 1;
	examine(&target);
	cure = xasprintf("sudo mount -o remount,noatime '/tmp/iostrata it'\\''s %s'", strrchr(place, ' ') + 1);
	assert_blamed(section, "file system", FITNESS_LIMITED, "strictatime", cure);
	rmdir(place);
	free(cure), free(line);
}

/* As df has it: what is reserved for root counts for nobody. Of a recorded machine it is not known. */
static void how_full_it_is(void **state)
{
	struct target target = {
		.given = (char *)"here",
		.kind = TARGET_DIRECTORY,
		.filesystem = (char *)"ext4",
		.mount_point = (char *)"/",
	};
	const struct finding *finding;
	unsigned long long percent;
	struct statvfs room;

	examine_options(*state, "ext4", "rw,relatime");
	assert_null(find_finding(section, "full"));
	host_set_root(NULL);
	examine(&target);
	finding = get_finding(section, "full");
	assert_string_equal(finding->source, "statvfs(/)");
	assert_int_equal(sscanf(finding->value, "%llu %% of", &percent), 1);
	assert_int_equal(statvfs("/", &room), 0);
	assert_in_range(percent, 0, 100);
	assert_true(100 * (room.f_blocks - room.f_bfree) / (room.f_blocks - room.f_bfree + room.f_bavail) <=
		    percent + 2);
	if (percent <= 90)
		assert_int_equal(finding->fitness, FITNESS_FINE);
}

static void examine_access(const struct tree *tree, const char *filesystem, const char *access)
{
	const struct target target = {
		.given = (char *)"here",
		.kind = TARGET_DIRECTORY,
		.filesystem = (char *)filesystem,
		.access = (char *)access,
	};

	if (!host_exists("/sys/dev/block"))
		tree_write(tree, "/sys/dev/block/8:0", "");
	examine(&target);
	assert_string_equal(get_finding(section, "path")->source, "/proc/self/mountinfo");
}

static void servers(void **state)
{
	examine_access(*state, "nfs4", "nfs");
	assert_value(section, "path",
		     "nfs4, a folder of a server over NFS: what is measured includes the network, the server, its file "
		     "system and disk");
	assert_blamed(section, "path", FITNESS_LIMITED, "no stage of an I/O can be told", NULL);
	examine_access(*state, "virtiofs", "virtiofs");
	assert_blamed(section, "path", FITNESS_LIMITED, "only the round trips can be timed", NULL);
	examine_access(*state, "zfs", "zfs");
	assert_blamed(section, "path", FITNESS_LIMITED, "which disks a pool lies on",
		      "zpool status -P shows its disks; iostrata trace -D times one of them");
}

static void memory_is_no_disk(void **state)
{
	examine_access(*state, "tmpfs", "memory");
	assert_value(section, "path", "tmpfs, memory");
	assert_blamed(section, "path", FITNESS_UNFIT, "This is memory", "name a directory or a device on a disk");
}

static void what_can_not_be_told(void **state)
{
	static const char cure[] =
		"name a directory of a file system that is on a disk, such as a volume of the container";

	examine_access(*state, "overlay", "overlay");
	assert_blamed(section, "path", FITNESS_LIMITED, "can't be seen from here", cure);
	examine_access(*state, "some-new-fs", NULL);
	assert_value(section, "path", "some-new-fs without a block device");
	assert_blamed(section, "path", FITNESS_LIMITED, "can't be seen from here", cure);
	examine_access(*state, NULL, NULL);
	assert_value(section, "path", "unknown");
}

static void drives_of_windows(void **state)
{
	examine_access(*state, "9p", "drvfs");
	assert_blamed(section, "path", FITNESS_LIMITED, "mostly the way to Windows and back",
		      "name a directory of the Linux file system, such as ~, or give WSL a whole disk");
	examine_access(*state, "virtiofs", "drvfs-virtiofs");
	assert_blamed(section, "path", FITNESS_LIMITED, "mostly the way to Windows and back",
		      "name a directory of the Linux file system, such as ~, or give WSL a whole disk");
	examine_access(*state, "wslfs", "wsl1");
	assert_blamed(section, "path", FITNESS_LIMITED, "WSL 1 has no block layer",
		      "measure with DiskSpd in Windows, or turn the distribution into WSL 2: wsl --set-version NAME 2");
}

static void without_sysfs(void **state)
{
	const struct target target = {.given = (char *)"here", .filesystem = (char *)"ext4"};

	(void)state;
	examine(&target);
	assert_blamed(section, "path", FITNESS_LIMITED, "/sys is not mounted", "sudo mount -t sysfs sysfs /sys");
}

/* Each layer by its own name, the way in the words of the heading. */
static void a_stack(void **state)
{
	struct layer layers[] = {
		{.name = (char *)"sdc1", .parent_disk = (char *)"sdc"},
		{.name = (char *)"sdc", .path = (char *)"vhdx", .driver = (char *)"hv_storvsc", .leaf = true},
	};
	const struct target target = {
		.given = (char *)"/dev/sdc1", .kind = TARGET_DEVICE, .layer = layers, .layers = 2};

	tree_write(*state, "/sys/class/block/sdc1/start", "2048\n");
	examine(&target);
	assert_plain(section, "path",
		     "block device sdc1, a VHDX on Hyper-V's storvsc: what follows as `device` includes Windows' file "
		     "system and disk");
	assert_string_equal(get_finding(section, "path")->source, "/sys/class/block");
	assert_fine(section, "sdc1 start", "at byte 1048576");
	assert_plain(section, "sdc kind", "a VHDX on Hyper-V's storvsc, driver hv_storvsc");
	assert_null(find_finding(section, "file system"));
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, tree_setup, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(options_that_are_fine),
		TEST(options_that_limit),
		TEST(mount_points_are_quoted),
		TEST(how_full_it_is),
		TEST(servers),
		TEST(memory_is_no_disk),
		TEST(what_can_not_be_told),
		TEST(drives_of_windows),
		TEST(without_sysfs),
		TEST(a_stack),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
