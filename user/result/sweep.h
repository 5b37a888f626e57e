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
	size_t knee; /* index of the least depth that gives 90 % of the most IOPS; NO_KNEE where that is the deepest, so
			that more might come of more depth, and where fewer than two are known */
	double saturation; /* most IOPS times lat at the least depth (Little's law): the depth that would be enough if
			      nothing had to wait for anything else below it; 0: not known, as without a knee */
};

#define NO_KNEE SIZE_MAX

/* Of all runs on a target of a result whose options say `sweep`. sweep_clear() frees what it holds. */
void sweep_of_target(struct sweep *sweep, const struct result *result, size_t target);
void sweep_clear(struct sweep *sweep);

#endif
