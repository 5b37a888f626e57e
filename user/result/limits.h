/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How near a run was to each of the limits that can be seen from inside. By Little's law a time per I/O is a number of
 * I/Os, too: I/Os per second times the mean time in a place are the I/Os that are there on average.
 */
#ifndef RESULT_LIMITS_H
#define RESULT_LIMITS_H

#include "checks.h"

/* A cgroup that holds I/Os back; shares are 0 to 1. */
struct throttling {
	bool known;
	double of_ios;	/* of those that ended */
	double of_time; /* of their time from call to return */
	double mean;	/* ns, of the I/Os that were held back */
};

/* Requests and I/Os are not the same; 0: not known. */
struct splitting {
	double requests_per_io; /* of the program's own, at the first layer that can tell */
	double ios_per_request; /* merged ones */
	const char *device;	/* that layer */
	const char
		*limited_by; /* the layer with the smallest limit of size that an I/O is above; NULL: none is known */
	uint64_t limit;	     /* bytes */
	bool pieces;	     /* a bio-based layer cuts them: its chunks */
};

/* Percent. */
struct cpu_use {
	bool known;
	double busiest, mean;
	size_t number; /* of the busiest */
	size_t online;
	double engine;	   /* of one job's thread, as the engine says; negative: not known */
	double jobs;	   /* the same of all jobs together: percent of one CPU; negative: not known */
	double wait;	   /* ns that a woken thread waited until it ran and returned, over all I/Os; 0: not known */
	double wait_share; /* of the I/Os' time, 0 to 1 */
};

/* What a link carried of what it can, 0 to 1, of the leaf that is nearest to it. */
struct link_use {
	double share; /* 0: not known */
	const struct layer *leaf;
	double bytes_per_second;
};

struct limits {
	bool one_each; /* the engine has one I/O in flight for each job, and more was asked for */
	double asked;  /* I/Os in flight: depth times jobs; 0: a traced program */

	const char *device;	   /* the target's own; NULL: it has no times, and what follows is not known */
	const char *disk;	   /* the same, or the disk of the partition */
	bool remote;		   /* it is none, but the server of a file system */
	const struct layer *facts; /* of the disk; NULL: not known */
	double reached;		   /* of the test's own I/Os, those at the device on average; negative: not known */
	bool none_came;		   /* not one of them came to it */
	double in_flight;	   /* requests at the disk on average, everyone's */
	uint64_t full; /* requests that the disk takes at once, where about so many were there; 0: there was room */
	bool full_by_queue; /* queue/nr_requests is that limit, not the driver */
	bool small_queue;   /* one of the two is below what was asked for */
	bool kept_waiting;  /* by that: half of the time or more each job waited until its I/O could be issued */

	bool places; /* known is where the I/Os that were not at the device waited; I/Os on average: */
	double queued, syncing, with_program; /* to be issued; for a flush; to be submitted, collected or made again */
	double queue_wait;		      /* ns, mean */
	double sync_share;		      /* of the mean latency, 0 to 1 */

	struct throttling throttling;
	struct splitting splitting;
	struct cpu_use cpu;
	struct link_use link;
};

/* `reached` of a run that is done, of the result, as it is of a test; negative: not known. */
double limits_reached(const struct result *result, const struct run *run);

/* Of a run that is done. Pointers lead into the result. */
void limits_of_run(struct limits *limits, const struct checking *checking);

/* Whether it is known how many of the test's own I/Os were at the device, and some were. */
bool limits_depth_known(const struct limits *limits);

/* Depth that is reached: 90 % of what was asked for. */
bool limits_depth_reached(const struct limits *limits);

/* A CPU was over 90 % busy; a woken thread waited for one for more than 10 % of the mean, while they were in use. */
bool limits_cpu_busy(const struct limits *limits);
bool limits_cpu_waited(const struct limits *limits);

/* More than 10 % of the I/Os, or of their time. */
bool limits_throttled(const struct limits *limits);

/* That by their time alone: few were held back, and for long. */
bool limits_throttled_by_time(const struct limits *limits);

/* Whether this engine of fio's (NULL: none) has one I/O in flight for each job, whatever the depth. */
bool ioengine_is_synchronous(const char *ioengine);

#endif
