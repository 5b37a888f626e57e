// SPDX-License-Identifier: GPL-2.0
#include "tree.h"

#include "command/doctor_machine.h"
#include "host/machine.h"

#define CPUS	    "/sys/devices/system/cpu"
#define CLOCK	    "/sys/devices/system/clocksource/clocksource0"
#define PERFORMANCE "echo performance | sudo tee " CPUS "/cpufreq/policy*/scaling_governor"

static struct diagnosis *diagnosis;

/* A guest in which all was measured. */
static const struct probes usual = {
	.hypervisor = true,
	.exit = {.samples = 9, .p5 = 6310, .p50 = 6520, .p99 = 9800},
	.clock = {.samples = 9, .p5 = 29, .p50 = 30, .p99 = 46},
	.clock_step = 100,
	.timer = {.samples = 9, .p5 = 46000, .p50 = 50300, .p99 = 210000},
	.same = {.samples = 9, .p5 = 3100, .p50 = 3500, .p99 = 9000},
	.across = {.samples = 9, .p5 = 31000, .p50 = 35000, .p99 = 1400000},
	.other = 1,
};

static int make(void **state)
{
	tree_setup(state);
	diagnosis = diagnosis_new();
	diagnosis->probes = usual;
	return 0;
}

static int unmake(void **state)
{
	diagnosis_free(diagnosis);
	return tree_teardown(state);
}

static void again(void)
{
	struct probes probes = diagnosis->probes;
	struct machine machine = diagnosis->machine;

	diagnosis->machine = (struct machine){0};
	diagnosis_free(diagnosis);
	diagnosis = diagnosis_new();
	diagnosis->probes = probes;
	diagnosis->machine = machine;
	doctor_machine(diagnosis);
}

/* NULL where there is none. */
static const struct finding *find(const char *name)
{
	const struct section *section = &diagnosis->section[0];
	const struct finding *found = NULL;

	for (size_t i = 0; i < section->findings; i++) {
		if (strcmp(section->finding[i].name, name))
			continue;
		assert_null(found); /* names are unique */
		found = &section->finding[i];
	}
	return found;
}

static void assert_finding(const char *name, const char *value, enum fitness fitness)
{
	const struct finding *finding = find(name);

	assert_non_null(finding);
	assert_string_equal(finding->value, value);
	assert_int_equal(finding->fitness, fitness);
	if (fitness < FITNESS_LIMITED) {
		assert_null(finding->problem);
		return;
	}
	assert_non_null(finding->problem);
	assert_int_equal(finding->problem[strlen(finding->problem) - 1], '.');
	assert_non_null(finding->cure);
}

static void assert_cure(const char *name, const char *cure)
{
	assert_string_equal(find(name)->cure, cure);
}

/* --- the recorded machines --- */

static void diagnose(const struct tree *tree, const char *machine)
{
	tree_load(tree, machine);
	machine_describe(&diagnosis->machine);
	doctor_machine(diagnosis);
	assert_int_equal(diagnosis->sections, 1);
	assert_string_equal(diagnosis->section[0].title, "machine");
}

static void wsl_2(void **state)
{
	diagnose(*state, "wsl2-5.15-vhdx");
	assert_finding("CPUs", "2, 12th Gen Intel(R) Core(TM) i7-12700", FITNESS_PLAIN);
	assert_finding("memory", "15.5 GiB", FITNESS_PLAIN);
	assert_null(find("NUMA nodes"));
	assert_finding("clock source", "hyperv_clocksource_tsc_page", FITNESS_FINE);
	assert_finding("clock sources", "hyperv_clocksource_tsc_page acpi_pm", FITNESS_PLAIN);
	assert_finding("reading the clock", "p5 29 ns, median 30 ns, p99 46 ns", FITNESS_FINE);
	assert_finding("steps of the clock", "100 ns", FITNESS_FINE);
	assert_finding("exit of the VM", "p5 6.31 µs, median 6.52 µs, p99 9.80 µs", FITNESS_PLAIN);
	assert_finding("late timers", "p5 46.0 µs, median 50.3 µs, p99 210.0 µs", FITNESS_PLAIN);
	assert_finding("wake-up, same CPU", "p5 3.10 µs, median 3.50 µs, p99 9.00 µs", FITNESS_PLAIN);
	assert_finding("wake-up, other CPU", "p5 31.0 µs, median 35.0 µs, p99 1.400 ms (CPUs 0 and 1)", FITNESS_PLAIN);
	assert_finding("stolen time", "unknown: Hyper-V does not tell it", FITNESS_PLAIN);
	assert_finding("frequency governor", "unknown: the host has it", FITNESS_PLAIN);
	assert_finding("halt polling", "not by this guest; whether the host polls is not known", FITNESS_PLAIN);
	assert_finding("pressure", "unknown: this kernel does not count it", FITNESS_PLAIN);
	assert_int_equal(diagnosis_fitness(diagnosis), FITNESS_FINE);
}

/* It is nobody's virtual machine as long as nothing says so, and its kernel has no files to tell from. */
static void wsl_1(void **state)
{
	diagnosis->probes = (struct probes){0};
	diagnose(*state, "wsl1");
	assert_finding("clock source", "unknown", FITNESS_PLAIN);
	assert_finding("reading the clock", "not measured", FITNESS_PLAIN);
	assert_null(find("steps of the clock"));
	assert_null(find("exit of the VM"));
	assert_null(find("late timers"));
	assert_finding("stolen time", "unknown: none was ever told", FITNESS_PLAIN);
	assert_int_equal(diagnosis_fitness(diagnosis), FITNESS_PLAIN);
}

static void on_none_there_is_anything_to_blame(void **state)
{
	static const char *const machine[] = {
		"azure",       "bare-metal", "container", "docker-on-wsl2",	"ec2",
		"firecracker", "hyperv-vm",  "kvm",	  "wsl2-6.18-virtiofs", "wsl2-6.6-passthrough",
	};

	for (size_t i = 0; i < ARRAY_SIZE(machine); i++) {
		diagnose(*state, machine[i]);
		assert_int_equal(find("clock source")->fitness, FITNESS_FINE);
		assert_int_equal(diagnosis_fitness(diagnosis), FITNESS_FINE);
		unmake(state);
		make(state);
	}
}

/* --- the clock --- */

static void set_clock(const struct tree *tree, const char *current, const char *available)
{
	tree_write(tree, CLOCK "/current_clocksource", current);
	tree_write(tree, CLOCK "/available_clocksource", available);
	again();
}

static void a_bad_clock_is_blamed_with_the_better_one_that_is_there(void **state)
{
	set_clock(*state, "hyperv_clocksource_msr\n", "hyperv_clocksource_tsc_page hyperv_clocksource_msr acpi_pm\n");
	assert_finding("clock source", "hyperv_clocksource_msr", FITNESS_LIMITED);
	assert_cure("clock source", "echo hyperv_clocksource_tsc_page | sudo tee " CLOCK "/current_clocksource");
	set_clock(*state, "acpi_pm\n", "tsc hpet acpi_pm \n");
	assert_finding("clock source", "acpi_pm", FITNESS_LIMITED);
	assert_cure("clock source", "echo tsc | sudo tee " CLOCK "/current_clocksource");
	/* "tsc" is no part of another name */
	set_clock(*state, "hpet\n", "hpet tsc-early acpi_pm\n");
	assert_finding("clock source", "hpet", FITNESS_LIMITED);
	assert_cure("clock source", "sudo dmesg | grep -i -e clocksource -e tsc   (why there is no better one)");
	set_clock(*state, "refined-jiffies\n", "refined-jiffies jiffies\n");
	assert_finding("clock source", "refined-jiffies", FITNESS_UNFIT);
	set_clock(*state, "jiffies\n", "jiffies\n");
	assert_finding("clock source", "jiffies", FITNESS_UNFIT);
	set_clock(*state, "a-new-one\n", "a-new-one tsc\n");
	assert_finding("clock source", "a-new-one", FITNESS_PLAIN);
}

/* What is slow because of its source is blamed once. */
static void slow_and_coarse_clocks_are_blamed(void **state)
{
	diagnosis->probes.clock.p50 = 1000;
	diagnosis->probes.clock_step = 999;
	set_clock(*state, "tsc\n", "tsc\n");
	assert_int_equal(find("reading the clock")->fitness, FITNESS_FINE);
	assert_finding("steps of the clock", "999 ns", FITNESS_FINE);
	diagnosis->probes.clock.p50 = 1001;
	diagnosis->probes.clock_step = 1000;
	set_clock(*state, "tsc\n", "tsc\n");
	assert_finding("reading the clock", "p5 29 ns, median 1.00 µs, p99 46 ns", FITNESS_LIMITED);
	assert_finding("steps of the clock", "1.00 µs", FITNESS_LIMITED);
	set_clock(*state, "acpi_pm\n", "acpi_pm\n");
	assert_int_equal(find("reading the clock")->fitness, FITNESS_PLAIN);
	assert_int_equal(find("steps of the clock")->fitness, FITNESS_PLAIN);
	diagnosis->probes.clock_step = 0;
	set_clock(*state, "tsc\n", "tsc\n");
	assert_finding("steps of the clock", "finer than a reading takes", FITNESS_FINE);
}

static void what_has_no_exit_has_none(void **state)
{
	(void)state;
	diagnosis->probes.hypervisor = false;
	again();
	assert_null(find("exit of the VM"));
	assert_finding("CPUID", "p5 6.31 µs, median 6.52 µs, p99 9.80 µs", FITNESS_PLAIN);
	diagnosis->probes.exit.samples = diagnosis->probes.across.samples = 0;
	again();
	assert_finding("exit of the VM", "not measured", FITNESS_PLAIN);
	assert_null(find("wake-up, other CPU"));
}

/* --- CPUs --- */

static void set_policy(const struct tree *tree, const char *policy, const char *governor, const char *preference)
{
	char *path = xasprintf(CPUS "/cpufreq/%s/scaling_governor", policy);

	tree_write(tree, path, governor);
	free(path);
	if (!preference)
		return;
	path = xasprintf(CPUS "/cpufreq/%s/energy_performance_preference", policy);
	tree_write(tree, path, preference);
	free(path);
	path = xasprintf(CPUS "/cpufreq/%s/scaling_driver", policy);
	tree_write(tree, path, "intel_pstate\n");
	free(path);
}

static void cpus_that_slow_down_are_blamed(void **state)
{
	const struct tree *tree = *state;

	set_policy(tree, "policy0", "performance\n", NULL);
	set_policy(tree, "policy1", "performance\n", NULL);
	again();
	assert_finding("frequency governor", "performance", FITNESS_FINE);
	set_policy(tree, "policy1", "schedutil\n", NULL);
	again();
	assert_finding("frequency governor", "performance, schedutil", FITNESS_LIMITED);
	assert_cure("frequency governor", PERFORMANCE);
	set_policy(tree, "policy0", "powersave\n", "performance\n");
	set_policy(tree, "policy1", "powersave\n", "performance\n");
	again();
	assert_finding("frequency governor", "powersave (intel_pstate, preference performance)", FITNESS_FINE);
	set_policy(tree, "policy1", "powersave\n", "balance_performance\n");
	again();
	assert_int_equal(find("frequency governor")->fitness, FITNESS_LIMITED);
}

static void set_idle_state(const struct tree *tree, int number, const char *name, const char *latency, bool disabled)
{
	static const char *const file[] = {"name", "latency", "disable"};
	const char *const content[] = {name, latency, disabled ? "1\n" : "0\n"};

	for (size_t i = 0; i < ARRAY_SIZE(file); i++) {
		char *path = xasprintf(CPUS "/cpu0/cpuidle/state%d/%s", number, file[i]);

		tree_write(tree, path, content[i]);
		free(path);
	}
}

static void how_deep_idle_cpus_sleep(void **state)
{
	const struct tree *tree = *state;

	again();
	assert_finding("idle CPUs", "unknown", FITNESS_PLAIN);
	tree_write(tree, CPUS "/cpuidle/current_driver", "none\n");
	again();
	assert_finding("idle CPUs", "no driver: an idle CPU is halted", FITNESS_PLAIN);
	tree_write(tree, CPUS "/cpuidle/current_driver", "intel_idle\n");
	set_idle_state(tree, 0, "POLL\n", "0\n", false);
	set_idle_state(tree, 1, "C1E\n", "10\n", false);
	set_idle_state(tree, 2, "C8\n", "200\n", false);
	set_idle_state(tree, 3, "C10\n", "890\n", true);
	again();
	assert_finding("idle CPUs", "intel_idle, deepest C8, which takes 200.0 µs to leave", FITNESS_PLAIN);
}

static void who_polls(void **state)
{
	const struct tree *tree = *state;

	again();
	assert_null(find("halt polling"));
	tree_write(tree, "/proc/cmdline", "root=/dev/vda1 idle=poll quiet\n");
	again();
	assert_finding("halt polling", "always (idle=poll)", FITNESS_PLAIN);
	tree_write(tree, "/proc/cmdline", "root=/dev/vda1 idle=polling\n");
	tree_write(tree, CPUS "/cpuidle/current_governor", "haltpoll\n");
	tree_write(tree, "/sys/module/haltpoll/parameters/guest_halt_poll_ns", "200000\n");
	again();
	assert_finding("halt polling", "by this guest, for 200.0 µs at the most", FITNESS_PLAIN);
}

static void stolen_time_is_known_where_it_is_told(void **state)
{
	const struct tree *tree = *state;

	again();
	assert_finding("stolen time", "unknown", FITNESS_PLAIN);
	tree_write(tree, "/proc/stat", "cpu  100 0 0 890 0 0 0 10 0 0\n");
	again();
	assert_finding("stolen time", "1.0 % of the CPUs' time since the start", FITNESS_PLAIN);
	tree_write(tree, "/proc/stat", "cpu  100 0 0 900 0 0 0 0 0 0\n");
	again();
	assert_finding("stolen time", "unknown: none was ever told", FITNESS_PLAIN);
	diagnosis->machine.platform.key = xstrdup("azure");
	again();
	assert_finding("stolen time", "unknown: Hyper-V does not tell it", FITNESS_PLAIN);
	strcpy(diagnosis->machine.platform.key, "kvm");
	again();
	assert_finding("stolen time", "unknown: none was ever told", FITNESS_PLAIN);
	free(diagnosis->machine.platform.key);
	diagnosis->machine.platform.key = xstrdup("bare-metal");
	again();
	assert_finding("stolen time", "none: there is no hypervisor", FITNESS_PLAIN);
}

static void power_and_profile(void **state)
{
	const struct tree *tree = *state;

	tree_write(tree, "/sys/class/power_supply/AC/type", "Mains\n");
	tree_write(tree, "/sys/class/power_supply/AC/online", "1\n");
	tree_write(tree, "/sys/firmware/acpi/platform_profile", "balanced\n");
	tree_write(tree, CPUS "/intel_pstate/no_turbo", "1\n");
	again();
	assert_finding("power", "mains", FITNESS_FINE);
	assert_finding("platform profile", "balanced", FITNESS_PLAIN);
	assert_finding("turbo", "off", FITNESS_PLAIN);
	tree_write(tree, "/sys/class/power_supply/AC/online", "0\n");
	tree_write(tree, "/sys/class/power_supply/BAT0/type", "Battery\n");
	tree_write(tree, "/sys/class/power_supply/BAT0/status", "Discharging\n");
	tree_write(tree, "/sys/firmware/acpi/platform_profile", "low-power\n");
	again();
	assert_finding("power", "battery", FITNESS_LIMITED);
	assert_finding("platform profile", "low-power", FITNESS_LIMITED);
}

/* --- what else goes on --- */

static void set_pressure(const struct tree *tree, const char *cpu, const char *io, const char *memory)
{
	tree_write(tree, "/proc/pressure/cpu", cpu);
	tree_write(tree, "/proc/pressure/io", io);
	tree_write(tree, "/proc/pressure/memory", memory);
	again();
}

static void others_at_work_are_blamed(void **state)
{
	const char *idle = "some avg10=20.00 avg60=99.00 avg300=99.00 total=3023480965\n";

	set_pressure(*state, idle, idle, idle);
	assert_finding("waiting for CPUs", "20 % of the last 10 s", FITNESS_FINE);
	assert_finding("waiting for I/O", "20 % of the last 10 s", FITNESS_FINE);
	assert_finding("waiting for memory", "20 % of the last 10 s", FITNESS_FINE);
	assert_null(find("pressure"));
	set_pressure(*state, idle, "some avg10=35.20 avg60=0.00 avg300=0.00 total=1\n", idle);
	assert_finding("waiting for I/O", "35 % of the last 10 s", FITNESS_LIMITED);
}

/* Where pressure is counted, it says more. */
static void load_is_judged_where_nothing_else_is_known(void **state)
{
	const struct tree *tree = *state;
	const char *idle = "some avg10=0.00 avg60=0.00 avg300=0.00 total=0\n";

	tree_write(tree, "/proc/loadavg", "4.20 1.00 0.50 3/120 4242\n");
	diagnosis->machine.cpus = 4;
	again();
	assert_finding("load", "4.20 1.00 0.50 3/120 4242", FITNESS_LIMITED);
	diagnosis->machine.cpus = 5;
	again();
	assert_finding("load", "4.20 1.00 0.50 3/120 4242", FITNESS_PLAIN);
	diagnosis->machine.cpus = 4;
	set_pressure(tree, idle, idle, idle);
	assert_finding("load", "4.20 1.00 0.50 3/120 4242", FITNESS_PLAIN);
}

static void an_array_that_is_busy_is_blamed(void **state)
{
	const struct tree *tree = *state;

	tree_disk(tree, "/sys/devices/virtual/block", "md0", "9:0", "8\n");
	tree_disk(tree, "/sys/devices/virtual/block", "md1", "9:1", "8\n");
	tree_attribute(tree, "md0", "md/level", "raid1\n");
	tree_attribute(tree, "md0", "md/sync_action", "resync\n");
	tree_attribute(tree, "md1", "md/level", "raid0\n");
	again();
	assert_finding("array md0", "raid1, resync", FITNESS_LIMITED);
	assert_finding("array md1", "raid0, idle", FITNESS_PLAIN);
	tree_attribute(tree, "md0", "md/sync_action", "idle\n");
	tree_attribute(tree, "md0", "md/degraded", "1\n");
	again();
	assert_finding("array md0", "raid1, idle, lacks members", FITNESS_PLAIN);
}

static void swap_and_mitigations(void **state)
{
	const struct tree *tree = *state;

	again();
	assert_finding("swap", "unknown", FITNESS_PLAIN);
	assert_null(find("mitigations"));
	tree_write(tree, "/proc/swaps", "Filename Type Size Used Priority\n");
	tree_write(tree, CPUS "/vulnerabilities/meltdown", "Mitigation: PTI\n");
	tree_write(tree, CPUS "/vulnerabilities/l1tf", "Not affected\n");
	tree_write(tree, CPUS "/vulnerabilities/mds", "Vulnerable; SMT Host state unknown\n");
	again();
	assert_finding("swap", "none", FITNESS_PLAIN);
	assert_finding("mitigations", "1 on, 1 not where the CPU needs one", FITNESS_PLAIN);
	tree_write(tree, "/proc/swaps",
		   "Filename Type Size Used Priority\n/dev/sdb partition 4194304 1024 -2\n/swap file 1048576 0 -3\n");
	tree_write(tree, "/proc/cmdline", "quiet mitigations=off\n");
	again();
	assert_finding("swap", "1 MiB of 5 GiB in use", FITNESS_PLAIN);
	assert_finding("mitigations", "off (mitigations=off)", FITNESS_PLAIN);
}

#define WITH_MACHINE(test) cmocka_unit_test_setup_teardown(test, make, unmake)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_MACHINE(wsl_2),
		WITH_MACHINE(wsl_1),
		WITH_MACHINE(on_none_there_is_anything_to_blame),
		WITH_MACHINE(a_bad_clock_is_blamed_with_the_better_one_that_is_there),
		WITH_MACHINE(slow_and_coarse_clocks_are_blamed),
		WITH_MACHINE(what_has_no_exit_has_none),
		WITH_MACHINE(cpus_that_slow_down_are_blamed),
		WITH_MACHINE(how_deep_idle_cpus_sleep),
		WITH_MACHINE(who_polls),
		WITH_MACHINE(stolen_time_is_known_where_it_is_told),
		WITH_MACHINE(power_and_profile),
		WITH_MACHINE(others_at_work_are_blamed),
		WITH_MACHINE(load_is_judged_where_nothing_else_is_known),
		WITH_MACHINE(an_array_that_is_busy_is_blamed),
		WITH_MACHINE(swap_and_mitigations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
