// SPDX-License-Identifier: GPL-2.0
#include "workload/calibration.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static void ios_where_they_are_followed(void **state)
{
	struct io_view reads = {.counts.end = {[IO_END_JOINED] = 90, [IO_END_UNSEEN] = 10}};
	struct io_view writes = {.counts.end = {[IO_END_JOINED] = 5}};
	struct op_view requests = {.completions = 1000};
	struct layer_view leaf = {.op = {[OP_READ] = &requests}};
	struct trace_view view = {.ios = true, .leaf = &leaf, .leaves = 1};

	(void)state;
	view.io[IO_OP_READ] = &reads;
	view.io[IO_OP_WRITE] = &writes;
	assert_int_equal(calibration_ios(&view), 105);
}

static void requests_of_all_leaves_where_not(void **state)
{
	struct op_view reads = {.completions = 70}, writes = {.completions = 8};
	struct layer_view leaf[] = {{.op = {[OP_READ] = &reads}}, {.op = {[OP_READ] = &reads, [OP_WRITE] = &writes}}};
	struct trace_view view = {.leaf = leaf, .leaves = 2};

	(void)state;
	assert_int_equal(calibration_ios(&view), 148);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ios_where_they_are_followed),
		cmocka_unit_test(requests_of_all_leaves_where_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
