// SPDX-License-Identifier: GPL-2.0
#include "tree.h"

#include "base/clock.h"
#include "host/conditions.h"

#define PCI "/sys/devices/pci0000:00"

/* Of a measured part, with the file as it is before and after. */
static struct conditions *across(const struct tree *tree, const char *file, const char *before, const char *after)
{
	struct watch *watch;

	tree_write(tree, file, before);
	watch = conditions_open(NULL, 0);
	conditions_begin(watch, clock_now());
	tree_write(tree, file, after);
	conditions_end(watch);
	return conditions_close(watch);
}

/* --- CPUs --- */

/*                               user nice system idle iowait irq softirq steal */
static const char stat_before[] = "cpu  1000 0 0 2000 0 0 0 0 0 0\n"
				  "cpu0 100 0 0 1000 0 0 0 0 0 0\n"
				  "cpu1 900 0 0 1000 0 0 0 0 0 0\n"
				  "cpu3 0 0 0 0 0 0 0 0 0 0\n"
				  "cpu4 0 0 0 0 0 0 0 0 0 0\n"
				  "intr 33 1 2 3\n"
				  "ctxt 900\n";

static void each_cpu_has_its_own_share(void **state)
{
	struct conditions *conditions = across(*state, "/proc/stat", stat_before,
					       "cpu  1100 0 10 2240 50 0 0 0 0 0\n"
					       "cpu0 190 0 10 1000 0 0 0 0 0 0\n"
					       "cpu1 910 0 0 1060 30 0 0 0 0 0\n"
					       "cpu2 40 0 0 70 0 0 0 0 0 0\n"
					       "cpu3 0 0 0 100 0 0 0 0 0 0\n"
					       "intr 44 1 2 3\n");

	assert_int_equal(conditions->cpus, 5);
	assert_float_equal(conditions->cpu_busy[0], 100, 1e-9);
	assert_float_equal(conditions->cpu_busy[1], 10, 1e-9);
	/* came, idled, and went */
	assert_true(conditions->cpu_busy[2] < 0);
	assert_float_equal(conditions->cpu_busy[3], 0, 0);
	assert_true(conditions->cpu_busy[4] < 0);
	assert_false(conditions->has_steal);
	conditions_free(conditions);
}

static void stolen_time_is_known_where_there_ever_was_any(void **state)
{
	struct conditions *conditions =
		across(*state, "/proc/stat", "cpu  0 0 0 1000 0 0 0 0 0 0\n", "cpu  20 0 20 1155 0 0 0 5 0 0\n");

	assert_true(conditions->has_steal);
	assert_float_equal(conditions->steal_percent, 2.5, 1e-9);
	conditions_free(conditions);
	conditions = across(*state, "/proc/stat", "cpu  0 0 0 1000 0 0 0 9 0 0\n", "cpu  20 0 20 1155 0 0 0 9 0 0\n");
	assert_true(conditions->has_steal);
	assert_float_equal(conditions->steal_percent, 0, 0);
	conditions_free(conditions);
}

static void a_broken_file_tells_nothing(void **state)
{
	struct conditions *conditions = across(*state, "/proc/stat", "cpu99999999999999999999 1 2 3\n", "nothing");

	assert_int_equal(conditions->cpus, 0);
	assert_false(conditions->has_steal);
	conditions_free(conditions);
}

/* --- power and heat --- */

static void unplugged_on_the_way_is_on_battery(void **state)
{
	struct conditions *conditions;

	tree_write(*state, "/sys/class/power_supply/BAT0/type", "Battery\n");
	conditions = across(*state, "/sys/class/power_supply/BAT0/status", "Full\n", "Discharging\n");
	assert_true(conditions->has_power);
	assert_true(conditions->on_battery);
	conditions_free(conditions);
	conditions = across(*state, "/sys/class/power_supply/BAT0/status", "Full\n", "Full\n");
	assert_true(conditions->has_power);
	assert_false(conditions->on_battery);
	conditions_free(conditions);
}

static void throttlings_are_those_of_the_run(void **state)
{
	static const char file[] = "/sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count";
	struct conditions *conditions = across(*state, file, "1000\n", "1003\n");

	assert_true(conditions->has_throttling);
	assert_int_equal(conditions->throttlings, 3);
	conditions_free(conditions);
	/* the CPU came back and counts anew */
	conditions = across(*state, file, "1000\n", "3\n");
	assert_false(conditions->has_throttling);
	conditions_free(conditions);
}

static void temperatures_are_of_leaves_before_and_after(void **state)
{
	const struct layer layer[] = {{.name = "md0"}, {.name = "sda", .leaf = true}, {.name = "sdb", .leaf = true}};
	const struct tree *tree = *state;
	struct conditions *conditions;
	struct watch *watch;

	tree_disk(tree, "/sys/devices/virtual/block", "md0", "9:0", "8\n");
	tree_attribute(tree, "md0", "device/hwmon1/temp1_input", "90000\n");
	tree_disk(tree, PCI "/ata1/block", "sda", "8:0", "8\n");
	tree_attribute(tree, "sda", "device/hwmon/hwmon2/temp1_input", "41000\n");
	tree_disk(tree, PCI "/ata2/block", "sdb", "8:16", "8\n");
	tree_attribute(tree, "sdb", "device/hwmon/hwmon3/temp1_input", "39500\n");
	watch = conditions_open(layer, ARRAY_SIZE(layer));
	conditions_begin(watch, clock_now());
	conditions_end(watch);
	tree_attribute(tree, "sda", "device/hwmon/hwmon2/temp1_input", "45000\n");
	conditions = conditions_close(watch);
	assert_true(conditions->has_temperature);
	assert_float_equal(conditions->coldest, 39.5, 1e-9);
	assert_float_equal(conditions->hottest, 45, 1e-9);
	conditions_free(conditions);
}

/* --- arrays and interrupts --- */

static void set_array(const struct tree *tree, const char *device, const char *action, const char *degraded)
{
	tree_attribute(tree, device, "md/level", "raid5\n");
	tree_attribute(tree, device, "md/sync_action", action);
	tree_attribute(tree, device, "md/degraded", degraded);
}

static void an_array_that_was_ever_busy_is_told_as_it_was_then(void **state)
{
	const struct layer layer[] = {{.name = "md0"}, {.name = "md1"}, {.name = "md2"}, {.name = "sda", .leaf = true}};
	const struct tree *tree = *state;
	struct conditions *conditions;
	struct watch *watch;

	set_array(tree, "md0", "idle\n", "0\n");
	set_array(tree, "md1", "recover\n", "1\n");
	set_array(tree, "md2", "idle\n", "0\n");
	for (int i = 0; i < 3; i++) {
		char *name = xasprintf("md%d", i), *link = xasprintf("/sys/block/%s", name),
		     *target = xasprintf("../class/block/%s", name);

		tree_link(tree, link, target);
		free(name), free(link), free(target);
	}
	watch = conditions_open(layer, ARRAY_SIZE(layer));
	conditions_begin(watch, clock_now());
	set_array(tree, "md1", "idle\n", "0\n");
	set_array(tree, "md2", "check\n", "0\n");
	conditions_end(watch);
	conditions = conditions_close(watch);
	assert_int_equal(conditions->arrays, 3);
	assert_string_equal(conditions->array[0].device, "md0");
	assert_string_equal(conditions->array[0].action, "idle");
	assert_string_equal(conditions->array[1].device, "md1");
	assert_string_equal(conditions->array[1].action, "recover");
	assert_int_equal(conditions->array[1].degraded, 1);
	assert_string_equal(conditions->array[2].action, "check");
	conditions_free(conditions);
}

static struct conditions *with_interrupts(const struct tree *tree, const char *before, const char *after)
{
	const struct layer layer = {.name = "vda", .leaf = true};
	struct watch *watch;

	tree_write(tree, "/proc/interrupts", before);
	watch = conditions_open(&layer, 1);
	conditions_begin(watch, clock_now());
	tree_write(tree, "/proc/interrupts", after);
	conditions_end(watch);
	return conditions_close(watch);
}

static void interrupts_are_those_of_the_run(void **state)
{
	const struct tree *tree = *state;
	struct conditions *conditions;

	tree_disk(tree, PCI "/virtio1/block", "vda", "253:0", "8\n");
	tree_link(tree, PCI "/virtio1/block/vda/device", "../../../virtio1");
	conditions =
		with_interrupts(tree, "  CPU0\n 1: 100 PCI virtio1-req.0\n", "  CPU0\n 1: 130 PCI virtio1-req.0\n");
	assert_true(conditions->has_interrupts);
	assert_int_equal(conditions->interrupts, 30);
	conditions_free(conditions);
	conditions = with_interrupts(tree, "  CPU0\n 1: 4294967290 PCI virtio1-req.0\n",
				     "  CPU0\n 1: 20 PCI virtio1-req.0\n");
	assert_false(conditions->has_interrupts);
	conditions_free(conditions);
}

/* --- the watch --- */

static void an_empty_machine_has_nothing_to_tell(void **state)
{
	struct watch *watch = conditions_open(NULL, 0);
	struct conditions *conditions;

	(void)state;
	conditions_begin(watch, clock_now());
	conditions_end(watch);
	conditions = conditions_close(watch);
	assert_int_equal(conditions->cpus, 0);
	assert_int_equal(conditions->arrays, 0);
	assert_false(conditions->has_power || conditions->has_throttling || conditions->has_temperature ||
		     conditions->has_interrupts || conditions->has_steal || conditions->has_drift);
	conditions_free(conditions);
}

static void a_watch_may_end_at_any_moment(void **state)
{
	struct conditions *conditions;
	struct watch *watch;

	(void)state;
	assert_null(conditions_close(NULL));
	assert_null(conditions_close(conditions_open(NULL, 0)));
	watch = conditions_open(NULL, 0);
	conditions_begin(watch, clock_now());
	conditions = conditions_close(watch);
	assert_non_null(conditions);
	conditions_free(conditions);
}

static void this_machine(void **state)
{
	struct watch *watch = conditions_open(NULL, 0);
	struct conditions *conditions;
	size_t known = 0;

	(void)state;
	conditions_begin(watch, clock_now());
	clock_sleep(700 * NS_PER_MS);
	conditions_end(watch);
	conditions = conditions_close(watch);
	for (size_t i = 0; i < conditions->cpus; i++) {
		assert_true(conditions->cpu_busy[i] <= 100);
		known += conditions->cpu_busy[i] >= 0;
	}
	assert_int_equal(known, sysconf(_SC_NPROCESSORS_ONLN));
	assert_true(conditions->has_drift);
	assert_true(conditions->drift > -100000 && conditions->drift < 100000);
	assert_true(!conditions->has_steal || (conditions->steal_percent >= 0 && conditions->steal_percent <= 100));
	conditions_free(conditions);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_TREE(each_cpu_has_its_own_share),
		IN_TREE(stolen_time_is_known_where_there_ever_was_any),
		IN_TREE(a_broken_file_tells_nothing),
		IN_TREE(unplugged_on_the_way_is_on_battery),
		IN_TREE(throttlings_are_those_of_the_run),
		IN_TREE(temperatures_are_of_leaves_before_and_after),
		IN_TREE(an_array_that_was_ever_busy_is_told_as_it_was_then),
		IN_TREE(interrupts_are_those_of_the_run),
		IN_TREE(an_empty_machine_has_nothing_to_tell),
		IN_TREE(a_watch_may_end_at_any_moment),
		cmocka_unit_test(this_machine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
