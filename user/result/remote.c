// SPDX-License-Identifier: GPL-2.0
#include "remote.h"

#include <string.h>

#include "base/text.h"

bool filesystem_is_remote(const char *filesystem)
{
	if (!filesystem)
		return false;
	return !strcmp(filesystem, "9p") || !strcmp(filesystem, "virtiofs") || !strcmp(filesystem, "fuse") ||
	       !strncmp(filesystem, "fuse.", strlen("fuse."));
}

bool target_is_remote(const struct target *target)
{
	return !target->layers && filesystem_is_remote(target->filesystem);
}

struct remote_sum remote_sum(const struct trace_view *trace)
{
	struct remote_sum sum = {0};

	for (size_t i = 0; i < trace->remotes; i++) {
		const struct remote_view *view = &trace->remote[i];

		sum.sent += view->sent;
		sum.answered += view->answered;
		sum.failed += view->failed;
		sum.in_flight += view->in_flight_at_end;
		sum.lost += view->lost;
	}
	return sum;
}

static bool is_kind(const struct remote_view *view, const char *read, const char *write, enum op op)
{
	return !strcmp(view->kind, op == OP_READ ? read : write);
}

/* Answers count their bytes where they tell them; else those of the I/Os that had an answer. */
uint64_t remote_bytes(const struct trace_view *trace, enum op op)
{
	uint64_t joined = trace->io[op] ? trace->io[op]->counts.remote_bytes : 0, answered = 0;

	for (size_t i = 0; i < trace->remotes; i++)
		if (is_kind(&trace->remote[i], "FUSE_READ", "FUSE_WRITE", op))
			answered += trace->remote[i].bytes;
	return answered > joined ? answered : joined;
}

bool remote_bytes_are_least(const struct trace_view *trace, enum op op)
{
	uint64_t trips = 0;

	for (size_t i = 0; i < trace->remotes; i++)
		if (is_kind(&trace->remote[i], "Tread", "Twrite", op))
			trips += trace->remote[i].answered;
	return trips && trace->io[op] && trace->io[op]->counts.end[IO_END_BUFFERED];
}

bool remote_was_written(const struct trace_view *trace)
{
	static const char *const kinds[] = {"FUSE_WRITE", "FUSE_FSYNC", "FUSE_FSYNCDIR", "Twrite", "Tfsync"};

	for (size_t i = 0; i < trace->remotes; i++)
		for (size_t kind = 0; kind < ARRAY_SIZE(kinds); kind++)
			if (!strcmp(trace->remote[i].kind, kinds[kind]) && trace->remote[i].sent)
				return true;
	return false;
}

/* The tracepoints of FUSE came with 6.10; those of 9p are older than BPF. */
const char *remote_obstacle(const char *filesystem)
{
	if (!strcmp(filesystem, "9p"))
		return "this kernel does not tell of requests of 9p (it is built without that tracepoint, or without "
		       "the types of its modules)";
	return "this kernel does not tell of requests of FUSE and virtiofs: Linux 6.10 and newer do";
}
