// SPDX-License-Identifier: GPL-2.0
#include "command/doctor_probe.h"

#include "doctored.h"

#include "blocks.h"

#define COUNT 64u

static struct diagnosis *diagnosis;

static int begin(void **state)
{
	tree_setup(state);
	diagnosis = diagnosis_new();
	diagnosis_add_section(diagnosis, "there");
	return 0;
}

static int end(void **state)
{
	diagnosis_free(diagnosis);
	return tree_teardown(state);
}

static const struct finding *probed(struct target *target, const char *name)
{
	doctor_probe(&diagnosis->section[0], target);
	return found(diagnosis, "there", name);
}

static void assert_value(const struct finding *finding, const char *part)
{
	if (!strstr(finding->value, part))
		fail_msg("no '%s' in: %s", part, finding->value);
	assert_int_equal(finding->fitness, FITNESS_PLAIN);
}

static void a_file(void **state)
{
	struct target target = {.kind = TARGET_FILE};
	struct blocks blocks;

	(void)state;
	blocks_open(&blocks, COUNT, NULL);
	/* It has no name of its own. */
	target.path = place_engine_name(&blocks.place);
	assert_value(probed(&target, "floor"), " for one block again and again (p99 ");
	assert_value(found(diagnosis, "there", "floor"), "): the way there and back takes no more");
	assert_non_null(strstr(found(diagnosis, "there", "random read")->source, target.path));
	assert_true(target.floor.same.reads > 0 && target.floor.random.reads > 0);
	blocks_close(&blocks);
	free(target.path);
}

/* As the disk's counts stand still, it was none of its reads. */
static void own_memory(void **state)
{
	struct layer disk = {.name = (char *)"sda", .leaf = true};
	struct target target = {.kind = TARGET_FILE, .layer = &disk, .layers = 1};
	const struct tree *tree = *state;
	struct blocks blocks;

	tree_disk(tree, "/sys/devices/virtual/block", "sda", "8:0", "1000");
	tree_attribute(tree, "sda", "stat", "5 0 40 1 0 0 0 0 0 1 1 0 0 0 0 0 0\n");
	blocks_open(&blocks, COUNT, NULL);
	target.path = place_engine_name(&blocks.place);
	assert_value(probed(&target, "floor"), "unknown: 0 of ");
	assert_int_equal(diagnosis->section[0].findings, 1);
	blocks_close(&blocks);
	free(target.path);
}

/* Of a directory the device is read, where there is one; none of this name is. */
static void directories(void **state)
{
	struct layer disk = {.name = (char *)"no!such", .leaf = true};
	struct target target = {.kind = TARGET_DIRECTORY, .path = (char *)"/proc"};
	const struct finding *finding = probed(&target, "floor");

	(void)state;
	assert_value(finding, "not measured: a directory has no block to be read");
	assert_int_equal(diagnosis->section[0].findings, 1);
	free(target.no_floor);
	diagnosis_add_section(diagnosis, "another");
	target = (struct target){.kind = TARGET_DIRECTORY, .path = (char *)"/proc", .layer = &disk, .layers = 1};
	doctor_probe(&diagnosis->section[1], &target);
	finding = found(diagnosis, "another", "floor");
	assert_value(finding,
		     "not measured: it could not be opened: No such file or directory; name a file in the directory "
		     "instead");
	assert_string_equal(finding->source, "pread() of /dev/no/such, past the page cache");
	free(target.no_floor);
}

#define PROBED(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		PROBED(a_file),
		PROBED(own_memory),
		PROBED(directories),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
