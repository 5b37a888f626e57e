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

static void add_foreigner(const char *command, enum foreigner_kind kind, enum op op, uint64_t bios, uint64_t bytes)
{
	struct trace_view *trace = run->trace;

	trace->foreigner = xreallocarray(trace->foreigner, trace->foreigners + 1, sizeof(*trace->foreigner));
	trace->foreigner[trace->foreigners] = (struct foreign_view){.kind = kind};
	trace->foreigner[trace->foreigners].command = command ? xstrdup(command) : NULL;
	trace->foreigner[trace->foreigners++].op[op] = (struct bio_counts){bios, bytes};
}

static void set_others(enum op op, uint64_t bios, uint64_t bytes)
{
	run->trace->queued[OWNER_OTHERS][op] = (struct bio_counts){bios, bytes};
}

static void nobody(void **state)
{
	(void)state;
	assert_check("foreign", CHECK_PASSED, "0.0 % of the work of sda was not this workload's.");
	assert_string_equal(nth_check("foreign", 0)->found, "0.0 %");
}

/* The larger of both shares; of the workload's are 1000 bios and 4,096,000 bytes. */
static void requests_or_bytes(void **state)
{
	(void)state;
	add_foreigner("fio", FOREIGNER_PROCESS, OP_READ, 52, 52 * 512);
	add_foreigner("jbd2/sda1-8", FOREIGNER_JOURNAL, OP_WRITE, 900, 900 * 4096);
	add_foreigner(NULL, FOREIGNER_PROCESS, OP_READ, 1, 512);
	set_others(OP_READ, 52, 512);
	assert_check("foreign", CHECK_PASSED, "4.9 %");
	set_others(OP_READ, 53, 512);
	assert_check("foreign", CHECK_WARNING,
		     "5.0 % of the work of sda was not this workload's: fio (process). Repeat it");
	set_others(OP_READ, 16, 4096000);
	assert_check("foreign", CHECK_WARNING, "50.0 % of");
}

/* The journal and the writing back of the workload's own files are its own work. */
static void own_work_in_other_hands(void **state)
{
	(void)state;
	run->trace->queued[OWNER_JOURNAL][OP_WRITE] = (struct bio_counts){500, 4096000};
	run->trace->queued[OWNER_WRITEBACK][OP_WRITE] = (struct bio_counts){500, 4096000};
	assert_check("foreign", CHECK_PASSED, "0.0 %");
	set_others(OP_WRITE, 100, 100 * 4096);
	assert_check("foreign", CHECK_PASSED, "4.8 %");
}

static void a_few_are_no_load(void **state)
{
	(void)state;
	run->trace->queued[OWNER_WORKLOAD][OP_READ] = (struct bio_counts){20, 81920};
	set_others(OP_READ, 15, 61440);
	assert_check("foreign", CHECK_PASSED, "42.9 %");
	set_others(OP_READ, 16, 61440);
	assert_check("foreign", CHECK_WARNING, "others");
	set_others(OP_READ, 1, 1 << 20);
	assert_check("foreign", CHECK_WARNING, "others");
}

static void those_who_moved_most(void **state)
{
	(void)state;
	add_foreigner("writeback", FOREIGNER_WRITEBACK, OP_WRITE, 90, 9000000);
	add_foreigner("kworker", FOREIGNER_KERNEL, OP_READ, 80, 8000000);
	add_foreigner("trimmer", FOREIGNER_PROCESS, OP_DISCARD, 9, 7000000);
	add_foreigner("updatedb", FOREIGNER_PROCESS, OP_READ, 70, 700000);
	add_foreigner("last", FOREIGNER_PROCESS, OP_READ, 1, 512);
	set_others(OP_READ, 1000, 4096000);
	assert_check("foreign", CHECK_WARNING,
		     ": writeback of other files, kworker (kernel thread), updatedb (process). Repeat");
}

static void not_to_be_told(void **state)
{
	(void)state;
	add_target(TARGET_DISKS);
	set_others(OP_READ, 1000, 4096000);
	run->trace->queued[OWNER_WORKLOAD][OP_READ] = (struct bio_counts){0};
	assert_check("foreign", CHECK_NOT_APPLICABLE, "none of the disk's work");
	free(run->trace->top);
	run->trace->top = NULL;
	assert_check("foreign", CHECK_NOT_APPLICABLE, "--stages");
}

static void everyone(void **state)
{
	(void)state;
	add_target(TARGET_DISKS);
	make_program(OP_READ, 4096000, 4096000);
	free(run->command);
	run->command = NULL;
	add_foreigner("fio", FOREIGNER_PROCESS, OP_READ, 1000, 4096000);
	assert_check("foreign", CHECK_NOT_APPLICABLE, "no others");
}

/* Whose work the second disk did is not known; and what a loop device does below counts as another's. */
static void several_disks(void **state)
{
	(void)state;
	struct layer_view *second = &run->trace->leaf[1];

	add_target(TARGET_DISKS);
	free(run->trace->top);
	run->trace->top = xstrdup("all disks");
	set_others(OP_READ, 100, 409600);
	second->device = xstrdup("sdb");
	second->has_requests = true;
	run->trace->leaves = 2;
	assert_check("foreign", CHECK_WARNING, "9.1 %");
	layer_op(second, OP_WRITE)->issued_bytes = 4096;
	assert_check("foreign", CHECK_NOT_APPLICABLE, "-D");
	layer_op(second, OP_WRITE)->issued_bytes = 0;
	add_facts("loop0")->backing_file = xstrdup("/images/a");
	fill_leaf(add_above("loop0"), OP_READ);
	assert_check("foreign", CHECK_NOT_APPLICABLE, "-D");
}

/* --- below a loop device --- */

static void below_a_loop_device(void **state)
{
	(void)state;
	struct op_view *view = layer_op(&run->trace->leaf[0], OP_READ);

	add_target(TARGET_FILE);
	add_loop(OP_READ);
	move_bytes(OP_READ, 100 * MIB);
	view->issued_bytes = 110 * MIB;
	judge(&read_test);
	assert_int_equal(count_checks("foreign"), 1);
	view->issued_bytes = 140 * MIB;
	assert_check("foreign", CHECK_WARNING, "sda moved 40 % more than came through loop0: other programs use it.");
	assert_int_equal(count_checks("foreign"), 3);
	view->issued_bytes = 199 * MIB;
	assert_check("foreign", CHECK_WARNING, "sda moved 99 % more than came");
	view->issued_bytes = 510 * MIB;
	assert_check("foreign", CHECK_WARNING, "sda moved 5.1 times as much as came through loop0: other programs");
	view->issued_bytes = 123456 * MIB;
	assert_check("foreign", CHECK_WARNING, "sda moved 1,235 times as much as came through loop0");
	assert_int_equal(count_checks("foreign"), 9);
	/* a little of a little */
	move_bytes(OP_READ, MIB / 2);
	view->issued_bytes = MIB;
	judge(&read_test);
	assert_int_equal(count_checks("foreign"), 10);
}

/* A cache reads ahead. */
static void below_a_cache(void **state)
{
	(void)state;
	add_target(TARGET_FILE);
	add_loop(OP_READ)->cached = true;
	move_bytes(OP_READ, 100 * MIB);
	layer_op(&run->trace->leaf[0], OP_READ)->issued_bytes = 140 * MIB;
	judge(&read_test);
	assert_int_equal(count_checks("foreign"), 1);
}

/* The journal of the file system below is written for its flushes. */
static void below_with_flushes(void **state)
{
	(void)state;
	struct op_view *flush;

	add_target(TARGET_FILE);
	add_loop(OP_WRITE);
	move_bytes(OP_WRITE, 100 * MIB);
	layer_op(&run->trace->leaf[0], OP_WRITE)->issued_bytes = 140 * MIB;
	judge(&write_test);
	assert_int_equal(count_checks("foreign"), 2);
	flush = layer_op(&run->trace->above[0], OP_FLUSH);
	flush->issues = 1;
	judge(&write_test);
	assert_int_equal(count_checks("foreign"), 3);
	/* what was read all the same has no such reason */
	layer_op(&run->trace->above[0], OP_READ)->issued_bytes = 100 * MIB;
	layer_op(&run->trace->leaf[0], OP_READ)->issued_bytes = 150 * MIB;
	judge(&write_test);
	assert_int_equal(count_checks("foreign"), 5);
	assert_has(nth_check("foreign", 4)->sentence, "50 % more");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		READS(nobody),
		READS(requests_or_bytes),
		READS(own_work_in_other_hands),
		READS(a_few_are_no_load),
		READS(those_who_moved_most),
		READS(not_to_be_told),
		READS(everyone),
		READS(several_disks),
		READS(below_a_loop_device),
		READS(below_a_cache),
		WRITES(below_with_flushes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
