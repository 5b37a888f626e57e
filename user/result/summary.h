/* SPDX-License-Identifier: GPL-2.0 */
/* Figures of one or several runs as tables show them. A line never mixes latencies of different kinds. */
#ifndef RESULT_SUMMARY_H
#define RESULT_SUMMARY_H

#include "result.h"

struct summary {
	size_t runs; /* done ones that it rests on; 0: the rest means nothing */

	/* Averages over the runs, each weighing the same. */
	double bytes_per_second, ios_per_second;
	double mean; /* ns, of the kind asked for */
	double lowest_ios_per_second, highest_ios_per_second;

	/* Of all the runs' I/Os together, of the same kind as the mean. */
	enum latency_kind kind;
	bool has_percentile[PERCENTILES];
	uint64_t percentile[PERCENTILES];

	/* Of all the requests of the test's own ops on the leaves. */
	bool has_device;
	struct hist *device;
	double requests_per_io;
	double coverage_percent; /* requests with a time, of all that were started */
	uint64_t other_bytes, own_bytes; /* queued on the target's disk by others and by the workload */

	double cpu_mean, cpu_max, mem_mean, mem_max, disk_mean, disk_max; /* percent */
	bool has_samples, has_disk;
};

/* Of those of the `count` runs that are done. summary_clear() frees what it holds. */
void summary_of_runs(struct summary *summary, const struct run *const *runs, size_t count, const struct test *test,
		     enum latency_kind kind);
void summary_clear(struct summary *summary);

/* The ops that a test's I/O turns into: reads, writes or both. */
bool test_has_op(const struct test *test, enum op op);

#endif
