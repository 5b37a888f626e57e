// SPDX-License-Identifier: GPL-2.0
#include "tree.h"

#include "base/clock.h"
#include "host/conditions.h"
#include "host/interrupts.h"
#include "host/vmbus.h"

#define BUS	"/sys/devices/LNXSYSTM:00/LNXSYBUS:00/ACPI0004:00/VMBUS:00"
#define FIRST	BUS "/fd1d2cbd-ce7c-535c-966b-eb5f811c95f0"
#define SECOND	BUS "/f8b3781a-1e82-4818-a1c3-63d806ec15bb"
#define PASSED	BUS "/c05d21b0-b2e6-4f1a-8b5b-2a0f3e9c1d44"
#define PCI	PASSED "/pci1b2e:00/1b2e:00:00.0"
#define UNKNOWN 12345

static void set_channel(const struct tree *tree, const char *device, const char *number, const char *events,
			const char *interrupts)
{
	char *kicks = xasprintf("%s/channels/%s/events", device, number);
	char *received = xasprintf("%s/channels/%s/interrupts", device, number);

	tree_write(tree, kicks, events);
	tree_write(tree, received, interrupts);
	free(kicks), free(received);
}

static void add_device(const struct tree *tree, const char *device, const char *driver)
{
	char *link = xasprintf("%s/driver", device), *target = xasprintf("../../../../../bus/vmbus/drivers/%s", driver);

	tree_link(tree, link, target);
	free(link), free(target);
}

static void add_disk(const struct tree *tree, const char *controller, const char *host, const char *name)
{
	char *directory = xasprintf("%s/%s/target0:0:0/%s/block", controller, host, name);
	char *number = xasprintf("8:%d", 16 * (name[2] - 'a'));

	tree_disk(tree, directory, name, number, "8\n");
	free(directory), free(number);
}

/* Two disks of one controller with a sub-channel, one of another; and an NVMe drive on a PCI bus that is passed
 * through. */
static int make_disks(void **state)
{
	const struct tree *tree;

	tree_setup(state);
	tree = *state;
	add_device(tree, FIRST, "hv_storvsc");
	set_channel(tree, FIRST, "11", "1000\n", "700\n");
	set_channel(tree, FIRST, "21", "50\n", "6\n");
	add_disk(tree, FIRST, "host0", "sda");
	add_disk(tree, FIRST, "host0", "sdb");
	add_device(tree, SECOND, "hv_storvsc");
	set_channel(tree, SECOND, "12", "3\n", "4294967296\n");
	add_disk(tree, SECOND, "host1", "sdc");
	add_device(tree, PASSED, "hv_pci");
	set_channel(tree, PASSED, "30", "9\n", "9\n");
	tree_disk(tree, PCI "/nvme/nvme0", "nvme0n1", "259:0", "8\n");
	tree_link(tree, PCI "/nvme/nvme0/nvme0n1/device", "../../nvme0");
	tree_disk(tree, "/sys/devices/virtual/block", "loop0", "7:0", "8\n");
	tree_write(tree, "/proc/interrupts",
		   "  CPU0 CPU1\n 51: 100 200 Hyper-V PCIe MSI nvme0q1\nHYP: 5 6 callbacks\n");
	return 0;
}

static uint64_t kicks_of(char *first, char *second)
{
	const struct layer layer[] = {{.name = "md0"}, {.name = first, .leaf = true}, {.name = second, .leaf = true}};
	uint64_t kicks;

	return vmbus_read_kicks(layer, second ? 3 : 2, &kicks) ? kicks : UNKNOWN;
}

static uint64_t interrupts_of(char *first, char *second)
{
	const struct layer layer[] = {{.name = "md0"}, {.name = first, .leaf = true}, {.name = second, .leaf = true}};
	uint64_t interrupts;

	return interrupts_read(layer, second ? 3 : 2, &interrupts) ? interrupts : UNKNOWN;
}

static void channels_are_added_and_those_of_two_disks_count_once(void **state)
{
	(void)state;
	assert_int_equal(kicks_of("sda", NULL), 1050);
	assert_int_equal(kicks_of("sda", "sdb"), 1050);
	assert_int_equal(kicks_of("sdb", "sdc"), 1053);
	assert_int_equal(interrupts_of("sda", NULL), 706);
	assert_int_equal(interrupts_of("sda", "sdb"), 706);
	assert_int_equal(interrupts_of("sda", "sdc"), 706 + 4294967296);
}

/* The bus's own channel carries no I/O of the drive's, whose interrupts have lines of their own. */
static void a_drive_that_is_passed_through_has_interrupts_and_no_kicks(void **state)
{
	(void)state;
	assert_null(vmbus_controller("nvme0n1"));
	assert_int_equal(kicks_of("nvme0n1", NULL), UNKNOWN);
	assert_int_equal(interrupts_of("nvme0n1", NULL), 300);
	assert_int_equal(kicks_of("nvme0n1", "sda"), UNKNOWN);
	assert_int_equal(interrupts_of("nvme0n1", "sda"), 300 + 706);
}

static void where_one_leaf_is_not_known_nothing_is(void **state)
{
	(void)state;
	assert_int_equal(kicks_of("loop0", NULL), UNKNOWN);
	assert_int_equal(kicks_of("sda", "loop0"), UNKNOWN);
	assert_int_equal(interrupts_of("sda", "loop0"), UNKNOWN);
	assert_int_equal(kicks_of("nothing", NULL), UNKNOWN);
	set_channel(*state, FIRST, "22", "many\n", "6\n");
	assert_int_equal(kicks_of("sda", NULL), UNKNOWN);
	assert_int_equal(interrupts_of("sda", NULL), UNKNOWN);
	assert_int_equal(kicks_of("sdc", NULL), 3);
}

static void without_leaves_nothing_is_known(void **state)
{
	const struct layer layer = {.name = "sda"};
	uint64_t number;

	(void)state;
	assert_false(vmbus_read_kicks(&layer, 1, &number));
	assert_false(vmbus_read_kicks(NULL, 0, &number));
	assert_false(interrupts_read(&layer, 1, &number));
}

static struct conditions *measured(const struct tree *tree, const char *events, const char *interrupts)
{
	const struct layer layer = {.name = "sda", .leaf = true};
	struct watch *watch = conditions_open(&layer, 1);

	conditions_begin(watch, clock_now());
	set_channel(tree, FIRST, "21", events, interrupts);
	conditions_end(watch);
	return conditions_close(watch);
}

static void those_of_a_run_are_what_came_in_it(void **state)
{
	struct conditions *conditions = measured(*state, "150\n", "36\n");

	assert_true(conditions->has_kicks && conditions->has_interrupts);
	assert_int_equal(conditions->kicks, 100);
	assert_int_equal(conditions->interrupts, 30);
	conditions_free(conditions);
	/* opened anew */
	conditions = measured(*state, "0\n", "0\n");
	assert_false(conditions->has_kicks || conditions->has_interrupts);
	conditions_free(conditions);
}

/* As WSL has it: all disks on one controller, whose bus has a network card, too. */
static void on_a_recorded_machine(void **state)
{
	char *controller;

	tree_load(*state, "wsl2-5.15-vhdx");
	controller = vmbus_controller("sdc");
	assert_string_equal(controller, FIRST);
	free(controller);
	assert_int_equal(kicks_of("sdc", NULL), 48211);
	assert_int_equal(kicks_of("sdc", "sda"), 48211);
	assert_int_equal(interrupts_of("sdc", NULL), 91230);
	tree_write(*state, FIRST "/channels/5/events", "48311\n");
	assert_int_equal(kicks_of("sdc", NULL), 48311);
}

#define WITH_DISKS(test) cmocka_unit_test_setup_teardown(test, make_disks, tree_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_DISKS(channels_are_added_and_those_of_two_disks_count_once),
		WITH_DISKS(a_drive_that_is_passed_through_has_interrupts_and_no_kicks),
		WITH_DISKS(where_one_leaf_is_not_known_nothing_is),
		WITH_DISKS(without_leaves_nothing_is_known),
		WITH_DISKS(those_of_a_run_are_what_came_in_it),
		IN_TREE(on_a_recorded_machine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
