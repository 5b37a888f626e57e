/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Boundaries are moments in the life of an I/O, stages the intervals between them. One row each: a new stage is a row
 * here and the place that stamps it. Where btt has a letter, ours is the same.
 */
#ifndef IOSTRATA_STAGES_H
#define IOSTRATA_STAGES_H

/* ROW(id, letter, meaning) */
#define IOSTRATA_BOUNDARIES(ROW)                                                                                       \
	ROW(CALL, "S", "the program enters the system call that submits the I/O (sys_enter)")                          \
	ROW(QUEUE, "Q", "the first bio enters the block layer (block_bio_queue), or a request goes to a server")       \
	ROW(ISSUE, "D", "the last request is handed to the driver for the last time (block_rq_issue)")                 \
	ROW(DOORBELL, "B", "the submitting thread gets out of the driver: its call returns, or it is switched away")   \
	ROW(COMPLETE, "C", "the driver completes the last request (block_rq_complete), or the server has answered")    \
	ROW(SYNCED, "C'", "the last flush that a synchronous write waits for has ended; else C")                       \
	ROW(ASK, "P", "the thread asks for completions (sys_enter of io_getevents, ...); of a synchronous call, S")    \
	ROW(WAKE, "W", "the waiting thread is woken (sched_waking)")                                                   \
	ROW(RETURN, "R", "the program has the result (sys_exit)")

/* Stages of requests and bios, on each layer. ROW(id, name, from, to, meaning) */
#define IOSTRATA_STAGES(ROW)                                                                                           \
	ROW(DEVICE, "device", ISSUE, COMPLETE, "of a request: driver, transport, hypervisor and device")               \
	ROW(QUEUE, "queue", QUEUE, ISSUE, "of a bio: plug, merge, tag wait, ring-full retries, I/O scheduler")         \
	ROW(THROUGH, "through", QUEUE, COMPLETE, "of a bio on a bio-based layer (md, dm, zram): all of it")

/*
 * What can be seen of the way between D and C of a request on a SCSI disk; inside of `device`. The first three add up to
 * it. The last two are of Hyper-V's channel (drivers/hv/hv_trace.h), and of those requests alone that needed a signal:
 * while the ring is not empty the host needs none. ROW(id, name, meaning)
 */
#define IOSTRATA_HOPS(ROW)                                                                                             \
	ROW(DISPATCH, "dispatch", "from the issue until the SCSI layer hands the command to its driver")               \
	ROW(COMMAND, "command", "until the driver says that the command is done: its transport, the host and the device") \
	ROW(FINISH, "finish", "from there to the completion of the request")                                           \
	ROW(KICK, "kick", "from the handing over until the host is signalled (vmbus_setevent)")                        \
	ROW(INTERRUPT, "interrupt", "from the host's interrupt (vmbus_chan_sched) until the command is done")

/*
 * Stages of the program's I/Os. The first ones, up to `deliver`, add up to `total`; those after it lie inside of the
 * stage that `inside` names and are never added. ROW(id, name, from, to, inside, meaning)
 */
#define IOSTRATA_IO_STAGES(ROW)                                                                                        \
	ROW(SUBMIT, "submit", CALL, QUEUE, TOTAL, "system call, file system, direct-I/O set-up")                       \
	ROW(QUEUE, "queue", QUEUE, ISSUE, TOTAL, "plug, merge, tag wait, ring-full retries, I/O scheduler")            \
	ROW(DEVICE, "device", ISSUE, COMPLETE, TOTAL, "driver, transport, hypervisor and device")                      \
	ROW(THROUGH, "through", QUEUE, COMPLETE, TOTAL, "on a bio-based device (md, dm, zram): all below it")          \
	ROW(REMOTE, "remote", QUEUE, COMPLETE, TOTAL, "the file system's server: from the request to the answer")      \
	ROW(SYNC, "sync", COMPLETE, SYNCED, TOTAL, "the flush that a synchronous write still waits for")               \
	ROW(UNREAPED, "unreaped", SYNCED, ASK, TOTAL, "it was complete and the program had not asked yet")             \
	ROW(DELIVER, "deliver", SYNCED, RETURN, TOTAL, "from the interrupt (or the asking, if later) to the result")   \
	ROW(TOTAL, "total", CALL, RETURN, TOTAL, "from the call to the result")                                        \
	ROW(THROTTLED, "throttled", CALL, QUEUE, SUBMIT, "a cgroup's limit held it back")                              \
	ROW(SPREAD, "spread", ISSUE, ISSUE, QUEUE, "from the first to the last issue of an I/O in several requests")   \
	ROW(DOORBELL, "doorbell", ISSUE, DOORBELL, DEVICE, "in the driver; once per submit call")                      \
	ROW(BATCH, "batch", SYNCED, SYNCED, DELIVER, "the program asked for several and waited for the rest")          \
	ROW(WAKE, "wake", SYNCED, WAKE, DELIVER, "until the waiting thread was woken")                                 \
	ROW(RUNQ, "runq", WAKE, RETURN, DELIVER, "until the woken thread ran and returned")

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

enum hop {
#define ROW(id, name, meaning) HOP_##id,
	IOSTRATA_HOPS(ROW)
#undef ROW
		HOPS
};

enum io_stage {
#define ROW(id, name, from, to, inside, meaning) IO_STAGE_##id,
	IOSTRATA_IO_STAGES(ROW)
#undef ROW
		IO_STAGES
};

/* Those that add up to the total. */
#define IO_PARTS IO_STAGE_TOTAL

#endif
