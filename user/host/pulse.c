// SPDX-License-Identifier: GPL-2.0
#include "pulse.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text.h"
#include "files.h"
#include "pinned.h"

#define HEARTS	4
#define PERIOD	(20 * NS_PER_MS)
#define LATE	(50 * NS_PER_MS)
#define OVERLAP (LATE - PERIOD)

/* A beat that is less late than this is not asked whether it waited for its CPU. */
#define HARDLY_LATE (1 * NS_PER_MS)

/* Gaps that are kept of one heart; beyond them nothing is known any more. */
#define GAPS 4096

#define CLOCK_READINGS 8
#define DRIFT_SHORTEST (NS_PER_SECOND / 2)
#define DRIFT_ERROR    10.0 /* ppm */

struct heart {
	struct pulse *pulse;
	pthread_t thread;
	struct gaps gaps;
	bool failed;	 /* it may have missed something */
	bool urgent;	 /* it has the priority */
	int accounts;	 /* its schedstat; negative: there is none */
	uint64_t waited; /* by them, when it was read for the last time */
};

struct pulse {
	atomic_bool stop;
	char *accounts; /* path of schedstat, of the thread that opens it */
	struct heart heart[HEARTS];
	size_t hearts, wanted;
	uint64_t since;
	struct clock_pair clocks;
};

/* --- one heart; its thread allocates nothing, so that a lack of memory ends no measurement --- */

/*
 * The time that this thread could have run and another did, ns: the second number of schedstat (the kernel's
 * Documentation/scheduler/sched-stats.rst). All are 0 where the kernel does not count them, as the last is the number
 * of times that it was run.
 */
static bool read_waited(const struct heart *heart, uint64_t *waited)
{
	char line[96], *next = line;
	ssize_t length = heart->accounts < 0 ? -1 : pread(heart->accounts, line, sizeof(line) - 1, 0);
	uint64_t ran, delayed;

	if (length <= 0)
		return false;
	line[length] = '\0';
	ran = strtoull(next, &next, 10);
	delayed = strtoull(next, &next, 10);
	if (!ran && !delayed && !strtoull(next, NULL, 10))
		return false;
	*waited = delayed;
	return true;
}

static void prepare(struct heart *heart)
{
	const struct sched_param lowest = {.sched_priority = 1};

	pthread_setname_np(pthread_self(), "iostrata-pulse");
	heart->urgent = sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &lowest) == 0;
	heart->accounts = open(heart->pulse->accounts, O_RDONLY | O_CLOEXEC);
	if (!read_waited(heart, &heart->waited) && heart->accounts >= 0) {
		close(heart->accounts);
		heart->accounts = -1;
	}
}

/* What it waited for its CPU since it was last asked. What it waited in beats that were hardly late is in it. */
static uint64_t newly_waited(struct heart *heart)
{
	uint64_t before = heart->waited;

	return read_waited(heart, &heart->waited) && heart->waited > before ? heart->waited - before : 0;
}

static void note(struct heart *heart, uint64_t due, uint64_t now)
{
	uint64_t waited, late = now - due;

	if (late < HARDLY_LATE)
		return;
	waited = newly_waited(heart);
	if (late <= LATE || late - LATE <= waited)
		return;
	if (heart->gaps.count < GAPS)
		heart->gaps.gap[heart->gaps.count++] = (struct gap){.from = due, .to = now - waited};
	else
		heart->failed = true;
}

/* 0 or -errno, as where a sandbox does not allow it. */
static int sleep_until(uint64_t moment)
{
	const struct timespec at = {
		.tv_sec = (time_t)(moment / NS_PER_SECOND),
		.tv_nsec = (long)(moment % NS_PER_SECOND),
	};
	int err;

	do {
		err = clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
	} while (err == EINTR);
	return -err;
}

/*
 * The moment from which the next beat is counted is the one at which the last was looked at, so that no time lies
 * between them. All hearts beat at once: what stops them then begins at the same moment for each.
 */
static void *beat(void *argument)
{
	struct heart *heart = argument;
	uint64_t now = clock_now(), due;

	prepare(heart);
	while (!atomic_load(&heart->pulse->stop) && !heart->failed) {
		due = (now / PERIOD + 1) * PERIOD;
		heart->failed = sleep_until(due) != 0;
		now = clock_now();
		if (!heart->failed)
			note(heart, due, now);
	}
	if (heart->accounts >= 0)
		close(heart->accounts);
	return NULL;
}

/* --- the threads --- */

static void start_threads(struct pulse *pulse)
{
	size_t cpu[HEARTS];

	pulse->wanted = pinned_cpus(cpu, HEARTS);
	for (size_t i = 0; i < pulse->wanted; i++) {
		struct heart *heart = &pulse->heart[i];

		*heart = (struct heart){.pulse = pulse, .accounts = -1};
		heart->gaps.gap = xcalloc(GAPS, sizeof(*heart->gaps.gap));
		if (pinned_start(&heart->thread, cpu[i], beat, heart)) {
			free(heart->gaps.gap);
			break;
		}
		pulse->hearts++;
	}
}

/* --- the clocks --- */

static uint64_t read_clock(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return (uint64_t)time.tv_sec * NS_PER_SECOND + (uint64_t)time.tv_nsec;
}

/* The closest of several readings. */
static struct clock_pair read_clocks(void)
{
	struct clock_pair closest = {.raw_after = UINT64_MAX};

	for (int i = 0; i < CLOCK_READINGS; i++) {
		struct clock_pair pair = {.raw_before = read_clock(CLOCK_MONOTONIC_RAW)};

		pair.wall = read_clock(CLOCK_REALTIME);
		pair.raw_after = read_clock(CLOCK_MONOTONIC_RAW);
		if (pair.raw_after - pair.raw_before < closest.raw_after - closest.raw_before)
			closest = pair;
	}
	return closest;
}

/* The wall was read somewhere between the two; the middle is wrong by half of the time between them at the most. */
bool clock_drift(const struct clock_pair *start, const struct clock_pair *end, double *drift)
{
	double first = (double)(start->raw_after - start->raw_before) / 2;
	double last = (double)(end->raw_after - end->raw_before) / 2;
	double raw = (double)(end->raw_before - start->raw_before) + last - first;
	double wall = (double)(int64_t)(end->wall - start->wall);

	if (raw < (double)DRIFT_SHORTEST || (first + last) / raw * 1e6 > DRIFT_ERROR)
		return false;
	*drift = (wall - raw) / raw * 1e6;
	return true;
}

/* --- what all hearts say together --- */

static struct gaps gaps_copy(const struct gaps *gaps)
{
	struct gaps copy = {.gap = xcalloc(gaps->count, sizeof(*copy.gap)), .count = gaps->count};

	for (size_t i = 0; i < gaps->count; i++)
		copy.gap[i] = gaps->gap[i];
	return copy;
}

/* Of each overlap one of the two gaps ends, so there are fewer than both have together. */
static struct gaps gaps_overlap(const struct gaps *a, const struct gaps *b)
{
	struct gaps both = {.gap = xcalloc(a->count + b->count, sizeof(*both.gap))};
	size_t i = 0, j = 0;

	while (i < a->count && j < b->count) {
		const struct gap *one = &a->gap[i], *other = &b->gap[j];
		uint64_t from = one->from > other->from ? one->from : other->from;
		uint64_t to = one->to < other->to ? one->to : other->to;

		if (from < to && to - from >= OVERLAP)
			both.gap[both.count++] = (struct gap){.from = from, .to = to};
		if (one->to < other->to)
			i++;
		else
			j++;
	}
	return both;
}

struct gaps gaps_common(const struct gaps *heart, size_t count)
{
	struct gaps common = gaps_copy(&heart[0]);

	for (size_t i = 1; i < count; i++) {
		struct gaps next = gaps_overlap(&common, &heart[i]);

		free(common.gap);
		common = next;
	}
	return common;
}

/* Of each heart it is known why it was late, and every time that it was. */
static bool is_sound(const struct pulse *pulse)
{
	if (!pulse->wanted || pulse->hearts < pulse->wanted)
		return false;
	for (size_t i = 0; i < pulse->hearts; i++)
		if (pulse->heart[i].failed || (!pulse->heart[i].urgent && pulse->heart[i].accounts < 0))
			return false;
	return true;
}

static void tell(const struct pulse *pulse, struct conditions *conditions)
{
	struct gaps gaps[HEARTS], common;

	for (size_t i = 0; i < pulse->hearts; i++)
		gaps[i] = pulse->heart[i].gaps;
	common = gaps_common(gaps, pulse->hearts);
	conditions->has_heartbeat = true;
	conditions->pause = xcalloc(common.count, sizeof(*conditions->pause));
	conditions->pauses = common.count;
	for (size_t i = 0; i < common.count; i++)
		conditions->pause[i] = (struct pause){
			.at = common.gap[i].from - pulse->since,
			.length = common.gap[i].to - common.gap[i].from,
		};
	free(common.gap);
}

/* --- start and stop --- */

struct pulse *pulse_start(uint64_t since)
{
	struct pulse *pulse = xcalloc(1, sizeof(*pulse));

	pulse->accounts = host_path("/proc/thread-self/schedstat");
	pulse->clocks = read_clocks();
	pulse->since = since;
	start_threads(pulse);
	return pulse;
}

void pulse_stop(struct pulse *pulse, struct conditions *conditions)
{
	struct clock_pair clocks = read_clocks();

	conditions->has_drift = clock_drift(&pulse->clocks, &clocks, &conditions->drift);
	atomic_store(&pulse->stop, true);
	for (size_t i = 0; i < pulse->hearts; i++)
		pthread_join(pulse->heart[i].thread, NULL);
	if (is_sound(pulse))
		tell(pulse, conditions);
	for (size_t i = 0; i < pulse->hearts; i++)
		free(pulse->heart[i].gaps.gap);
	free(pulse->accounts);
	free(pulse);
}
