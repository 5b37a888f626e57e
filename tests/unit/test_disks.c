// SPDX-License-Identifier: GPL-2.0
#include "tree.h"

#include <errno.h>
#include <sys/sysmacros.h>

#include "host/block.h"
#include "trace/disks.h"

#define SATA	"/sys/devices/pci0000:00/0000:00:17.0/ata1/host0/target0:0:0/0:0:0:0/block"
#define PCI	"/sys/devices/pci0000:00/0000:00:1d.0/0000:03:00.0/nvme/nvme0"
#define VIRTUAL "/sys/devices/virtual/block"

#define ANY_FILE -1
#define A_FILE	 3

static struct trace_config config;
static const struct layer *chosen[MAX_LAYERS];

/* What is chosen of the stack under a device. */
static void choose_disks(unsigned major, unsigned minor, int file, bool named)
{
	struct trace_wish wish = {.file = file, .files_of_layers = named};
	struct layer *layers;

	memset(&config, 0, sizeof(config));
	assert_int_equal(block_stack(makedev(major, minor), &layers, &wish.layers), 0);
	wish.layer = layers;
	assert_int_equal(disks_choose(&config, &wish, chosen), 0);
	for (size_t i = 0; i < wish.layers; i++)
		layer_clear(&layers[i]);
	free(layers);
}

static void choose(unsigned major, unsigned minor, int file)
{
	choose_disks(major, minor, file, file < 0);
}

static const struct trace_layer *layer(const char *name)
{
	for (uint32_t i = 0; i < config.layers; i++)
		if (!strcmp(config.layer[i].name, name))
			return &config.layer[i];
	fail_msg("%s is not traced", name);
	return NULL;
}

static uint32_t bit(const char *name)
{
	return 1u << (layer(name) - config.layer);
}

static bool is_top(const char *name)
{
	return layer(name)->flags & LAYER_TOP;
}

static bool files_count_on(unsigned major, unsigned minor)
{
	for (uint32_t i = 0; i < config.files_on; i++)
		if (config.file_on[i] == (major << 20 | minor))
			return true;
	return false;
}

static void assert_called(const char *expected)
{
	char *name = disks_top(&config);

	assert_string_equal(name, expected);
	free(name);
}

static void make_sata(const struct tree *tree)
{
	tree_disk(tree, SATA, "sda", "8:0", "1000\n");
	tree_partition(tree, SATA, "sda", "sda1", "8:1", "1\n", "500\n");
	tree_partition(tree, SATA, "sda", "sda2", "8:2", "2\n", "500\n");
	tree_attribute(tree, "sda", "mq/0/nr_tags", "32\n");
}

/* md0 on a partition of sda and on sdb, dm-0 on md0. */
static void make_raid(const struct tree *tree)
{
	make_sata(tree);
	tree_disk(tree, SATA, "sdb", "8:16", "1000\n");
	tree_disk(tree, VIRTUAL, "md0", "9:0", "1000\n");
	tree_disk(tree, VIRTUAL, "dm-0", "253:0", "1000\n");
	tree_stack(tree, "md0", "sda1");
	tree_stack(tree, "md0", "sdb");
	tree_stack(tree, "dm-0", "md0");
}

static void partition(void **state)
{
	make_sata(*state);
	choose(8, 1, A_FILE);
	assert_int_equal(config.layers, 2);
	assert_int_equal(layer("sda1")->number, 8 << 20 | 1);
	assert_int_equal(layer("sda1")->flags, LAYER_PARTITION | LAYER_REQUESTS);
	assert_int_equal(layer("sda1")->disk, 1);
	assert_int_equal(layer("sda")->number, 8 << 20);
	assert_int_equal(layer("sda")->flags, LAYER_REQUESTS | LAYER_TOP);
	assert_int_equal(layer("sda")->above, 0);
	assert_int_equal(layer("sda")->queued_on, 1);
	assert_int_equal(config.flags, LAYER_PARTITION | LAYER_REQUESTS | LAYER_TOP);
	assert_called("sda");
	assert_int_equal(config.files_on, 1);
	assert_true(files_count_on(8, 1));
}

/* Only a cache that may lose data makes a disk without FUA need flushes. */
static void caches(void **state)
{
	make_sata(*state);
	tree_attribute(*state, "sda", "queue/write_cache", "write back\n");
	tree_attribute(*state, "sda", "queue/fua", "0\n");
	choose(8, 0, A_FILE);
	assert_true(layer("sda")->flags & LAYER_NO_FUA);
	tree_attribute(*state, "sda", "queue/fua", "1\n");
	choose(8, 0, A_FILE);
	assert_false(layer("sda")->flags & LAYER_NO_FUA);
	tree_attribute(*state, "sda", "queue/fua", "0\n");
	tree_attribute(*state, "sda", "queue/write_cache", "write through\n");
	choose(8, 0, A_FILE);
	assert_false(layer("sda")->flags & LAYER_NO_FUA);
}

/* What stands on a layer stands on all that is below it. */
static void stack(void **state)
{
	make_raid(*state);
	choose(253, 0, A_FILE);
	assert_int_equal(config.layers, 4);
	assert_int_equal(layer("dm-0")->above, 0);
	assert_int_equal(layer("md0")->above, bit("dm-0"));
	assert_int_equal(layer("sda")->above, bit("dm-0") | bit("md0"));
	assert_int_equal(layer("sdb")->above, bit("dm-0") | bit("md0"));
	assert_true(layer("md0")->flags & LAYER_BIOS);
	assert_true(is_top("dm-0"));
	assert_false(is_top("md0") || is_top("sda") || is_top("sdb"));
}

/* A file system may lie on each of these. */
static void files_on_a_stack(void **state)
{
	make_raid(*state);
	choose(8, 16, ANY_FILE);
	assert_int_equal(config.layers, 1);
	assert_true(is_top("sdb"));
	assert_int_equal(config.files_on, 3);
	assert_true(files_count_on(8, 16) && files_count_on(9, 0) && files_count_on(253, 0));
	choose(253, 0, ANY_FILE);
	assert_true(is_top("dm-0"));
	assert_false(is_top("md0") || is_top("sda") || is_top("sdb"));
	assert_called("dm-0");
	assert_int_equal(config.files_on, 1);
	assert_true(files_count_on(253, 0));
}

/* The disk under an image has other files, too: bios on it count beside those on the loop device. */
static void loop(void **state)
{
	const struct tree *tree = *state;
	char *image = xasprintf("%s/image", tree->root), number[32];
	struct stat status;

	tree_write(tree, "/image", "");
	assert_int_equal(stat(image, &status), 0);
	snprintf(number, sizeof(number), "%u:%u", major(status.st_dev), minor(status.st_dev));
	tree_disk(tree, SATA, "sdc", number, "1000\n");
	tree_disk(tree, VIRTUAL, "loop0", "7:0", "1000\n");
	tree_disk(tree, VIRTUAL, "dm-0", "253:0", "1000\n");
	tree_attribute(tree, "loop0", "loop/backing_file", image);
	tree_stack(tree, "dm-0", "loop0");

	choose(253, 0, ANY_FILE);
	assert_int_equal(config.layers, 3);
	assert_int_equal(layer("loop0")->above, bit("dm-0"));
	assert_int_equal(layer("sdc")->above, bit("dm-0") | bit("loop0"));
	/* Named alone, it is where I/O comes in; where all disks are watched, files on the lowest are used, too. */
	assert_true(is_top("dm-0"));
	assert_false(is_top("loop0") || is_top("sdc"));
	assert_true(files_count_on(253, 0));
	assert_false(files_count_on(major(status.st_dev), minor(status.st_dev)));
	choose_disks(253, 0, ANY_FILE, false);
	assert_true(is_top("dm-0") && is_top("sdc"));
	assert_false(is_top("loop0"));
	assert_called("all disks");

	choose(253, 0, A_FILE);
	assert_true(is_top("dm-0"));
	assert_false(is_top("loop0") || is_top("sdc"));
	free(image);
}

static void multipath(void **state)
{
	const struct tree *tree = *state;
	char *path = xasprintf("%s/sys/class/block/nvme0c1n1/dev", tree->root);

	tree_disk(tree, PCI, "nvme0n1", "259:0", "1000\n");
	tree_disk(tree, PCI, "nvme0c1n1", "259:9", "1000\n");
	assert_int_equal(remove(path), 0);
	choose(259, 0, ANY_FILE);
	assert_int_equal(config.layers, 2);
	assert_true(layer("nvme0c1n1")->flags & LAYER_HIDDEN);
	assert_int_equal(layer("nvme0c1n1")->queued_on, 0);
	assert_int_equal(layer("nvme0c1n1")->above, bit("nvme0n1"));
	assert_true(is_top("nvme0n1"));
	assert_false(is_top("nvme0c1n1"));
	assert_called("nvme0n1");
	free(path);
}

/* With more devices than can be told apart, files on any count. */
static void many_partitions(void **state)
{
	const struct tree *tree = *state;

	tree_disk(tree, SATA, "sda", "8:0", "1000\n");
	for (int i = 1; i < MAX_LAYERS; i++) {
		char name[16], number[16];

		snprintf(name, sizeof(name), "sda%d", i);
		snprintf(number, sizeof(number), "259:%d", i);
		tree_partition(tree, SATA, "sda", name, number, "1\n", "10\n");
	}
	choose(8, 0, ANY_FILE);
	assert_int_equal(config.files_on, MAX_LAYERS);
	tree_partition(tree, SATA, "sda", "sda32", "259:32", "1\n", "10\n");
	choose(8, 0, ANY_FILE);
	assert_int_equal(config.files_on, 0);
}

static void limits(void **state)
{
	const struct tree *tree = *state;
	struct layer layers[MAX_LAYERS + 1] = {{.name = NULL}};
	struct trace_wish wish = {.file = ANY_FILE, .layer = layers};
	char number[16];

	memset(&config, 0, sizeof(config));
	assert_int_equal(disks_choose(&config, &wish, chosen), -ENODEV);
	for (int i = 0; i <= MAX_LAYERS; i++) {
		layers[i].name = xasprintf("vd%d", i);
		snprintf(number, sizeof(number), "254:%d", i);
		tree_disk(tree, VIRTUAL, layers[i].name, number, "1000\n");
	}
	wish.layers = MAX_LAYERS;
	assert_int_equal(disks_choose(&config, &wish, chosen), 0);
	assert_int_equal(config.layers, MAX_LAYERS);
	assert_true(is_top("vd0") && is_top("vd31"));
	memset(&config, 0, sizeof(config));
	wish.layers = MAX_LAYERS + 1;
	assert_int_equal(disks_choose(&config, &wish, chosen), -E2BIG);
	for (int i = 0; i <= MAX_LAYERS; i++)
		free(layers[i].name);
	memset(&config, 0, sizeof(config));
	layers[0].name = (char[]){"gone"};
	wish.layers = 1;
	assert_int_equal(disks_choose(&config, &wish, chosen), -ENODEV);
}

/* As of a btrfs: what goes to a file comes in on each of them. */
static void several_devices_of_a_file(void **state)
{
	struct trace_wish wish = {.file = A_FILE};
	const dev_t number[] = {makedev(8, 1), makedev(8, 16)};
	struct layer *layers;

	make_sata(*state);
	tree_disk(*state, SATA, "sdb", "8:16", "1000\n");
	memset(&config, 0, sizeof(config));
	assert_int_equal(block_stacks(number, 2, &layers, &wish.layers), 0);
	wish.layer = layers;
	assert_int_equal(disks_choose(&config, &wish, chosen), 0);
	assert_true(is_top("sda") && is_top("sdb") && !is_top("sda1"));
	assert_called("all disks");
	for (size_t i = 0; i < wish.layers; i++)
		layer_clear(&layers[i]);
	free(layers);
}

/* A file system without a device is known by a number of its own; and there need be no disk at all. */
static void without_a_device(void **state)
{
	struct trace_wish wish = {.file = A_FILE, .remote = true, .remote_device = makedev(0, 77)};

	(void)state;
	memset(&config, 0, sizeof(config));
	assert_int_equal(disks_choose(&config, &wish, chosen), 0);
	assert_int_equal(config.layers, 0);
	assert_int_equal(config.files_on, 1);
	assert_true(files_count_on(0, 77));
	memset(&config, 0, sizeof(config));
	wish = (struct trace_wish){.file = ANY_FILE, .remote = true};
	assert_int_equal(disks_choose(&config, &wish, chosen), 0);
	assert_int_equal(config.files_on, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_TREE(partition), IN_TREE(caches),	IN_TREE(stack),		  IN_TREE(files_on_a_stack),
		IN_TREE(several_devices_of_a_file), IN_TREE(loop),	    IN_TREE(multipath), IN_TREE(many_partitions), IN_TREE(limits),
		IN_TREE(without_a_device),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
