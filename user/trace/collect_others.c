// SPDX-License-Identifier: GPL-2.0
/* Who else was on the disk. */
#include "collect.h"

#include <stdlib.h>
#include <string.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/text.h"

static int foreigners_map(const struct tracer *tracer)
{
	return bpf_map__fd(tracer->skel->maps.foreigners);
}

void collect_clear_foreigners(struct tracer *tracer)
{
	struct foreigner key;

	while (!bpf_map_get_next_key(foreigners_map(tracer), NULL, &key))
		if (bpf_map_delete_elem(foreigners_map(tracer), &key))
			return;
	memset((void *)tracer->skel->bss->foreign_unnamed, 0, sizeof(tracer->skel->bss->foreign_unnamed));
}

static struct foreign_view *add_foreigner(struct trace_view *view)
{
	view->foreigner = xreallocarray(view->foreigner, view->foreigners + 1, sizeof(*view->foreigner));
	view->foreigner[view->foreigners] = (struct foreign_view){0};
	return &view->foreigner[view->foreigners++];
}

static void add_named(struct tracer *tracer, struct trace_view *view)
{
	struct foreigner *last = NULL, key;
	struct foreigner_counts counts;
	struct foreign_view *foreigner;

	while (!bpf_map_get_next_key(foreigners_map(tracer), last, &key)) {
		if (!bpf_map_lookup_elem(foreigners_map(tracer), &key, &counts)) {
			foreigner = add_foreigner(view);
			foreigner->command = xasprintf("%.*s", (int)sizeof(key.command), key.command);
			foreigner->kind = key.kind < FOREIGNERS ? key.kind : FOREIGNER_KERNEL;
			memcpy(foreigner->op, counts.op, sizeof(foreigner->op));
		}
		last = &key;
	}
}

/* Those that had no room are told together. */
static void add_unnamed(struct tracer *tracer, struct trace_view *view)
{
	struct foreigner_counts counts;
	uint64_t bios = 0;

	memcpy(counts.op, (const void *)tracer->skel->bss->foreign_unnamed, sizeof(counts.op));
	for (int op = 0; op < OPS; op++)
		bios += counts.op[op].bios;
	if (bios)
		memcpy(add_foreigner(view)->op, counts.op, sizeof(counts.op));
}

static uint64_t bytes_of(const struct foreign_view *foreigner)
{
	uint64_t bytes = 0;

	for (int op = 0; op < OPS; op++)
		bytes += foreigner->op[op].bytes;
	return bytes;
}

static int most_bytes_first(const void *a, const void *b)
{
	uint64_t x = bytes_of(a), y = bytes_of(b);

	return (x < y) - (x > y);
}

void collect_foreigners(struct tracer *tracer, struct trace_view *view)
{
	add_named(tracer, view);
	add_unnamed(tracer, view);
	if (view->foreigners)
		qsort(view->foreigner, view->foreigners, sizeof(*view->foreigner), most_bytes_first);
}
