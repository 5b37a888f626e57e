// SPDX-License-Identifier: GPL-2.0
#include "limits.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "remote.h"
#include "stack.h"
#include "summary.h"

#define NEARLY	       0.9
#define BUSY_PERCENT   90
#define IN_USE_PERCENT 50 /* a CPU that is idle takes a while to wake up, which is no waiting for it */
#define HELD_FROM      0.1
#define HELD_TIME      0.01 /* below it nothing was lost by it */
#define WAITED_FROM    0.1
#define KEPT_FROM      0.5
#define FULL_AT_MOST   1.02 /* more in flight than a limit: it is none */
#define TOO_DEEP       1.05 /* more at the device than was asked for: they are not the test's own */
#define OWN_SHARE      0.95 /* of the I/Os or requests; with less of them a mean time says nothing of the test's own */

bool ioengine_is_synchronous(const char *ioengine)
{
	static const char *const engine[] = {"sync", "psync", "vsync", "pvsync", "pvsync2", "mmap"};

	for (size_t i = 0; ioengine && i < ARRAY_SIZE(engine); i++)
		if (!strcmp(ioengine, engine[i]))
			return true;
	return false;
}

bool limits_depth_known(const struct limits *limits)
{
	return limits->device && !limits->none_came && limits->reached >= 0;
}

bool limits_depth_reached(const struct limits *limits)
{
	return limits_depth_known(limits) && limits->reached >= NEARLY * limits->asked;
}

bool limits_cpu_busy(const struct limits *limits)
{
	return limits->cpu.known && limits->cpu.busiest > BUSY_PERCENT;
}

bool limits_cpu_waited(const struct limits *limits)
{
	return limits->cpu.known && limits->cpu.busiest >= IN_USE_PERCENT && limits->cpu.wait_share > WAITED_FROM;
}

bool limits_throttled(const struct limits *limits)
{
	const struct throttling *throttling = &limits->throttling;

	return throttling->known &&
	       (throttling->of_time > HELD_FROM || (throttling->of_ios > HELD_FROM && throttling->of_time > HELD_TIME));
}

bool limits_throttled_by_time(const struct limits *limits)
{
	return limits_throttled(limits) && limits->throttling.of_ios <= HELD_FROM;
}

/* --- layers --- */

static const struct layer_view *nth_view(const struct trace_view *trace, size_t index)
{
	return index < trace->aboves ? &trace->above[index] : &trace->leaf[index - trace->aboves];
}

static const struct layer_view *find_view(const struct trace_view *trace, const char *device)
{
	for (size_t i = 0; i < trace->aboves + trace->leaves; i++)
		if (!strcmp(nth_view(trace, i)->device, device))
			return nth_view(trace, i);
	return NULL;
}

static const struct layer *find_facts(const struct checking *checking, const char *device)
{
	for (size_t i = 0; checking->target && i < checking->target->layers; i++)
		if (!strcmp(checking->target->layer[i].name, device))
			return &checking->target->layer[i];
	return NULL;
}

static bool is_own(const struct checking *checking, enum op op)
{
	return checking->test ? test_has_op(checking->test, op) : op < DIRECTIONS;
}

/* A sum over the ops of a layer that are the test's own, of one of their counts. */
static uint64_t sum_counts(const struct checking *checking, const struct layer_view *view, size_t offset)
{
	uint64_t sum = 0;

	for (int op = 0; op < OPS; op++)
		if (view->op[op] && is_own(checking, op))
			sum += *(const uint64_t *)((const char *)view->op[op] + offset);
	return sum;
}

#define SUM(checking, view, field) ((double)sum_counts(checking, view, offsetof(struct op_view, field)))

static double issued(const struct checking *checking, const struct layer_view *view)
{
	return SUM(checking, view, issues) - SUM(checking, view, requeues);
}

/* The sum and count of the times across the layer, of the test's own ops or of all. */
static void add_times(const struct checking *checking, const struct layer_view *view, bool all, double *sum,
		      double *count)
{
	*sum = *count = 0;
	for (int op = 0; op < OPS; op++) {
		const struct hist *hist = view->op[op] ? &view->op[op]->stage[layer_stage(view)] : NULL;

		if (!hist || (!all && !is_own(checking, op)))
			continue;
		*sum += (double)hist->sum;
		*count += (double)hist->count;
	}
}

/* The first from the target's own on that has times; NULL: none has. */
static const struct layer_view *own_view(const struct checking *checking)
{
	const struct trace_view *trace = checking->run->trace;
	double sum, count;

	for (size_t i = 0; trace && i < trace->aboves + trace->leaves; i++) {
		add_times(checking, nth_view(trace, i), false, &sum, &count);
		if (count > 0)
			return nth_view(trace, i);
	}
	return NULL;
}

/* --- the run --- */

static double engine_ios_per_second(const struct checking *checking)
{
	double sum = 0;

	for (int op = 0; op < DIRECTIONS && checking->run->engine; op++)
		sum += is_own(checking, op) ? checking->run->engine->direction[op].ios_per_second : 0;
	return sum;
}

/* --- depth --- */

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/*
 * Each hardware queue has tags of its own, and each job uses one of them at a time; of other drivers all queues share
 * the tags. So there are two limits, and the one that as many requests were in flight as it allows is in effect.
 */
static uint64_t full_of(struct limits *limits, uint64_t all, uint64_t queues, uint64_t jobs)
{
	uint64_t limit[] = {all / queues * least(queues, jobs), all};
	double asked = limits->asked * (limits->splitting.requests_per_io > 1 ? limits->splitting.requests_per_io : 1);

	for (size_t i = 0; i < ARRAY_SIZE(limit); i++) {
		if (!limit[i] || (double)limit[i] >= asked)
			continue;
		limits->small_queue = true;
		if (limits->in_flight >= NEARLY * (double)limit[i] &&
		    limits->in_flight <= FULL_AT_MOST * (double)limit[i])
			return limit[i];
	}
	return 0;
}

/* nr_requests is for each hardware queue, and of the driver's tags or the scheduler's (block/blk-mq.c). */
static void set_full(struct limits *limits, const struct test *test)
{
	uint64_t queues, by_queue, by_driver;

	if (!limits->facts || !test || !limits->facts->has_requests)
		return;
	queues = limits->facts->hardware_queues ? limits->facts->hardware_queues : 1;
	by_driver = full_of(limits, limits->facts->tags, queues, test->jobs);
	by_queue = full_of(limits, limits->facts->queue_requests * queues, queues, test->jobs);
	limits->full = by_driver ? by_driver : by_queue;
	limits->full_by_queue = by_queue && !by_driver;
}

/* Those that came to no device, or of which it is known how long they were there; not so of buffered ones. */
static double followed(const struct io_view *view)
{
	const struct hist *stage = view->stage;

	return (double)(stage[IO_STAGE_DEVICE].count + stage[IO_STAGE_THROUGH].count + stage[IO_STAGE_REMOTE].count +
			view->counts.end[IO_END_NOT_QUEUED]);
}

/* Of I/Os that were followed, from the first request's issue on. False: too few were. */
static bool depth_by_ios(struct limits *limits, const struct io_summary *ios, double time)
{
	const struct hist *stage;
	uint64_t ended;

	if (!ios->runs)
		return false;
	ended = io_ended(ios->sum);
	if (!ended || followed(ios->sum) < OWN_SHARE * (double)ended)
		return false;
	stage = ios->sum->stage;
	limits->none_came = !stage[IO_STAGE_DEVICE].count && !stage[IO_STAGE_THROUGH].count &&
			    !stage[IO_STAGE_REMOTE].count;
	limits->reached = (double)(stage[IO_STAGE_DEVICE].sum + stage[IO_STAGE_SPREAD].sum +
				   stage[IO_STAGE_THROUGH].sum + stage[IO_STAGE_REMOTE].sum) /
			  time;
	return true;
}

static double engine_ios(const struct checking *checking)
{
	double sum = 0;

	for (int op = 0; op < DIRECTIONS; op++)
		sum += is_own(checking, op) ? (double)checking->run->engine->direction[op].ios : 0;
	return sum;
}

/* Whether the requests were the test's own, and all of it came there. Not known without owners: then it may be so. */
static bool requests_are_own(struct limits *limits, const struct checking *checking)
{
	const struct trace_view *trace = checking->run->trace;
	double own = 0, all = 0;

	for (int op = 0; op < DIRECTIONS; op++) {
		if (!is_own(checking, op))
			continue;
		own += (double)trace->queued[OWNER_WORKLOAD][op].bios;
		for (int owner = 0; owner < OWNERS; owner++)
			all += (double)trace->queued[owner][op].bios;
	}
	limits->none_came = trace->top && own <= 0 && !trace->queued[OWNER_WRITEBACK][OP_WRITE].bios;
	return !trace->top || (own >= OWN_SHARE * all && own >= OWN_SHARE * engine_ios(checking));
}

static void set_reached(struct limits *limits, const struct checking *checking, const struct io_summary *ios,
			const struct layer_view *own)
{
	double time = (double)run_io_time(checking->run), sum, count;

	limits->reached = -1;
	if (!checking->run->engine || time <= 0 || depth_by_ios(limits, ios, time))
		return;
	if (!requests_are_own(limits, checking))
		return;
	add_times(checking, own, false, &sum, &count);
	limits->reached = engine_ios_per_second(checking) * sum / count / 1e9;
	if (limits->reached > TOO_DEEP * limits->asked)
		limits->reached = -1;
}

/* Without a device that could be at its limit: just how many I/Os were there. */
static void set_depth_at_server(struct limits *limits, const struct checking *checking, const struct io_summary *ios)
{
	double time = (double)run_io_time(checking->run);

	limits->reached = -1;
	if (!checking->run->engine || time <= 0 || !depth_by_ios(limits, ios, time))
		return;
	limits->device = limits->disk = "the server";
	limits->remote = true;
	limits->in_flight = limits->reached;
}

static void set_depth(struct limits *limits, const struct checking *checking, const struct io_summary *ios)
{
	const struct layer_view *own = own_view(checking), *disk;
	double sum, count, time;

	if (!own && checking->target && target_is_remote(checking->target))
		set_depth_at_server(limits, checking, ios);
	if (!own)
		return;
	limits->device = limits->disk = own->device;
	limits->facts = find_facts(checking, own->device);
	if (limits->facts && limits->facts->parent_disk) {
		limits->disk = limits->facts->parent_disk;
		limits->facts = find_facts(checking, limits->disk);
	}
	set_reached(limits, checking, ios, own);
	disk = find_view(checking->run->trace, limits->disk);
	add_times(checking, disk ? disk : own, true, &sum, &count);
	time = (double)run_io_time(checking->run);
	limits->in_flight = time > 0 ? sum / time : 0;
}

/* --- where they were --- */

/* What of the I/Os' time was not at the device; of the engine's own, what it did between one and the next. */
static void set_places(struct limits *limits, const struct checking *checking, const struct io_summary *ios)
{
	double rate = engine_ios_per_second(checking) / 1e9, program, spread;

	if (!limits->asked || rate <= 0 || ios->lat <= 0 || ios->total <= 0)
		return;
	program = io_summary_program(ios) + ios->part[IO_STAGE_SUBMIT] + ios->part[IO_STAGE_UNREAPED] +
		  ios->part[IO_STAGE_DELIVER];
	limits->places = true;
	limits->queue_wait = ios->part[IO_STAGE_QUEUE];
	/* What is issued in part is at the device. */
	spread = (double)ios->sum->stage[IO_STAGE_SPREAD].sum / (double)ios->sum->stage[IO_STAGE_TOTAL].count;
	limits->queued = rate * (ios->part[IO_STAGE_QUEUE] - spread);
	limits->syncing = rate * ios->part[IO_STAGE_SYNC];
	limits->sync_share = ios->part[IO_STAGE_SYNC] / ios->lat;
	/* A thread that waits for a tag submits nothing else meanwhile: there is one such I/O a job at the most. */
	limits->kept_waiting = limits->small_queue && limits->queued >= KEPT_FROM * checking->test->jobs;
	limits->with_program = rate * program;
	if (limits->asked > rate * ios->lat)
		limits->with_program += limits->asked - rate * ios->lat;
}

static void set_throttling(struct limits *limits, const struct io_summary *ios)
{
	const struct hist *held = &ios->sum->stage[IO_STAGE_THROTTLED], *total = &ios->sum->stage[IO_STAGE_TOTAL];
	uint64_t ended = io_ended(ios->sum);

	if (!ended || !total->sum)
		return;
	limits->throttling = (struct throttling){
		.known = true,
		.of_ios = (double)ios->sum->counts.note[IO_NOTE_THROTTLED] / (double)ended,
		.of_time = (double)held->sum / (double)total->sum,
		.mean = hist_mean(held),
	};
}

static void set_wait(struct limits *limits, const struct io_summary *ios)
{
	const struct hist *wait = &ios->sum->stage[IO_STAGE_RUNQ], *total = &ios->sum->stage[IO_STAGE_TOTAL];

	if (!total->sum)
		return;
	limits->cpu.wait = (double)wait->sum / (double)total->count;
	limits->cpu.wait_share = (double)wait->sum / (double)total->sum;
}

/* --- splits and merges --- */

static uint64_t io_bytes(const struct checking *checking, const struct io_summary *ios)
{
	uint64_t ended = ios->runs ? io_ended(ios->sum) : 0;

	if (checking->test)
		return checking->test->block_size;
	return ended ? ios->sum->counts.bytes / ended : 0;
}

/* Down to the layer that counted: what is below it cuts its requests, not the I/Os. */
static void set_split_cause(struct splitting *splitting, const struct checking *checking, const char *last,
			    uint64_t bytes)
{
	for (size_t i = 0; checking->target && i < checking->target->layers; i++) {
		const struct layer *layer = &checking->target->layer[i];

		if (!layer->parent_disk && layer->max_request_bytes && layer->max_request_bytes < bytes &&
		    (!splitting->limit || layer->max_request_bytes < splitting->limit)) {
			splitting->limited_by = layer->name;
			splitting->limit = layer->max_request_bytes;
		}
		if (last && !strcmp(layer->name, last))
			return;
	}
}

/* The first layer that has requests and saw bios or requests of the test's own. */
static const struct layer_view *request_view(const struct checking *checking)
{
	const struct trace_view *trace = checking->run->trace;

	for (size_t i = 0; i < trace->aboves + trace->leaves; i++) {
		const struct layer_view *view = nth_view(trace, i);

		if (view->has_requests && !view->partition && issued(checking, view) > 0)
			return view;
	}
	return NULL;
}

/* Pieces of a bio complete one by one there, and the last one is the bio itself. */
static void set_pieces(struct splitting *splitting, const struct checking *checking, const struct layer_view *own)
{
	double bios = SUM(checking, own, bios), children = SUM(checking, own, children);

	splitting->device = own->device;
	splitting->pieces = true;
	if (bios > 0)
		splitting->requests_per_io = (bios + children) / bios;
}

static void set_requests(struct splitting *splitting, const struct checking *checking, const struct layer_view *view,
			 const struct io_summary *ios)
{
	double joined = ios->runs ? (double)ios->sum->counts.end[IO_END_JOINED] : 0;
	double finished = SUM(checking, view, finished), walked = SUM(checking, view, walked);

	splitting->device = view->device;
	if (joined > 0 && ios->sum->counts.requests)
		splitting->requests_per_io = (double)ios->sum->counts.requests / joined;
	else if (view->queue && finished > 0)
		splitting->requests_per_io = SUM(checking, view, pieces) / finished;
	if (view->queue && walked > 0)
		splitting->ios_per_request = walked / issued(checking, view);
}

static void set_splitting(struct limits *limits, const struct checking *checking, const struct io_summary *ios)
{
	const struct layer_view *own = own_view(checking), *view;

	if (!own)
		return;
	if (!own->has_requests) {
		set_pieces(&limits->splitting, checking, own);
		return;
	}
	view = request_view(checking);
	if (!view)
		return;
	set_requests(&limits->splitting, checking, view, ios);
	set_split_cause(&limits->splitting, checking, view->device, io_bytes(checking, ios));
}

/* --- CPU and links --- */

static void set_cpu(struct cpu_use *use, const struct checking *checking)
{
	const struct conditions *conditions = checking->run->conditions;
	const struct engine_figures *engine = checking->run->engine;

	/* Of one job: the engine is told to report the jobs as a group, and gives their average then. */
	use->engine = engine ? engine->user_percent + engine->system_percent : -1;
	if (use->engine > 100 || use->engine == 0)
		use->engine = -1;
	use->jobs = use->engine > 0 && checking->test ? use->engine * checking->test->jobs : -1;
	for (size_t i = 0; conditions && i < conditions->cpus; i++) {
		double busy = conditions->cpu_busy[i];

		if (busy < 0)
			continue;
		if (!use->online || busy > use->busiest) {
			use->busiest = busy;
			use->number = i;
		}
		use->mean += busy;
		use->online++;
	}
	use->known = use->online;
	use->mean /= use->online ? (double)use->online : 1;
}

static void set_link(struct link_use *use, const struct checking *checking)
{
	const struct trace_view *trace = checking->run->trace;
	double time = (double)run_io_time(checking->run) / 1e9;

	for (size_t i = 0; time > 0 && i < trace->leaves; i++) {
		const struct layer_view *view = &trace->leaf[i];
		const struct layer *leaf = find_facts(checking, view->device);
		double rate = SUM(checking, view, completed_bytes) / time;

		if (!leaf || !leaf->link_bytes_per_second || rate <= use->share * (double)leaf->link_bytes_per_second)
			continue;
		*use = (struct link_use){rate / (double)leaf->link_bytes_per_second, leaf, rate};
	}
}

/* --- all of it --- */

static unsigned own_ops(const struct checking *checking)
{
	return checking->test ? test_io_ops(checking->test) : IO_OP_BIT(IO_OP_READ) | IO_OP_BIT(IO_OP_WRITE);
}

void limits_of_run(struct limits *limits, const struct checking *checking)
{
	const struct run *run = checking->run;
	const struct test *test = checking->test;
	struct io_summary ios;

	*limits = (struct limits){0};
	if (test) {
		limits->asked = (double)test->jobs * test->depth;
		limits->one_each = test->depth > 1 && ioengine_is_synchronous(checking->result->options.ioengine);
	}
	set_cpu(&limits->cpu, checking);
	if (!run->trace)
		return;
	io_summary_of_runs(&ios, &run, 1, own_ops(checking));
	set_splitting(limits, checking, &ios);
	if (test)
		set_depth(limits, checking, &ios);
	set_full(limits, test);
	set_link(&limits->link, checking);
	if (ios.runs) {
		set_places(limits, checking, &ios);
		set_throttling(limits, &ios);
		set_wait(limits, &ios);
	}
	io_summary_clear(&ios);
}

double limits_reached(const struct result *result, const struct run *run)
{
	struct checking checking = {
		.result = result,
		.run = (struct run *)run, /* only check_...() add to it */
		.target = run->target < result->targets ? &result->target[run->target] : NULL,
		.test = run->test < result->tests ? &result->test[run->test] : NULL,
	};
	struct limits limits;

	limits_of_run(&limits, &checking);
	return limits.device ? limits.reached : -1;
}
