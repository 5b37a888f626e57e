/* SPDX-License-Identifier: GPL-2.0 */
/* What must hold between the figures of one run. Each check is a pure function over the model. */
#ifndef RESULT_CHECK_H
#define RESULT_CHECK_H

#include "result.h"

/* What a sentence says last where the figures contradict themselves: "device times; repeat it, ..." follows. */
#define CHECK_ADVICE " Do not rely on this run's "

/* Whether the stages of a read or write that ended so should be known and are not: it took the way that is followed. */
bool io_end_is_loss(enum io_end end);

/*
 * Adds every check that applies to `run` of the result, which is done, and its verdict; of a traced program those that
 * need no engine:
 *   balance      bytes that the engine reports = bytes that its tasks queued, per direction
 *   identity     issues - requeues = completions + in flight at the end + losses, per layer and op; of the program's
 *		  I/Os, called = ends + in flight at the end + those without room in the table, per op
 *   ios          I/Os that the engine reports = I/Os that were seen to end, per direction; of the reads and writes whose
 *		  stages should be known, 99.5 % or more joined
 *   outer sum    mean from call to return <= mean lat, per direction
 *   coverage     requests with a time, of all that were started: 99.5 % or more
 *   diskstats    issues - requeues and sectors = the kernel's own count, per leaf and group, where the edges were quiet
 *   await        mean device time <= diskstats' mean time <= mean lat
 *   percentiles  lat's percentiles are not below clat's
 *   medium       no leaf is memory (zram, brd, null_blk, a loop device over a file in tmpfs), and the target is on a disk
 *   cache        the bytes that the program moved arrived at every layer down to the leaves
 *   layout       every block that is read was written before: no holes, no unwritten extents, no blocks of zeros
 *   nearness     in a virtual machine, a random read is slower than the same block again
 *   link         the rate is not above what the link carries
 *   foreign      the share of the disk's work that was not this workload's is below 5 %
 *   depth        the mean depth at the device, and who limited it
 *   cpu          no CPU was over 90 % busy, and waiting for one took less than 10 % of the mean
 *   splits       requests per I/O, and the limit that causes them
 *   cap          no cgroup held I/Os back, and throughput is not flat at a round figure
 *   observer     the probes' own cost per I/O is below 10 % of the mean
 *   limit        the first thing that was at its limit
 *   little       I/Os per second times latency = depth (Little's law)
 *   steady       no trend and no cliff over the run
 *   iterations   the test's iterations so far lie within 10 %
 *   array        no array under the target was resyncing or lacked a member
 *   clock        no pauses of the machine, no drift, little time stolen
 *   power        not on battery, no CPU slowed down by heat
 *   durability   what was asked to be durable was, as far as can be seen
 *   expectation  a rate or latency that --expect names
 */
void check_run(struct result *result, struct run *run);

#endif
