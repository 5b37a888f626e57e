// SPDX-License-Identifier: GPL-2.0
#include "tree.h"

#include "host/clues.h"

static void clues_free(struct clues *clues)
{
	struct machine machine = {.platform = {.clue = clues->clue, .clues = clues->count}};

	machine_clear(&machine);
	free(clues->testimony);
	*clues = (struct clues){0};
}

/* The last one from `source`; NULL: none. */
static const struct clue *find(const struct clues *clues, const char *source)
{
	for (size_t i = clues->count; i > 0; i--)
		if (strcmp(clues->clue[i - 1].source, source) == 0)
			return &clues->clue[i - 1];
	return NULL;
}

static void assert_clue(const struct clues *clues, const char *source, const char *value, const char *says)
{
	const struct clue *clue = find(clues, source);

	assert_non_null(clue);
	assert_string_equal(clue->value, value);
	if (says)
		assert_string_equal(clue->says, says);
	else
		assert_null(clue->says);
}

static void gather(struct clues *clues)
{
	clues_free(clues);
	clues_of_processor(clues);
	clues_of_firmware(clues);
	clues_of_kernel(clues);
	clues_of_containers(clues, false);
}

/* One file at a time, and what it says then. */
static const struct {
	const char *path, *content, *source, *value, *says;
} single[] = {
	{"/cpuid", "1 0 0 fffafbff 0\n", "CPUID 0x00000001", "hypervisor bit set", "virtual"},
	{"/cpuid", "1 0 0 7ffafbff 0\n", "CPUID 0x00000001", "hypervisor bit clear", "bare-metal"},
	{"/proc/cpuinfo", "flags\t: fpu hypervisor lm\n", "/proc/cpuinfo flags", "hypervisor", "virtual"},
	{"/proc/cpuinfo", "flags\t: fpu lm\n", "/proc/cpuinfo flags", "no hypervisor", "bare-metal"},
	{"/proc/cpuinfo", "vendor_id\t: User Mode Linux\n", "/proc/cpuinfo vendor_id", "User Mode Linux", "uml"},
	{"/sys/class/dmi/id/sys_vendor", "QEMU\n", "/sys/class/dmi/id/sys_vendor", "QEMU", "qemu"},
	{"/sys/class/dmi/id/sys_vendor", "Amazon EC2\n", "/sys/class/dmi/id/sys_vendor", "Amazon EC2", "ec2"},
	{"/sys/class/dmi/id/sys_vendor", "VMware, Inc.\n", "/sys/class/dmi/id/sys_vendor", "VMware, Inc.", "vmware"},
	{"/sys/class/dmi/id/sys_vendor", "Xen\n", "/sys/class/dmi/id/sys_vendor", "Xen", "xen"},
	{"/sys/class/dmi/id/product_name", "VirtualBox\n", "/sys/class/dmi/id/product_name", "VirtualBox",
	 "virtualbox"},
	{"/sys/class/dmi/id/product_name", "OpenStack Nova\n", "/sys/class/dmi/id/product_name", "OpenStack Nova",
	 "openstack"},
	{"/sys/class/dmi/id/product_name", "Virtual Machine\n", "/sys/class/dmi/id/product_name", "Virtual Machine",
	 NULL}, /* Microsoft's alone */
	{"/sys/class/dmi/id/product_version", "Hyper-V UEFI Release v4.1\n", "/sys/class/dmi/id/product_version",
	 "Hyper-V UEFI Release v4.1", "hyperv"},
	{"/sys/class/dmi/id/bios_vendor", "BHYVE\n", "/sys/class/dmi/id/bios_vendor", "BHYVE", "bhyve"},
	{"/sys/class/dmi/id/bios_vendor", "SeaBIOS\n", "/sys/class/dmi/id/bios_vendor", "SeaBIOS", NULL},
	{"/sys/class/dmi/id/chassis_asset_tag", "7783-7084-3265-9085-8269-3286-77\n",
	 "/sys/class/dmi/id/chassis_asset_tag", "7783-7084-3265-9085-8269-3286-77", "azure"},
	{"/sys/class/dmi/id/chassis_asset_tag", "4408-0715-1297-6012-3388-9021-14\n",
	 "/sys/class/dmi/id/chassis_asset_tag", "4408-0715-1297-6012-3388-9021-14", NULL},
	{"/sys/firmware/acpi/tables/FACP", "FACP****\6*VBOX  VBOXFACP****", "/sys/firmware/acpi/tables/FACP", "VBOX",
	 "virtualbox"},
	{"/sys/firmware/acpi/tables/FACP", "FACP****\6*DELL  ********", "/sys/firmware/acpi/tables/FACP", "DELL", NULL},
	{"/proc/device-tree/hypervisor/compatible", "linux,kvm", "/proc/device-tree/hypervisor/compatible", "linux,kvm",
	 "kvm"},
	{"/proc/device-tree/hypervisor/compatible", "xen,xen-4.17", "/proc/device-tree/hypervisor/compatible",
	 "xen,xen-4.17", "xen"},
	{"/proc/device-tree/hypervisor/compatible", "acme,one", "/proc/device-tree/hypervisor/compatible", "acme,one",
	 "virtual"},
	{"/proc/device-tree/fw-cfg@9020000/compatible", "", "/proc/device-tree", "fw-cfg@9020000", "qemu"},
	{"/proc/device-tree/model", "Raspberry Pi 5 Model B Rev 1.0", "/proc/device-tree/model",
	 "Raspberry Pi 5 Model B Rev 1.0", "bare-metal"},
	{"/proc/sys/kernel/osrelease", "4.4.0-19041-Microsoft\n", "/proc/sys/kernel/osrelease", "4.4.0-19041-Microsoft",
	 "wsl1"},
	{"/proc/sys/kernel/osrelease", "4.19.128-microsoft-standard\n", "/proc/sys/kernel/osrelease",
	 "4.19.128-microsoft-standard", "wsl2"},
	{"/proc/sys/kernel/osrelease", "6.8.0-1018-azure\n", "/proc/sys/kernel/osrelease", "6.8.0-1018-azure", NULL},
	{"/proc/version", "Linux version 6.6.87.2-microsoft-standard-WSL2 (root@x) #1 SMP\n", "/proc/version",
	 "6.6.87.2-microsoft-standard-WSL2", "wsl2"},
	{"/proc/version", "Linux version 6.8.0 (build@microsoft.com) #1 SMP\n", "/proc/version", "6.8.0", NULL},
	{"/proc/cmdline", "quiet WSL_ROOT_INIT=1 password=x\n", "/proc/cmdline", "WSL_ROOT_INIT=1", "wsl2"},
	{"/run/WSL/1_interop", "", "/run/WSL", "present", "wsl2"},
	{"/proc/sys/fs/binfmt_misc/WSLInterop", "enabled\n", "/proc/sys/fs/binfmt_misc/WSLInterop", "present", "wsl2"},
	{"/proc/sys/fs/binfmt_misc/WSLInterop-late", "enabled\n", "/proc/sys/fs/binfmt_misc/WSLInterop-late", "present",
	 "wsl2"},
	{"/proc/self/mountinfo", "67 58 0:41 / /mnt/c rw - 9p C:\\134 rw,dirsync,aname=drvfs;path=C:\\;uid=1000\n",
	 "/proc/self/mountinfo", "9p, aname=drvfs", "wsl2"},
	{"/sys/bus/vmbus/devices/x/id", "5\n", "/sys/bus/vmbus/devices", "1 device", "hyperv"},
	{"/sys/hypervisor/type", "xen\n", "/sys/hypervisor/type", "xen", "xen"},
	{"/sys/hypervisor/uuid", "ec2e1916-9099-7caf-fd21-012345abcdef\n", "/sys/hypervisor/uuid",
	 "ec2e1916-9099-7caf-fd21-012345abcdef", "ec2"},
	{"/proc/xen/capabilities", "\n", "/proc/xen", "present", "xen"},
	{"/proc/xen/capabilities", "control_d\n", "/proc/xen", "present", "xen-dom0"},
	{"/sys/devices/system/clocksource/clocksource0/available_clocksource", "tsc kvm-clock acpi_pm\n",
	 "/sys/devices/system/clocksource/clocksource0/available_clocksource", "kvm-clock", "kvm"},
	{"/proc/vz/version", "", "/proc/vz", "present", "openvz"},
	{"/run/host/container-manager", "systemd-nspawn\n", "/run/host/container-manager", "systemd-nspawn",
	 "systemd-nspawn"},
	{"/run/systemd/container", "lxc\n", "/run/systemd/container", "lxc", "lxc"},
	{"/run/systemd/container", "wsl\n", "/run/systemd/container", "wsl", NULL},
	{"/run/.containerenv", "engine=\"podman\"\n", "/run/.containerenv", "present", "podman"},
	{"/.dockerenv", "", "/.dockerenv", "present", "docker"},
	{"/run/secrets/kubernetes.io/serviceaccount/token", "x", "/run/secrets/kubernetes.io", "present", "kubernetes"},
};

static void each_sign_alone(void **state)
{
	struct clues clues = {0};

	for (size_t i = 0; i < ARRAY_SIZE(single); i++) {
		struct tree tree;

		tree_make(&tree);
		gather(&clues);
		assert_int_equal(clues.count, 0);
		tree_write(&tree, single[i].path, single[i].content);
		gather(&clues);
		assert_clue(&clues, single[i].source, single[i].value, single[i].says);
		tree_remove(&tree);
	}
	host_set_root(((struct tree *)*state)->root);
	clues_free(&clues);
}

/* A hypervisor may hide in one place and show in the other, as Xen does from paravirtual guests' programs. */
static void processor_contradicts_itself(void **state)
{
	struct clues clues = {0};

	tree_write(*state, "/cpuid", "1 0 0 7ffafbff 0\n");
	tree_write(*state, "/proc/cpuinfo", "flags\t: fpu hypervisor lm\n");
	gather(&clues);
	assert_clue(&clues, "CPUID 0x00000001", "hypervisor bit clear", NULL);
	assert_clue(&clues, "/proc/cpuinfo flags", "hypervisor", "virtual");
	tree_write(*state, "/cpuid", "1 0 0 fffafbff 0\n");
	tree_write(*state, "/proc/cpuinfo", "flags\t: fpu lm\n");
	gather(&clues);
	assert_clue(&clues, "CPUID 0x00000001", "hypervisor bit set", "virtual");
	assert_clue(&clues, "/proc/cpuinfo flags", "no hypervisor", NULL);
	clues_free(&clues);
}

/* All multiples of 0x100 are looked at; where the bit says that there is no hypervisor, none. */
static void signatures_are_searched_for(void **state)
{
	static const char leaves[] = "0x40000000 4000000b 7263694d 666f736f 76482074\n"
				     "0x40000001 31237648 0 0 0\n0x40000002 4a61 a0000 0 0\n"
				     "0x40000003 ae7f 3b8030 0 20bed7b2\n0x4000000c 1 2 0 0\n"
				     "0x40010000 40010001 4b4d564b 564b4d56 0000004d\n";
	char *virtual = xasprintf("1 0 0 80000000 0\n%s", leaves), *real = xasprintf("1 0 0 0 0\n%s", leaves);
	struct clues clues = {0};

	tree_write(*state, "/cpuid", virtual);
	gather(&clues);
	assert_clue(&clues, "CPUID 0x40000000", "Microsoft Hv", "hyperv");
	assert_clue(&clues, "CPUID 0x40000001", "Hv#1", NULL);
	assert_clue(&clues, "CPUID 0x40000002", "version 10.0, build 19041", NULL);
	assert_clue(&clues, "CPUID 0x40000003", "privileges 0xae7f, 0x3b8030, misc 0x20bed7b2", NULL);
	assert_null(find(&clues, "CPUID 0x4000000c")); /* above the last */
	assert_clue(&clues, "CPUID 0x40010000", "KVMKVMKVM", "kvm");
	tree_write(*state, "/cpuid", real);
	gather(&clues);
	assert_null(find(&clues, "CPUID 0x40000000"));
	clues_free(&clues);
	free(virtual), free(real);
}

static void hyperv_s_root_partition_manages_cpus(void **state)
{
	struct clues clues = {0};

	tree_write(*state, "/cpuid",
		   "1 0 0 80000000 0\n0x40000000 4000000c 7263694d 666f736f 76482074\n"
		   "0x40000003 3fff 2bb9ff 0 0\n0x4000000c 1 2 0 0\n");
	gather(&clues);
	assert_clue(&clues, "CPUID 0x40000003", "privileges 0x3fff, 0x2bb9ff, misc 0x0", "hyperv-root");
	assert_clue(&clues, "CPUID 0x4000000c", "isolation 0x1, 0x2", NULL);
	clues_free(&clues);
}

static void whole_computers_of_clouds(void **state)
{
	struct clues clues = {0};

	tree_write(*state, "/sys/class/dmi/id/sys_vendor", "Amazon EC2\n");
	tree_write(*state, "/sys/class/dmi/id/product_name", "m6g.metal\n");
	gather(&clues);
	assert_clue(&clues, "/sys/class/dmi/id/sys_vendor", "Amazon EC2", "ec2-metal");
	tree_write(*state, "/sys/class/dmi/id/sys_vendor", "Google\n");
	tree_write(*state, "/sys/class/dmi/id/product_name", "Google Compute Engine\n");
	gather(&clues);
	assert_clue(&clues, "/sys/class/dmi/id/product_name", "Google Compute Engine", "gce");
	tree_write(*state, "/cpuid", "1 0 0 0 0\n");
	gather(&clues);
	assert_clue(&clues, "/sys/class/dmi/id/product_name", "Google Compute Engine", "gce-metal");
	clues_free(&clues);
}

/* /proc/1/environ is a list of strings that end with zeros. */
static void process_1_knows(void **state)
{
	static const char environ[] = "PATH=/bin\0container=podman\0xcontainer=no";
	struct clues clues = {0};

	tree_write_bytes(*state, "/proc/1/environ", environ, sizeof(environ));
	gather(&clues);
	assert_clue(&clues, "/proc/1/environ", "container=podman", "podman");
	clues_free(&clues);
}

static void proot_traces(void **state)
{
	struct clues clues = {0};

	tree_write(*state, "/proc/self/status", "Name:\tx\nTracerPid:\t42\n");
	gather(&clues);
	assert_int_equal(clues.count, 0);
	tree_write(*state, "/proc/42/comm", "proot-x86_64\n");
	gather(&clues);
	assert_clue(&clues, "/proc/self/status TracerPid", "proot-x86_64", "proot");
	tree_write(*state, "/proc/42/comm", "strace\n");
	gather(&clues);
	assert_int_equal(clues.count, 0);
	clues_free(&clues);
}

static void openvz_s_host_is_none(void **state)
{
	struct clues clues = {0};

	tree_write(*state, "/proc/vz/version", "");
	tree_write(*state, "/proc/bc/resources", "");
	gather(&clues);
	assert_clue(&clues, "/proc/vz", "present", NULL);
	clues_free(&clues);
}

/* Images of containers that became a machine's root keep the marker; overlays and own namespaces confirm it. */
static void markers_of_images(void **state)
{
	static const char *const disk = "27 1 254:0 / / rw,relatime - ext4 /dev/vda rw\n";
	static const char *const overlay = "930 812 0:55 / / rw,relatime - overlay overlay rw,lowerdir=/a\n";
	static const char *const subvolume = "27 1 0:25 /@ / rw,relatime - btrfs /dev/sda2 rw,subvol=/@\n";
	struct clues clues = {0};

	tree_write(*state, "/.dockerenv", "");
	tree_write(*state, "/proc/self/mountinfo", disk);
	gather(&clues);
	assert_null(find(&clues, "/.dockerenv")->says);
	tree_write(*state, "/proc/self/mountinfo", overlay);
	gather(&clues);
	assert_string_equal(find(&clues, "/.dockerenv")->says, "docker");
	tree_write(*state, "/proc/self/mountinfo", subvolume);
	gather(&clues);
	assert_string_equal(find(&clues, "/.dockerenv")->says, "docker"); /* not known to be none */

	tree_link(*state, "/proc/self/ns/cgroup", "cgroup:[4026531835]");
	tree_link(*state, "/proc/self/ns/ipc", "ipc:[4026531839]");
	tree_link(*state, "/proc/self/ns/pid", "pid:[4026531836]");
	tree_link(*state, "/proc/self/ns/user", "user:[4026531837]");
	gather(&clues);
	assert_string_equal(find(&clues, "/.dockerenv")->says, "docker"); /* one is not known */
	tree_link(*state, "/proc/self/ns/uts", "uts:[4026531838]");
	gather(&clues);
	assert_null(find(&clues, "/.dockerenv")->says);
	clues_free(&clues);
}

static void namespaces_of_one_s_own(void **state)
{
	struct clues clues = {0};

	tree_link(*state, "/proc/self/ns/uts", "uts:[4026532000]");
	gather(&clues);
	assert_clue(&clues, "/proc/self/ns", "uts", NULL);
	tree_link(*state, "/proc/self/ns/pid", "pid:[4026532001]");
	gather(&clues);
	assert_clue(&clues, "/proc/self/ns", "pid, uts", "container");
	clues_free(&clues);
	clues_of_containers(&clues, true);
	assert_clue(&clues, "/proc/self/ns", "pid, uts", NULL); /* so does WSL with each of its distributions */
	clues_free(&clues);
}

/* What stands in the clues of this machine is what its files say. */
static void this_machine(void **state)
{
	struct clues clues = {0};
	size_t compared = 0;

	(void)state;
	gather(&clues);
	for (size_t i = 0; i < clues.count; i++) {
		const char *source = clues.clue[i].source;
		char *line = strncmp(source, "/sys/class/dmi/", strlen("/sys/class/dmi/")) == 0 ||
					     strcmp(source, "/proc/sys/kernel/osrelease") == 0
				     ? host_read_line("%s", source)
				     : NULL;

		if (line) {
			assert_string_equal(clues.clue[i].value, line);
			compared++;
		}
		free(line);
	}
	assert_true(compared > 0);
	assert_non_null(find(&clues, "/proc/version"));
	assert_string_equal(find(&clues, "/proc/version")->value, find(&clues, "/proc/sys/kernel/osrelease")->value);
	assert_int_equal(find(&clues, "/.dockerenv") != NULL, access("/.dockerenv", F_OK) == 0);
	clues_free(&clues);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_TREE(each_sign_alone),
		IN_TREE(processor_contradicts_itself),
		IN_TREE(signatures_are_searched_for),
		IN_TREE(hyperv_s_root_partition_manages_cpus),
		IN_TREE(whole_computers_of_clouds),
		IN_TREE(process_1_knows),
		IN_TREE(proot_traces),
		IN_TREE(openvz_s_host_is_none),
		IN_TREE(markers_of_images),
		IN_TREE(namespaces_of_one_s_own),
		cmocka_unit_test(this_machine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
