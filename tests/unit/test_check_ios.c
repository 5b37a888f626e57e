// SPDX-License-Identifier: GPL-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "checked.h"

static void ios_that_were_not_followed(void **state)
{
	(void)state;
	judge(&read_test);
	assert_state(nth_check("ios", 0), CHECK_NOT_APPLICABLE);
	assert_state(nth_check("outer sum", 0), CHECK_NOT_APPLICABLE);
	assert_has(nth_check("ios", 0)->sentence, "--stages");
	assert_int_equal(count_checks("ios"), 1);
	assert_int_equal(count_checks("outer sum"), 1);
}

static void ios_fewer_than_reported(void **state)
{
	(void)state;
	struct io_view *view = fill_ios(OP_READ);
	const struct check *check;

	view->counts.end[IO_END_JOINED] = 995;
	view->counts.table_full = view->counts.unbegun = 4; /* their results were seen */
	view->in_flight_at_end = 1;
	judge(&read_test);
	check = nth_check("ios", 0);
	assert_state(check, CHECK_WARNING);
	assert_string_equal(check->found, "read 995, write 0 I/Os");
	assert_string_equal(check->expected, "read 1000, write 0 I/Os");
	assert_string_equal(check->sentence,
			    "Seen to end were 5 reads fewer than the 1,000 that the engine reports. Of those "
			    "that were called, 4 found no room in the table, 1 was still in flight at the "
			    "end.");
	/* of those that ended, all are joined; and even so it can't be called complete */
	check = nth_check("ios", 1);
	assert_state(check, CHECK_WARNING);
	assert_string_equal(check->found, "100.00 % joined");
	assert_string_equal(check->sentence,
			    "The stages of 995 of 995 I/Os are known. 4 found no room in the probes' table "
			    "(table full).");
	assert_state(nth_check("identity", 1), CHECK_PASSED);
}

static void ios_more_than_reported(void **state)
{
	(void)state;
	const struct check *check;

	fill_ios(OP_READ)->counts.end[IO_END_JOINED] = 1001;
	fill_ios(OP_WRITE);
	run->engine->direction[OP_WRITE].ios = 0;
	judge(&read_test);
	check = nth_check("ios", 0);
	assert_state(check, CHECK_WARNING);
	assert_has(check->sentence,
		   "1 read more than the 1,000 that the engine reports and 1,000 writes more than the 0 ");
	assert_has(check->sentence, "Something else used the file");
}

/* 99.5 % are enough. */
static void ios_that_are_not_joined(void **state)
{
	(void)state;
	struct io_view *view = fill_ios(OP_READ);
	const struct check *check;

	view->counts.end[IO_END_JOINED] = 995;
	view->counts.end[IO_END_UNSEEN] = 5;
	view->counts.end[IO_END_BUFFERED] = 1;
	run->trace->hidden = xstrdup("kptr_restrict is 2: write 1");
	judge(&read_test);
	check = nth_check("ios", 1);
	assert_state(check, CHECK_PASSED);
	assert_string_equal(check->found, "99.50 % joined");
	assert_has(check->sentence,
		   "995 of 1,000 I/Os are known; the others: 5 completion not seen. Beside these, rightly "
		   "without stages: 1 buffered.");
	assert_null(strstr(check->sentence, "kptr_restrict"));

	view->counts.end[IO_END_JOINED] = 994;
	view->counts.end[IO_END_CLOCK] = 1;
	judge(&read_test);
	assert_int_equal(count_checks("ios"), 4);
	check = nth_check("ios", 3);
	assert_state(check, CHECK_WARNING);
	assert_has(check->sentence, "the others: 5 completion not seen, 1 clock went backwards. Beside these, rightly "
				    "without stages: 1 buffered. kptr_restrict is 2: write 1.");
}

/* The end of a file, what the page cache took, and syncs are no losses, however many they are. */
static void ios_that_rightly_have_no_stages(void **state)
{
	(void)state;
	struct io_view *view = fill_ios(OP_READ);
	struct io_view *sync = run->trace->io[IO_OP_SYNC] = xcalloc(1, sizeof(*sync));

	sync->counts.called = sync->counts.end[IO_END_UNJOINED] = 700;
	view->counts.end[IO_END_JOINED] = 1;
	view->counts.end[IO_END_NOT_QUEUED] = 600;
	view->counts.end[IO_END_BUFFERED] = 399;
	judge(&read_test);
	assert_state(nth_check("ios", 1), CHECK_PASSED);
	assert_string_equal(nth_check("ios", 1)->found, "100.00 % joined");
	assert_string_equal(nth_check("ios", 1)->sentence,
			    "The stages of 1 of 1 I/O are known. Beside these, rightly without stages: 600 not queued, "
			    "399 buffered.");

	view->counts.end[IO_END_JOINED] = 0;
	view->counts.end[IO_END_BUFFERED] = 400;
	judge(&read_test);
	assert_state(nth_check("ios", 3), CHECK_NOT_APPLICABLE);
	assert_has(nth_check("ios", 3)->sentence, "rightly so: 600 not queued, 400 buffered.");

	view->counts.end[IO_END_SELF_REAPED] = view->counts.end[IO_END_BUFFERED];
	view->counts.end[IO_END_BUFFERED] = 0;
	judge(&read_test);
	assert_state(nth_check("ios", 5), CHECK_WARNING);
	assert_string_equal(nth_check("ios", 5)->found, "0.00 % joined");
}

static void ios_that_are_unaccounted_for(void **state)
{
	(void)state;
	const struct check *check;

	fill_ios(OP_READ)->counts.called = 1002;
	judge(&read_test);
	check = nth_check("identity", 1);
	assert_state(check, CHECK_FAILED);
	assert_string_equal(check->found, "called 1002 != 1000 ended + 0 in flight + 0 without room in the table");
	assert_has(check->sentence, "I/Os, read: 2 I/Os were started and are not accounted for.");
	assert_has(check->sentence, "this run's stages");
}

static void fill_total(struct io_view *view, uint64_t total)
{
	memset(&view->stage[IO_STAGE_TOTAL], 0, sizeof(struct hist));
	hist_add(&view->stage[IO_STAGE_TOTAL], total, 1000);
}

/* The clocks may differ by a microsecond: lat is 70,000 ns. */
static void the_outer_sum(void **state)
{
	(void)state;
	struct io_view *view = fill_ios(OP_READ);
	const struct check *check;

	fill_total(view, 71000);
	judge(&read_test);
	check = nth_check("outer sum", 0);
	assert_state(check, CHECK_PASSED);
	assert_string_equal(check->found, "read: call to return 71.0 µs, lat 70.0 µs");

	fill_total(view, 71001);
	judge(&read_test);
	assert_state(nth_check("outer sum", 1), CHECK_FAILED);
	assert_has(nth_check("outer sum", 1)->sentence, "more than the whole latency");

	/* Of other I/Os it is no contradiction. */
	view->counts.end[IO_END_JOINED]++;
	judge(&read_test);
	assert_state(nth_check("outer sum", 2), CHECK_WARNING);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		READS(ios_that_were_not_followed),
		READS(ios_fewer_than_reported),
		READS(ios_more_than_reported),
		READS(ios_that_are_not_joined),
		READS(ios_that_rightly_have_no_stages),
		READS(ios_that_are_unaccounted_for),
		READS(the_outer_sum),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
