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
	double coverage_percent;	 /* requests with a time, of all that were started */
	uint64_t other_bytes, own_bytes; /* queued on the target's disk by all others and by the workload's own tasks */

	double cpu_mean, cpu_max, mem_mean, mem_max, disk_mean, disk_max; /* percent */
	bool has_samples, has_disk;
};

/* Of those of the `count` runs that are done. summary_clear() frees what it holds. */
void summary_of_runs(struct summary *summary, const struct run *const *runs, size_t count, const struct test *test,
		     enum latency_kind kind);
void summary_clear(struct summary *summary);

/* The ops that a test's I/O turns into: reads, writes or both. */
bool test_has_op(const struct test *test, enum op op);

/* The program's I/Os of one or several runs, from call to return. */
struct io_summary {
	size_t runs; /* done ones that it rests on; 0, and the rest means nothing, where one of them was not followed */
	struct io_view *sum; /* over the runs and ops: counts, histograms, rows. Without courses */

	/* Averages over the runs, each weighing the same; ns. */
	double lat;		/* the engine's own; 0 where there is none */
	double total;		/* from call to return, of all that ended */
	double part[IO_PARTS];	/* what of the total is theirs: with `unsplit` they add up to it */
	double unsplit;		/* the total of I/Os that are not joined */
	double mean[IO_STAGES]; /* of those I/Os that have the stage */
};

/* A set of the program's ops is bits by enum io_op. */
#define IO_OP_BIT(op) (1u << (op))

unsigned test_io_ops(const struct test *test);

/* Of those of the `count` runs that are done, and of the I/Os of these ops. io_summary_clear() frees what it holds. */
void io_summary_of_runs(struct io_summary *summary, const struct run *const *runs, size_t count, unsigned ops);
void io_summary_clear(struct io_summary *summary);

/* Of the latency, what was the program's before its call and after the return. A little below 0: the clocks'
 * resolution. */
double io_summary_program(const struct io_summary *summary);

/*
 * Whether a mean total can lie inside of a mean latency: it may be above it by what two clocks may differ, 1 us or 1 %,
 * whichever is more.
 */
bool total_fits(double total, double lat);

#endif
