// SPDX-License-Identifier: GPL-2.0
/* What came in an interval: all that was counted since the start, less what the intervals before it told of. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"

#include "collect.h"
#include "percpu.h"

/* --- differences; what was told is brought up to now --- */

static uint64_t since(uint64_t now, uint64_t *told)
{
	uint64_t grown = now - *told;

	*told = now;
	return grown;
}

/* A maximum that did not rise is that of an earlier interval: then it is known to a bucket. */
static uint64_t greatest(const struct hist *grown, const struct hist *now, const struct hist *told)
{
	uint64_t end;

	if (now->max > told->max)
		return now->max;
	for (uint32_t bucket = HIST_BUCKETS; bucket-- > 0;) {
		if (!grown->bucket[bucket])
			continue;
		end = hist_lower(bucket) + hist_width(bucket) - 1;
		return end < now->max ? end : now->max;
	}
	return 0;
}

static void hist_since(struct hist *grown, const struct hist *now, struct hist *told)
{
	grown->count = now->count - told->count;
	grown->sum = now->sum - told->sum;
	for (uint32_t bucket = 0; bucket < HIST_BUCKETS; bucket++)
		grown->bucket[bucket] = now->bucket[bucket] - told->bucket[bucket];
	grown->max = grown->count ? greatest(grown, now, told) : 0;
	*told = *now;
}

/* --- the parts of an interval --- */

static void take_queued(struct tracer *tracer, struct trace_interval *interval)
{
	struct bio_counts now[OWNERS][OPS] = {0};

	collect_owners(tracer, now);
	for (int owner = 0; owner < OWNERS; owner++)
		for (int op = 0; op < OPS; op++) {
			struct bio_counts *told = &tracer->told->queued[owner][op];

			interval->queued[owner][op].bios = since(now[owner][op].bios, &told->bios);
			interval->queued[owner][op].bytes = since(now[owner][op].bytes, &told->bytes);
		}
}

static void take_ios(struct tracer *tracer, struct trace_interval *interval)
{
	struct trace_interval *told = tracer->told;

	for (uint32_t op = 0; op < IO_OPS; op++) {
		struct io_counts now = {0};

		percpu_add(tracer->skel->maps.io_ops, tracer->cpus, op, &now);
		interval->bytes[op] = since(now.bytes, &told->bytes[op]);
		for (int stage = 0; stage < IO_STAGES; stage++)
			hist_since(&interval->stage[op][stage], &tracer->io[op].stage[stage], &told->stage[op][stage]);
	}
	for (int call = 0; call < CALLS; call++)
		hist_since(&interval->call[call], &tracer->call[call].time, &told->call[call]);
}

struct slowest {
	const struct tracer *tracer;
	uint64_t number; /* of the interval */
	struct trace_interval *interval;
};

/* A CPU that saw none in this interval still has that of an earlier one. */
static void take_slowest(void *context, const void *value)
{
	const struct interval_record *kept = value;
	struct slowest *slowest = context;
	struct trace_interval *interval = slowest->interval;
	struct io_record record = kept->record;

	if (kept->interval != slowest->number || !collect_rebase(slowest->tracer, &record))
		return;
	if (interval->has_slowest && collect_total(&record) <= collect_total(&interval->slowest))
		return;
	interval->has_slowest = true;
	interval->slowest = record;
}

void tracer_interval(struct tracer *tracer, struct trace_interval *interval)
{
	struct slowest slowest = {.tracer = tracer, .interval = interval};

	if (!tracer->told)
		tracer->told = xcalloc(1, sizeof(*tracer->told));
	memset(interval, 0, sizeof(*interval));
	/* BPF writes to the other entry from now on, and who is still writing to this one is done before it is read. */
	slowest.number = __atomic_fetch_add(&tracer->skel->bss->interval, 1, __ATOMIC_SEQ_CST);
	interval->from = tracer->told->to;
	interval->to = tracer->told->to = clock_now() - tracer->started;
	collect_histograms(tracer);
	take_queued(tracer, interval);
	if (!tracer->ios)
		return;
	take_ios(tracer, interval);
	percpu_each(tracer->skel->maps.interval_slowest, tracer->cpus, slowest.number & 1, take_slowest, &slowest);
}
