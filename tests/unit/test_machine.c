// SPDX-License-Identifier: GPL-2.0
#include "tree.h"

#include <sys/sysinfo.h>
#include <sys/utsname.h>

#include "host/machine.h"

static void wsl_2(void **state)
{
	const struct tree *tree = *state;
	struct machine machine;

	tree_write(tree, "/proc/sys/kernel/osrelease", "5.15.167.4-microsoft-standard-WSL2\n");
	tree_write(tree, "/proc/sys/kernel/hostname", "DESKTOP-1234\n");
	tree_write(tree, "/proc/meminfo", "MemTotal:       16283016 kB\nMemFree:        15000000 kB\n");
	tree_write(tree, "/proc/cpuinfo",
		   "processor\t: 0\nvendor_id\t: GenuineIntel\nmodel\t\t: 151\n"
		   "model name\t: 12th Gen Intel(R) Core(TM) i7-12700\nflags\t\t: fpu vme hypervisor lahf_lm\n\n"
		   "processor\t: 1\nmodel name\t: another\nflags\t\t: fpu\n\n");
	tree_write(tree, "/sys/devices/system/cpu/online", "0-3,8,10-11\n");
	tree_write(tree, "/sys/devices/system/clocksource/clocksource0/current_clocksource",
		   "hyperv_clocksource_tsc_page\n");
	tree_write(tree, "/etc/os-release", "NAME=\"Ubuntu\"\nPRETTY_NAME=\"Ubuntu 24.04.1 LTS\"\nID=ubuntu\n");
	machine_describe(&machine);
	assert_string_equal(machine.host, "DESKTOP-1234");
	assert_string_equal(machine.os, "Ubuntu 24.04.1 LTS");
	assert_string_equal(machine.kernel, "5.15.167.4-microsoft-standard-WSL2");
	assert_string_equal(machine.cpu, "12th Gen Intel(R) Core(TM) i7-12700");
	assert_int_equal(machine.cpus, 7);
	assert_int_equal(machine.memory, 16673808384);
	assert_true(machine.hypervisor);
	assert_string_equal(machine.wsl, "2");
	assert_string_equal(machine.clocksource, "hyperv_clocksource_tsc_page");
	machine_clear(&machine);
}

static void wsl_is_told_by_the_release(void **state)
{
	static const struct {
		const char *release, *version;
	} known[] = {
		{"4.4.0-19041-Microsoft\n", "1"},
		{"4.19.128-microsoft-standard\n", "2"},
		{"4.19.128-Microsoft-standard\n", "2"},
		{"5.15.167.4-microsoft-standard-WSL2\n", "2"},
		{"6.18.35.2-Microsoft-standard-WSL2+\n", "2"},
		{"6.6.1-custom-WSL2\n", "2"},
		{"6.1.0-28-amd64\n", NULL},
		{"6.8.0-1018-azure\n", NULL},
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(known); i++) {
		tree_write(*state, "/proc/sys/kernel/osrelease", known[i].release);
		if (known[i].version)
			assert_string_equal(machine_wsl(), known[i].version);
		else
			assert_null(machine_wsl());
	}
}

static void wsl_with_a_kernel_of_ones_own(void **state)
{
	tree_write(*state, "/proc/sys/kernel/osrelease", "6.12.1-mine\n");
	tree_write(*state, "/proc/sys/fs/binfmt_misc/WSLInterop", "enabled\n");
	assert_string_equal(machine_wsl(), "2");
}

static void arm64_names_no_model(void **state)
{
	const struct tree *tree = *state;
	struct machine machine;

	tree_write(tree, "/proc/cpuinfo",
		   "processor\t: 0\nBogoMIPS\t: 50.00\nFeatures\t: fp asimd\nCPU implementer\t: 0x41\n\n"
		   "processor\t: 1\nBogoMIPS\t: 50.00\n\nprocessor\t: 2\nBogoMIPS\t: 50.00\n");
	tree_write(tree, "/usr/lib/os-release", "PRETTY_NAME='Fedora Linux 41'\n");
	machine_describe(&machine);
	assert_null(machine.cpu);
	assert_false(machine.hypervisor);
	assert_int_equal(machine.cpus, 3); /* no list of those online: counted */
	assert_string_equal(machine.os, "Fedora Linux 41");
	machine_clear(&machine);
}

static void nothing_to_read_is_nothing_known(void **state)
{
	struct machine machine;

	(void)state;
	machine_describe(&machine);
	assert_null(machine.host);
	assert_null(machine.os);
	assert_null(machine.kernel);
	assert_null(machine.cpu);
	assert_null(machine.wsl);
	assert_null(machine.clocksource);
	assert_int_equal(machine.cpus, 0);
	assert_int_equal(machine.memory, 0);
	assert_false(machine_is_virtual());
	machine_clear(&machine);
}

static void flag_is_a_word_of_its_own(void **state)
{
	struct machine machine;

	tree_write(*state, "/proc/cpuinfo", "flags\t\t: fpu hypervisor_guest nohypervisor lm\n");
	machine_describe(&machine);
	assert_false(machine.hypervisor || machine_is_virtual());
	machine_clear(&machine);
	tree_write(*state, "/proc/cpuinfo", "flags\t\t: fpu hypervisor_guest hypervisor\n");
	machine_describe(&machine);
	assert_true(machine.hypervisor && machine_is_virtual());
	machine_clear(&machine);
}

static void os_name_in_quotes(void **state)
{
	static const struct {
		const char *file, *name;
	} written[] = {
		{"PRETTY_NAME=\"A \\\"quoted\\\" \\$5 name\"\n", "A \"quoted\" $5 name"},
		{"ID=x\nPRETTY_NAME=Bare\nVERSION=1\n", "Bare"},
		{"NOT_PRETTY_NAME=no\nPRETTY_NAME='b\\s'", "b\\s"},
	};
	struct machine machine;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(written); i++) {
		tree_write(*state, "/etc/os-release", written[i].file);
		machine_describe(&machine);
		assert_string_equal(machine.os, written[i].name);
		machine_clear(&machine);
	}
}

static void this_machine(void **state)
{
	struct machine machine;
	struct utsname name;
	struct sysinfo info;

	(void)state;
	assert_int_equal(uname(&name), 0);
	assert_int_equal(sysinfo(&info), 0);
	machine_describe(&machine);
	assert_string_equal(machine.host, name.nodename);
	assert_string_equal(machine.kernel, name.release);
	assert_string_equal(machine.architecture, name.machine);
	assert_int_equal(machine.cpus, sysconf(_SC_NPROCESSORS_ONLN));
	assert_int_equal(machine.memory, (uint64_t)info.totalram * info.mem_unit);
	assert_int_equal(machine.admin, geteuid() == 0);
	machine_clear(&machine);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_TREE(wsl_2),
		IN_TREE(wsl_is_told_by_the_release),
		IN_TREE(wsl_with_a_kernel_of_ones_own),
		IN_TREE(arm64_names_no_model),
		IN_TREE(nothing_to_read_is_nothing_known),
		IN_TREE(flag_is_a_word_of_its_own),
		IN_TREE(os_name_in_quotes),
		cmocka_unit_test(this_machine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
