// SPDX-License-Identifier: GPL-2.0
#include "result/checks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "made_up_ledger.h"

/* The one check that it adds; the result is freed with it. */
static void check_check(enum check_state state, const char *found, const char *expected, const char *sentence)
{
	const struct checking checking = {.result = result, .run = run, .target = target};
	const struct check *check;

	check_durability(&checking);
	assert_int_equal(run->checks, 1);
	check = &run->check[0];
	assert_string_equal(check->name, "durability");
	assert_string_equal(check->sentence, sentence);
	assert_int_equal(check->state, state);
	assert_false(check->finding);
	assert_string_equal(check->found ? check->found : "-", found);
	assert_string_equal(check->expected ? check->expected : "-", expected);
	end();
}

static void flushed_is_passed(void **state)
{
	(void)state;
	begin(TARGET_FILE);
	got(add_layer("sda", true, "write back"), 1000, 1001, 1);
	synchronous_writes(1000, 1000);
	call(CALL_FSYNC, 1, 1);
	check_check(CHECK_PASSED, "sda: 1,001 flushes, 1 FUA write", "1,000 synchronous writes, 1 sync asked for",
		    "Each of the 1,000 synchronous writes and 1 sync was flushed to sda.");
}

static void write_through_is_passed(void **state)
{
	(void)state;
	begin(TARGET_FILE);
	got(add_layer("sda", true, "write through"), 1, 0, 0);
	synchronous_writes(1, 0);
	check_check(CHECK_PASSED, "sda: 0 flushes, 0 FUA writes", "1 synchronous write, 0 syncs asked for",
		    "sda reports no volatile cache: no flush was needed.");
}

static void unflushed_is_a_warning(void **state)
{
	(void)state;
	begin(TARGET_FILE);
	got(add_layer("sda", true, "write back"), 5, 0, 0);
	synchronous_writes(5, 0);
	check_check(
		CHECK_WARNING, "sda: 0 flushes, 0 FUA writes", "5 synchronous writes, 0 syncs asked for",
		"sda has a volatile cache and got no flush: what it acknowledged may be lost when power fails. Look at "
		"the mount options (nobarrier, barrier=0) and at queue/write_cache of each device.");
}

static void a_layer_that_stops_flushes_is_named(void **state)
{
	(void)state;
	begin(TARGET_FILE);
	got(add_layer("loop0", false, "write through"), 10, 0, 0);
	got(add_layer("sda", true, "write back"), 10, 2, 0);
	synchronous_writes(10, 0);
	check_check(CHECK_WARNING, "sda: 2 flushes, 0 FUA writes", "10 synchronous writes, 0 syncs asked for",
		    "sda has a volatile cache and got none of the flushes, as loop0 above it reports that it needs "
		    "none: what it acknowledged may be lost when power fails. Set queue/write_cache of loop0 to "
		    "\"write back\".");
}

static void unwritten_is_a_warning(void **state)
{
	struct layer_view *loop, *sda;

	(void)state;
	begin(TARGET_FILE);
	loop = add_layer("loop0", false, "write through");
	got(loop, 5, 0, 0);
	reached(loop, 5 * 4096);
	facts_of("loop0")->cached = true;
	sda = add_layer("sda", true, "write back");
	got(sda, 1, 0, 0);
	reached(sda, 4096);
	synchronous_writes(5, 0);
	check_check(CHECK_WARNING, "sda: 0 flushes, 0 FUA writes", "5 synchronous writes, 0 syncs asked for",
		    "The program was told that 20 KiB were durable when 4 KiB of them had reached sda: loop0 keeps the "
		    "rest in the page cache of its file. Set queue/write_cache of loop0 to \"write back\", or give it "
		    "direct I/O: losetup --direct-io=on /dev/loop0.");
}

/* That is what the medium's check is about. */
static void memory_is_told_elsewhere(void **state)
{
	(void)state;
	begin(TARGET_FILE);
	got(add_layer("zram0", true, "write back"), 5, 0, 0);
	facts_of("zram0")->memory = xstrdup("compressed memory (zram)");
	synchronous_writes(5, 0);
	check_check(CHECK_NOT_APPLICABLE, "zram0: 0 flushes, 0 FUA writes", "5 synchronous writes, 0 syncs asked for",
		    "zram0 is compressed memory (zram): what was synced survives no power cut.");
}

static void unseen_is_unknown(void **state)
{
	(void)state;
	begin(TARGET_FILE);
	call(CALL_FSYNC, 1, 0);
	check_check(CHECK_UNKNOWN, "-", "0 synchronous writes, 1 sync asked for",
		    "No block device was followed under ext4: whether what was synced is durable is not known.");
}

static void nothing_asked_is_not_applicable(void **state)
{
	(void)state;
	begin(TARGET_FILE);
	got(add_layer("sda", true, "write back"), 5, 0, 0);
	call(CALL_WRITE, 5, 0);
	check_check(
		CHECK_NOT_APPLICABLE, "-", "-",
		"Nothing was synced. The page cache took what was written, and how much of it had reached a disk when "
		"the program was told is not known.");
	begin(TARGET_FILE);
	call(CALL_READ, 5, 0);
	check_check(CHECK_NOT_APPLICABLE, "-", "-", "Nothing was written or synced.");
	begin(TARGET_FILE);
	trace->ios = false;
	check_check(CHECK_NOT_APPLICABLE, "-", "-",
		    "I/Os were not followed from call to return: --stages left it out.");
}

static void without_a_trace_there_is_none(void **state)
{
	(void)state;
	begin(TARGET_FILE);
	trace_view_free(run->trace);
	run->trace = NULL;
	check_durability(&(struct checking){.result = result, .run = run, .target = target});
	assert_int_equal(run->checks, 0);
	end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(flushed_is_passed),
		cmocka_unit_test(write_through_is_passed),
		cmocka_unit_test(unflushed_is_a_warning),
		cmocka_unit_test(a_layer_that_stops_flushes_is_named),
		cmocka_unit_test(unwritten_is_a_warning),
		cmocka_unit_test(memory_is_told_elsewhere),
		cmocka_unit_test(unseen_is_unknown),
		cmocka_unit_test(nothing_asked_is_not_applicable),
		cmocka_unit_test(without_a_trace_there_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
