// SPDX-License-Identifier: GPL-2.0
#include "tree.h"

#include "host/sensors.h"

/* --- power --- */

static void supply(const struct tree *tree, const char *name, const char *type, const char *attribute,
		   const char *value)
{
	char *type_path = xasprintf("/sys/class/power_supply/%s/type", name);
	char *path = xasprintf("/sys/class/power_supply/%s/%s", name, attribute);

	tree_write(tree, type_path, type);
	tree_write(tree, path, value);
	free(type_path), free(path);
}

static void assert_power(bool known, bool on_battery)
{
	bool battery = !on_battery;

	assert_int_equal(sensors_on_battery(&battery), known);
	assert_int_equal(battery, on_battery);
}

static void a_machine_without_supplies(void **state)
{
	assert_power(false, false);
	tree_directory(*state, "/sys/class/power_supply");
	assert_power(false, false);
}

static void a_laptop(void **state)
{
	supply(*state, "AC", "Mains\n", "online", "1\n");
	supply(*state, "BAT0", "Battery\n", "status", "Charging\n");
	assert_power(true, false);
	supply(*state, "AC", "Mains\n", "online", "0\n");
	supply(*state, "BAT0", "Battery\n", "status", "Discharging\n");
	assert_power(true, true);
	/* a supply that is too weak for what is used */
	supply(*state, "ucsi-source-psy-1", "USB\n", "online", "1\n");
	assert_power(true, false);
}

static void a_mouse_is_no_laptop(void **state)
{
	supply(*state, "hidpp_battery_0", "Battery\n", "scope", "Device\n");
	supply(*state, "hidpp_battery_0", "Battery\n", "status", "Discharging\n");
	assert_power(false, false);
	supply(*state, "ups", "UPS\n", "status", "Discharging\n");
	assert_power(false, false);
	supply(*state, "BAT0", "Battery\n", "status", "Unknown\n");
	assert_power(false, false);
	supply(*state, "AC", "Mains\n", "online", "0\n");
	assert_power(true, false);
}

/* --- heat --- */

static void throttlings_of_all_cpus_are_added(void **state)
{
	const struct tree *tree = *state;
	uint64_t count = 7;

	tree_directory(tree, "/sys/devices/system/cpu/cpufreq");
	tree_directory(tree, "/sys/devices/system/cpu/cpu0");
	assert_false(sensors_throttlings(&count));
	tree_write(tree, "/sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count", "5\n");
	tree_write(tree, "/sys/devices/system/cpu/cpu0/thermal_throttle/package_throttle_count", "100\n");
	tree_write(tree, "/sys/devices/system/cpu/cpu11/thermal_throttle/core_throttle_count", "20\n");
	tree_write(tree, "/sys/devices/system/cpu/cpuidle/thermal_throttle/core_throttle_count", "4000\n");
	assert_true(sensors_throttlings(&count));
	assert_int_equal(count, 125);
}

#define PCI "/sys/devices/pci0000:00"

static void assert_temperature(const char *disk, double expected)
{
	double degrees = 0;

	assert_true(sensors_temperature(disk, &degrees));
	assert_float_equal(degrees, expected, 1e-9);
}

static void an_nvme_drive_has_its_sensor_in_its_controller(void **state)
{
	const struct tree *tree = *state;
	double degrees;

	tree_disk(tree, PCI "/nvme/nvme0", "nvme0n1", "259:0", "8\n");
	tree_link(tree, PCI "/nvme/nvme0/nvme0n1/device", "../../nvme0");
	assert_false(sensors_temperature("nvme0n1", &degrees));
	tree_write(tree, PCI "/nvme/nvme0/hwmon3/temp1_input", "38850\n");
	assert_temperature("nvme0n1", 38.85);
}

static void a_drive_with_several_paths_has_it_in_one_of_them(void **state)
{
	const struct tree *tree = *state;

	tree_disk(tree, "/sys/devices/virtual/nvme-subsystem/nvme-subsys2", "nvme2n1", "259:0", "8\n");
	tree_link(tree, "/sys/devices/virtual/nvme-subsystem/nvme-subsys2/nvme2n1/device", "../../nvme-subsys2");
	tree_directory(tree, PCI "/nvme/nvme3");
	tree_write(tree, PCI "/nvme/nvme4/hwmon5/temp1_input", "41000\n");
	tree_link(tree, "/sys/devices/virtual/nvme-subsystem/nvme-subsys2/nvme3", "../../../pci0000:00/nvme/nvme3");
	tree_link(tree, "/sys/devices/virtual/nvme-subsystem/nvme-subsys2/nvme4", "../../../pci0000:00/nvme/nvme4");
	assert_temperature("nvme2n1", 41);
}

static void a_sata_drive_has_it_in_a_folder(void **state)
{
	const struct tree *tree = *state;
	double degrees;

	tree_disk(tree, PCI "/ata1/0:0:0:0/block", "sda", "8:0", "8\n");
	tree_link(tree, PCI "/ata1/0:0:0:0/block/sda/device", "../../../0:0:0:0");
	tree_write(tree, PCI "/ata1/0:0:0:0/hwmon/hwmon1/temp1_input", "-2000\n");
	assert_temperature("sda", -2);
	tree_write(tree, PCI "/ata1/0:0:0:0/hwmon/hwmon1/temp1_input", "warm\n");
	assert_false(sensors_temperature("sda", &degrees));
	assert_false(sensors_temperature("sdb", &degrees));
}

/* --- controllers --- */

static void controllers_of_nvme_disks(void **state)
{
	const struct tree *tree = *state;
	char **controller;

	tree_disk(tree, PCI "/nvme/nvme12", "nvme12n1", "259:0", "8\n");
	tree_link(tree, PCI "/nvme/nvme12/nvme12n1/device", "../../nvme12");
	tree_disk(tree, PCI "/virtio1/block", "vda", "253:0", "8\n");
	tree_link(tree, PCI "/virtio1/block/vda/device", "../../../virtio1");
	controller = sensors_controllers("nvme12n1");
	assert_string_equal(controller[0], "nvme12");
	assert_null(controller[1]);
	strings_free(controller);
	controller = sensors_controllers("vda");
	assert_null(controller[0]);
	strings_free(controller);
	controller = sensors_controllers("loop0");
	assert_null(controller[0]);
	strings_free(controller);
}

static void paths_are_controllers_and_namespaces_are_not(void **state)
{
	const struct tree *tree = *state;
	char **controller;

	tree_disk(tree, "/sys/devices/virtual/nvme-subsystem/nvme-subsys0", "nvme0n1", "259:0", "8\n");
	tree_link(tree, "/sys/devices/virtual/nvme-subsystem/nvme-subsys0/nvme0n1/device", "../../nvme-subsys0");
	tree_directory(tree, "/sys/devices/virtual/nvme-subsystem/nvme-subsys0/nvme1");
	tree_directory(tree, "/sys/devices/virtual/nvme-subsystem/nvme-subsys0/nvme10");
	controller = sensors_controllers("nvme0n1");
	assert_string_equal(controller[0], "nvme1");
	assert_string_equal(controller[1], "nvme10");
	assert_null(controller[2]);
	strings_free(controller);
}

/* --- arrays --- */

static void an_array_tells_what_it_does(void **state)
{
	const struct tree *tree = *state;
	struct array_state array;

	tree_disk(tree, "/sys/devices/virtual/block", "md127", "9:127", "8\n");
	assert_false(sensors_array("md127", &array));
	tree_attribute(tree, "md127", "md/level", "raid1\n");
	tree_attribute(tree, "md127", "md/sync_action", "recover\n");
	tree_attribute(tree, "md127", "md/degraded", "1\n");
	assert_true(sensors_array("md127", &array));
	assert_string_equal(array.device, "md127");
	assert_string_equal(array.level, "raid1");
	assert_string_equal(array.action, "recover");
	assert_int_equal(array.degraded, 1);
	array_state_clear(&array);
}

static void an_array_without_redundancy_is_idle(void **state)
{
	const struct tree *tree = *state;
	struct array_state array;

	tree_disk(tree, "/sys/devices/virtual/block", "md0", "9:0", "8\n");
	tree_attribute(tree, "md0", "md/level", "raid0\n");
	assert_true(sensors_array("md0", &array));
	assert_string_equal(array.action, "idle");
	assert_int_equal(array.degraded, 0);
	array_state_clear(&array);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_TREE(a_machine_without_supplies),
		IN_TREE(a_laptop),
		IN_TREE(a_mouse_is_no_laptop),
		IN_TREE(throttlings_of_all_cpus_are_added),
		IN_TREE(an_nvme_drive_has_its_sensor_in_its_controller),
		IN_TREE(a_drive_with_several_paths_has_it_in_one_of_them),
		IN_TREE(a_sata_drive_has_it_in_a_folder),
		IN_TREE(controllers_of_nvme_disks),
		IN_TREE(paths_are_controllers_and_namespaces_are_not),
		IN_TREE(an_array_tells_what_it_does),
		IN_TREE(an_array_without_redundancy_is_idle),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
