/* SPDX-License-Identifier: GPL-2.0 */
/* The device's share of an I/O's latency, and when there is none to be given. */
#ifndef REPORT_SHARE_H
#define REPORT_SHARE_H

#include "result/summary.h"

enum share_state {
	SHARE_KNOWN,
	SHARE_NOT_TRACED,   /* a run has no trace */
	SHARE_NO_REQUESTS,  /* traced, and none was seen */
	SHARE_OTHERS,	    /* so much other I/O that its requests are among those that were timed */
	SHARE_SEVERAL,	    /* an I/O is not one request, so a request's time is no part of an I/O's */
	SHARE_ABOVE_LATENCY /* the device's mean is above the I/O's: other I/O is in it */
};

struct share {
	enum share_state state;
	size_t runs;	     /* that are done; 0: the rest means nothing */
	double device_mean;  /* ns; average over the runs, as the latency is */
	double latency_mean; /* ns, always of lat, which the device's time is part of; clat is not all of it */
	double requests_per_io;
	double other_percent; /* bytes on the target's disk that were not the workload's */
	double coverage_percent;
	bool has_percentile;
	uint64_t percentile[PERCENTILES]; /* of all requests together */
};

/* Over the done ones of `runs`, all of `test`. */
void share_of_runs(struct share *share, const struct run *const *runs, size_t count, const struct test *test);

#endif
