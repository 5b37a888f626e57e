// SPDX-License-Identifier: GPL-2.0
#include "result/remote.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void which_file_systems(void **state)
{
	(void)state;
	assert_true(filesystem_is_remote("9p"));
	assert_true(filesystem_is_remote("virtiofs"));
	assert_true(filesystem_is_remote("fuse"));
	assert_true(filesystem_is_remote("fuse.sshfs"));
	/* these have a device, or a protocol that the kernel does not tell of, or are none */
	assert_false(filesystem_is_remote("fuseblk"));
	assert_false(filesystem_is_remote("fusectl"));
	assert_false(filesystem_is_remote("nfs4"));
	assert_false(filesystem_is_remote("9pnet"));
	assert_false(filesystem_is_remote("tmpfs"));
	assert_false(filesystem_is_remote(NULL));
}

static void which_targets(void **state)
{
	struct target target = {.filesystem = (char *)"9p"};

	(void)state;
	assert_true(target_is_remote(&target));
	target.layers = 1;
	assert_false(target_is_remote(&target));
	target = (struct target){.kind = TARGET_DEVICE};
	assert_false(target_is_remote(&target));
}

static void each_says_what_it_takes(void **state)
{
	(void)state;
	assert_non_null(strstr(remote_obstacle("fuse.sshfs"), "6.10"));
	assert_non_null(strstr(remote_obstacle("virtiofs"), "6.10"));
	assert_null(strstr(remote_obstacle("9p"), "6.10"));
}

static void sums(void **state)
{
	struct remote_view views[] = {
		{.kind = (char *)"Tread", .sent = 10, .answered = 7, .failed = 1, .in_flight_at_end = 2, .lost = 1},
		{.kind = (char *)"FUSE_READ", .sent = 100, .answered = 100, .bytes = 5000},
	};
	struct trace_view trace = {.remote = views, .remotes = 2};
	struct remote_sum sum = remote_sum(&trace);

	(void)state;
	assert_int_equal(sum.sent, 110);
	assert_int_equal(sum.answered, 107);
	assert_int_equal(sum.failed, 1);
	assert_int_equal(sum.in_flight, 2);
	assert_int_equal(sum.lost, 1);
}

/* The larger of what answers tell and what I/Os with an answer got; each op for itself. */
static void bytes(void **state)
{
	struct remote_view views[] = {
		{.kind = (char *)"FUSE_READ", .answered = 1, .bytes = 5000},
		{.kind = (char *)"FUSE_WRITE", .answered = 1, .bytes = 300},
		{.kind = (char *)"FUSE_WRITE", .answered = 1, .bytes = 70, .written_back = true},
		{.kind = (char *)"Tread", .answered = 3},
	};
	struct io_view read = {.counts.remote_bytes = 6000}, write = {.counts.remote_bytes = 10};
	struct trace_view trace = {.remote = views, .remotes = 4, .io = {[IO_OP_READ] = &read, [IO_OP_WRITE] = &write}};

	(void)state;
	assert_int_equal(remote_bytes(&trace, OP_READ), 6000);
	assert_int_equal(remote_bytes(&trace, OP_WRITE), 370);
	read.counts.remote_bytes = 0;
	assert_int_equal(remote_bytes(&trace, OP_READ), 5000);
	/* what 9p reads ahead is of unknown size */
	assert_false(remote_bytes_are_least(&trace, OP_READ));
	read.counts.end[IO_END_BUFFERED] = write.counts.end[IO_END_BUFFERED] = 1;
	assert_true(remote_bytes_are_least(&trace, OP_READ));
	assert_false(remote_bytes_are_least(&trace, OP_WRITE));
	trace.io[IO_OP_READ] = NULL;
	assert_int_equal(remote_bytes(&trace, OP_READ), 5000);
}

static void what_was_written_there(void **state)
{
	struct remote_view views[] = {{.kind = (char *)"Tread", .sent = 1}, {.kind = (char *)"Tfsync"}};
	struct trace_view trace = {.remote = views, .remotes = 2};

	(void)state;
	assert_false(remote_was_written(&trace));
	views[1].sent = 1;
	assert_true(remote_was_written(&trace));
	views[1].kind = (char *)"FUSE_WRITE";
	assert_true(remote_was_written(&trace));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(which_file_systems),
		cmocka_unit_test(which_targets),
		cmocka_unit_test(each_says_what_it_takes),
		cmocka_unit_test(sums),
		cmocka_unit_test(bytes), cmocka_unit_test(what_was_written_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
