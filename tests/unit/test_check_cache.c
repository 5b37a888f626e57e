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

static const struct test mix_test = {.access = ACCESS_MIX, .read_percent = 50};

static void all_arrives(void **state)
{
	(void)state;
	add_target(TARGET_FILE);
	judge(&read_test);
	assert_int_equal(count_checks("cache"), 1);
	assert_state(nth_check("cache", 0), CHECK_PASSED);
	assert_string_equal(nth_check("cache", 0)->found, "read: 3.91 MiB of 3.91 MiB");
}

/* 95 % are enough, at the top and below. */
static void at_the_limit(void **state)
{
	(void)state;
	add_target(TARGET_FILE);
	move_bytes(OP_READ, 100 * MIB);
	run->trace->queued[OWNER_WORKLOAD][OP_READ].bytes = 95 * MIB;
	layer_op(&run->trace->leaf[0], OP_READ)->issued_bytes = 91 * MIB;
	assert_check("cache", CHECK_PASSED, "every layer");
	layer_op(&run->trace->leaf[0], OP_READ)->issued_bytes = 90 * MIB;
	assert_check("cache", CHECK_FAILED, "Of 100 MiB read only 90 MiB arrived at sda: a cache above them answered.");
	run->trace->queued[OWNER_WORKLOAD][OP_READ].bytes = 95 * MIB - 1;
	assert_check("cache", CHECK_FAILED,
		     "Of 100 MiB read only 95 MiB came to sda: the page cache answered the rest.");
}

/* Issues that were taken back are not what arrived. */
static void requeues_do_not_count(void **state)
{
	(void)state;
	struct op_view *view = layer_op(&run->trace->leaf[0], OP_READ);

	add_target(TARGET_FILE);
	move_bytes(OP_READ, 100 * MIB);
	view->requeued_bytes = 10 * MIB;
	assert_check("cache", CHECK_FAILED, "only 90 MiB arrived");
	view->issued_bytes = 110 * MIB;
	assert_check("cache", CHECK_PASSED, "every layer");
}

static void each_direction(void **state)
{
	(void)state;
	add_target(TARGET_FILE);
	move_bytes(OP_READ, 100 * MIB);
	move_bytes(OP_WRITE, 50 * MIB);
	run->trace->queued[OWNER_WORKLOAD][OP_WRITE].bytes = 0;
	judge(&mix_test);
	assert_int_equal(count_checks("cache"), 2);
	assert_state(nth_check("cache", 0), CHECK_PASSED);
	assert_state(nth_check("cache", 1), CHECK_FAILED);
	assert_has(nth_check("cache", 1)->sentence,
		   "Of 50 MiB written none came to sda: the page cache took the rest.");
	/* of another test's direction nothing is said */
	judge(&read_test);
	assert_int_equal(count_checks("cache"), 3);
}

/* What others did is known at the top, and not a part of what arrived. */
static void others_are_taken_off(void **state)
{
	(void)state;
	struct op_view *view = layer_op(&run->trace->leaf[0], OP_READ);

	add_target(TARGET_FILE);
	move_bytes(OP_READ, 100 * MIB);
	run->trace->queued[OWNER_OTHERS][OP_READ].bytes = 40 * MIB;
	run->trace->queued[OWNER_JOURNAL][OP_READ].bytes = 10 * MIB;
	view->issued_bytes = 150 * MIB;
	assert_check("cache", CHECK_PASSED, "every layer");
	view->issued_bytes = 140 * MIB;
	assert_check("cache", CHECK_FAILED, "only 90 MiB arrived");
	view->issued_bytes = 30 * MIB;
	assert_check("cache", CHECK_FAILED, "Of 100 MiB read none arrived");
}

static void a_loop_device_with_a_cache(void **state)
{
	(void)state;
	add_target(TARGET_FILE);
	add_loop(OP_READ)->cached = true;
	move_bytes(OP_READ, 1229 * MIB);
	assert_check("cache", CHECK_WARNING, "goes through the page cache of loop0's file");
	layer_op(&run->trace->leaf[0], OP_READ)->issued_bytes = 0;
	assert_check("cache", CHECK_FAILED,
		     "Of 1.2 GiB read none arrived at sda: the page cache under loop0 answered (it has "
		     "no direct I/O: losetup --direct-io=on).");
}

static void a_loop_device_with_direct_io(void **state)
{
	(void)state;
	add_target(TARGET_FILE);
	add_loop(OP_READ);
	move_bytes(OP_READ, 100 * MIB);
	assert_check("cache", CHECK_PASSED, "every layer");
	layer_op(&run->trace->leaf[0], OP_READ)->issued_bytes = 10 * MIB;
	assert_check("cache", CHECK_FAILED, "under loop0 something nearer answered, such as holes in its file");
}

/* The lowest layer that it all came to is the one to be named. */
static void the_layer_that_lost(void **state)
{
	(void)state;
	struct layer_view *md = add_above("md0"), *crypt = add_above("dm-1");

	add_target(TARGET_FILE);
	md->has_requests = crypt->has_requests = true;
	move_bytes(OP_READ, 100 * MIB);
	layer_op(&run->trace->leaf[0], OP_READ)->issued_bytes = MIB;
	assert_check("cache", CHECK_FAILED, "under dm-1 a cache answered");
	layer_op(crypt, OP_READ)->issued_bytes = 2 * MIB;
	assert_check("cache", CHECK_FAILED, "under md0 a cache answered");
}

/* Of a mirror more is written; of a bio-based layer the bios count; several leaves are one sum. */
static void more_than_once(void **state)
{
	(void)state;
	struct layer_view *md = add_above("md0"), *second = &run->trace->leaf[1];

	add_target(TARGET_FILE);
	fill_bios(md, OP_READ);
	second->device = xstrdup("sdb");
	second->has_requests = true;
	run->trace->leaves = 2;
	move_bytes(OP_READ, 100 * MIB);
	layer_op(md, OP_READ)->bio_bytes = 100 * MIB;
	layer_op(second, OP_READ)->issued_bytes = 100 * MIB;
	assert_check("cache", CHECK_PASSED, "every layer");
	layer_op(&run->trace->leaf[0], OP_READ)->issued_bytes = 50 * MIB;
	layer_op(second, OP_READ)->issued_bytes = 50 * MIB;
	assert_check("cache", CHECK_PASSED, "every layer");
	layer_op(second, OP_READ)->issued_bytes = 40 * MIB;
	assert_check("cache", CHECK_FAILED, "only 90 MiB arrived at sda, sdb: under md0");
}

/* Without Q nobody knows whose it was, and the requests are still there. */
static void without_bios(void **state)
{
	(void)state;
	add_target(TARGET_FILE);
	move_bytes(OP_READ, 100 * MIB);
	free(run->trace->top);
	run->trace->top = NULL;
	assert_check("cache", CHECK_PASSED, "every layer");
	layer_op(&run->trace->leaf[0], OP_READ)->issued_bytes = MIB;
	assert_check("cache", CHECK_FAILED, "only 1 MiB arrived at sda");
}

/* What is missing was never asked of the disk, and no page cache is to blame. */
static void holes(void **state)
{
	(void)state;
	struct io_view *view = fill_ios(OP_READ);

	add_target(TARGET_FILE);
	move_bytes(OP_READ, 100 * MIB);
	view->counts.bytes = 100 * MIB;
	view->counts.end[IO_END_JOINED] = 100;
	view->counts.end[IO_END_NOT_QUEUED] = 900;
	run->trace->queued[OWNER_WORKLOAD][OP_READ].bytes = 10 * MIB;
	assert_check("cache", CHECK_FAILED,
		     "Of 100 MiB read only 10 MiB came to sda: the file system answered the rest itself, "
		     "from holes or blocks that were never written.");
}

/* Its I/Os never come to the block layer: its server's do. */
static void a_served_file_system(void **state)
{
	(void)state;
	struct io_view *view = fill_ios(OP_READ);

	add_target(TARGET_FILE)->filesystem = xstrdup("fuseblk");
	move_bytes(OP_READ, 100 * MIB);
	view->counts.bytes = 100 * MIB;
	view->counts.end[IO_END_NOT_QUEUED] = 1000;
	run->trace->queued[OWNER_WORKLOAD][OP_READ].bytes = 10 * MIB;
	assert_check("cache", CHECK_FAILED,
		     "came to sda: the program that serves the file system had the rest in the page cache.");
	assert_check("layout", CHECK_UNKNOWN, "How the blocks that were read came to be is not known.");
	assert_check("balance", CHECK_NOT_APPLICABLE, "A program serves the file system");
	/* a server that can't be seen */
	run->trace->queued[OWNER_OTHERS][OP_READ].bytes = 90 * MIB;
	assert_check("cache", CHECK_UNKNOWN, "how much of what the program read arrived");
}

/* --- programs --- */

static void buffered_reads(void **state)
{
	(void)state;
	add_target(TARGET_DISKS);
	move_bytes(OP_READ, 3 * MIB);
	make_program(OP_READ, 100 * MIB, 0);
	assert_check("cache", CHECK_FAILED,
		     "The page cache answered: 3.0 % of the 100 MiB that the program read came from sda.");
	/* half of it is the disk's number, and half is not */
	run->trace->queued[OWNER_WORKLOAD][OP_READ].bytes = 50 * MIB - 1;
	assert_check("cache", CHECK_FAILED, "The page cache answered: 50 % of");
	run->trace->queued[OWNER_WORKLOAD][OP_READ].bytes = 50 * MIB;
	assert_check("cache", CHECK_WARNING,
		     "The page cache answered in part: 50 % of the 100 MiB that the program read came from sda.");
	run->trace->queued[OWNER_WORKLOAD][OP_READ].bytes = 0;
	assert_check("cache", CHECK_FAILED,
		     "The page cache answered: none of the 100 MiB that the program read came from sda.");
	run->trace->queued[OWNER_WORKLOAD][OP_READ].bytes = 4096;
	assert_check("cache", CHECK_FAILED, "answered: less than 0.1 % of the 100 MiB");
	/* read ahead is more, and no less than the program got */
	run->trace->queued[OWNER_WORKLOAD][OP_READ].bytes = 130 * MIB;
	layer_op(&run->trace->leaf[0], OP_READ)->issued_bytes = 130 * MIB;
	assert_check("cache", CHECK_PASSED, "every layer");
}

static void buffered_writes(void **state)
{
	(void)state;
	add_target(TARGET_DISKS);
	move_bytes(OP_WRITE, 0);
	make_program(OP_WRITE, 100 * MIB, 0);
	run->trace->queued[OWNER_WRITEBACK][OP_WRITE].bytes = 20 * MIB;
	layer_op(&run->trace->leaf[0], OP_WRITE)->issued_bytes = 20 * MIB;
	assert_check("cache", CHECK_FAILED,
		     "Written to the page cache: 20 MiB of 100 MiB had reached sda when it ended.");
	run->trace->queued[OWNER_WRITEBACK][OP_WRITE].bytes = 100 * MIB;
	layer_op(&run->trace->leaf[0], OP_WRITE)->issued_bytes = 100 * MIB;
	assert_check("cache", CHECK_PASSED, "What was written");
}

/* It did sync: that is no advice, then. */
static void synced_writes_to_memory(void **state)
{
	struct call_counts *write, *sync;

	(void)state;
	add_target(TARGET_DISKS);
	move_bytes(OP_WRITE, 0);
	make_program(OP_WRITE, 100 * MIB, 0);
	assert_check("cache", CHECK_FAILED, "none of the 100 MiB had reached sda when it ended. To measure");
	write = &run->trace->call[CALL_WRITE]->counts;
	write->calls = 100;
	write->synchronous = 100;
	assert_check("cache", CHECK_FAILED,
		     "None of the 100 MiB that were written synchronously came to a disk: the file is in memory "
		     "(tmpfs), or on a device that is not watched.");
	write->synchronous = 10; /* most were not */
	assert_check("cache", CHECK_FAILED, "Written to the page cache");
	run->trace->call[CALL_FSYNC] = xcalloc(1, sizeof(struct call_view));
	sync = &run->trace->call[CALL_FSYNC]->counts;
	sync->calls = 1;
	assert_check("cache", CHECK_FAILED, "None of the 100 MiB that were written and synced came to a disk");
	/* some did come: another file was synced */
	run->trace->queued[OWNER_WRITEBACK][OP_WRITE].bytes = 20 * MIB;
	layer_op(&run->trace->leaf[0], OP_WRITE)->issued_bytes = 20 * MIB;
	assert_check("cache", CHECK_FAILED, "Written to the page cache: 20 MiB of 100 MiB");
}

/* A file system that copies what it writes: the kernel's threads wrote pages of nobody. */
static void writes_of_nobody(void **state)
{
	(void)state;
	add_target(TARGET_DISKS);
	move_bytes(OP_WRITE, 0);
	make_program(OP_WRITE, 100 * MIB, 0);
	run->trace->queued[OWNER_OTHERS][OP_WRITE].bytes = 96 * MIB;
	assert_check("cache", CHECK_UNKNOWN, "can't be told for this file system");
}

/* Direct calls are I/Os, too, and count once; I/Os of libaio are no calls and count beside them. */
static void direct_and_buffered(void **state)
{
	(void)state;
	add_target(TARGET_DISKS);
	move_bytes(OP_READ, 100 * MIB);
	make_program(OP_READ, 100 * MIB, 90 * MIB);
	assert_check("cache", CHECK_PASSED, "every layer");
	run->trace->call[CALL_READ]->counts.direct = 0;
	assert_check("cache", CHECK_WARNING, "the 190 MiB that the program read");
}

static void too_little(void **state)
{
	(void)state;
	add_target(TARGET_DISKS);
	move_bytes(OP_READ, 0);
	make_program(OP_READ, MIB - 1, 0);
	assert_check("cache", CHECK_NOT_APPLICABLE, "Too little was read and written (less than 1 MiB) to be judged.");
	run->trace->call[CALL_READ]->counts.bytes = MIB;
	assert_check("cache", CHECK_FAILED, "of the 1 MiB");
	/* beside 100 times as much that it wrote, it is not what is measured */
	free(run->command);
	make_program(OP_WRITE, 100 * MIB, 0);
	run->trace->queued[OWNER_WORKLOAD][OP_WRITE].bytes = 100 * MIB;
	layer_op(&run->trace->leaf[0], OP_WRITE)->issued_bytes = 100 * MIB;
	assert_check("cache", CHECK_PASSED, "What was written");
	assert_int_equal(count_checks("cache"), 3);
}

/* What a program does to a loop device comes to the disk below once more, as that of a kernel thread. */
static void through_a_loop_device(void **state)
{
	(void)state;
	add_target(TARGET_DISKS);
	add_loop(OP_READ);
	move_bytes(OP_READ, 100 * MIB);
	make_program(OP_READ, 100 * MIB, 100 * MIB);
	free(run->trace->top);
	run->trace->top = xstrdup("all disks");
	run->trace->queued[OWNER_OTHERS][OP_READ].bytes = 100 * MIB;
	assert_check("cache", CHECK_PASSED, "every layer");
	layer_op(&run->trace->leaf[0], OP_READ)->issued_bytes = 0;
	run->trace->queued[OWNER_OTHERS][OP_READ].bytes = 0;
	assert_check("cache", CHECK_FAILED, "none arrived at the disks: under loop0");
}

static void not_to_be_told(void **state)
{
	(void)state;
	add_target(TARGET_DISKS);
	move_bytes(OP_READ, 3 * MIB);
	make_program(OP_READ, 100 * MIB, 0);
	run->trace->ios = false;
	assert_check("cache", CHECK_UNKNOWN, "--stages");
	run->trace->ios = true;
	run->trace->leaves = 0;
	assert_check("cache", CHECK_UNKNOWN, "no device");
	run->trace->leaves = 1;
	/* everyone's I/O: all are called by name */
	free(run->command);
	run->command = NULL;
	run->trace->foreigner = xcalloc(1, sizeof(*run->trace->foreigner));
	run->trace->foreigners = 1;
	run->trace->foreigner[0].op[OP_READ].bios = 1000;
	assert_check("cache", CHECK_UNKNOWN, "everyone's I/O");
	run->trace->queued[OWNER_OTHERS][OP_READ].bios = 1000;
	assert_check("cache", CHECK_FAILED, "The page cache answered");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		READS(all_arrives),
		READS(at_the_limit),
		READS(requeues_do_not_count),
		READS(each_direction),
		READS(others_are_taken_off),
		READS(a_loop_device_with_a_cache),
		READS(a_loop_device_with_direct_io),
		READS(the_layer_that_lost),
		READS(more_than_once),
		READS(without_bios),
		READS(holes),
		READS(a_served_file_system),
		READS(buffered_reads),
		WRITES(buffered_writes),
		WRITES(synced_writes_to_memory),
		WRITES(writes_of_nobody),
		READS(direct_and_buffered),
		READS(too_little),
		READS(through_a_loop_device),
		READS(not_to_be_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
