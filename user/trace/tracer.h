/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The probes of one target: load, attach, mark the workload, record, collect. The only folder that knows the skeleton.
 * Loading and attaching take long; recording begins and ends with one store.
 */
#ifndef TRACE_TRACER_H
#define TRACE_TRACER_H

#include <sys/types.h>

#include "result/result.h"

struct tracer;

/* What is asked of it. What isn't is not loaded. */
struct trace_wish {
	const struct layer *layer; /* the stack under the target, its own device first; or all that is to be watched */
	size_t layers;
	uint64_t in_flight; /* the most I/Os expected at once: the tables are made so large that they practically never
			       overflow */
	bool queue;	    /* follow bios from Q to D, too, and through bio-based layers */
	bool ios;	    /* follow I/Os from call to return, too; needs `queue` */
	bool clocks;	    /* split calls and syncs by what is in flight at the disk; needs `ios` */
	bool syncs;	    /* writes may be synchronous (O_DSYNC): follow the flush that they wait for; needs `ios` */
	int file;	    /* only I/O on this open file is an I/O; -1: on any */
	bool files_of_layers; /* only I/O on files that lie on the layers, or on the layers themselves; else on any */
	enum owner_rule own;
	const char *cgroup;  /* for OWN_CGROUP: its directory in the cgroup v2 hierarchy */
	bool no_children;    /* what a marked process forks is not the workload's */
	unsigned slowest;    /* I/Os that are kept whole; 0: none */
	uint64_t slow_from;  /* ns: I/Os that took this long or longer are kept, too, */
	size_t slow_records; /* up to so many; 0: none */
	bool remote;	     /* follow round trips to servers of file systems without a device, too; needs `ios` */
	dev_t remote_device; /* as stat() has it, of the one such file system whose files count; 0: any */
	bool rings;	     /* results may be taken from libaio's rings without a call: what is complete counts in
				the seconds of I/Os, asked for or not; needs `ios` */
	bool intervals;	     /* tracer_interval() is going to ask for the slowest of each; needs `ios` */
};

/*
 * Loads and attaches the probes; bios are counted by owner on the whole disk of the first layer, or with `file` of -1
 * on every disk that no other layer stands on. Returns 0; -ENODEV when there is neither a layer to be seen nor, with
 * `remote`, a kernel that tells of round trips; -E2BIG for more
 * than MAX_LAYERS; -ENOENT or -ENOTSUP for a cgroup that is not there or is none of v2's; or -errno of the load, with
 * libbpf's reasons shown by -v.
 */
int tracer_open(struct tracer **tracer, const struct trace_wish *wish);
void tracer_close(struct tracer *tracer);

/* Makes process `pid` and what it forks from now on the workload. 0 or -errno. */
int tracer_mark(struct tracer *tracer, pid_t pid);

/*
 * Empties the counters and begins to record. Waits up to 100 ms for a moment when no I/O is in flight on a layer, so
 * that the kernel's own counts can be compared exactly. Returns when it began, ns of CLOCK_MONOTONIC: the times of
 * records are since then.
 */
uint64_t tracer_start(struct tracer *tracer);

/*
 * Reads the histograms while they go on growing, and keeps what came since the last time as one second of the course.
 * Nothing is reset, so nothing is lost between two readings. To be called at least once in a few minutes: a bucket
 * counts to 2^32.
 */
void tracer_read(struct tracer *tracer);

/* What came since the last time, or since the start. A maximum is exact, or the end of its bucket. */
struct trace_interval {
	uint64_t from, to; /* ns since the recording began */
	uint64_t bytes[IO_OPS];
	struct hist stage[IO_OPS][IO_STAGES];
	struct hist call[CALLS];
	struct bio_counts queued[OWNERS][OPS];
	bool has_slowest;
	struct io_record slowest; /* of those that ended in it */
};

/* Reads as tracer_read() does, and tells of the interval that ends now. */
void tracer_interval(struct tracer *tracer, struct trace_interval *interval);

/*
 * Ends the recording, waits up to 2 s for what is still on its way, and returns what was seen; the caller frees it with
 * trace_view_free().
 */
struct trace_view *tracer_stop(struct tracer *tracer);

/*
 * Between these two the kernel times each run of its BPF programs, which costs another 65 to 80 ns each time and is for
 * a calibration alone. The first returns 0, or -errno where that cannot be switched on (before 5.8, or without
 * CAP_SYS_ADMIN); then the second must not be called. It returns the ns that the probes ran, with part of the timing's
 * own cost in them: at the most.
 */
int tracer_cost_begin(struct tracer *tracer);
uint64_t tracer_cost_end(struct tracer *tracer);

/* Start-up time and map memory; `resident` is not touched. */
void tracer_observe(const struct tracer *tracer, struct observer *observer);

#endif
