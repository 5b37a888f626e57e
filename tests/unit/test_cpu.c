// SPDX-License-Identifier: GPL-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "host/cpu.h"

static struct cpu_span between(const char *before, const char *after)
{
	struct cpu_times first, second;

	cpu_times_parse(&first, before);
	cpu_times_parse(&second, after);
	return cpu_span_between(&first, &second);
}

static void a_span_is_split(void **state)
{
	/* user nice system idle iowait irq softirq steal guest guest_nice: the guests' are within user and nice */
	struct cpu_span span =
		between(" 1000 100 500 9000 300 50 60 70 400 10", " 1010 105 520 9030 320 53 62 80 408 13");

	(void)state;
	assert_int_equal(span.total, 100);
	assert_int_equal(span.busy, 50);
	assert_int_equal(span.stolen, 10);
}

static void what_goes_back_adds_nothing(void **state)
{
	struct cpu_span span = between(" 0 0 0 1000 500 0 0 0", " 25 0 0 1075 480 0 0 0");

	(void)state;
	assert_int_equal(span.total, 100);
	assert_int_equal(span.busy, 25);
}

static void columns_of_old_kernels_are_fewer(void **state)
{
	struct cpu_span span = between(" 1 2 3 4", " 2 3 4 10");

	(void)state;
	assert_int_equal(span.total, 9);
	assert_int_equal(span.busy, 3);
	assert_int_equal(span.stolen, 0);
	span = between("", "");
	assert_int_equal(span.total, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_span_is_split),
		cmocka_unit_test(what_goes_back_adds_nothing),
		cmocka_unit_test(columns_of_old_kernels_are_fewer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
