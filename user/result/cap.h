/* SPDX-License-Identifier: GPL-2.0 */
/* Whether something held a run's rate at a figure: what is seen of a cgroup, and what a flat rate lets one guess. */
#ifndef RESULT_CAP_H
#define RESULT_CAP_H

#include "limits.h"
#include "series.h"

enum cap_kind {
	CAP_NONE,
	CAP_CGROUP, /* seen: a cgroup's limit held I/Os back */
	CAP_CLIFF,  /* the rate fell to a level and stayed flat there */
	CAP_ROUND,  /* the rate was flat at a round figure */
};

struct cap {
	enum cap_kind kind;
	double level;		  /* of CAP_ROUND and CAP_CLIFF; the former's is the round figure */
	bool bytes;		  /* it is bytes per second, else I/Os */
	double variation;	  /* of the flat part, 0 to 1 */
	const struct test *alike; /* CAP_ROUND: a test at the same figure that should have another; NULL: none so far */
	bool has_cliff;		  /* of any kind */
	struct cliff cliff;	  /* bytes per second */
	uint64_t since;		  /* when it was; ns since the start of the run */
};

void cap_of_run(struct cap *cap, const struct checking *checking, const struct limits *limits);

/* Whether that is more than a guess. */
bool cap_is_told(const struct cap *cap);

/* "3,000 IOPS", "125 MB/s"; the caller frees it. */
char *cap_level(const struct cap *cap);

#endif
