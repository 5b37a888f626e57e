/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A guest's result and its host's recording: the guest reads for ten seconds while the host looks on. Include
 * made_up_result.h first.
 */
#ifndef TEST_MADE_UP_SPLIT_H
#define TEST_MADE_UP_SPLIT_H

#include "base/clock.h"
#include "result/split.h"

/* Of every I/O, ns. */
#define SUBMIT 3000
#define QUEUE  2000
#define DISK   20000

/* In each second of the host's. */
#define RATE 1000

/* Where the host's recording begins, and how long it is. */
#define BEGIN	1796058000000000000
#define SECONDS 120

/* The test of depth 1, whose requests take 68.1 us in the guest. */
#define READ 4

struct pair {
	struct result *host, *guest;
};

static void add_second(struct io_view *view, uint64_t from, uint64_t ios, uint64_t size)
{
	struct io_second *second;

	view->second = xreallocarray(view->second, view->seconds + 1, sizeof(*view->second));
	second = &view->second[view->seconds++];
	*second = (struct io_second){
		.from = from * NS_PER_SECOND,
		.to = (from + 1) * NS_PER_SECOND,
		.bytes = ios * size,
		.count = {[IO_STAGE_SUBMIT] = ios, [IO_STAGE_QUEUE] = ios, [IO_STAGE_DEVICE] = ios},
		.sum = {[IO_STAGE_SUBMIT] = ios * SUBMIT,
			[IO_STAGE_QUEUE] = ios * QUEUE,
			[IO_STAGE_DEVICE] = ios * DISK},
	};
	view->counts.end[IO_END_SELF_REAPED] += ios;
}

static struct io_view *host_io(struct result *host, enum io_op op)
{
	struct trace_view *trace = host->run[0].trace;

	if (!trace->io[op])
		trace->io[op] = xcalloc(1, sizeof(*trace->io[op]));
	return trace->io[op];
}

/* From second `from` on, RATE reads of 4 KiB in each of `seconds`. */
static void add_reads(struct result *host, uint64_t from, uint64_t seconds)
{
	for (uint64_t i = 0; i < seconds; i++)
		add_second(host_io(host, IO_OP_READ), from + i, RATE, 4096);
}

static struct result *made_up_host(void)
{
	struct result *host = result_new();
	struct run *run = result_add_run(host);

	host->version = xstrdup("0.1");
	host->config = xstrdup("trace");
	host->command = made_up_command("iostrata", "trace");
	host->machine.host = xstrdup("metal");
	host->machine.kernel = xstrdup("6.1.0-host");
	host->target = xcalloc(1, sizeof(*host->target));
	host->targets = 1;
	run->test = NO_TEST;
	run->iteration = 1;
	run->state = RUN_DONE;
	run->trace = xcalloc(1, sizeof(*run->trace));
	run->trace->started = BEGIN;
	run->trace->recorded = SECONDS * NS_PER_SECOND;
	run->trace->ios = true;
	run->trace->leaf = xcalloc(1, sizeof(*run->trace->leaf));
	run->trace->leaves = 1;
	run->trace->leaf[0] = (struct layer_view){.device = xstrdup("nvme7n1"), .has_requests = true};
	return host;
}

/* Spread evenly over the whole seconds from `first` to `last` of the guest's recording. */
static void spread(struct op_view *view, uint64_t requests, uint64_t first, uint64_t last)
{
	struct course *course = &view->course[STAGE_DEVICE];
	const struct grown grown = course->second[0].grown[0];
	uint64_t seconds = last - first;

	for (size_t i = 0; i < course->seconds; i++)
		free(course->second[i].grown);
	course->second = xreallocarray(course->second, seconds, sizeof(*course->second));
	course->seconds = seconds;
	for (uint64_t i = 0; i < seconds; i++) {
		struct second *second = &course->second[i];

		*second = (struct second){.at = (first + i + 1) * NS_PER_SECOND, .buckets = 1};
		second->grown = xcalloc(1, sizeof(grown));
		second->grown[0] = (struct grown){grown.bucket, requests / seconds};
	}
}

/* `requests` of a test that was recorded from `from` to `to`, ns of the host's recording. */
static struct run *add_run(struct result *guest, size_t test, uint64_t from, uint64_t to, uint64_t requests)
{
	struct run *run = made_up_run(guest, 0, test, 1, 1);

	trace_view_free(run->trace);
	run->trace = made_up_trace(&made_up[test], requests);
	run->trace->started = BEGIN + from;
	run->trace->recorded = to - from;
	spread(run->trace->leaf[0].op[made_up[test].access == ACCESS_WRITE ? OP_WRITE : OP_READ], requests, 0,
	       (to - from) / NS_PER_SECOND);
	return run;
}

/*
 * The guest reads for ten seconds, from 20.3 s on, and starts and ends in half a second each. Nobody else does
 * anything, so that what the host sees in seconds 20 to 30 is it.
 */
static struct pair made_up_pair_of(uint64_t requests)
{
	struct pair pair = {made_up_host(), made_up_result(1)};

	add_reads(pair.host, 21, 9);
	add_run(pair.guest, READ, 20300 * NS_PER_MS, 30300 * NS_PER_MS, requests);
	return pair;
}

static struct pair made_up_pair(void)
{
	return made_up_pair_of(9 * RATE);
}

static void clear(struct pair *pair, struct split *split)
{
	split_clear(split);
	result_free(pair->host);
	result_free(pair->guest);
}

static struct split split_pair(const struct pair *pair)
{
	struct split split;

	split_of_results(&split, pair->host, pair->guest);
	return split;
}

#endif
