// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/text.h"
#include "workload/child.h"
#include "workload/fio.h"

static int output;

static int setup(void **state)
{
	(void)state;
	output = fio_scratch();
	return output < 0;
}

static int teardown(void **state)
{
	(void)state;
	return close(output);
}

static char *said(void)
{
	size_t length;

	return fio_read_scratch(output, 4096, &length);
}

static int wait_for(struct child *child)
{
	int status;

	for (int i = 0; i < 500; i++) {
		if (child_ended(child, &status))
			return status;
		clock_sleep(10 * NS_PER_MS);
	}
	fail_msg("the child did not end");
	return -1;
}

static void it_waits_at_the_gate(void **state)
{
	char *argv[] = {"echo", "through", NULL};
	struct child child;
	int status;
	char *text;

	(void)state;
	assert_int_equal(child_start(&child, argv, output, NULL, 0), 0);
	clock_sleep(50 * NS_PER_MS);
	assert_false(child_ended(&child, &status));
	text = said();
	assert_string_equal(text, "");
	free(text);

	assert_int_equal(child_release(&child), 0);
	assert_int_equal(wait_for(&child), 0);
	child_finish(&child);
	text = said();
	assert_string_equal(text, "through\n");
	free(text);
}

static void a_failed_exec_is_told(void **state)
{
	char *argv[] = {"/nonexistent/program", NULL};
	struct child child;

	(void)state;
	assert_int_equal(child_start(&child, argv, output, NULL, 0), 0);
	assert_int_equal(child_release(&child), -ENOENT);
	child_finish(&child);
}

/* Of our descriptors the program sees those that were named, and standard input, output and error. */
static void it_inherits_what_was_named(void **state)
{
	int keep = open("/dev/null", O_RDONLY | O_CLOEXEC), other = open("/dev/null", O_RDONLY | O_CLOEXEC);
	char *script = xasprintf("[ -e /proc/self/fd/%d ] && [ ! -e /proc/self/fd/%d ]", keep, other);
	char *argv[] = {"sh", "-c", script, NULL};
	struct child child;

	(void)state;
	assert_int_equal(child_start(&child, argv, output, &keep, 1), 0);
	assert_int_equal(child_release(&child), 0);
	assert_int_equal(wait_for(&child), 0);
	child_finish(&child);
	free(script);
	close(keep);
	close(other);
}

static bool exists(pid_t pid)
{
	return !kill(pid, 0) || errno != ESRCH;
}

static void wait_until_gone(pid_t pid)
{
	for (int i = 0; i < 500 && exists(pid); i++)
		clock_sleep(10 * NS_PER_MS);
	assert_false(exists(pid));
}

/* The pid that the shell printed of the program it left behind. */
static pid_t straggler(void)
{
	for (int i = 0; i < 500; i++) {
		char *text = said();
		pid_t pid = strchr(text, '\n') ? atoi(text) : 0;

		free(text);
		if (pid)
			return pid;
		clock_sleep(10 * NS_PER_MS);
	}
	fail_msg("the shell said nothing");
	return -1;
}

/* A session of its own, as fio's jobs are, so that no process group holds it. */
static void stragglers_are_ended(void **state)
{
	char *argv[] = {"sh", "-c", "setsid sleep 1000 & echo $!; exit 7", NULL};
	struct child child;
	pid_t left;

	(void)state;
	assert_int_equal(child_start(&child, argv, output, NULL, 0), 0);
	assert_int_equal(child_release(&child), 0);
	left = straggler();
	assert_int_equal(wait_for(&child), 7 << 8);
	assert_false(exists(left));
	child_finish(&child);
}

static void all_are_killed_when_it_is(void **state)
{
	char *argv[] = {"sh", "-c", "trap '' TERM; setsid sleep 1000 & echo $!; wait", NULL};
	struct child child;
	pid_t left;

	(void)state;
	assert_int_equal(child_start(&child, argv, output, NULL, 0), 0);
	assert_int_equal(child_release(&child), 0);
	left = straggler();
	child_ask_to_end(&child);
	clock_sleep(50 * NS_PER_MS);
	assert_true(exists(left));
	child_kill(&child);
	assert_int_equal(wait_for(&child), SIGKILL);
	assert_false(exists(left));
	child_finish(&child);
}

/* Nothing is left even when we are killed without a word. */
static void the_keeper_ends_all_when_we_die(void **state)
{
	pid_t us = fork(), left;

	(void)state;
	if (!us) {
		char *argv[] = {"sh", "-c", "setsid sleep 1000 & echo $!; wait", NULL};
		struct child child;

		if (!child_start(&child, argv, output, NULL, 0) && !child_release(&child))
			pause();
		_exit(1);
	}
	left = straggler();
	assert_true(exists(left));
	kill(us, SIGKILL);
	waitpid(us, NULL, 0);
	wait_until_gone(left);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(it_waits_at_the_gate, setup, teardown),
		cmocka_unit_test_setup_teardown(a_failed_exec_is_told, setup, teardown),
		cmocka_unit_test_setup_teardown(it_inherits_what_was_named, setup, teardown),
		cmocka_unit_test_setup_teardown(stragglers_are_ended, setup, teardown),
		cmocka_unit_test_setup_teardown(all_are_killed_when_it_is, setup, teardown),
		cmocka_unit_test_setup_teardown(the_keeper_ends_all_when_we_die, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
