// SPDX-License-Identifier: GPL-2.0
#include "trace/calls.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/syscall.h>

#include <cmocka.h>

static void numbers(void **state)
{
	uint8_t call[MAX_CALL_NUMBER];
	unsigned watched = 0;

	(void)state;
	calls_number(call);
	assert_int_equal(call[SYS_pread64], CALL_READ + 1);
	assert_int_equal(call[SYS_pwritev2], CALL_WRITE + 1);
	assert_int_equal(call[SYS_fsync], CALL_FSYNC + 1);
	assert_int_equal(call[SYS_fdatasync], CALL_FDATASYNC + 1);
	assert_int_equal(call[SYS_syncfs], CALL_SYNC + 1);
	assert_int_equal(call[SYS_io_submit], CALL_SUBMIT + 1);
	assert_int_equal(call[SYS_io_pgetevents], CALL_GETEVENTS + 1);
	assert_int_equal(call[SYS_io_uring_enter], CALL_URING + 1);
	assert_int_equal(call[SYS_openat], 0);
	assert_int_equal(call[SYS_io_uring_setup], 0);
	for (unsigned number = 0; number < MAX_CALL_NUMBER; number++)
		watched += call[number] != 0;
	assert_int_equal(watched, 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(numbers)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
