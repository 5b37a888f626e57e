// SPDX-License-Identifier: GPL-2.0
#include "share.h"

#include <math.h>

/* How far requests per I/O may be off 1 (a few requests of the file system's own). */
#define SEVERAL 0.01

/* Percent of other I/O from which on its requests shift what is said of the workload's. */
#define MUCH 5

/*
 * Means are averaged run by run, on both sides: taken from all requests together, the device's mean would follow the
 * faster runs, which have more of them, while the engine's weighs each run the same.
 */
static double average_device_mean(const struct run *const *runs, size_t count, const struct test *test)
{
	double sum = 0;
	size_t means = 0;

	for (size_t i = 0; i < count; i++) {
		struct summary one;

		summary_of_runs(&one, &runs[i], 1, test, LATENCY_LAT);
		if (one.has_device) {
			sum += hist_mean(one.device);
			means++;
		}
		summary_clear(&one);
	}
	return means ? sum / (double)means : 0;
}

static enum share_state judge(const struct share *share, const struct summary *summary)
{
	if (!summary->has_device)
		return summary->device ? SHARE_NO_REQUESTS : SHARE_NOT_TRACED;
	if (share->other_percent >= MUCH)
		return SHARE_OTHERS;
	if (!(fabs(share->requests_per_io - 1) <= SEVERAL))
		return SHARE_SEVERAL;
	return share->device_mean > share->latency_mean ? SHARE_ABOVE_LATENCY : SHARE_KNOWN;
}

void share_of_runs(struct share *share, const struct run *const *runs, size_t count, const struct test *test)
{
	struct summary all;

	summary_of_runs(&all, runs, count, test, LATENCY_LAT);
	*share = (struct share){
		.runs = all.runs,
		.device_mean = average_device_mean(runs, count, test),
		.latency_mean = all.mean,
		.requests_per_io = all.requests_per_io,
		.other_percent = all.other_bytes ? 100.0 * all.other_bytes / (all.own_bytes + all.other_bytes) : 0,
		.coverage_percent = all.coverage_percent,
		.has_percentile = all.has_device,
	};
	for (int i = 0; i < PERCENTILES && all.has_device; i++)
		share->percentile[i] = hist_percentile(all.device, percentile_percent[i]);
	share->state = judge(share, &all);
	summary_clear(&all);
}
