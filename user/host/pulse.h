/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A heartbeat beside a measurement: it finds the moments at which the whole machine stood still, as a virtual machine
 * does that its host does not run, and how far the time of day has gone its own way.
 *
 * It is at most four threads, one on each of as many CPUs, which sleep until the next full 20 ms and look at the clock.
 * That is 50 wake-ups each second on each of these CPUs, whatever is measured: a few microseconds each, or 35 to 160 in a
 * virtual machine where a timer is an exit (measured on a busy one). Nothing is read or written meanwhile but a few words
 * of memory of their own, and after a late beat a line of /proc. Pauses of more than 70 ms are found for certain.
 *
 * A busy machine is not a paused one: the threads run at the lowest real-time priority where that is allowed, and the
 * time that one waited for its CPU (/proc/thread-self/schedstat) is none in which the machine stood still.
 */
#ifndef HOST_PULSE_H
#define HOST_PULSE_H

#include "result/result.h"

struct pulse;

/*
 * Starts beating; pauses are told since the moment `since` of CLOCK_MONOTONIC, in ns, which has come already. No other
 * process may be forked until it has been stopped. Never NULL.
 */
struct pulse *pulse_start(uint64_t since);

/*
 * Stops it, which takes up to 20 ms, and fills in what `conditions` has of it: pauses and drift. There is no heartbeat
 * where a thread could not be started, or where neither the priority nor the time that it waited was to be had.
 */
void pulse_stop(struct pulse *pulse, struct conditions *conditions);

/* --- the arithmetic; ns --- */

/* From when a beat was due until it could have come. */
struct gap {
	uint64_t from, to;
};

/* Those of one heart, in their order and apart. */
struct gaps {
	struct gap *gap;
	size_t count;
};

/*
 * Where all of the `count` (at least one) hearts have a gap at once, for at least 30 ms: by that much two gaps of more
 * than 50 ms overlap that began with the same pause, as the beats before it may be 20 ms apart. The caller frees it.
 */
struct gaps gaps_common(const struct gaps *heart, size_t count);

/* One moment on two clocks: the time of day was read between two readings of the raw clock. */
struct clock_pair {
	uint64_t raw_before, wall, raw_after;
};

/*
 * How much faster than the raw clock the time of day went, in parts per million (a step of it counts like any other
 * difference). False, and nothing is known, where the moments are less than half a second apart, or where the clocks
 * were read so slowly that it may be wrong by more than 10 ppm.
 */
bool clock_drift(const struct clock_pair *start, const struct clock_pair *end, double *drift);

#endif
