// SPDX-License-Identifier: GPL-2.0
#include "host/pinned.h"

#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

struct seen {
	cpu_set_t where;
	sigset_t blocked;
};

static void *look(void *argument)
{
	struct seen *seen = argument;

	if (sched_getaffinity(0, sizeof(seen->where), &seen->where))
		CPU_ZERO(&seen->where);
	pthread_sigmask(SIG_SETMASK, NULL, &seen->blocked);
	return NULL;
}

static void each_has_its_cpu_and_no_signal(void **state)
{
	size_t cpu[4], count = pinned_cpus(cpu, 4);
	sigset_t before, after;
	struct seen seen;
	pthread_t thread;

	(void)state;
	assert_true(count > 0);
	pthread_sigmask(SIG_SETMASK, NULL, &before);
	for (size_t i = 0; i < count; i++) {
		assert_true(!i || cpu[i] > cpu[i - 1]);
		assert_int_equal(pinned_start(&thread, cpu[i], look, &seen), 0);
		pthread_join(thread, NULL);
		assert_int_equal(CPU_COUNT(&seen.where), 1);
		assert_true(CPU_ISSET(cpu[i], &seen.where));
		assert_int_equal(sigismember(&seen.blocked, SIGINT), 1);
	}
	pthread_sigmask(SIG_SETMASK, NULL, &after);
	assert_int_equal(sigismember(&after, SIGINT), sigismember(&before, SIGINT));
}

static void there_are_no_more_than_asked_for(void **state)
{
	size_t cpu[1024];
	cpu_set_t allowed;

	(void)state;
	if (sched_getaffinity(0, sizeof(allowed), &allowed))
		skip();
	assert_int_equal(pinned_cpus(cpu, 1), 1);
	assert_true(CPU_ISSET(cpu[0], &allowed));
	assert_int_equal(pinned_cpus(cpu, 1024), CPU_COUNT(&allowed));
	assert_int_equal(pinned_cpus(cpu, 0), 0);
}

static void a_cpu_that_is_not_there_is_refused(void **state)
{
	struct seen seen;
	pthread_t thread;

	(void)state;
	assert_true(pinned_start(&thread, 8191, look, &seen) < 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_has_its_cpu_and_no_signal),
		cmocka_unit_test(there_are_no_more_than_asked_for),
		cmocka_unit_test(a_cpu_that_is_not_there_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
