// SPDX-License-Identifier: GPL-2.0
/* Round trips to the servers of file systems without a block device. */
#include "collect.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

#include "percpu.h"
#include "protocols.h"

void collect_remote_open(struct tracer *tracer)
{
	if (tracer->remote_sets < 2)
		return;
	tracer->remote = xcalloc(REMOTE_ROWS, sizeof(*tracer->remote));
	histograms_open(&tracer->remote_times, tracer->skel->maps.remote_times, tracer->cpus);
	for (size_t row = 0; row < tracer->remote_times.keys; row++)
		tracer->remote_times.to[row].hist = &tracer->remote[row].time;
}

void collect_remote_clear(struct tracer *tracer)
{
	if (tracer->remote)
		memset(tracer->remote, 0, REMOTE_ROWS * sizeof(*tracer->remote));
	histograms_clear(&tracer->remote_times);
}

void collect_remote_close(struct tracer *tracer)
{
	free(tracer->remote);
	tracer->remote = NULL;
	histograms_close(&tracer->remote_times);
}

static void collect_left(struct tracer *tracer)
{
	for (size_t i = 0; i < tracer->remote_sets * TABLE_WAYS; i++) {
		const struct remote_slot *slot = &tracer->remote_set[i / TABLE_WAYS].way[i % TABLE_WAYS];

		if (slot->key && slot->row < REMOTE_ROWS)
			tracer->remote[slot->row].in_flight_at_end++;
	}
}

static void add_view(struct trace_view *view, const struct remote_row *row, struct remote_view *added)
{
	added->sent = row->counts.sent;
	added->answered = row->counts.answered;
	added->failed = row->counts.failed;
	added->lost = row->counts.table_full + row->counts.unseen;
	added->in_flight_at_end = row->in_flight_at_end;
	added->bytes = row->counts.bytes;
	added->time = row->time;
	view->remote = xreallocarray(view->remote, view->remotes + 1, sizeof(*view->remote));
	view->remote[view->remotes++] = *added;
}

/* What had no row of its own is of both protocols. */
static void add_rest(struct tracer *tracer, struct trace_view *view)
{
	struct remote_view added = {.protocol = xstrdup("9p, fuse"), .kind = xstrdup("other kinds")};

	if (tracer->remote[0].counts.sent) {
		add_view(view, &tracer->remote[0], &added);
		return;
	}
	free(added.protocol);
	free(added.kind);
}

static int most_time_first(const void *a, const void *b)
{
	const struct remote_view *one = a, *other = b;

	if (one->time.sum != other->time.sum)
		return one->time.sum < other->time.sum ? 1 : -1;
	return (one->sent < other->sent) - (one->sent > other->sent);
}

void collect_remote_view(struct tracer *tracer, struct trace_view *view)
{
	const volatile uint32_t *rows = tracer->skel->bss->remote_row;

	if (!tracer->remote)
		return;
	for (uint32_t row = 0; row < REMOTE_ROWS; row++)
		percpu_add(tracer->skel->maps.remote_ops, tracer->cpus, row, &tracer->remote[row].counts);
	collect_left(tracer);
	for (uint32_t name = 0; name < REMOTE_NAMES; name++) {
		const struct remote_row *row = &tracer->remote[rows[name]];
		struct remote_view added;

		if (!rows[name] || !row->counts.sent)
			continue;
		protocol_describe(&added, name);
		add_view(view, row, &added);
	}
	add_rest(tracer, view);
	if (view->remotes)
		qsort(view->remote, view->remotes, sizeof(*view->remote), most_time_first);
}
