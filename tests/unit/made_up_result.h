/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Whole results for the tests of report/ and result/file: the six tests on a made-up disk, made_up_matrix(). With the
 * program's I/Os where made_up_ios() is called for a run, and of a traced program, made_up_program(): made_up_ios.h.
 */
#ifndef TEST_MADE_UP_RESULT_H
#define TEST_MADE_UP_RESULT_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "result/result.h"

/* Per test, in ns where it is a time. No two latencies, and no two of their texts, are equal. */
static const struct made_up {
	const char *name;
	enum access access;
	bool random;
	uint64_t block_size, bytes_per_second;
	unsigned depth, jobs;
	double ios_per_second, mean[LATENCY_KINDS]; /* slat, clat, lat */
	uint64_t p50[LATENCY_KINDS], p99[LATENCY_KINDS], p99_9[LATENCY_KINDS];
	uint64_t device; /* of every request */
	double cpu;
} made_up[] = {
	{"SEQ1M-Q8T1-Read", ACCESS_READ, false, 1 << 20, 2811234567, 8, 1, 2681, {41200, 2932000, 2973200},
	 {39100, 2874000, 2916000}, {88100, 3391000, 3452000}, {97300, 4817000, 4948000}, 1400000, 3.1},
	{"SEQ1M-Q8T1-Write", ACCESS_WRITE, false, 1 << 20, 1934005000, 8, 1, 1844.4, {52300, 4283000, 4335300},
	 {50200, 4228000, 4293000}, {91700, 5276000, 5341000}, {99800, 7832000, 7963000}, 2100000, 4.25},
	{"RND4K-Q32T16-Read", ACCESS_READ, true, 4096, 1271398400, 32, 16, 310400, {1870, 1647000, 1648870},
	 {1730, 1582000, 1598000}, {6940, 2146000, 2179000}, {9350, 3031000, 3064000}, 1537000, 61.7},
	{"RND4K-Q32T16-Write", ACCESS_WRITE, true, 4096, 942080000, 32, 16, 230000, {2210, 2223000, 2225210},
	 {2010, 2114000, 2162000}, {7170, 5604000, 5669000}, {9910, 9241000, 9372000}, 2090000, 58.0},
	{"RND4K-Q1T1-Read", ACCESS_READ, true, 4096, 51200000, 1, 1, 12500, {3140, 75700, 78840},
	 {2930, 73900, 76400}, {8460, 101900, 106800}, {11300, 246000, 253000}, 68100, 4.9},
	{"RND4K-Q1T1-Write", ACCESS_WRITE, true, 4096, 226125000, 1, 1, 55206, {2650, 14700, 17350},
	 {2470, 14100, 16600}, {5820, 28400, 31900}, {10700, 61200, 66300}, 11400, 9.2},
};

static char **made_up_command(const char *first, const char *second)
{
	char **command = xcalloc(3, sizeof(*command));

	command[0] = xstrdup(first);
	command[1] = xstrdup(second);
	return command;
}

static void made_up_layer(struct layer *layer, const char *name, uint64_t size)
{
	*layer = (struct layer){
		.name = xstrdup(name),
		.size = size,
		.has_requests = true,
		.logical_block = 512,
		.physical_block = 512,
		.max_request_bytes = 524288,
		.queue_requests = 1023,
		.scheduler = xstrdup("none"),
		.write_cache = xstrdup("write back"),
		.fua = true,
	};
}

static void made_up_target(struct target *target, const char *given)
{
	*target = (struct target){
		.given = xstrdup(given),
		.path = xstrdup(given),
		.kind = TARGET_DIRECTORY,
		.filesystem = xstrdup("ext4"),
		.source = xstrdup("/dev/nvme0n1p2"),
		.mount_point = xstrdup("/mnt/fast"),
		.buffered = xstrdup("9p refuses O_DIRECT when a file is opened (EINVAL)"),
		.file_size = 8ull << 30,
		.laid_out_in = 6000000000,
		.layer = xcalloc(2, sizeof(struct layer)),
		.layers = 2,
	};
	made_up_layer(&target->layer[0], "nvme0n1p2", 900000000000);
	target->layer[0].parent_disk = xstrdup("nvme0n1");
	made_up_layer(&target->layer[1], "nvme0n1", 1000204886016);
	target->layer[1].model = xstrdup("Made-up SSD 500");
	target->layer[1].serial = xstrdup("S1234");
	target->layer[1].leaf = true;
}

static void made_up_test(struct test *test, const struct made_up *row)
{
	*test = (struct test){
		.random = row->random,
		.access = row->access,
		.read_percent = row->access == ACCESS_READ ? 100 : 0,
		.block_size = row->block_size,
		.depth = row->depth,
		.jobs = row->jobs,
	};
	snprintf(test->name, sizeof(test->name), "%s", row->name);
}

/* All of `result` but its runs. */
static struct result *made_up_result(size_t targets)
{
	struct result *result = result_new();

	result->version = xstrdup("0.1");
	result->config = xstrdup("NonRAID");
	result->command = made_up_command("iostrata", "bench");
	result->started = 1796058021000000000;
	strcpy(result->stamp, "20261130_170021");
	strcpy(result->timestamp, "2026-11-30 17:00:21");
	result->machine.host = xstrdup("bench1");
	result->machine.kernel = xstrdup("6.1.0-made-up");
	result->machine.cpus = 8;
	result->options = (struct options){
		.size = 8ull << 30,
		.duration = 30000000000,
		.warmup = 5000000000,
		.iterations = 1,
		.latency = LATENCY_LAT,
		.trace = true,
		.queue = true,
		.ioengine = xstrdup("libaio"),
	};
	result->engine = xstrdup("fio");
	result->engine_version = xstrdup("fio-3.33");
	result->targets = targets;
	result->target = xcalloc(targets, sizeof(*result->target));
	for (size_t i = 0; i < targets; i++) {
		char given[] = "/mnt/fast0";

		given[sizeof(given) - 2] = (char)('0' + i);
		made_up_target(&result->target[i], targets > 1 ? given : "/mnt/fast");
	}
	result->tests = ARRAY_SIZE(made_up);
	result->test = xcalloc(result->tests, sizeof(*result->test));
	for (size_t i = 0; i < result->tests; i++)
		made_up_test(&result->test[i], &made_up[i]);
	return result;
}

static struct engine_figures *made_up_engine(const struct made_up *row, double speed)
{
	struct engine_figures *engine = xcalloc(1, sizeof(*engine));
	struct direction *direction = &engine->direction[row->access == ACCESS_WRITE ? OP_WRITE : OP_READ];

	engine->version = xstrdup("fio-3.33");
	direction->ios = (uint64_t)(row->ios_per_second * speed * 30);
	direction->bytes = direction->ios * row->block_size;
	direction->bytes_per_second = (uint64_t)((double)row->bytes_per_second * speed);
	direction->ios_per_second = row->ios_per_second * speed;
	direction->runtime = 30000000000;
	for (int kind = 0; kind < LATENCY_KINDS; kind++) {
		struct latency *latency = &direction->latency[kind];

		latency->count = direction->ios;
		latency->mean = row->mean[kind] / speed;
		latency->max = row->p99_9[kind] * 2;
		latency->min = row->p50[kind] / 2;
		latency->has_percentile[P50] = latency->has_percentile[P99] = latency->has_percentile[P99_9] = true;
		latency->percentile[P50] = row->p50[kind];
		latency->percentile[P99] = row->p99[kind];
		latency->percentile[P99_9] = row->p99_9[kind];
		latency->hist = hist_new();
		hist_add(latency->hist, row->p50[kind], direction->ios);
	}
	return engine;
}

/* `count` times `value`, all in the first second. */
static void made_up_stage(struct op_view *view, enum stage stage, uint64_t value, uint64_t count)
{
	struct second *second = xcalloc(1, sizeof(*second));

	hist_add(&view->stage[stage], value, count);
	second->at = 1002000000;
	second->grown = xcalloc(1, sizeof(*second->grown));
	second->grown[0] = (struct grown){.bucket = hist_bucket(value), .count = count};
	second->buckets = 1;
	view->course[stage] = (struct course){.second = second, .seconds = 1};
}

/* Requests of `size` bytes on one layer, as the probes and the kernel count them. */
static struct op_view *made_up_requests(struct layer_view *layer, const char *device, const struct made_up *row,
					uint64_t requests, uint64_t size)
{
	enum op op = row->access == ACCESS_WRITE ? OP_WRITE : OP_READ;
	struct op_view *view = xcalloc(1, sizeof(*view));

	layer->device = xstrdup(device);
	layer->has_requests = true;
	layer->op[op] = view;
	layer->has_stat = true;
	layer->stat[op == OP_READ ? STAT_READ : STAT_WRITE] =
		(struct stat_delta){.ios = requests, .sectors = requests * size / 512, .time = requests * row->device};
	view->issues = view->completions = requests;
	view->issued_bytes = view->completed_bytes = requests * size;
	made_up_stage(view, STAGE_DEVICE, row->device, requests);
	return view;
}

/* The bios on the disk: one for each I/O, which waits for a tenth of its device time. */
static void made_up_bios(struct op_view *view, const struct made_up *row, uint64_t requests, uint64_t size)
{
	view->bios = view->finished = requests * size / row->block_size;
	view->bio_bytes = requests * size;
	view->pieces = view->walked = requests;
	made_up_stage(view, STAGE_QUEUE, row->device / 10, view->bios);
}

/* The disk is the leaf, its partition the target. */
static struct trace_view *made_up_trace(const struct made_up *row, uint64_t requests)
{
	struct trace_view *trace = xcalloc(1, sizeof(*trace));
	enum op op = row->access == ACCESS_WRITE ? OP_WRITE : OP_READ;
	uint64_t size = row->block_size > 524288 ? 524288 : row->block_size;

	trace->recorded = 30100000000;
	trace->top = xstrdup("nvme0n1");
	trace->leaf = xcalloc(1, sizeof(*trace->leaf));
	trace->leaves = 1;
	trace->leaf[0].queue = true;
	made_up_bios(made_up_requests(&trace->leaf[0], "nvme0n1", row, requests, size), row, requests, size);
	trace->above = xcalloc(1, sizeof(*trace->above));
	trace->aboves = 1;
	trace->above[0].partition = true;
	made_up_requests(&trace->above[0], "nvme0n1p2", row, requests, size);
	trace->queued[OWNER_WORKLOAD][op] = (struct bio_counts){.bios = requests, .bytes = requests * size};
	return trace;
}

/* A finished, traced run; `speed` 1 gives the table's rates. */
static struct run *made_up_run(struct result *result, size_t target, size_t test, unsigned iteration, double speed)
{
	const struct made_up *row = &made_up[test];
	struct run *run = result_add_run(result);

	run->target = target;
	run->test = test;
	run->iteration = iteration;
	run->state = RUN_DONE;
	run->started = result->started + test * 36000000000;
	run->elapsed = 30050000000;
	run->command = made_up_command("fio", row->name);
	run->engine = made_up_engine(row, speed);
	run->trace = made_up_trace(row, run->engine->direction[row->access == ACCESS_WRITE].ios *
						(row->block_size > 524288 ? 2 : 1));
	run->samples = 2;
	run->sample = xcalloc(2, sizeof(*run->sample));
	for (size_t i = 0; i < 2; i++)
		run->sample[i] = (struct sample){
			.at = (i + 1) * 1000000000,
			.cpu_percent = row->cpu + (i ? 0.5 : -0.5),
			.mem_percent = 6.25,
			.has_disk = true,
			.disk_percent = i ? 100 : 93.9,
			.disk_ios = 12345,
			.disk_bytes = 50565120,
		};
	return run;
}

/* Every test on every target, `iterations` times, the later ones a little slower. */
static __attribute__((unused)) struct result *made_up_matrix(size_t targets, unsigned iterations)
{
	struct result *result = made_up_result(targets);

	result->options.iterations = iterations;
	for (size_t target = 0; target < targets; target++)
		for (size_t test = 0; test < result->tests; test++)
			for (unsigned i = 1; i <= iterations; i++)
				made_up_run(result, target, test, i, 1.1 - 0.1 * i - 0.05 * (double)target);
	return result;
}

static __attribute__((unused)) void made_up_not_done(struct run *run, enum run_state state, const char *reason)
{
	engine_figures_free(run->engine);
	trace_view_free(run->trace);
	free(run->sample);
	run->engine = NULL;
	run->trace = NULL;
	run->sample = NULL;
	run->samples = 0;
	run->state = state;
	run->reason = xstrdup(reason);
}

#include "made_up_ios.h"

#endif
