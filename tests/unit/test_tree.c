// SPDX-License-Identifier: GPL-2.0
#include "tree.h"

/* Of each recorded machine: the name that it calls itself, and what its root is on. */
static const struct {
	const char *name, *release, *root;
} machines[] = {
	{"wsl2-5.15-vhdx", "5.15.167.4-microsoft-standard-WSL2", "8:32"},
	{"wsl2-6.6-passthrough", "6.6.87.2-microsoft-standard-WSL2", "8:32"},
	{"wsl2-6.18-virtiofs", "6.18.35.2-microsoft-standard-WSL2", "8:32"},
	{"wsl1", "4.4.0-19041-Microsoft", NULL},
	{"hyperv-vm", "6.8.0-45-generic", "8:2"},
	{"azure", "6.8.0-1018-azure", "8:1"},
	{"ec2", "6.8.0-1015-aws", "259:2"},
	{"kvm", "6.1.0-28-amd64", "254:1"},
	{"firecracker", "6.18.44", "254:0"},
	{"bare-metal", "6.1.0-28-amd64", "259:2"},
	{"container", "6.1.0-28-amd64", NULL},
	{"docker-on-wsl2", "5.15.167.4-microsoft-standard-WSL2", NULL},
};

static void assert_line(const char *expected, const char *path)
{
	char *line = host_read_line("%s", path);

	assert_non_null(line);
	assert_string_equal(line, expected);
	free(line);
}

/* The links of sysfs lead where they should: by number to the device, and from there to its driver and its disk. */
static void assert_root(const char *number)
{
	char *path = xasprintf("/sys/dev/block/%s/dev", number), *size = xasprintf("/sys/dev/block/%s/size", number);
	uint64_t sectors = 0;

	assert_line(number, path);
	assert_int_equal(host_read_number(&sectors, "%s", size), 0);
	assert_true(sectors > 0);
	free(path), free(size);
}

static void every_machine_is_whole(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(machines); i++) {
		struct tree tree;

		tree_make(&tree);
		tree_load(&tree, machines[i].name);
		assert_line(machines[i].release, "/proc/sys/kernel/osrelease");
		assert_true(host_exists("/cpuid") && host_exists("/proc/self/mountinfo"));
		if (machines[i].root)
			assert_root(machines[i].root);
		tree_remove(&tree);
	}
	host_set_root(((struct tree *)*state)->root);
}

/* All block devices of a tree tell what one of the kernel always does, down to the controller's driver. */
static void every_disk_is_whole(void **state)
{
	size_t count = 0;

	for (size_t i = 0; i < ARRAY_SIZE(machines); i++) {
		struct tree tree;
		char **disk;

		tree_make(&tree);
		tree_load(&tree, machines[i].name);
		disk = host_list("/sys/block");
		for (size_t j = 0; disk && disk[j]; j++, count++) {
			assert_true(host_exists("/sys/block/%s/queue/write_cache", disk[j]));
			assert_true(host_exists("/sys/class/block/%s/dev", disk[j]));
			assert_true(host_exists("/sys/block/%s/mq/0/nr_tags", disk[j]));
			assert_true(host_exists("/sys/block/%s/device/driver", disk[j]) ||
				    host_exists("/sys/block/%s/device/device/driver", disk[j]));
		}
		strings_free(disk);
		tree_remove(&tree);
	}
	assert_int_equal(count, 4 * 3 + 1 + 2 + 3 + 2 + 3 + 1 + 3 + 3);
	host_set_root(((struct tree *)*state)->root);
}

static void forms_of_an_entry(void **state)
{
	char *vendor, *link, *processors;
	size_t length = 0;

	tree_load(*state, "wsl2-5.15-vhdx");
	vendor = host_read_bytes(&length, "/sys/block/sdc/device/vendor");
	assert_string_equal(vendor, "Msft    \n");
	free(vendor);
	link = host_link_name("/sys/block/sdc/device/../../../driver");
	assert_string_equal(link, "hv_storvsc");
	free(link);
	processors = host_read("/proc/cpuinfo");
	assert_non_null(strstr(processors, "virtual\n\nprocessor\t: 1\n"));
	free(processors);
	vendor = host_read_bytes(&length, "/sys/firmware/acpi/tables/FACP");
	assert_int_equal(length, 36);
	assert_memory_equal(vendor, "FACP\x14\x01\0\0\x06\0VRTUAL", 16);
	free(vendor);
	assert_true(host_exists("/run/WSL/1_interop") && host_exists("/sys/block/sdc/slaves"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_TREE(every_machine_is_whole),
		IN_TREE(every_disk_is_whole),
		IN_TREE(forms_of_an_entry),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
