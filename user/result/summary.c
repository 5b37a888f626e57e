// SPDX-License-Identifier: GPL-2.0
#include "summary.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

bool test_has_op(const struct test *test, enum op op)
{
	if (op == OP_READ)
		return test->access != ACCESS_WRITE;
	return op == OP_WRITE && test->access != ACCESS_READ;
}

_Static_assert(IO_OP_READ == (int)OP_READ && IO_OP_WRITE == (int)OP_WRITE, "a direction is an op of both kinds");

unsigned test_io_ops(const struct test *test)
{
	unsigned ops = 0;

	for (int op = 0; op < DIRECTIONS; op++)
		if (test_has_op(test, op))
			ops |= IO_OP_BIT(op);
	return ops;
}

static double direction_sum(const struct run *run, const struct test *test, double (*value)(const struct direction *))
{
	double sum = 0;

	for (int op = 0; op < DIRECTIONS; op++)
		if (test_has_op(test, op))
			sum += value(&run->engine->direction[op]);
	return sum;
}

static double bytes_per_second(const struct direction *direction)
{
	return (double)direction->bytes_per_second;
}

static double ios_per_second(const struct direction *direction)
{
	return direction->ios_per_second;
}

static double ios(const struct direction *direction)
{
	return (double)direction->ios;
}

/* Adds up what set_means() divides by the number of runs. */
static void add_rates(struct summary *summary, const struct run *run, const struct test *test)
{
	double rate = direction_sum(run, test, ios_per_second);

	summary->bytes_per_second += direction_sum(run, test, bytes_per_second);
	summary->ios_per_second += rate;
	if (!summary->runs || rate < summary->lowest_ios_per_second)
		summary->lowest_ios_per_second = rate;
	if (!summary->runs || rate > summary->highest_ios_per_second)
		summary->highest_ios_per_second = rate;
}

/* Of these ops; each I/O of a run weighs the same. False: the run has no latency of this kind. */
static bool run_mean(const struct run *run, unsigned ops, enum latency_kind kind, double *mean)
{
	double sum = 0, count = 0;

	for (int op = 0; op < DIRECTIONS; op++) {
		const struct latency *latency = &run->engine->direction[op].latency[kind];

		if (!(ops & IO_OP_BIT(op)))
			continue;
		sum += latency->mean * (double)latency->count;
		count += (double)latency->count;
	}
	if (count > 0)
		*mean = sum / count;
	return count > 0;
}

static void set_means(struct summary *summary, const struct run *const *runs, const struct test *test)
{
	double sum = 0, mean;
	size_t means = 0;

	for (size_t i = 0; i < summary->runs; i++) {
		if (!run_mean(runs[i], test_io_ops(test), summary->kind, &mean))
			continue;
		sum += mean;
		means++;
	}
	summary->mean = means ? sum / (double)means : 0;
	summary->bytes_per_second /= (double)summary->runs;
	summary->ios_per_second /= (double)summary->runs;
}

/* Merges the histograms of all latencies, and counts those; NULL when one has none. *only is one of them. */
static struct hist *merge_latencies(const struct summary *summary, const struct run *const *runs,
				    const struct test *test, const struct latency **only, size_t *latencies)
{
	struct hist *merged = hist_new();
	bool complete = true;

	*latencies = 0;
	for (size_t i = 0; i < summary->runs; i++) {
		for (int op = 0; op < DIRECTIONS; op++) {
			const struct latency *latency = &runs[i]->engine->direction[op].latency[summary->kind];

			if (!test_has_op(test, op) || !latency->count)
				continue;
			*only = latency;
			(*latencies)++;
			if (latency->hist)
				hist_merge(merged, latency->hist);
			else
				complete = false;
		}
	}
	if (complete && merged->count)
		return merged;
	free(merged);
	return NULL;
}

static void set_percentiles(struct summary *summary, const struct run *const *runs, const struct test *test)
{
	const struct latency *only = NULL;
	size_t latencies;
	struct hist *merged = merge_latencies(summary, runs, test, &only, &latencies);

	for (int i = 0; i < PERCENTILES; i++) {
		if (latencies == 1 && only->has_percentile[i]) {
			summary->has_percentile[i] = true;
			summary->percentile[i] = only->percentile[i];
		} else if (merged) {
			summary->has_percentile[i] = true;
			summary->percentile[i] = hist_percentile(merged, percentile_percent[i]);
		}
	}
	free(merged);
}

static void add_leaf(struct summary *summary, struct balance *sum, const struct layer_view *leaf,
		     const struct test *test)
{
	for (int op = 0; op < OPS; op++) {
		const struct op_view *view = leaf->op[op];
		struct balance balance;

		if (!view || !test_has_op(test, op))
			continue;
		balance = layer_balance(leaf, op);
		sum->started += balance.started;
		sum->timed += balance.timed;
		sum->in_flight += balance.in_flight;
		hist_merge(summary->device, &view->stage[layer_stage(leaf)]);
	}
}

static void add_queued(struct summary *summary, const struct trace_view *trace)
{
	for (int owner = 0; owner < OWNERS; owner++)
		for (int op = 0; op < OPS; op++)
			*(owner == OWNER_WORKLOAD ? &summary->own_bytes : &summary->other_bytes) +=
				trace->queued[owner][op].bytes;
}

/* The device's figures stand beside the engine's, so they rest on the same runs or there are none. */
static void set_device(struct summary *summary, const struct run *const *runs, const struct test *test)
{
	struct balance requests = {0};
	double engine_ios = 0;

	for (size_t i = 0; i < summary->runs; i++)
		if (!runs[i]->trace)
			return;
	summary->device = hist_new();
	for (size_t i = 0; i < summary->runs; i++) {
		for (size_t leaf = 0; leaf < runs[i]->trace->leaves; leaf++)
			add_leaf(summary, &requests, &runs[i]->trace->leaf[leaf], test);
		add_queued(summary, runs[i]->trace);
		engine_ios += direction_sum(runs[i], test, ios);
	}
	summary->has_device = summary->device->count > 0;
	if (engine_ios > 0)
		summary->requests_per_io = (double)requests.started / engine_ios;
	if (requests.started > requests.in_flight)
		summary->coverage_percent =
			100.0 * (double)requests.timed / (double)(requests.started - requests.in_flight);
}

static void track(double value, double *sum, double *max)
{
	*sum += value;
	if (value > *max)
		*max = value;
}

static void set_samples(struct summary *summary, const struct run *const *runs)
{
	size_t samples = 0, disk_samples = 0;

	for (size_t i = 0; i < summary->runs; i++) {
		for (size_t s = 0; s < runs[i]->samples; s++) {
			const struct sample *sample = &runs[i]->sample[s];

			samples++;
			track(sample->cpu_percent, &summary->cpu_mean, &summary->cpu_max);
			track(sample->mem_percent, &summary->mem_mean, &summary->mem_max);
			if (!sample->has_disk)
				continue;
			disk_samples++;
			track(sample->disk_percent, &summary->disk_mean, &summary->disk_max);
		}
	}
	summary->has_samples = samples > 0;
	summary->has_disk = disk_samples > 0;
	if (samples) {
		summary->cpu_mean /= (double)samples;
		summary->mem_mean /= (double)samples;
	}
	if (disk_samples)
		summary->disk_mean /= (double)disk_samples;
}

void summary_of_runs(struct summary *summary, const struct run *const *runs, size_t count, const struct test *test,
		     enum latency_kind kind)
{
	const struct run **done = xcalloc(count + 1, sizeof(const struct run *));

	memset(summary, 0, sizeof(*summary));
	summary->kind = kind;
	for (size_t i = 0; i < count; i++) {
		if (runs[i]->state != RUN_DONE || !runs[i]->engine)
			continue;
		add_rates(summary, runs[i], test);
		done[summary->runs++] = runs[i];
	}
	if (summary->runs) {
		set_means(summary, done, test);
		set_percentiles(summary, done, test);
		set_device(summary, done, test);
		set_samples(summary, done);
	}
	free(done);
}

void summary_clear(struct summary *summary)
{
	free(summary->device);
	memset(summary, 0, sizeof(*summary));
}

/* --- from call to return --- */

/* Sums over the runs of a mean, and the runs that have it. */
struct average {
	double sum, runs;
};

static void average_add(struct average *average, double value)
{
	average->sum += value;
	average->runs++;
}

static double average_of(const struct average *average)
{
	return average->runs > 0 ? average->sum / average->runs : 0;
}

struct io_averages {
	struct average lat, total, part[IO_PARTS], mean[IO_STAGES];
};

/* All of it are numbers of 64 bits. */
static void add_io_counts(struct io_counts *into, const struct io_counts *from)
{
	uint64_t *sum = (uint64_t *)into;
	const uint64_t *more = (const uint64_t *)from;

	_Static_assert(sizeof(*into) % sizeof(*sum) == 0, "nothing but counts");
	for (size_t i = 0; i < sizeof(*into) / sizeof(*sum); i++)
		sum[i] += more[i];
}

static void add_row(struct latency_row *into, const struct latency_row *from)
{
	into->count += from->count;
	for (int part = 0; part < IO_PARTS; part++)
		into->sum[part] += from->sum[part];
}

static void add_io_view(struct io_view *into, const struct io_view *from)
{
	add_io_counts(&into->counts, &from->counts);
	into->in_flight_at_end += from->in_flight_at_end;
	for (int stage = 0; stage < IO_STAGES; stage++)
		hist_merge(&into->stage[stage], &from->stage[stage]);
	for (uint32_t row = 0; row < LATENCY_ROWS; row++)
		add_row(&into->row[row], &from->row[row]);
}

/* The parts' sums are of the joined I/Os, the total is of all: so a part's mean is what it contributes to that. */
static void add_averages(struct io_averages *averages, const struct io_view *view)
{
	double total = (double)view->stage[IO_STAGE_TOTAL].count;
	struct latency_row all = {0};

	for (int stage = 0; stage < IO_STAGES; stage++)
		if (view->stage[stage].count)
			average_add(&averages->mean[stage], hist_mean(&view->stage[stage]));
	if (total <= 0)
		return;
	for (uint32_t row = 0; row < LATENCY_ROWS; row++)
		add_row(&all, &view->row[row]);
	average_add(&averages->total, hist_mean(&view->stage[IO_STAGE_TOTAL]));
	for (int part = 0; part < IO_PARTS; part++)
		average_add(&averages->part[part], (double)all.sum[part] / total);
}

static void add_run(struct io_summary *summary, struct io_averages *averages, const struct run *run, unsigned ops)
{
	struct io_view *view = xcalloc(1, sizeof(*view));
	double lat = 0;

	for (int op = 0; op < IO_OPS; op++)
		if (ops & IO_OP_BIT(op) && run->trace->io[op])
			add_io_view(view, run->trace->io[op]);
	add_averages(averages, view);
	if (run->engine && run_mean(run, ops, LATENCY_LAT, &lat))
		average_add(&averages->lat, lat);
	add_io_view(summary->sum, view);
	free(view);
}

static void set_averages(struct io_summary *summary, const struct io_averages *averages)
{
	summary->lat = average_of(&averages->lat);
	summary->total = summary->unsplit = average_of(&averages->total);
	for (int part = 0; part < IO_PARTS; part++) {
		summary->part[part] = average_of(&averages->part[part]);
		summary->unsplit -= summary->part[part];
	}
	for (int stage = 0; stage < IO_STAGES; stage++)
		summary->mean[stage] = average_of(&averages->mean[stage]);
}

void io_summary_of_runs(struct io_summary *summary, const struct run *const *runs, size_t count, unsigned ops)
{
	struct io_averages averages = {0};
	bool followed = true;

	*summary = (struct io_summary){0};
	for (size_t i = 0; i < count; i++)
		followed &= runs[i]->state != RUN_DONE || (runs[i]->trace && runs[i]->trace->ios);
	if (!followed)
		return;
	summary->sum = xcalloc(1, sizeof(*summary->sum));
	for (size_t i = 0; i < count; i++) {
		if (runs[i]->state != RUN_DONE)
			continue;
		add_run(summary, &averages, runs[i], ops);
		summary->runs++;
	}
	set_averages(summary, &averages);
}

void io_summary_clear(struct io_summary *summary)
{
	free(summary->sum);
	*summary = (struct io_summary){0};
}

double io_summary_program(const struct io_summary *summary)
{
	return summary->lat - summary->total;
}

bool total_fits(double total, double lat)
{
	double slack = lat * 0.01 > 1000 ? lat * 0.01 : 1000;

	return total <= lat + slack;
}
