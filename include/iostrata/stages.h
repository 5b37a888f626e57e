/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Boundaries are moments in the life of an I/O, stages the intervals between them. One row each: a new stage is a row
 * here and the place that stamps it. Where btt has a letter, ours is the same.
 */
#ifndef IOSTRATA_STAGES_H
#define IOSTRATA_STAGES_H

/* ROW(id, letter, meaning) */
#define IOSTRATA_BOUNDARIES(ROW)                                                                                       \
	ROW(QUEUE, "Q", "the bio enters the block layer (block_bio_queue)")                                            \
	ROW(ISSUE, "D", "the request is handed to the driver for the last time (block_rq_issue)")                      \
	ROW(COMPLETE, "C", "the driver completes the request (block_rq_complete)")

/* ROW(id, name, from, to, meaning) */
#define IOSTRATA_STAGES(ROW)                                                                                           \
	ROW(DEVICE, "device", ISSUE, COMPLETE, "of a request: driver, transport, hypervisor and device")               \
	ROW(QUEUE, "queue", QUEUE, ISSUE, "of a bio: plug, merge, tag wait, ring-full retries, I/O scheduler")         \
	ROW(THROUGH, "through", QUEUE, COMPLETE, "of a bio on a bio-based layer (md, dm, zram): all of it")

enum boundary {
#define ROW(id, letter, meaning) BOUNDARY_##id,
	IOSTRATA_BOUNDARIES(ROW)
#undef ROW
		BOUNDARIES
};

enum stage {
#define ROW(id, name, from, to, meaning) STAGE_##id,
	IOSTRATA_STAGES(ROW)
#undef ROW
		STAGES
};

#endif
