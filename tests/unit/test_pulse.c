// SPDX-License-Identifier: GPL-2.0
#include <math.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/text.h"
#include "host/files.h"
#include "host/pulse.h"

#define MS NS_PER_MS

/* --- where the gaps of all hearts overlap --- */

static void one_heart_speaks_for_itself(void **state)
{
	struct gap gap[] = {{100 * MS, 160 * MS}, {500 * MS, 800 * MS}};
	struct gaps common = gaps_common(&(struct gaps){gap, 2}, 1);

	(void)state;
	assert_int_equal(common.count, 2);
	assert_int_equal(common.gap[1].from, 500 * MS);
	assert_int_equal(common.gap[1].to, 800 * MS);
	free(common.gap);
}

static void one_busy_cpu_is_no_pause(void **state)
{
	struct gap busy[] = {{100 * MS, 900 * MS}}, other[] = {{1000 * MS, 1200 * MS}};
	const struct gaps heart[] = {{busy, 1}, {NULL, 0}}, apart[] = {{busy, 1}, {other, 1}};
	struct gaps common = gaps_common(heart, 2);

	(void)state;
	assert_int_equal(common.count, 0);
	free(common.gap);
	common = gaps_common(apart, 2);
	assert_int_equal(common.count, 0);
	free(common.gap);
}

static void a_pause_is_what_all_have(void **state)
{
	struct gap a[] = {{100 * MS, 400 * MS}, {1000 * MS, 1100 * MS}, {2000 * MS, 2300 * MS}};
	struct gap b[] = {{110 * MS, 420 * MS}, {2010 * MS, 2100 * MS}, {2150 * MS, 2280 * MS}};
	struct gap c[] = {{90 * MS, 390 * MS}, {1010 * MS, 1090 * MS}, {1990 * MS, 2400 * MS}};
	const struct gaps heart[] = {{a, 3}, {b, 3}, {c, 3}};
	struct gaps common = gaps_common(heart, 3);

	(void)state;
	assert_int_equal(common.count, 3);
	assert_int_equal(common.gap[0].from, 110 * MS);
	assert_int_equal(common.gap[0].to, 390 * MS);
	assert_int_equal(common.gap[1].from, 2010 * MS);
	assert_int_equal(common.gap[1].to, 2100 * MS);
	assert_int_equal(common.gap[2].from, 2150 * MS);
	assert_int_equal(common.gap[2].to, 2280 * MS);
	free(common.gap);
}

static void gaps_that_hardly_touch_are_chance(void **state)
{
	struct gap a[] = {{100 * MS, 200 * MS}}, b[] = {{171 * MS, 300 * MS}}, c[] = {{170 * MS, 300 * MS}};
	const struct gaps chance[] = {{a, 1}, {b, 1}}, enough[] = {{a, 1}, {c, 1}};
	struct gaps common = gaps_common(chance, 2);

	(void)state;
	assert_int_equal(common.count, 0);
	free(common.gap);
	common = gaps_common(enough, 2);
	assert_int_equal(common.count, 1);
	free(common.gap);
}

/* --- drift --- */

static struct clock_pair at(uint64_t raw, uint64_t wall, uint64_t width)
{
	return (struct clock_pair){.raw_before = raw - width / 2, .wall = wall, .raw_after = raw + width / 2};
}

static void drift_is_relative_to_the_raw_clock(void **state)
{
	const uint64_t epoch = 1796000000 * NS_PER_SECOND;
	struct clock_pair start = at(5 * NS_PER_SECOND, epoch, 100);
	struct clock_pair slow = at(15 * NS_PER_SECOND, epoch + 10 * NS_PER_SECOND - 5 * MS, 200);
	struct clock_pair fast = at(15 * NS_PER_SECOND, epoch + 10 * NS_PER_SECOND + 1000, 200);
	struct clock_pair back = at(6 * NS_PER_SECOND, epoch - 3 * NS_PER_SECOND, 100);
	double drift;

	(void)state;
	assert_true(clock_drift(&start, &slow, &drift));
	assert_float_equal(drift, -500, 1e-6);
	assert_true(clock_drift(&start, &fast, &drift));
	assert_float_equal(drift, 0.1, 1e-6);
	/* set back by four seconds */
	assert_true(clock_drift(&start, &back, &drift));
	assert_float_equal(drift, -4e6, 1e-3);
}

static void little_time_and_bad_readings_tell_nothing(void **state)
{
	struct clock_pair start = at(NS_PER_SECOND, 100 * NS_PER_SECOND, 0);
	struct clock_pair soon = at(NS_PER_SECOND + 499 * MS, 100 * NS_PER_SECOND + 499 * MS, 0);
	struct clock_pair later = at(NS_PER_SECOND + 500 * MS, 100 * NS_PER_SECOND + 500 * MS, 0);
	struct clock_pair vague = at(2 * NS_PER_SECOND, 101 * NS_PER_SECOND, 22000);
	double drift = 7;

	(void)state;
	assert_false(clock_drift(&start, &soon, &drift));
	assert_false(clock_drift(&start, &vague, &drift));
	assert_float_equal(drift, 7, 0);
	assert_true(clock_drift(&start, &later, &drift));
	assert_float_equal(drift, 0, 1e-9);
}

/* --- this machine --- */

/* What a process of its own sees of a pulse; it is told to stop by a byte on `stop`, and answers on `report`. */
struct observed {
	uint64_t began;
	bool has_heartbeat, has_drift;
	double drift;
	size_t pauses;
	struct pause pause[16];
};

static void observe(int stop, int report)
{
	struct observed observed = {.began = clock_now() - 7000 * MS};
	struct conditions *conditions = xcalloc(1, sizeof(*conditions));
	struct pulse *pulse = pulse_start(observed.began);
	char byte = 0;

	if (write(report, &byte, 1) != 1 || read(stop, &byte, 1) < 0)
		_exit(1);
	pulse_stop(pulse, conditions);
	observed.has_heartbeat = conditions->has_heartbeat;
	observed.has_drift = conditions->has_drift;
	observed.drift = conditions->drift;
	observed.pauses = conditions->pauses;
	for (size_t i = 0; i < conditions->pauses && i < ARRAY_SIZE(observed.pause); i++)
		observed.pause[i] = conditions->pause[i];
	conditions_free(conditions);
	if (write(report, &observed, sizeof(observed)) != sizeof(observed))
		_exit(1);
}

struct witness {
	pid_t pid;
	int stop, report;
};

static struct witness start_witness(void)
{
	int stop[2], report[2];
	struct witness witness;
	char byte;

	assert_int_equal(pipe(stop) | pipe(report), 0);
	witness.pid = fork();
	if (!witness.pid) {
		close(stop[1]);
		observe(stop[0], report[1]);
		_exit(0);
	}
	close(stop[0]), close(report[1]);
	witness.stop = stop[1];
	witness.report = report[0];
	assert_int_equal(read(witness.report, &byte, 1), 1);
	return witness;
}

static struct observed stop_witness(struct witness *witness)
{
	struct observed observed;
	int status;

	close(witness->stop);
	assert_int_equal(read(witness->report, &observed, sizeof(observed)), sizeof(observed));
	close(witness->report);
	assert_int_equal(waitpid(witness->pid, &status, 0), witness->pid);
	assert_int_equal(status, 0);
	return observed;
}

/* A pause that covers most of the time from `from` to `to`, on our clock. */
static const struct pause *pause_within(const struct observed *observed, uint64_t from, uint64_t to)
{
	for (size_t i = 0; i < observed->pauses && i < ARRAY_SIZE(observed->pause); i++) {
		const struct pause *pause = &observed->pause[i];
		uint64_t at = observed->began + pause->at;

		if (at + 50 * MS >= from && at < to && pause->length >= (to - from) * 3 / 4)
			return pause;
	}
	return NULL;
}

/* To a process that is stopped, it is as if the machine were. */
static void a_stop_of_the_process_is_found(void **state)
{
	struct witness witness = start_witness();
	const struct pause *pause;
	struct observed observed;
	uint64_t from, to;

	(void)state;
	clock_sleep(100 * MS);
	from = clock_now();
	kill(witness.pid, SIGSTOP);
	clock_sleep(200 * MS);
	kill(witness.pid, SIGCONT);
	to = clock_now();
	clock_sleep(400 * MS);
	observed = stop_witness(&witness);
	assert_true(observed.has_heartbeat);
	pause = pause_within(&observed, from, to);
	assert_non_null(pause);
	assert_true(pause->length >= 150 * MS);
	assert_true(pause->length <= to - from + 150 * MS);
	assert_true(observed.has_drift);
	assert_true(fabs(observed.drift) < 100000);
}

/* Takes a CPU away from everything of a lower priority, for 150 ms. */
static void hog(size_t cpu)
{
	const struct sched_param above = {.sched_priority = 10};
	uint64_t begin = clock_now();
	cpu_set_t where;

	CPU_ZERO(&where);
	CPU_SET(cpu, &where);
	if (sched_setaffinity(0, sizeof(where), &where) || sched_setscheduler(0, SCHED_FIFO, &above))
		_exit(1);
	while (clock_now() - begin < 150 * MS)
		;
	_exit(0);
}

/* All CPUs are taken at once: every beat is late, but the machine did not stand still. */
static void waiting_for_busy_cpus_is_no_pause(void **state)
{
	struct witness witness;
	struct observed observed;
	uint64_t from, to;
	cpu_set_t allowed;
	bool denied = false;
	int status;

	(void)state;
	if (sched_getaffinity(0, sizeof(allowed), &allowed) || CPU_COUNT(&allowed) > 8)
		skip();
	witness = start_witness();
	clock_sleep(50 * MS);
	from = clock_now();
	for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &allowed) && !fork())
			hog(cpu);
	for (int i = 0; i < CPU_COUNT(&allowed); i++)
		denied |= wait(&status) < 0 || status;
	to = clock_now();
	clock_sleep(50 * MS);
	observed = stop_witness(&witness);
	if (denied)
		skip();
	assert_true(to - from >= 150 * MS);
	assert_true(observed.has_heartbeat);
	assert_null(pause_within(&observed, from, to));
}

/* It beats without real-time priority by the accounts of waiting, and with neither of them it knows nothing. */
static void without_accounts_or_priority_nothing_is_known(void **state)
{
	struct conditions conditions = {0};
	struct pulse *pulse;
	int status;
	pid_t pid;

	(void)state;
	pid = fork();
	if (!pid) {
		if (!geteuid() && setresuid(65534, 65534, 65534))
			_exit(9);
		pulse = pulse_start(clock_now());
		clock_sleep(30 * MS);
		pulse_stop(pulse, &conditions);
		free(conditions.pause);
		status = conditions.has_heartbeat;
		conditions = (struct conditions){0};
		host_set_root("/nowhere");
		pulse = pulse_start(clock_now());
		clock_sleep(30 * MS);
		pulse_stop(pulse, &conditions);
		free(conditions.pause);
		_exit(status + 2 * conditions.has_heartbeat);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status) & 2, 0);
	if (!access("/proc/thread-self/schedstat", R_OK))
		assert_int_equal(WEXITSTATUS(status), 1);
}

/* Signals go to who waits for them. */
static void signals_are_not_taken(void **state)
{
	struct conditions conditions = {0};
	struct timespec second = {.tv_sec = 1};
	sigset_t usr1, before, after;
	struct pulse *pulse;

	(void)state;
	sigemptyset(&usr1);
	sigaddset(&usr1, SIGUSR1);
	pulse = pulse_start(clock_now());
	sigprocmask(SIG_BLOCK, &usr1, &before);
	kill(getpid(), SIGUSR1);
	assert_int_equal(sigtimedwait(&usr1, NULL, &second), SIGUSR1);
	sigprocmask(SIG_SETMASK, &before, NULL);
	pulse_stop(pulse, &conditions);
	sigprocmask(SIG_SETMASK, NULL, &after);
	assert_int_equal(sigismember(&after, SIGUSR2), 0);
	assert_false(conditions.has_drift);
	free(conditions.pause);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_heart_speaks_for_itself),
		cmocka_unit_test(one_busy_cpu_is_no_pause),
		cmocka_unit_test(a_pause_is_what_all_have),
		cmocka_unit_test(gaps_that_hardly_touch_are_chance),
		cmocka_unit_test(drift_is_relative_to_the_raw_clock),
		cmocka_unit_test(little_time_and_bad_readings_tell_nothing),
		cmocka_unit_test(a_stop_of_the_process_is_found),
		cmocka_unit_test(waiting_for_busy_cpus_is_no_pause),
		cmocka_unit_test(without_accounts_or_priority_nothing_is_known),
		cmocka_unit_test(signals_are_not_taken),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
