/* SPDX-License-Identifier: GPL-2.0 */
/* The first thing that was at its limit. At saturation stages show where the queue stands, not what limits. */
#ifndef RESULT_LIMITER_H
#define RESULT_LIMITER_H

#include "cap.h"

/* In the order in which they are looked at; the first that holds is named. */
enum limiter {
	LIMITER_CGROUP,	 /* its limit held I/Os back */
	LIMITER_CAP,	 /* the rate is that of a cap, as far as a flat rate can tell */
	LIMITER_ENGINE,	 /* it has one I/O in flight for each job, whatever the depth */
	LIMITER_LINK,	 /* it carried 90 % or more of what it can */
	LIMITER_FLUSHES, /* a synchronous write waits for one, half of its time; after the device: most waited there */
	LIMITER_QUEUE,	 /* the jobs themselves waited to issue, as few are taken at once; after the device: as above */
	LIMITER_ALL_CPUS, /* all were busy, and the disk is software that needs them */
	LIMITER_TAGS,	  /* the disk took no more at once */
	LIMITER_DEVICE,	  /* what was asked for was in flight there */
	LIMITER_CPU,	  /* one was busy, or the engine's threads were, or they waited for one */
	LIMITER_PROGRAM,  /* submitting and collecting took most of it */
	LIMITER_UNSEEN,	  /* nothing that can be seen from inside */
};

enum limiter limiter_of(const struct limits *limits, const struct cap *cap);

/* A clause that says so with its figures, without a full stop; the caller frees it. */
char *limiter_clause(enum limiter limiter, const struct limits *limits, const struct cap *cap,
		     const struct checking *checking);

/* "CPU 1 was 98 % busy (all 2: 97 %)"; where the busiest is known. The caller frees it. */
char *limiter_cpu(const struct limits *limits);

/* Whether all CPUs were busy, and the engine's jobs used so little of that that other programs must have had them. */
bool limiter_cpus_are_taken(const struct limits *limits);

/* A clause that says so, and what to do; without a full stop. The caller frees it. */
char *limiter_taken(const struct limits *limits, const struct checking *checking);

#endif
