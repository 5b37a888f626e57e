/* SPDX-License-Identifier: GPL-2.0 */
/* One run of a test on a target: the warm-up, the measured part, the probes around it, the samples during it. */
#ifndef WORKLOAD_RUN_H
#define WORKLOAD_RUN_H

#include "fio.h"
#include "place.h"
#include "trace/tracer.h"

enum phase { PHASE_WARMUP, PHASE_MEASURE };

/* Where a run stands; told once a second. */
struct progress {
	enum phase phase;
	uint64_t elapsed, planned;   /* of the phase, ns */
	const struct sample *sample; /* the last second's, or NULL */
};

/* What all runs on one target share. */
struct runner {
	const struct options *options;
	const struct fio *fio;
	const struct place *place;
	const struct target *target;
	const char *device;	/* kernel name of the target's own device, or NULL */
	struct tracer *tracer;	/* NULL: nothing is traced */
	void (*tell)(void *context, const struct progress *progress);
	void *context;
};

/*
 * Fills the run: done with the engine's figures, samples and trace; failed with the reason; or interrupted, when a
 * signal asked to stop. Returns 0; or -EBUSY when the engine's processes could not be ended, so that nothing more can be
 * measured on this target.
 */
int run_test(const struct runner *runner, const struct test *test, struct run *run);

#endif
