// SPDX-License-Identifier: GPL-2.0
#include "limiter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/format.h"
#include "base/text.h"

#define BUSY_PERCENT   90
#define NEARLY_BUSY_PERCENT 80
#define THREAD_PERCENT 85 /* what a thread that never waits may show, as the run has a start and an end */
#define THREAD_WORKS   50
#define LINK_FULL      0.9
#define SPLIT_FROM     1.05
#define SYNCING_FROM   0.5
/* Of the busy time, the engine's at the least: its I/O also costs interrupts, and more where kernel threads do it. */
#define OWN_SHARE	      0.5
#define OWN_SHARE_OF_SOFTWARE 0.125

/* --- which --- */

/* What runs on this machine's CPUs itself: loop, zram, md, dm. */
static bool is_software(const struct layer *facts)
{
	return facts && (facts->backing_file || facts->memory || !facts->has_requests);
}

static bool all_cpus_busy(const struct limits *limits)
{
	return limits->cpu.known && limits->cpu.mean > BUSY_PERCENT;
}

/* A software disk on CPUs that are all but busy: a run has a start and an end in which they are not. */
static bool works_for_itself(const struct limits *limits)
{
	return is_software(limits->facts) && limits_cpu_busy(limits) && limits->cpu.mean > NEARLY_BUSY_PERCENT;
}

bool limiter_cpus_are_taken(const struct limits *limits)
{
	double share = is_software(limits->facts) ? OWN_SHARE_OF_SOFTWARE : OWN_SHARE;

	return all_cpus_busy(limits) && limits->cpu.jobs > 0 &&
	       limits->cpu.jobs < share * limits->cpu.mean * (double)limits->cpu.online;
}

static bool cpu_limits(const struct limits *limits)
{
	return limits_cpu_busy(limits) || limits_cpu_waited(limits) || limits->cpu.engine > THREAD_PERCENT;
}

/* Whether half or more of what was missing at the device was there. */
static bool is_most(const struct limits *limits, double there)
{
	return limits->places && there > 0 && there >= (limits->asked - limits->reached) / 2;
}

/* Where all that was asked for is not at the device, or its depth is not known. */
static enum limiter missing_depth(const struct limits *limits)
{
	if (all_cpus_busy(limits))
		return LIMITER_CPU;
	if (is_most(limits, limits->queued))
		return LIMITER_QUEUE;
	if (is_most(limits, limits->syncing))
		return LIMITER_FLUSHES;
	if (cpu_limits(limits))
		return LIMITER_CPU;
	/* It may as well have waited in its calls, where its threads did little. */
	if (is_most(limits, limits->with_program) && limits->cpu.engine >= THREAD_WORKS)
		return LIMITER_PROGRAM;
	return LIMITER_UNSEEN;
}

enum limiter limiter_of(const struct limits *limits, const struct cap *cap)
{
	if (cap->kind == CAP_CGROUP)
		return LIMITER_CGROUP;
	if (cap_is_told(cap))
		return LIMITER_CAP;
	if (limits->one_each)
		return LIMITER_ENGINE;
	if (limits->link.share >= LINK_FULL)
		return LIMITER_LINK;
	if (limits->sync_share >= SYNCING_FROM)
		return LIMITER_FLUSHES;
	/* Its queue is full because its own work keeps the CPUs busy; unless they are busy with something else. */
	if (works_for_itself(limits) && !limiter_cpus_are_taken(limits))
		return LIMITER_ALL_CPUS;
	if (limits->kept_waiting)
		return limits->full ? LIMITER_TAGS : LIMITER_QUEUE;
	if (all_cpus_busy(limits) && is_software(limits->facts))
		return LIMITER_ALL_CPUS;
	if (limits->full)
		return LIMITER_TAGS;
	if (limits_depth_reached(limits))
		return LIMITER_DEVICE;
	return missing_depth(limits);
}

/* --- in words --- */

char *limiter_cpu(const struct limits *limits)
{
	char busiest[FORMAT_LENGTH], mean[FORMAT_LENGTH];

	format_fixed(busiest, limits->cpu.busiest, 0);
	if (limits->cpu.online < 2)
		return xasprintf("CPU %zu was %s %% busy", limits->cpu.number, busiest);
	return xasprintf("CPU %zu was %s %% busy (all %zu: %s %%)", limits->cpu.number, busiest, limits->cpu.online,
			 format_fixed(mean, limits->cpu.mean, 0));
}

char *limiter_taken(const struct limits *limits, const struct checking *checking)
{
	const char *engine = checking->result->engine ? checking->result->engine : "the engine";
	char number[FORMAT_LENGTH], mean[FORMAT_LENGTH], jobs[FORMAT_LENGTH];
	size_t online = limits->cpu.online;

	snprintf(number, sizeof(number), "all %zu were", online);
	return xasprintf("the CPU: %s %s %% busy, %s's jobs with %s %% of one: other programs take %s. Repeat it with "
			 "the machine at rest",
			 online == 1   ? "it was"
			 : online == 2 ? "both were"
				       : number,
			 format_fixed(mean, limits->cpu.mean, 0), engine, format_fixed(jobs, limits->cpu.jobs, 0),
			 online == 1 ? "it" : "them");
}

static char *cap_clause(const struct cap *cap)
{
	char *level = cap_level(cap), *clause;

	clause = xasprintf("a cap, it seems, as the rate was flat at %s", level);
	free(level);
	return clause;
}

static char *link_clause(const struct limits *limits)
{
	char percent[FORMAT_LENGTH];
	const struct layer *leaf = limits->link.leaf;

	return xasprintf("the link of %s%s%s%s, %s %% full", leaf->name, leaf->link ? " (" : "",
			 leaf->link ? leaf->link : "", leaf->link ? ")" : "",
			 format_fixed(percent, 100 * limits->link.share, 0));
}

static char *tags_clause(const struct limits *limits)
{
	char number[FORMAT_LENGTH], full[FORMAT_LENGTH];

	return xasprintf("the queue of %s, full with %s of the %s requests that %s", limits->disk,
			 format_fixed(number, limits->in_flight, 1), format_count(full, limits->full),
			 limits->full_by_queue ? "it may have (queue/nr_requests)" : "its driver takes at once");
}

/* With what may cost it: what each I/O became, and the CPU. */
static char *device_clause(const struct limits *limits)
{
	char reached[FORMAT_LENGTH], asked[FORMAT_LENGTH], number[FORMAT_LENGTH];
	bool split = limits->splitting.requests_per_io > SPLIT_FROM;
	char *cpu = limits_cpu_busy(limits) ? limiter_cpu(limits) : NULL, *clause;

	clause = xasprintf("%s: %s of %s I/Os were %s%s on average%s%s%s%s%s",
			   limits->remote ? limits->device : "the device", format_fixed(reached, limits->reached, 1),
			   format_fixed(asked, limits->asked, 0), limits->remote ? "there" : "at ",
			   limits->remote ? "" : limits->device, split ? ", each in " : "",
			   split ? format_fixed(number, limits->splitting.requests_per_io, 2) : "",
			   !split		      ? ""
			   : limits->splitting.pieces ? " pieces"
						      : " requests",
			   cpu ? "; beside it " : "", cpu ? cpu : "");
	free(cpu);
	return clause;
}

static char *queue_clause(const struct limits *limits)
{
	const char *scheduler = limits->facts ? limits->facts->scheduler : NULL;
	char wait[FORMAT_LENGTH];

	format_latency(wait, limits->queue_wait);
	if (scheduler && strcmp(scheduler, "none") != 0)
		return xasprintf("the I/O scheduler of %s (%s), in which an I/O waited %s on average", limits->disk,
				 scheduler, wait);
	return xasprintf("the queue of %s, in which an I/O waited %s on average for a tag or for room at its driver",
			 limits->disk, wait);
}

static char *cpu_clause(const struct limits *limits, const struct checking *checking)
{
	char number[FORMAT_LENGTH], share[FORMAT_LENGTH];
	char *use, *clause;

	if (limiter_cpus_are_taken(limits))
		return limiter_taken(limits, checking);
	if (limits_cpu_busy(limits)) {
		use = limiter_cpu(limits);
		clause = xasprintf("the CPU: %s", use);
		free(use);
		return clause;
	}
	if (limits->cpu.engine > THREAD_PERCENT)
		return xasprintf("the CPU: a job of the engine used %s %% of one",
				 format_fixed(number, limits->cpu.engine, 0));
	return xasprintf("the CPU: a woken thread waited %s for one, %s %% of an I/O's time",
			 format_latency(number, limits->cpu.wait),
			 format_fixed(share, 100 * limits->cpu.wait_share, 0));
}

static char *share_clause(const struct limits *limits, double there, const char *where, const char *what)
{
	char number[FORMAT_LENGTH], asked[FORMAT_LENGTH];

	return xasprintf("%s: %s of %s I/Os waited %s on average", where, format_fixed(number, there, 1),
			 format_fixed(asked, limits->asked, 0), what);
}

static char *cgroup_clause(const struct limits *limits)
{
	char number[FORMAT_LENGTH], time[FORMAT_LENGTH];

	format_fixed(number, 100 * limits->throttling.of_ios, 1);
	if (!limits_throttled_by_time(limits))
		return xasprintf("a cgroup's limit, which held %s %% of the I/Os back", number);
	return xasprintf("a cgroup's limit, which held %s %% of the I/Os back; that took %s %% of all I/Os' time",
			 number, format_fixed(time, 100 * limits->throttling.of_time, 1));
}

static char *engine_clause(const struct limits *limits, const struct checking *checking)
{
	return xasprintf("the engine: %s has one I/O in flight for each job, whatever the depth. Use libaio or "
			 "io_uring, or more jobs (T%.0f)",
			 checking->result->options.ioengine, limits->asked);
}

char *limiter_clause(enum limiter limiter, const struct limits *limits, const struct cap *cap,
		     const struct checking *checking)
{
	switch (limiter) {
	case LIMITER_CGROUP:
		return cgroup_clause(limits);
	case LIMITER_CAP:
		return cap_clause(cap);
	case LIMITER_ENGINE:
		return engine_clause(limits, checking);
	case LIMITER_LINK:
		return link_clause(limits);
	case LIMITER_TAGS:
		return tags_clause(limits);
	case LIMITER_DEVICE:
		return device_clause(limits);
	case LIMITER_QUEUE:
		return queue_clause(limits);
	case LIMITER_FLUSHES:
		return share_clause(limits, limits->syncing, "flushes", "for one");
	case LIMITER_ALL_CPUS:
	case LIMITER_CPU:
		return cpu_clause(limits, checking);
	case LIMITER_PROGRAM:
		return share_clause(limits, limits->with_program, "the program",
				    "to be submitted, collected or made again");
	case LIMITER_UNSEEN:
		break;
	}
	return xstrdup("not visible from inside");
}
