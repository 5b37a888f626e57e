// SPDX-License-Identifier: GPL-2.0
/* The program's I/Os and its calls. */
#include "collect.h"

#include <stdlib.h>
#include <string.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/text.h"
#include "result/seconds.h"

#include "percpu.h"

void collect_io_open(struct tracer *tracer)
{
	tracer->io = xcalloc(IO_OPS, sizeof(*tracer->io));
	tracer->io_told = xcalloc(IO_OPS, sizeof(*tracer->io_told));
	tracer->call = xcalloc(CALLS, sizeof(*tracer->call));
	if (!tracer->ios)
		return;
	histograms_open(&tracer->io_stages, tracer->skel->maps.io_stages, tracer->cpus);
	for (size_t key = 0; key < tracer->io_stages.keys; key++) {
		struct io_view *view = &tracer->io[key / IO_STAGES];
		size_t stage = key % IO_STAGES;

		/* Of all stages the course would take more memory than everything else. */
		tracer->io_stages.to[key].hist = &view->stage[stage];
		tracer->io_stages.to[key].course = stage == IO_STAGE_TOTAL ? &view->course[stage] : NULL;
	}
	histograms_open(&tracer->call_times, tracer->skel->maps.call_times, tracer->cpus);
	for (size_t key = 0; key < tracer->call_times.keys; key++)
		tracer->call_times.to[key].hist = &tracer->call[key].time;
}

void collect_io_clear(struct tracer *tracer)
{
	for (int op = 0; tracer->io && op < IO_OPS; op++)
		io_view_clear(&tracer->io[op]);
	if (tracer->io_told)
		memset(tracer->io_told, 0, IO_OPS * sizeof(*tracer->io_told));
	if (tracer->call)
		memset(tracer->call, 0, CALLS * sizeof(*tracer->call));
	histograms_clear(&tracer->io_stages);
	histograms_clear(&tracer->call_times);
}

void collect_io_close(struct tracer *tracer)
{
	free(tracer->io);
	free(tracer->io_told);
	free(tracer->call);
	tracer->io = NULL;
	tracer->io_told = NULL;
	tracer->call = NULL;
	histograms_close(&tracer->io_stages);
	histograms_close(&tracer->call_times);
}

static bool is_complete(const struct io_slot *slot)
{
	return slot->record.boundary[BOUNDARY_COMPLETE] && slot->done >= slot->record.bytes;
}

/* --- seconds --- */

static void add_part(struct io_second *second, enum io_stage part, const uint64_t *at, enum boundary from,
		     enum boundary to)
{
	second->count[part]++;
	second->sum[part] += at[to] - at[from];
}

/* As BPF counts it when it is reaped in user space. */
static void add_waiting(struct io_second *second, const struct io_slot *slot)
{
	const uint64_t *at = slot->record.boundary;

	if (!at[BOUNDARY_CALL] || at[BOUNDARY_CALL] > at[BOUNDARY_QUEUE] || at[BOUNDARY_QUEUE] > at[BOUNDARY_COMPLETE])
		return;
	if (at[BOUNDARY_ISSUE] &&
	    (at[BOUNDARY_QUEUE] > at[BOUNDARY_ISSUE] || at[BOUNDARY_ISSUE] > at[BOUNDARY_COMPLETE]))
		return;
	add_part(second, IO_STAGE_SUBMIT, at, BOUNDARY_CALL, BOUNDARY_QUEUE);
	if (slot->record.layer == LAYER_REMOTE) {
		add_part(second, IO_STAGE_REMOTE, at, BOUNDARY_QUEUE, BOUNDARY_COMPLETE);
		return; /* its bytes are requests until it ends */
	}
	second->bytes += slot->record.bytes;
	if (at[BOUNDARY_ISSUE]) {
		add_part(second, IO_STAGE_QUEUE, at, BOUNDARY_QUEUE, BOUNDARY_ISSUE);
		add_part(second, IO_STAGE_DEVICE, at, BOUNDARY_ISSUE, BOUNDARY_COMPLETE);
	} else {
		add_part(second, IO_STAGE_THROUGH, at, BOUNDARY_QUEUE, BOUNDARY_COMPLETE);
	}
}

/*
 * An I/O whose result the program takes from the ring itself is counted when its iocb is used again. QEMU has dozens of
 * them, so that this may be much later, or never; it belongs to the second in which it was complete.
 */
static void add_all_waiting(struct tracer *tracer, struct io_second now[IO_OPS])
{
	for (size_t i = 0; i < tracer->io_sets * TABLE_WAYS; i++) {
		const struct io_slot *slot = &tracer->io_set[i / TABLE_WAYS].way[i % TABLE_WAYS];
		uint64_t key = __atomic_load_n(&slot->key, __ATOMIC_ACQUIRE);
		struct io_slot copy;

		if (!key)
			continue;
		copy = *slot;
		if (__atomic_load_n(&slot->key, __ATOMIC_ACQUIRE) == key && copy.record.way == IO_WAY_LIBAIO &&
		    copy.record.op < IO_OPS && is_complete(&copy))
			add_waiting(&now[copy.record.op], &copy);
	}
}

static void add_ended(struct tracer *tracer, enum io_op op, struct io_second *now)
{
	struct io_counts counts = {0};

	percpu_add(tracer->skel->maps.io_ops, tracer->cpus, op, &counts);
	now->bytes += counts.bytes;
	for (int part = 0; part < IO_PARTS; part++) {
		now->count[part] += tracer->io[op].stage[part].count;
		now->sum[part] += tracer->io[op].stage[part].sum;
	}
}

void collect_io_seconds(struct tracer *tracer, uint64_t at)
{
	struct io_second now[IO_OPS] = {0};

	if (!tracer->ios)
		return;
	if (tracer->rings)
		add_all_waiting(tracer, now);
	for (int op = 0; op < IO_OPS; op++) {
		now[op].to = at;
		add_ended(tracer, op, &now[op]);
		io_seconds_add(&tracer->io[op], &now[op], &tracer->io_told[op]);
	}
}

/* --- counters --- */

static void collect_counts(struct tracer *tracer)
{
	const struct iostrata_bpf *skel = tracer->skel;

	for (uint32_t op = 0; op < IO_OPS; op++) {
		percpu_add(skel->maps.io_ops, tracer->cpus, op, &tracer->io[op].counts);
		for (uint32_t half = 0; half < LATENCY_ROWS / TABLE_ROWS; half++)
			percpu_add(skel->maps.io_rows, tracer->cpus, op * 2 + half,
				   &tracer->io[op].row[half * TABLE_ROWS]);
	}
	for (uint32_t call = 0; call < CALLS; call++)
		percpu_add(skel->maps.call_ops, tracer->cpus, call, &tracer->call[call].counts);
}

/* The table was empty when the recording began. What no call has claimed is somebody else's. */
static void collect_left(struct tracer *tracer)
{
	for (size_t i = 0; i < tracer->io_sets * TABLE_WAYS; i++) {
		const struct io_slot *slot = &tracer->io_set[i / TABLE_WAYS].way[i % TABLE_WAYS];
		struct io_view *view;

		if (!slot->key || !slot->record.boundary[BOUNDARY_CALL] || slot->record.op >= IO_OPS)
			continue;
		view = &tracer->io[slot->record.op];
		if (is_complete(slot))
			view->counts.end[IO_END_ABANDONED]++;
		else
			view->in_flight_at_end++;
	}
}

/* --- records --- */

/* One that is older than the recording cannot be placed in it, so it is not known. */
static void rebase(uint64_t *time, uint64_t begin)
{
	*time = *time > begin ? *time - begin : 0;
}

bool collect_rebase(const struct tracer *tracer, struct io_record *record)
{
	uint64_t begin = tracer->started - tracer->epoch;

	for (int boundary = 0; boundary < BOUNDARIES; boundary++)
		rebase(&record->boundary[boundary], begin);
	rebase(&record->first_issue, begin);
	rebase(&record->last_complete, begin);
	return record->boundary[BOUNDARY_CALL] && record->boundary[BOUNDARY_RETURN];
}

uint64_t collect_total(const struct io_record *record)
{
	return record->boundary[BOUNDARY_RETURN] - record->boundary[BOUNDARY_CALL];
}

struct records {
	const struct tracer *tracer;
	struct io_record *record;
	size_t count;
};

static void take_record(void *context, const void *value)
{
	struct io_record record = *(const struct io_record *)value;
	struct records *records = context;

	if (!collect_rebase(records->tracer, &record))
		return;
	records->record = xreallocarray(records->record, records->count + 1, sizeof(*records->record));
	records->record[records->count++] = record;
}

static int slowest_first(const void *a, const void *b)
{
	uint64_t x = collect_total(a), y = collect_total(b);

	return (x < y) - (x > y);
}

static int first_ended_first(const void *a, const void *b)
{
	uint64_t x = ((const struct io_record *)a)->boundary[BOUNDARY_RETURN];
	uint64_t y = ((const struct io_record *)b)->boundary[BOUNDARY_RETURN];

	return (x > y) - (x < y);
}

static void sort_records(struct records *records, int (*compare)(const void *, const void *))
{
	if (records->count)
		qsort(records->record, records->count, sizeof(*records->record), compare);
}

/* Each CPU kept its own slowest. */
static void collect_slowest(struct tracer *tracer, struct trace_view *view)
{
	struct records records = {.tracer = tracer};

	for (uint32_t key = 0; key < tracer->slowest; key++)
		percpu_each(tracer->skel->maps.slowest, tracer->cpus, key, take_record, &records);
	sort_records(&records, slowest_first);
	view->slowest = records.record;
	view->slowest_count = records.count < tracer->slowest ? records.count : tracer->slowest;
}

static void collect_slow(struct tracer *tracer, struct trace_view *view)
{
	uint64_t offered = __atomic_load_n(&tracer->skel->bss->slow_logged, __ATOMIC_RELAXED);
	uint32_t kept = offered < tracer->slow_records ? offered : tracer->slow_records;
	struct records records = {.tracer = tracer};
	struct io_record record;

	for (uint32_t key = 0; key < kept; key++)
		if (!bpf_map_lookup_elem(bpf_map__fd(tracer->skel->maps.slow_log), &key, &record))
			take_record(&records, &record);
	sort_records(&records, first_ended_first);
	view->slow = records.record;
	view->slow_count = records.count;
	view->slow_dropped = tracer->slow_records ? offered - kept : 0;
}

/* --- the view --- */

/* What is handed over is the view's now. */
static void hand_over(struct tracer *tracer, struct trace_view *view)
{
	for (int op = 0; op < IO_OPS; op++) {
		struct io_view *seen = &tracer->io[op];

		if (!seen->counts.called && !seen->counts.unbegun && !seen->counts.left)
			continue;
		view->io[op] = xcalloc(1, sizeof(*view->io[op]));
		*view->io[op] = *seen;
		memset(seen, 0, sizeof(*seen));
	}
	for (int call = 0; call < CALLS; call++) {
		if (!tracer->call[call].counts.calls)
			continue;
		view->call[call] = xcalloc(1, sizeof(*view->call[call]));
		*view->call[call] = tracer->call[call];
	}
}

void collect_io_view(struct tracer *tracer, struct trace_view *view)
{
	if (!tracer->ios)
		return;
	view->ios = true;
	view->hidden = tracer->hidden ? xstrdup(tracer->hidden) : NULL;
	collect_counts(tracer);
	collect_left(tracer);
	collect_slowest(tracer, view);
	collect_slow(tracer, view);
	hand_over(tracer, view);
}
