// SPDX-License-Identifier: GPL-2.0
#include "result/ledger.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "made_up_ledger.h"

static struct ledger ledger;

/* What it comes to; the result is freed with it. */
static void check_conclusion(enum durability durability, const char *conclusion)
{
	assert_true(ledger_of_run(&ledger, result, run));
	assert_string_equal(ledger.conclusion, conclusion);
	assert_int_equal(ledger.durability, durability);
	ledger_clear(&ledger);
	end();
}

static void take(void)
{
	assert_true(ledger_of_run(&ledger, result, run));
}

static void drop(void)
{
	ledger_clear(&ledger);
	end();
}

/* --- the numbers --- */

static void needs_a_write_or_a_sync(void **state)
{
	(void)state;
	begin(TARGET_DEVICE);
	add_layer("sda", true, "write back");
	call(CALL_READ, 10, 0);
	assert_false(ledger_of_run(&ledger, result, run));
	assert_null(ledger.layer);
	call(CALL_FSYNC, 1, 0);
	trace->ios = false;
	assert_false(ledger_of_run(&ledger, result, run));
	trace->ios = true;
	take();
	drop();
}

static void a_run_without_a_trace_has_none(void **state)
{
	(void)state;
	begin(TARGET_DEVICE);
	trace_view_free(run->trace);
	run->trace = NULL;
	assert_false(ledger_of_run(&ledger, result, run));
	ledger_clear(&ledger);
	end();
}

static void buffered_synchronous_writes(void **state)
{
	(void)state;
	begin(TARGET_FILE);
	got(add_layer("sda", true, "write back"), 1000, 1000, 0);
	synchronous_writes(1000, 998);
	take();
	assert_int_equal(ledger.writes, 1000);
	assert_int_equal(ledger.write_bytes, 4096000);
	assert_int_equal(ledger.syncs, 0);
	assert_int_equal(ledger.calls, 1000);
	assert_int_equal(ledger.flushed, 998);
	assert_int_equal(ledger.buffered_bytes, 4096000);
	drop();
}

static void a_direct_call_is_counted_once(void **state)
{
	(void)state;
	begin(TARGET_FILE);
	got(add_layer("sda", true, "write back"), 1000, 1000, 0);
	synchronous_writes(1000, 1000)->direct = 1000;
	io_writes(IO_WAY_CALL, 1000, 1000);
	take();
	assert_int_equal(ledger.writes, 1000);
	assert_int_equal(ledger.write_bytes, 4096000);
	assert_int_equal(ledger.calls, 1000);
	assert_int_equal(ledger.buffered_bytes, 0);
	drop();
}

/* 100 direct calls, 50 by libaio, 30 buffered calls: all synchronous. */
static void ways_of_writing_add_up(void **state)
{
	(void)state;
	begin(TARGET_FILE);
	got(add_layer("sda", true, "write back"), 180, 180, 0);
	synchronous_writes(130, 130)->direct = 100;
	io_writes(IO_WAY_CALL, 100, 100);
	io_writes(IO_WAY_LIBAIO, 50, 50);
	take();
	assert_int_equal(ledger.writes, 180);
	drop();
}

static void io_uring_beside_buffered_calls(void **state)
{
	(void)state;
	begin(TARGET_FILE);
	got(add_layer("sda", true, "write back"), 80, 80, 0);
	synchronous_writes(30, 30);
	io_writes(IO_WAY_URING, 50, 50);
	take();
	assert_int_equal(ledger.writes, 80);
	assert_int_equal(ledger.write_bytes, 80 * 4096);
	assert_int_equal(ledger.calls, 30);
	assert_int_equal(ledger.buffered_bytes, 30 * 4096);
	drop();
}

/* Only some of the I/Os are synchronous: whose the bytes are is not known. */
static void bytes_of_some_are_not_known(void **state)
{
	(void)state;
	begin(TARGET_FILE);
	got(add_layer("sda", true, "write back"), 100, 10, 0);
	io_writes(IO_WAY_LIBAIO, 100, 10);
	take();
	assert_int_equal(ledger.writes, 10);
	assert_int_equal(ledger.write_bytes, 0);
	assert_int_equal(ledger.calls, 0);
	drop();
}

/* A benchmark counts no direct calls by kind. */
static void a_benchmark_has_notes_alone(void **state)
{
	(void)state;
	begin(TARGET_FILE);
	run->test = 0;
	got(add_layer("sda", true, "write back"), 1000, 1000, 0);
	io_writes(IO_WAY_CALL, 1000, 1000);
	call(CALL_FSYNC, 7, 0);
	take();
	assert_int_equal(ledger.writes, 1000);
	assert_int_equal(ledger.write_bytes, 4096000);
	assert_int_equal(ledger.syncs, 7);
	assert_int_equal(ledger.calls, 0);
	assert_int_equal(ledger.call_time, 0);
	drop();
}

static void all_kinds_of_sync_count(void **state)
{
	static const enum call kinds[] = {CALL_FSYNC, CALL_FDATASYNC, CALL_SYNC_RANGE, CALL_MSYNC, CALL_SYNC};
	uint64_t count = 1, sum = 0;

	(void)state;
	begin(TARGET_FILE);
	got(add_layer("sda", true, "write back"), 100, 10, 0);
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++, count *= 10) {
		call(kinds[i], count, count);
		sum += count;
	}
	trace->io[IO_OP_SYNC] = xcalloc(1, sizeof(*trace->io[IO_OP_SYNC]));
	trace->io[IO_OP_SYNC]->counts.end[IO_END_NOT_QUEUED] = 200000;
	take();
	assert_int_equal(ledger.syncs, sum + 200000);
	assert_int_equal(ledger.calls, sum);
	assert_int_equal(ledger.flushed, sum);
	drop();
}

static void direct_bytes_are_not_buffered(void **state)
{
	(void)state;
	begin(TARGET_FILE);
	got(add_layer("sda", true, "write back"), 100, 0, 0);
	call(CALL_WRITE, 100, 0)->direct = 60;
	io_writes(IO_WAY_CALL, 60, 0);
	take();
	assert_int_equal(ledger.buffered_bytes, 40 * 4096);
	drop();
}

static void libaio_may_be_buffered(void **state)
{
	struct io_view *view;

	(void)state;
	begin(TARGET_FILE);
	got(add_layer("sda", true, "write back"), 100, 0, 0);
	view = io_writes(IO_WAY_LIBAIO, 100, 0);
	view->counts.end[IO_END_JOINED] = 0;
	view->counts.end[IO_END_BUFFERED] = 100;
	take();
	assert_int_equal(ledger.buffered_bytes, 100 * 4096);
	drop();
}

static void time_is_split(void **state)
{
	struct call_counts *writes, *syncs;

	(void)state;
	begin(TARGET_FILE);
	got(add_layer("sda", true, "write back"), 10, 12, 0);
	writes = synchronous_writes(10, 10);
	hist_add(&trace->call[CALL_WRITE]->time, 1000, 10);
	writes->clock[CLASS_DATA] = 4000;
	writes->clock[CLASS_FLUSH] = 1000;
	syncs = call(CALL_FDATASYNC, 2, 2);
	hist_add(&trace->call[CALL_FDATASYNC]->time, 500, 2);
	syncs->clock[CLASS_FLUSH] = 2000; /* a little more than there was: the clocks are read apart */
	take();
	assert_int_equal(ledger.call_time, 11000);
	assert_int_equal(ledger.idle_time, 5000);
	ledger_clear(&ledger);
	writes->synchronous = 9;
	take();
	assert_int_equal(ledger.call_time, 0);
	assert_int_equal(ledger.idle_time, 0);
	ledger_clear(&ledger);
	writes->synchronous = 0;
	take();
	assert_int_equal(ledger.call_time, 1000);
	assert_int_equal(ledger.idle_time, 0);
	drop();
}

/* --- the layers --- */

static void layers_keep_their_order(void **state)
{
	struct layer_view *md, *sda, *sdb, *part;

	(void)state;
	begin(TARGET_FILE);
	md = add_layer("md0", false, "write back");
	md->has_requests = false;
	sdb = add_layer("sdb", true, "write back");
	part = add_layer("sda1", false, "write back");
	part->partition = true;
	sda = add_layer("sda", true, "write back");
	add_layer("not-followed", true, "write back");
	free(trace->leaf[--trace->leaves].device);
	op_of(md, OP_WRITE)->bios = 30;
	op_of(md, OP_WRITE)->bio_bytes = 300;
	op_of(md, OP_WRITE)->asked_fua = 3;
	op_of(md, OP_WRITE)->asked_flush = 4;
	op_of(md, OP_FLUSH)->bios = 5;
	op_of(md, OP_FLUSH)->asked_flush = 5;
	got(sdb, 20, 6, 2);
	op_of(sdb, OP_WRITE)->requeues = 3;
	op_of(sdb, OP_WRITE)->requeued_bytes = 3 * 4096;
	op_of(sdb, OP_FLUSH)->requeues = 1;
	reached(sdb, 77);
	got(part, 1, 0, 0);
	got(sda, 2, 1, 0);
	call(CALL_FSYNC, 1, 1);
	take();
	assert_int_equal(ledger.layers, 3);
	assert_string_equal(ledger.layer[0].device, "md0");
	assert_false(ledger.layer[0].leaf);
	assert_int_equal(ledger.layer[0].writes, 30);
	assert_int_equal(ledger.layer[0].write_bytes, 300);
	assert_int_equal(ledger.layer[0].flushes, 5);
	assert_int_equal(ledger.layer[0].asked_flush, 9);
	assert_int_equal(ledger.layer[0].asked_fua, 3);
	assert_string_equal(ledger.layer[1].device, "sdb");
	assert_ptr_equal(ledger.layer[1].facts, facts_of("sdb"));
	assert_true(ledger.layer[1].leaf);
	assert_int_equal(ledger.layer[1].writes, 17);
	assert_int_equal(ledger.layer[1].write_bytes, 17 * 4096);
	assert_int_equal(ledger.layer[1].flushes, 5);
	assert_int_equal(ledger.layer[1].fua, 2);
	assert_true(ledger.layer[1].has_reached);
	assert_int_equal(ledger.layer[1].reached, 77);
	assert_string_equal(ledger.layer[2].device, "sda");
	assert_int_equal(ledger.layer[2].writes, 2);
	drop();
}

/* --- flushed --- */

static void each_write_was_flushed(void **state)
{
	(void)state;
	begin(TARGET_FILE);
	got(add_layer("sda", true, "write back"), 1000, 1000, 0);
	synchronous_writes(1000, 1000);
	check_conclusion(DURABILITY_FLUSHED, "Each of the 1,000 synchronous writes was flushed to sda.");
}

static void fua_is_as_good(void **state)
{
	(void)state;
	begin(TARGET_DEVICE);
	run->test = 0;
	got(add_layer("sda", true, "write back"), 1000, 0, 1000);
	io_writes(IO_WAY_LIBAIO, 1000, 1000);
	check_conclusion(DURABILITY_FLUSHED, "Each of the 1,000 synchronous writes was flushed to sda.");
}

static void one_is_not_each(void **state)
{
	(void)state;
	begin(TARGET_FILE);
	got(add_layer("sda", true, "write back"), 4, 1, 0);
	call(CALL_WRITE, 4, 0);
	call(CALL_FSYNC, 1, 1);
	check_conclusion(DURABILITY_FLUSHED, "The sync was flushed to sda.");
}

/* One flush serves several writes that wait for it. */
static void flushes_may_be_shared(void **state)
{
	(void)state;
	begin(TARGET_FILE);
	run->test = 0;
	got(add_layer("sda", true, "write back"), 1000, 640, 12);
	io_writes(IO_WAY_LIBAIO, 1000, 1000);
	check_conclusion(DURABILITY_FLUSHED,
			 "The 1,000 synchronous writes were flushed to sda in 640 flushes and 12 FUA writes.");
}

static void a_sync_may_find_nothing_to_do(void **state)
{
	(void)state;
	begin(TARGET_FILE);
	got(add_layer("sda", true, "write back"), 20, 700, 0);
	call(CALL_WRITE, 20, 0);
	call(CALL_FDATASYNC, 1000, 600);
	check_conclusion(DURABILITY_FLUSHED,
			 "600 of the 1,000 syncs ended with a flush of sda (the others may have had "
			 "nothing to write).");
}

static void a_guest_sees_no_further(void **state)
{
	(void)state;
	begin(TARGET_FILE);
	result->machine.hypervisor = true;
	got(add_layer("vda", true, "write back"), 1000, 1002, 0);
	synchronous_writes(1000, 1000);
	call(CALL_FSYNC, 2, 2);
	check_conclusion(DURABILITY_FLUSHED,
			 "Each of the 1,000 synchronous writes and 2 syncs was flushed to the virtual "
			 "disk vda: what the host does with it is not visible from here.");
}

static void the_last_disk_is_named(void **state)
{
	(void)state;
	begin(TARGET_FILE);
	got(add_layer("loop0", false, "write back"), 10, 10, 0);
	facts_of("loop0")->cached = true;
	got(add_layer("sda", true, "write back"), 10, 11, 0);
	synchronous_writes(10, 10);
	check_conclusion(DURABILITY_FLUSHED, "Each of the 10 synchronous writes was flushed to sda.");
}

/* --- no flush was needed --- */

static void write_through_needs_none(void **state)
{
	(void)state;
	begin(TARGET_FILE);
	got(add_layer("sda", true, "write through"), 1000, 0, 0);
	synchronous_writes(1000, 0);
	check_conclusion(DURABILITY_WRITE_THROUGH, "sda reports no volatile cache: no flush was needed.");
}

static void write_through_in_a_guest(void **state)
{
	(void)state;
	begin(TARGET_FILE);
	result->machine.hypervisor = true;
	got(add_layer("vda", true, "write through"), 1000, 0, 0);
	synchronous_writes(1000, 0);
	check_conclusion(DURABILITY_WRITE_THROUGH, "vda reports no volatile cache: no flush was needed; what its host "
						   "does is not visible from here.");
}

/* --- not flushed --- */

#define LOST ": what it acknowledged may be lost when power fails."

static void no_flush_at_all(void **state)
{
	(void)state;
	begin(TARGET_FILE);
	got(add_layer("sda", true, "write back"), 1000, 0, 0);
	synchronous_writes(1000, 0);
	check_conclusion(DURABILITY_UNFLUSHED, "sda has a volatile cache and got no flush" LOST);
}

/* Others flush too. */
static void flushes_of_others_do_not_count(void **state)
{
	(void)state;
	begin(TARGET_FILE);
	got(add_layer("sda", true, "write back"), 1000, 3, 0);
	synchronous_writes(1000, 0);
	check_conclusion(DURABILITY_UNFLUSHED,
			 "sda has a volatile cache, and none of the 1,000 synchronous writes contained a flush" LOST);
}

static void too_few_flushes(void **state)
{
	(void)state;
	begin(TARGET_FILE);
	got(add_layer("sda", true, "write back"), 1000, 400, 0);
	synchronous_writes(1000, 400);
	check_conclusion(DURABILITY_UNFLUSHED, "sda has a volatile cache, and only 400 of the 1,000 synchronous writes "
					       "contained a flush" LOST);
}

/* A probe may miss one. */
static void a_few_may_be_missed(void **state)
{
	(void)state;
	begin(TARGET_FILE);
	got(add_layer("sda", true, "write back"), 1000, 1000, 0);
	synchronous_writes(1000, 951);
	check_conclusion(DURABILITY_FLUSHED,
			 "951 of the 1,000 synchronous writes ended with a flush of sda (the others "
			 "may have had nothing to write).");
}

/* Which has no requests, and so no flushes that end in calls. */
static void calls_say_nothing_above_bios(void **state)
{
	struct layer_view *top;

	(void)state;
	begin(TARGET_FILE);
	top = add_layer("dm-0", false, "write back");
	top->has_requests = false;
	op_of(top, OP_WRITE)->bios = 10;
	got(add_layer("sda", true, "write back"), 10, 10, 0);
	synchronous_writes(10, 0);
	assert_true(ledger_of_run(&ledger, result, run));
	assert_int_equal(ledger.durability, DURABILITY_FLUSHED);
	drop();
}

static void a_layer_above_stops_flushes(void **state)
{
	(void)state;
	begin(TARGET_FILE);
	got(add_layer("loop0", false, "write through"), 10, 0, 0);
	got(add_layer("sda", true, "write back"), 10, 2, 0);
	synchronous_writes(10, 0);
	check_conclusion(DURABILITY_UNFLUSHED,
			 "sda has a volatile cache and got none of the flushes, as loop0 above it "
			 "reports that it needs none" LOST);
}

static void the_page_cache_of_a_loop_is_volatile(void **state)
{
	(void)state;
	begin(TARGET_FILE);
	got(add_layer("loop0", false, "write through"), 10, 0, 0);
	facts_of("loop0")->cached = true;
	got(add_layer("sda", true, "write through"), 10, 0, 0);
	synchronous_writes(10, 0);
	check_conclusion(DURABILITY_UNFLUSHED,
			 "loop0 reports no volatile cache, and so gets no flush, but keeps what is "
			 "written in the page cache of its file" LOST);
}

static void the_weakest_disk_counts(void **state)
{
	struct layer_view *md, *spare;

	(void)state;
	begin(TARGET_FILE);
	md = add_layer("md0", false, "write back");
	md->has_requests = false;
	op_of(md, OP_WRITE)->bios = 10;
	got(add_layer("sda", true, "write through"), 10, 0, 0);
	got(add_layer("sdb", true, "write back"), 10, 10, 0);
	spare = add_layer("sdc", true, "write back");
	synchronous_writes(10, 10);
	assert_true(ledger_of_run(&ledger, result, run));
	assert_string_equal(ledger.conclusion, "Each of the 10 synchronous writes was flushed to sdb.");
	ledger_clear(&ledger);
	got(spare, 10, 0, 0);
	check_conclusion(DURABILITY_UNFLUSHED, "sdc has a volatile cache and got no flush" LOST);
}

/* --- it had not come so far --- */

static void a_loop_holds_it_back(void **state)
{
	struct layer_view *loop, *sda;

	(void)state;
	begin(TARGET_FILE);
	loop = add_layer("loop0", false, "write through");
	got(loop, 1024, 0, 0);
	facts_of("loop0")->cached = true;
	reached(loop, 1024 * 4096);
	sda = add_layer("sda", true, "write back");
	got(sda, 256, 3, 0);
	reached(sda, 256 * 4096);
	synchronous_writes(1024, 0);
	assert_true(ledger_of_run(&ledger, result, run));
	assert_string_equal(
		ledger.conclusion,
		"The program was told that 4 MiB were durable when 1 MiB of them had reached sda: loop0 keeps "
		"the rest in the page cache of its file.");
	ledger_clear(&ledger);
	got(sda, 0, 0, 0);
	reached(sda, 0);
	check_conclusion(DURABILITY_UNWRITTEN, "The program was told that 4 MiB were durable when none of them had "
					       "reached sda: loop0 keeps the rest in the page cache of its file.");
}

/* What is compressed, or written twice to the same page at once, is less. */
static void less_may_be_all(void **state)
{
	struct layer_view *sda;

	(void)state;
	begin(TARGET_FILE);
	sda = add_layer("sda", true, "write back");
	got(sda, 10, 1000, 0);
	reached(sda, 10 * 4096);
	synchronous_writes(1000, 1000);
	check_conclusion(DURABILITY_FLUSHED, "Each of the 1,000 synchronous writes was flushed to sda.");
}

/* --- memory --- */

static void a_memory_disk(void **state)
{
	(void)state;
	begin(TARGET_DEVICE);
	got(add_layer("loop0", true, "write back"), 10, 10, 0);
	facts_of("loop0")->memory = xstrdup("memory (its file is in tmpfs)");
	synchronous_writes(10, 10);
	check_conclusion(DURABILITY_MEMORY,
			 "loop0 is memory (its file is in tmpfs): what was synced survives no power cut.");
}

static void tmpfs_itself(void **state)
{
	(void)state;
	begin(TARGET_DIRECTORY);
	free(target->filesystem);
	target->filesystem = xstrdup("tmpfs");
	call(CALL_FSYNC, 3, 0);
	check_conclusion(DURABILITY_MEMORY, "tmpfs is memory: what was synced survives no power cut.");
}

/* --- nothing to be said --- */

static void there_is_no_device(void **state)
{
	(void)state;
	begin(TARGET_DIRECTORY);
	free(target->filesystem);
	target->filesystem = xstrdup("nfs4");
	call(CALL_FSYNC, 3, 0);
	check_conclusion(DURABILITY_UNSEEN,
			 "No block device was followed under nfs4: whether what was synced is durable is not known.");
}

static void the_cache_is_not_known(void **state)
{
	(void)state;
	begin(TARGET_FILE);
	got(add_layer("sda", true, NULL), 10, 10, 0);
	synchronous_writes(10, 10);
	check_conclusion(DURABILITY_UNSEEN,
			 "Whether sda has a volatile cache, which would have to be flushed, is not known.");
}

static void it_went_elsewhere(void **state)
{
	(void)state;
	begin(TARGET_FILE);
	add_layer("sda", true, "write back");
	synchronous_writes(10, 0);
	check_conclusion(DURABILITY_UNSEEN,
			 "None of what was written synchronously came to a device: the file is in memory, or on a "
			 "device that was not watched.");
	begin(TARGET_FILE);
	add_layer("sda", true, "write back");
	call(CALL_WRITE, 10, 0);
	call(CALL_FSYNC, 1, 0);
	check_conclusion(DURABILITY_UNSEEN,
			 "None of what was synced came to a device: the file is in memory, or on a device that was not "
			 "watched.");
}

/* Others write to the disk while the program syncs what is clean. */
static void a_clean_sync(void **state)
{
	(void)state;
	begin(TARGET_FILE);
	got(add_layer("sda", true, "write back"), 50, 0, 0);
	call(CALL_SYNC, 1, 0);
	check_conclusion(DURABILITY_NOT_ASKED, "There was nothing to be written when it synced.");
}

static void some_calls_ask_for_no_flush(void **state)
{
	(void)state;
	begin(TARGET_FILE);
	got(add_layer("sda", true, "write back"), 50, 2, 0);
	call(CALL_WRITE, 50, 0);
	call(CALL_SYNC_RANGE, 5, 0);
	call(CALL_MSYNC, 5, 0);
	check_conclusion(DURABILITY_NOT_ASKED,
			 "sync_file_range() asks for no flush, nor does msync() with MS_ASYNC: what "
			 "was written may still be in the volatile cache of sda.");
}

/* --- several disks --- */

static void several_disks(void)
{
	begin(TARGET_DISKS);
	add_layer("sda", true, "write back");
	free(trace->top);
	trace->top = xstrdup("all disks");
	trace->queued[OWNER_WORKLOAD][OP_WRITE].bytes = 10 * 4096;
}

/* What was written on the disks is others'. */
static void none_of_them_is_meant(void **state)
{
	(void)state;
	several_disks();
	trace->queued[OWNER_WORKLOAD][OP_WRITE].bytes = 0;
	got(&trace->leaf[0], 10, 0, 0);
	synchronous_writes(10, 0);
	check_conclusion(DURABILITY_UNSEEN, "None of what was written synchronously came to a device: the file is in "
					    "memory, or on a device that was not watched.");
}

/* A former version's file has no counts of flushes that were asked for. */
static void nothing_was_counted(void **state)
{
	(void)state;
	several_disks();
	synchronous_writes(10, 0);
	trace->unledgered = true;
	assert_false(ledger_of_run(&ledger, result, run));
	end();
}

static void any_of_them_may_be_meant(void **state)
{
	(void)state;
	several_disks();
	got(&trace->leaf[0], 10, 0, 0);
	got(add_layer("zram0", true, "write back"), 10, 0, 0);
	facts_of("zram0")->memory = xstrdup("compressed memory (zram)");
	synchronous_writes(10, 0);
	check_conclusion(DURABILITY_UNSEEN,
			 "Which of the disks holds what was synced is not known: to know whether it was "
			 "flushed, name the disk with -D.");
}

static void the_flushed_one_is_meant(void **state)
{
	(void)state;
	several_disks();
	got(&trace->leaf[0], 10, 0, 0);
	got(add_layer("sdb", true, "write back"), 10, 10, 0);
	synchronous_writes(10, 10);
	check_conclusion(DURABILITY_FLUSHED, "Each of the 10 synchronous writes was flushed to sdb.");
}

static void the_only_one_written_to_is_meant(void **state)
{
	(void)state;
	several_disks();
	got(&trace->leaf[0], 10, 0, 0);
	add_layer("sdb", true, "write back");
	synchronous_writes(10, 0);
	check_conclusion(DURABILITY_UNFLUSHED, "sda has a volatile cache and got no flush" LOST);
}

/* --- not asked --- */

static void buffered_writes(uint64_t bytes)
{
	begin(TARGET_FILE);
	got(add_layer("sda", true, "write back"), 80, 0, 0);
	trace->queued[OWNER_WORKLOAD][OP_WRITE].bytes = 256 * 4096;
	trace->queued[OWNER_WRITEBACK][OP_WRITE].bytes = 4096 * 4096;
	if (bytes != UINT64_MAX)
		reached(&trace->leaf[0], bytes);
	call(CALL_WRITE, 1024, 0);
}

static void tells_what_had_reached_the_disk(void **state)
{
	(void)state;
	buffered_writes(80 * 4096);
	check_conclusion(DURABILITY_NOT_ASKED,
			 "Nothing was synced. The program was told that 4 MiB were written; 320 KiB of "
			 "them had reached sda by then, and the rest was in the page cache.");
	buffered_writes(0);
	check_conclusion(DURABILITY_NOT_ASKED,
			 "Nothing was synced. The program was told that 4 MiB were written; none of them "
			 "had reached sda by then: they were in the page cache.");
	buffered_writes(4096ull * 4096); /* the file system's own are among them */
	check_conclusion(DURABILITY_NOT_ASKED,
			 "Nothing was synced. The program was told that 4 MiB were written, and all of "
			 "them had reached sda by then.");
	buffered_writes(UINT64_MAX);
	check_conclusion(
		DURABILITY_NOT_ASKED,
		"Nothing was synced. The page cache took what was written, and how much of it had reached a disk "
		"when the program was told is not known.");
}

static void what_others_wrote_is_none_of_it(void **state)
{
	struct layer_view *loop, *sda;

	(void)state;
	buffered_writes(80 * 4096);
	trace->queued[OWNER_WORKLOAD][OP_WRITE].bytes = 0;
	trace->queued[OWNER_WRITEBACK][OP_WRITE].bytes = 4 * 4096;
	check_conclusion(DURABILITY_NOT_ASKED,
			 "Nothing was synced. The program was told that 4 MiB were written; 16 KiB of them had reached "
			 "sda by then, and the rest was in the page cache.");
	buffered_writes(80 * 4096);
	trace->queued[OWNER_WORKLOAD][OP_WRITE].bytes = trace->queued[OWNER_WRITEBACK][OP_WRITE].bytes = 0;
	check_conclusion(DURABILITY_NOT_ASKED,
			 "Nothing was synced. The program was told that 4 MiB were written; none of them had reached "
			 "sda by then (what reached it was others'): they were in the page cache.");
	begin(TARGET_FILE);
	loop = add_layer("loop0", false, "write back");
	sda = add_layer("sda", true, "write back");
	call(CALL_WRITE, 1024, 0);
	trace->queued[OWNER_WRITEBACK][OP_WRITE].bytes = 1024 * 4096;
	reached(loop, 2 * 4096);
	reached(sda, 80 * 4096);
	check_conclusion(DURABILITY_NOT_ASKED,
			 "Nothing was synced. The program was told that 4 MiB were written; 8 KiB of them had reached "
			 "sda by then, and the rest was in the page cache.");
}

static void direct_writes_ask_for_nothing(void **state)
{
	(void)state;
	begin(TARGET_FILE);
	run->test = 0;
	got(add_layer("sda", true, "write back"), 1000, 0, 0);
	io_writes(IO_WAY_LIBAIO, 1000, 0);
	check_conclusion(DURABILITY_NOT_ASKED, "Nothing was synced, and no write asked to be durable.");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(needs_a_write_or_a_sync),
		cmocka_unit_test(a_run_without_a_trace_has_none),
		cmocka_unit_test(buffered_synchronous_writes),
		cmocka_unit_test(a_direct_call_is_counted_once),
		cmocka_unit_test(ways_of_writing_add_up),
		cmocka_unit_test(io_uring_beside_buffered_calls),
		cmocka_unit_test(bytes_of_some_are_not_known),
		cmocka_unit_test(a_benchmark_has_notes_alone),
		cmocka_unit_test(all_kinds_of_sync_count),
		cmocka_unit_test(direct_bytes_are_not_buffered),
		cmocka_unit_test(libaio_may_be_buffered),
		cmocka_unit_test(time_is_split),
		cmocka_unit_test(layers_keep_their_order),
		cmocka_unit_test(each_write_was_flushed),
		cmocka_unit_test(fua_is_as_good),
		cmocka_unit_test(one_is_not_each),
		cmocka_unit_test(flushes_may_be_shared),
		cmocka_unit_test(a_sync_may_find_nothing_to_do),
		cmocka_unit_test(a_guest_sees_no_further),
		cmocka_unit_test(the_last_disk_is_named),
		cmocka_unit_test(write_through_needs_none),
		cmocka_unit_test(write_through_in_a_guest),
		cmocka_unit_test(no_flush_at_all),
		cmocka_unit_test(flushes_of_others_do_not_count),
		cmocka_unit_test(too_few_flushes),
		cmocka_unit_test(a_few_may_be_missed),
		cmocka_unit_test(calls_say_nothing_above_bios),
		cmocka_unit_test(a_layer_above_stops_flushes),
		cmocka_unit_test(the_page_cache_of_a_loop_is_volatile),
		cmocka_unit_test(the_weakest_disk_counts),
		cmocka_unit_test(a_loop_holds_it_back),
		cmocka_unit_test(less_may_be_all),
		cmocka_unit_test(a_memory_disk),
		cmocka_unit_test(tmpfs_itself),
		cmocka_unit_test(there_is_no_device),
		cmocka_unit_test(the_cache_is_not_known),
		cmocka_unit_test(it_went_elsewhere),
		cmocka_unit_test(a_clean_sync),
		cmocka_unit_test(some_calls_ask_for_no_flush),
		cmocka_unit_test(any_of_them_may_be_meant),
		cmocka_unit_test(none_of_them_is_meant),
		cmocka_unit_test(nothing_was_counted),
		cmocka_unit_test(the_flushed_one_is_meant),
		cmocka_unit_test(the_only_one_written_to_is_meant),
		cmocka_unit_test(tells_what_had_reached_the_disk),
		cmocka_unit_test(what_others_wrote_is_none_of_it),
		cmocka_unit_test(direct_writes_ask_for_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
