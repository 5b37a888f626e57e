/* SPDX-License-Identifier: GPL-2.0 */
/* One pattern over depths: how throughput and latency grow, and where more depth buys latency alone. */
#ifndef RESULT_SWEEP_H
#define RESULT_SWEEP_H

#include "result.h"
#include "summary.h"

struct sweep_point {
	unsigned depth; /* over all jobs */
	size_t test;
	struct summary summary; /* runs 0: nothing is known */
	double reached;	/* mean depth at the target's own device; negative: not known */
};

struct sweep {
	struct sweep_point *point; /* by depth */
	size_t points;
	size_t knee;	    /* index of the least depth that gives 90 % of the most IOPS; NO_KNEE */
	double saturation;  /* most IOPS times latency at the least depth, over that depth's own queue: the depth at which a
			       device without queues of its own would be full; 0: not known */
};

#define NO_KNEE SIZE_MAX

/* Of all runs on a target of a result whose options say `sweep`. sweep_clear() frees what it holds. */
void sweep_of_target(struct sweep *sweep, const struct result *result, size_t target);
void sweep_clear(struct sweep *sweep);

#endif
