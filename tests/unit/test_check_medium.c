// SPDX-License-Identifier: GPL-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "checked.h"
#include "targeted.h"

/* --- medium --- */

static void medium_of_a_disk(void **state)
{
	(void)state;
	add_target(TARGET_FILE);
	assert_check("medium", CHECK_PASSED, "No layer of the target is known to be memory.");
}

static void medium_of_memory(void **state)
{
	(void)state;
	struct layer *zram;

	add_target(TARGET_FILE);
	zram = add_facts("zram0");
	zram->memory = xstrdup("compressed memory (zram)");
	/* a layer that stands on another is what that one is */
	assert_check("medium", CHECK_PASSED, "No layer");
	zram->leaf = true;
	assert_check("medium", CHECK_FAILED, "zram0 is compressed memory (zram): what was measured is no disk.");
}

/* Its file was deleted, say, and may have been in memory. */
static void medium_of_a_hidden_file(void **state)
{
	(void)state;
	struct layer *loop;

	add_target(TARGET_FILE);
	loop = add_facts("loop3");
	loop->leaf = true;
	loop->backing_file = xstrdup("/gone (deleted)");
	assert_check("medium", CHECK_UNKNOWN, "can't be found by its path (/gone (deleted))");
	assert_check("cache", CHECK_UNKNOWN, "the file under a loop device can't be found by its path");
	loop->backing_filesystem = xstrdup("9p");
	assert_check("medium", CHECK_PASSED, "No layer");
}

/* It needs no trace. */
static void medium_of_a_filesystem(void **state)
{
	static const char *const memory[] = {"tmpfs", "ramfs"};
	struct target *target = add_target(TARGET_DIRECTORY);

	(void)state;
	trace_view_free(run->trace);
	run->trace = NULL;
	free(target->layer[0].name);
	target->layers = 0;
	for (size_t i = 0; i < ARRAY_SIZE(memory); i++) {
		target->filesystem = (char *)memory[i];
		assert_check("medium", CHECK_FAILED, "/mnt/fast is in memory (");
		assert_int_equal(run->verdict, VERDICT_NOT_REAL);
	}
	target->filesystem = NULL;
	assert_check("medium", CHECK_UNKNOWN, "The target has no block device on this machine: ");
	target->filesystem = xstrdup("9p");
	assert_check("medium", CHECK_UNKNOWN, "no block device on this machine (9p): what medium is behind it");
}

/* A trace of sda and zram0, with these bytes on each; the workload's and others' came in at the top. */
static void watch_two(uint64_t disk, uint64_t memory, uint64_t own, uint64_t others)
{
	struct layer_view *zram = &run->trace->leaf[1];
	struct layer *facts;

	add_target(TARGET_DISKS);
	facts = add_facts("zram0");
	facts->leaf = true;
	facts->memory = xstrdup("compressed memory (zram)");
	zram->device = xstrdup("zram0");
	layer_op(zram, OP_READ)->bio_bytes = memory;
	run->trace->leaves = 2;
	move_bytes(OP_READ, own);
	layer_op(&run->trace->leaf[0], OP_READ)->issued_bytes = disk;
	run->trace->queued[OWNER_OTHERS][OP_READ].bytes = others;
	make_program(OP_READ, own, own);
}

static void medium_that_others_use(void **state)
{
	(void)state;
	watch_two(100 * MIB, 200 * MIB, 100 * MIB, 200 * MIB);
	assert_check("medium", CHECK_PASSED, "No layer");
}

static void medium_that_the_program_uses(void **state)
{
	(void)state;
	watch_two(0, 100 * MIB, 100 * MIB, 0);
	assert_check("medium", CHECK_FAILED, "zram0 is compressed memory");
}

/* The disk was busy with others all the time, and can have been with nobody else. */
static void medium_beside_a_busy_disk(void **state)
{
	(void)state;
	watch_two(200 * MIB, 300 * MIB, 300 * MIB, 200 * MIB);
	assert_check("medium", CHECK_FAILED, "zram0 is compressed memory");
	run->trace->queued[OWNER_OTHERS][OP_READ].bytes = 300 * MIB;
	layer_op(&run->trace->leaf[0], OP_READ)->issued_bytes = 300 * MIB;
	assert_check("medium", CHECK_PASSED, "No layer");
}

static void medium_of_a_part(void **state)
{
	(void)state;
	watch_two(96 * MIB, 4 * MIB, 100 * MIB, 0);
	assert_check("medium", CHECK_PASSED, "No layer");
	layer_op(&run->trace->leaf[0], OP_READ)->issued_bytes = 95 * MIB;
	layer_op(&run->trace->leaf[1], OP_READ)->bio_bytes = 5 * MIB;
	assert_check("medium", CHECK_FAILED, "zram0 is");
}

static void medium_not_to_be_told(void **state)
{
	(void)state;
	watch_two(100 * MIB, 100 * MIB, 0, 200 * MIB);
	assert_check("medium", CHECK_NOT_APPLICABLE, "None of the disks");
	run->trace->queued[OWNER_WORKLOAD][OP_READ].bytes = 100 * MIB;
	free(run->trace->top);
	run->trace->top = NULL;
	assert_check("medium", CHECK_NOT_APPLICABLE, "It is not known which");
}

/* --- layout --- */

static struct layout *add_layout(uint64_t written)
{
	struct layout *layout = &add_target(TARGET_FILE)->layout;

	layout->has_extents = true;
	layout->written = written;
	return layout;
}

static void layout_written(void **state)
{
	(void)state;
	add_layout(1 << 30)->extents = 3;
	assert_check("layout", CHECK_PASSED, "What was read had been written before.");
}

/* A thousandth may be metadata of its end. */
static void layout_of_unwritten_blocks(void **state)
{
	(void)state;
	struct layout *layout = add_layout(999000);

	layout->unwritten = 1000;
	assert_check("layout", CHECK_PASSED, "had been written");
	layout->unwritten = 1001;
	assert_check("layout", CHECK_FAILED,
		     "(0.1 %) are never written blocks (fallocate): the file system answers with zeros "
		     "without asking the disk.");
	layout->unwritten = 0;
	layout->holes = 1024 * MIB;
	layout->written = 1024 * MIB;
	assert_check("layout", CHECK_FAILED,
		     "1 GiB of the file's 2 GiB (50 %) are holes (a sparse file): the file system");
	assert_string_equal(nth_check("layout", 2)->found, "0 bytes unwritten, 1073741824 in holes");
}

static void layout_elsewhere(void **state)
{
	(void)state;
	struct layout *layout = add_layout(99 * MIB);

	layout->elsewhere = MIB;
	assert_check("layout", CHECK_PASSED, "had been written");
	layout->elsewhere = 4 * MIB;
	assert_check("layout", CHECK_WARNING, "3.9 % of the file lie compressed");
}

static void layout_of_a_device(void **state)
{
	struct layout *layout = &add_target(TARGET_DEVICE)->layout;

	(void)state;
	assert_check("layout", CHECK_UNKNOWN, "not known");
	layout->sampled = 1000;
	assert_check("layout", CHECK_PASSED, "as a sample shows");
	layout->zeros = 49;
	assert_check("layout", CHECK_PASSED, "as a sample shows");
	layout->zeros = 50;
	assert_check("layout", CHECK_WARNING, "5.0 % of 1,000 blocks that were looked at hold nothing but zeros");
	layout->zeros = 499;
	assert_check("layout", CHECK_WARNING, "50 % of");
	layout->zeros = 500;
	assert_check("layout", CHECK_FAILED, "50 % of");
}

static void layout_matters_to_reads(void **state)
{
	(void)state;
	add_layout(0)->holes = 1 << 30;
	judge(&write_test);
	assert_state(nth_check("layout", 0), CHECK_NOT_APPLICABLE);
}

/* 1000 reads, these many of which never came to the block layer. */
static struct io_view *answer_some(uint64_t count)
{
	struct io_view *view = run->trace->io[OP_READ] ? run->trace->io[OP_READ] : fill_ios(OP_READ);

	view->counts.end[IO_END_NOT_QUEUED] = count;
	view->counts.end[IO_END_JOINED] = 1000 - count;
	view->counts.bytes = 4096000;
	run->trace->queued[OWNER_WORKLOAD][OP_READ].bytes = 4096 * (1000 - count);
	return view;
}

/* One in a hundred, and no less than 16. */
static void layout_by_what_was_not_queued(void **state)
{
	(void)state;
	struct io_view *view;

	add_layout(1 << 30);
	answer_some(15);
	assert_check("layout", CHECK_PASSED, "had been written");
	view = answer_some(16);
	assert_check("layout", CHECK_FAILED, "16 of 1,000 direct reads never came to the block layer");
	view->counts.end[IO_END_JOINED] = 1601 - 16;
	assert_check("layout", CHECK_PASSED, "had been written");
}

/* Errors, and reads at the end of a file, end in the same way and give the program nothing. */
static void layout_and_reads_of_nothing(void **state)
{
	(void)state;
	struct io_view *view;

	add_target(TARGET_DISKS);
	make_program(OP_READ, 4096000, 4096000);
	view = answer_some(100);
	view->counts.note[IO_NOTE_FAILED] = 90;
	assert_check("layout", CHECK_NOT_APPLICABLE, "came to the block layer");
	view->counts.note[IO_NOTE_FAILED] = 0;
	assert_check("layout", CHECK_FAILED, "100 of 1,000 direct reads");
	view->counts.bytes = 4096 * 900;
	assert_check("layout", CHECK_NOT_APPLICABLE, "came to the block layer");
}

/* --- nearness --- */

/* What lies beyond the end gives no bytes. */
static void layout_of_what_was_truncated(void **state)
{
	static const struct test blocks = {.access = ACCESS_READ, .read_percent = 100, .block_size = 4096};
	struct direction *reads = &run->engine->direction[OP_READ];

	(void)state;
	add_target(TARGET_FILE);
	result->target[0].layout = (struct layout){.has_extents = true, .written = 4096000};
	reads->ios = 1000;
	reads->bytes = 990 * 4096;
	judge(&blocks);
	assert_state(nth_check("layout", 0), CHECK_PASSED);
	reads->bytes--;
	judge(&blocks);
	assert_state(nth_check("layout", 1), CHECK_FAILED);
	assert_has(nth_check("layout", 1)->sentence, "the file or device ended before its size");
}

static void nearness(void **state)
{
	struct target *target = add_target(TARGET_FILE);

	(void)state;
	target->nearness = (struct nearness){.reads = 50, .random = 100000, .same = 95000};
	assert_check("nearness", CHECK_NOT_APPLICABLE, "no virtual machine");
	result->machine.hypervisor = true;
	assert_check("nearness", CHECK_WARNING,
		     "In this virtual machine a random read is as fast as the same block again (100.0 \u00b5s and "
		     "95.0 \u00b5s): something nearer than the medium");
	target->nearness.same = 90000;
	assert_check("nearness", CHECK_WARNING, "as fast as");
	target->nearness.same = 89999;
	assert_check("nearness", CHECK_PASSED, "takes longer");
	target->nearness.reads = 49;
	assert_check("nearness", CHECK_UNKNOWN, "not tried");
	judge(&write_test);
	assert_int_equal(count_checks("nearness"), 5);
}

/* What no disk answered has no second reason. */
static void nearness_without_a_disk(void **state)
{
	struct target *target = add_target(TARGET_FILE);

	(void)state;
	result->machine.hypervisor = true;
	target->nearness = (struct nearness){.reads = 50, .random = 100000, .same = 95000};
	assert_check("nearness", CHECK_WARNING, "nearer than the medium");
	target->layout = (struct layout){.has_extents = true, .holes = 1 << 20};
	assert_check("nearness", CHECK_NOT_APPLICABLE, "No disk answered: see the check \"layout\".");
}

/* A network's way is the same for both, and a disk that is passed through may have no cache. */
static void nearness_with_other_reasons(void **state)
{
	struct target *target = add_target(TARGET_FILE);

	(void)state;
	result->machine.hypervisor = true;
	target->nearness = (struct nearness){.reads = 50, .random = 200000, .same = 199000};
	assert_check("nearness", CHECK_WARNING, "nearer than the medium");
	target->nearness = (struct nearness){.reads = 50, .random = 200001, .same = 199000};
	assert_check("nearness", CHECK_PASSED, "either the medium has no cache");
	assert_true(nth_check("nearness", 1)->finding);
	target->nearness = (struct nearness){.reads = 50, .random = 80000, .same = 79000};
	target->layer[0].leaf = true;
	target->layer[0].link = xstrdup("PCIe 8.0 GT/s x4");
	assert_check("nearness", CHECK_PASSED, "either the medium has no cache");
}

/* --- link --- */

static void add_link(size_t layer, const char *link, uint64_t most)
{
	result->target[0].layer[layer].link = xstrdup(link);
	result->target[0].layer[layer].link_bytes_per_second = most;
}

static void link_of_the_engine(void **state)
{
	(void)state;
	add_target(TARGET_FILE);
	assert_check("link", CHECK_NOT_APPLICABLE, "not known");
	add_link(0, "SATA 6.0 Gbit/s", 600000000);
	run->engine->direction[OP_READ].bytes_per_second = 600000000;
	assert_check("link", CHECK_PASSED, "600.0 MB/s is within what SATA 6.0 Gbit/s carries (600 MB/s).");
	run->engine->direction[OP_READ].bytes_per_second = 607600000;
	assert_check("link", CHECK_WARNING,
		     "607.6 MB/s is above what SATA 6.0 Gbit/s carries (600 MB/s): look at the clock "
		     "first, then at caches.");
}

/* Each way has the whole link. */
static void link_both_ways(void **state)
{
	(void)state;
	add_target(TARGET_FILE);
	add_link(0, "SATA 6.0 Gbit/s", 600000000);
	run->engine->direction[OP_READ].bytes_per_second = 500000000;
	run->engine->direction[OP_WRITE].bytes_per_second = 500000000;
	assert_check("link", CHECK_PASSED, "500.0 MB/s");
}

static void links_of_several(void **state)
{
	(void)state;
	add_target(TARGET_FILE);
	add_link(0, "SATA 6.0 Gbit/s", 600000000);
	add_facts("sdb")->leaf = true;
	run->engine->direction[OP_READ].bytes_per_second = 1200000000;
	assert_check("link", CHECK_NOT_APPLICABLE, "not known");
	add_link(1, "SATA 6.0 Gbit/s", 600000000);
	assert_check("link", CHECK_PASSED, "2 links (SATA 6.0 Gbit/s) carry together (1200 MB/s)");
	run->engine->direction[OP_READ].bytes_per_second++;
	assert_check("link", CHECK_WARNING, "above what 2 links");
}

/* The leaf's own bytes over the time recorded: also without an engine. */
static void link_of_a_leaf(void **state)
{
	(void)state;
	add_target(TARGET_DISKS);
	add_link(0, "SATA 6.0 Gbit/s", 600000000);
	move_bytes(OP_READ, 1201000000);
	make_program(OP_READ, 1201000000, 1201000000);
	run->trace->recorded = 2000000000;
	assert_check("link", CHECK_WARNING, "600.5 MB/s is above");
	run->trace->recorded = 3000000000;
	assert_check("link", CHECK_PASSED, "400.3 MB/s");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		READS(medium_of_a_disk),
		READS(medium_of_memory),
		READS(medium_of_a_hidden_file),
		READS(layout_of_what_was_truncated),
		READS(medium_of_a_filesystem),
		READS(medium_that_others_use),
		READS(medium_that_the_program_uses),
		READS(medium_beside_a_busy_disk),
		READS(medium_of_a_part),
		READS(medium_not_to_be_told),
		READS(layout_written),
		READS(layout_of_unwritten_blocks),
		READS(layout_elsewhere),
		READS(layout_of_a_device),
		READS(layout_matters_to_reads),
		READS(layout_by_what_was_not_queued),
		READS(layout_and_reads_of_nothing),
		READS(nearness),
		READS(nearness_with_other_reasons),
		READS(nearness_without_a_disk),
		READS(link_of_the_engine),
		READS(link_both_ways),
		READS(links_of_several),
		READS(link_of_a_leaf),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
