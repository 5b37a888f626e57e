// SPDX-License-Identifier: GPL-2.0
#include "tree.h"

#include "host/machine.h"
#include "host/platform.h"

/* What platform_detect() finds, to be compared. */
static char *verdict(void)
{
	struct machine machine = {0};
	struct platform *platform = &machine.platform;
	char *words;

	platform_detect(platform);
	if (platform->key)
		words = xasprintf("%s, %s%s%s", platform->key, platform->certainty, platform->container ? ", in " : "",
				  platform->container ? platform->container : "");
	else
		words = xasprintf("unknown%s%s", platform->container ? ", in " : "",
				  platform->container ? platform->container : "");
	machine_clear(&machine);
	return words;
}

static void assert_verdict(const char *expected)
{
	char *words = verdict();

	assert_string_equal(words, expected);
	free(words);
}

/* Takes a file or a directory away. */
static void take(const struct tree *tree, const char *name)
{
	char *path = tree_path(tree, name);

	nftw(path, tree_remove_entry, 16, FTW_DEPTH | FTW_PHYS);
	assert_int_equal(access(path, F_OK), -1);
	free(path);
}

/* The recorded machines: whole, and with signs of theirs taken away. */
static const struct {
	const char *machine, *without[4], *verdict;
} recorded[] = {
	{"wsl2-5.15-vhdx", {0}, "wsl2, certain"},
	{"wsl2-6.6-passthrough", {0}, "wsl2, certain"},
	{"wsl2-6.18-virtiofs", {0}, "wsl2, certain"},
	{"wsl1", {0}, "wsl1, certain"},
	{"hyperv-vm", {0}, "hyperv, certain"},
	{"azure", {0}, "azure, certain"},
	{"ec2", {0}, "ec2, certain"},
	{"kvm", {0}, "kvm, certain"},
	{"firecracker", {0}, "firecracker, a guess"},
	{"bare-metal", {0}, "bare-metal, certain"},
	{"container", {0}, "bare-metal, certain, in docker"},
	{"docker-on-wsl2", {0}, "wsl2, certain, in docker"},

	{"wsl2-5.15-vhdx", {"/proc/sys/kernel/osrelease", "/proc/version"}, "wsl2, certain"},
	{"wsl2-5.15-vhdx", {"/cpuid"}, "wsl2, certain"},
	{"wsl2-5.15-vhdx", {"/run/WSL", "/proc/sys/fs", "/proc/cmdline"}, "wsl2, certain"},
	{"wsl2-6.18-virtiofs", {"/run/WSL", "/proc/self/mountinfo", "/proc/cmdline", "/proc/version"}, "wsl2, certain"},
	{"wsl1", {"/cpuid", "/proc/cpuinfo"}, "wsl1, certain"},
	{"wsl1", {"/run/WSL", "/proc/sys/fs", "/proc/self/mountinfo"}, "wsl1, likely"},
	{"hyperv-vm", {"/sys/class/dmi"}, "hyperv, certain"},
	{"hyperv-vm", {"/sys/class/dmi", "/sys/firmware", "/sys/bus"}, "hyperv, likely"},
	{"hyperv-vm", {"/cpuid"}, "hyperv, certain"},
	{"azure", {"/sys/class/dmi/id/chassis_asset_tag"}, "hyperv, certain"},
	{"azure", {"/cpuid", "/proc/cpuinfo", "/sys/bus", "/sys/devices/system"}, "azure, certain"},
	{"ec2", {"/cpuid", "/proc/cpuinfo", "/sys/devices/system"}, "ec2, certain"},
	{"ec2", {"/sys/class/dmi"}, "kvm, certain"},
	{"ec2", {"/sys/class/dmi", "/sys/devices/system"}, "kvm, likely"},
	{"kvm", {"/sys/class/dmi", "/sys/firmware"}, "kvm, certain"},
	{"kvm", {"/sys/class/dmi", "/sys/firmware", "/sys/devices/system"}, "kvm, likely"},
	{"kvm", {"/cpuid", "/sys/devices/system"}, "qemu, likely"},
	{"kvm", {"/cpuid", "/sys/devices/system", "/sys/class/dmi", "/sys/firmware"}, "virtual, certain"},
	{"kvm", {"/cpuid", "/proc/cpuinfo", "/sys/devices/system"}, "qemu, likely"},
	{"firecracker", {"/cpuid"}, "firecracker, certain"},
	{"firecracker", {"/sys/firmware", "/sys/devices/system"}, "bhyve, likely"},
	{"firecracker", {"/sys/firmware"}, "bhyve, a guess"},
	{"bare-metal", {"/sys/class/dmi"}, "bare-metal, certain"},
	{"bare-metal", {"/cpuid"}, "bare-metal, certain"},
	{"bare-metal", {"/cpuid", "/proc/cpuinfo"}, "bare-metal, likely"},
	{"bare-metal", {"/cpuid", "/proc/cpuinfo", "/sys/class/dmi"}, "unknown"},
	{"container", {"/.dockerenv"}, "bare-metal, certain, in container"},
	{"container", {"/.dockerenv", "/proc/self/ns"}, "bare-metal, certain"},
	{"docker-on-wsl2", {"/.dockerenv"}, "wsl2, certain"},
};

static void recorded_machines(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(recorded); i++) {
		struct tree tree;

		tree_make(&tree);
		tree_load(&tree, recorded[i].machine);
		for (size_t j = 0; j < ARRAY_SIZE(recorded[i].without) && recorded[i].without[j]; j++)
			take(&tree, recorded[i].without[j]);
		assert_verdict(recorded[i].verdict);
		tree_remove(&tree);
	}
	host_set_root(((struct tree *)*state)->root);
}

/* Recorded machines with one file changed to what contradicts the others. */
static const struct {
	const char *machine, *path, *content, *verdict;
} changed[] = {
	/* KVM and Xen as Hyper-V, for Windows' sake */
	{"kvm", "/cpuid",
	 "1 0 0 80000000 0\n0x40000000 4000000b 7263694d 666f736f 76482074\n"
	 "0x40000100 40000101 4b4d564b 564b4d56 4d\n",
	 "kvm, certain"},
	{"kvm", "/cpuid", "1 0 0 80000000 0\n0x40000000 4000000b 7263694d 666f736f 76482074\n", "kvm, certain"},
	{"hyperv-vm", "/cpuid",
	 "1 0 0 80000000 0\n0x40000000 4000000b 7263694d 666f736f 76482074\n"
	 "0x40000100 40000104 566e6558 65584d4d 4d4d566e\n",
	 "hyperv, a guess"},
	/* the hypervisor hides */
	{"kvm", "/proc/cpuinfo", "flags\t: fpu\n", "kvm, certain"},
	{"bare-metal", "/sys/class/dmi/id/sys_vendor", "QEMU\n", "qemu, a guess"},
	/* emulation, which has no clock of KVM's */
	{"kvm", "/cpuid", "1 0 0 80000000 0\n0x40000000 40000001 54474354 43544743 47435447\n", "qemu-tcg, a guess"},
	/* one that nothing here knows */
	{"bare-metal", "/cpuid", "1 0 0 80000000 0\n0x40000000 40000001 41414141 42424242 0\n", "virtual, certain"},
	/* computers of a vendor that makes hypervisors, too */
	{"bare-metal", "/sys/class/dmi/id/sys_vendor", "Microsoft Corporation\n", "bare-metal, certain"},
	{"bare-metal", "/sys/class/dmi/id/sys_vendor", "Google\n", "bare-metal, certain"},
	{"bare-metal", "/sys/class/dmi/id/bios_vendor", "Oracle Corporation\n", "bare-metal, certain"},
	{"bare-metal", "/sys/class/dmi/id/bios_vendor", "SeaBIOS\n", "bare-metal, certain"},
	/* WSL's kernel elsewhere; a kernel of one's own in WSL; a distribution made from a container's image */
	{"kvm", "/proc/sys/kernel/osrelease", "6.6.87.2-microsoft-standard-WSL2\n", "kvm, a guess"},
	{"wsl2-6.6-passthrough", "/proc/sys/kernel/osrelease", "6.12.1-mine\n", "wsl2, certain"},
	{"wsl2-6.6-passthrough", "/.dockerenv", "", "wsl2, certain"},
	{"wsl2-6.6-passthrough", "/run/systemd/container", "wsl\n", "wsl2, certain"},
	/* WSL 1 on a Windows without Hyper-V, and on one in a virtual machine of KVM */
	{"wsl1", "/cpuid", "1 0 0 0 0\n", "wsl1, certain"},
	{"wsl1", "/cpuid", "1 0 0 80000000 0\n0x40000000 40000001 4b4d564b 564b4d56 4d\n", "wsl1, certain"},
	/* other words on a container */
	{"container", "/run/secrets/kubernetes.io/serviceaccount/token", "x", "bare-metal, certain, in kubernetes"},
	{"container", "/run/.containerenv", "", "bare-metal, certain, in podman"},
	{"container", "/run/systemd/container", "rkt\n", "bare-metal, certain, in docker"},
	{"bare-metal", "/run/systemd/container", "rkt\n", "bare-metal, certain, in rkt"},
	{"bare-metal", "/proc/vz/version", "", "bare-metal, certain, in openvz"},
	{"bare-metal", "/.dockerenv", "", "bare-metal, certain"},
};

static void contradictions(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(changed); i++) {
		struct tree tree;

		tree_make(&tree);
		tree_load(&tree, changed[i].machine);
		tree_write(&tree, changed[i].path, changed[i].content);
		assert_verdict(changed[i].verdict);
		tree_remove(&tree);
	}
	host_set_root(((struct tree *)*state)->root);
}

/* The processor of the machine that this test runs on is not asked. */
static void nothing_is_known_of_an_empty_tree(void **state)
{
	struct machine machine = {0};

	(void)state;
	platform_detect(&machine.platform);
	assert_null(machine.platform.key);
	assert_null(machine.platform.name);
	assert_null(machine.platform.certainty);
	assert_null(machine.platform.container);
	assert_int_equal(machine.platform.clues, 0);
	machine_clear(&machine);
}

static void assert_name(const char *name)
{
	struct machine machine = {0};

	platform_detect(&machine.platform);
	assert_string_equal(machine.platform.name, name);
	machine_clear(&machine);
}

static void emulation(void **state)
{
	tree_write(*state, "/cpuid", "1 0 0 80000000 0\n0x40000000 40000001 54474354 43544743 47435447\n");
	assert_verdict("qemu-tcg, likely");
	tree_write(*state, "/sys/class/dmi/id/sys_vendor", "QEMU\n");
	assert_verdict("qemu-tcg, certain");
}

static void who_is_not_known_is_called_as_it_signs(void **state)
{
	tree_write(*state, "/cpuid", "1 0 0 80000000 0\n0x40000000 40000001 41414141 42424242 0\n");
	assert_name("virtual machine (AAAABBBB)");
	tree_write(*state, "/cpuid", "1 0 0 80000000 0\n");
	assert_name("virtual machine");
	tree_write(*state, "/sys/class/dmi/id/sys_vendor", "Acme Cloud\n");
	assert_name("virtual machine (Acme Cloud)");
}

/* What the rest of the program asks follows from the verdict. */
static void derived(void **state)
{
	static const struct {
		const char *machine, *wsl;
		bool is_virtual;
	} known[] = {
		{"wsl1", "1", true},	    {"wsl2-5.15-vhdx", "2", true}, {"docker-on-wsl2", "2", true},
		{"hyperv-vm", NULL, true},  {"azure", NULL, true},	   {"ec2", NULL, true},
		{"kvm", NULL, true},	    {"firecracker", NULL, true},   {"bare-metal", NULL, false},
		{"container", NULL, false},
	};

	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		struct machine machine;
		struct tree tree;

		tree_make(&tree);
		tree_load(&tree, known[i].machine);
		machine_describe(&machine);
		assert_int_equal(machine.hypervisor, known[i].is_virtual);
		assert_int_equal(machine_is_virtual(), known[i].is_virtual);
		assert_int_equal(machine.wsl != NULL, known[i].wsl != NULL);
		assert_int_equal(machine_wsl() != NULL, known[i].wsl != NULL);
		if (known[i].wsl) {
			assert_string_equal(machine.wsl, known[i].wsl);
			assert_string_equal(machine_wsl(), known[i].wsl);
		}
		machine_clear(&machine);
		tree_remove(&tree);
	}
	host_set_root(((struct tree *)*state)->root);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_TREE(recorded_machines),
		IN_TREE(contradictions),
		IN_TREE(nothing_is_known_of_an_empty_tree),
		IN_TREE(emulation),
		IN_TREE(who_is_not_known_is_called_as_it_signs),
		IN_TREE(derived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
