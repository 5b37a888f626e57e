// SPDX-License-Identifier: GPL-2.0
#include "split.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/format.h"
#include "base/text.h"
#include "seconds.h"
#include "summary.h"

/* Counts and sizes that differ by more are not of the same I/Os. */
#define MOST_APART 0.05

/* So many more or fewer, in the middle of a run, may be those at an edge. */
#define AT_EDGES 5

/* So few more may be others' that came in the same seconds. */
#define HARDLY_ANY_MORE 0.02

/* ns that the two clocks may differ. */
#define CLOCKS_APART NS_PER_SECOND

/* Of a run's requests at least so many must lie in the middle that is left where other I/Os are at its edges. */
#define LEAST_INSIDE 0.5

/* The same of its overlap with the recording. From ALMOST_ALL on it is all of it. */
#define LEAST_OVERLAP 0.5
#define ALMOST_ALL    0.98

/* Of a run's requests; of an operation with fewer nothing is said. */
#define LEAST_SHARE 0.01

/* --- the guest --- */

struct requests {
	uint64_t count, sum, bytes; /* with a time; of them ns and bytes */
};

static struct requests guest_requests(const struct run *run, enum op op)
{
	struct requests requests = {0};

	for (size_t i = 0; i < run->trace->leaves; i++) {
		const struct layer_view *leaf = &run->trace->leaf[i];
		const struct op_view *view = leaf->has_requests ? leaf->op[op] : NULL;

		if (!view)
			continue;
		requests.count += view->stage[STAGE_DEVICE].count;
		requests.sum += view->stage[STAGE_DEVICE].sum;
		requests.bytes += view->completed_bytes;
	}
	return requests;
}

/* A program reads and writes a little of everything. */
static bool matters(const struct result *guest, const struct run *run, enum op op)
{
	uint64_t own = guest_requests(run, op).count, all = 0;

	for (int other = 0; other < DIRECTIONS; other++)
		all += guest_requests(run, other).count;
	if (run->test != NO_TEST && !test_has_op(&guest->test[run->test], op))
		return false;
	return own && (double)own >= LEAST_SHARE * (double)all;
}

/* --- windows --- */

/* A span of the host's recording that lies in the guest's; ns since the host's began. */
struct window {
	uint64_t from, to;
	int64_t guest_began; /* on the same clock: it may have been before */
	double overlap;	     /* of the guest's recording; 0: they lie apart */
};

static struct window find_window(const struct trace_view *host, const struct trace_view *guest)
{
	uint64_t from = guest->started > host->started ? guest->started : host->started;
	uint64_t guest_end = guest->started + guest->recorded, host_end = host->started + host->recorded;
	uint64_t to = guest_end < host_end ? guest_end : host_end;

	if (to <= from || !guest->recorded)
		return (struct window){0};
	return (struct window){
		.from = from - host->started,
		.to = to - host->started,
		.guest_began = (int64_t)(guest->started - host->started),
		.overlap = (double)(to - from) / (double)guest->recorded,
	};
}

/* Of a second of a course that is at least from `begin` to `end`, what lies in the span if it is spread evenly. */
static double part_of_second(const struct second *second, double begin, double from, double to)
{
	double end = (double)second->at, first = begin > from ? begin : from, last = end < to ? end : to, count = 0;

	if (last <= first)
		return 0;
	for (size_t i = 0; i < second->buckets; i++)
		count += (double)second->grown[i].count;
	return count * (last - first) / (end - begin);
}

/* The guest's requests in a span, as its own seconds tell; ns since the host's recording began. */
static double requests_within(const struct split_row *row, const struct window *window, uint64_t from, uint64_t to)
{
	double begin = (double)from - (double)window->guest_began, end = (double)to - (double)window->guest_began;
	const struct trace_view *trace = row->run->trace;
	double requests = 0;

	for (size_t i = 0; i < trace->leaves; i++) {
		const struct op_view *view = trace->leaf[i].has_requests ? trace->leaf[i].op[row->op] : NULL;
		double last = 0;

		for (size_t s = 0; view && s < view->course[STAGE_DEVICE].seconds; s++) {
			const struct second *second = &view->course[STAGE_DEVICE].second[s];

			requests += part_of_second(second, last, begin, end);
			last = (double)second->at;
		}
	}
	return requests;
}

/* --- whether they are the same I/Os --- */

/* Calls of the monitor that went through the host's page cache, in all of its recording. */
static uint64_t buffered_calls(const struct trace_view *host, enum op op)
{
	const struct call_view *call = host->call[op == OP_WRITE ? CALL_WRITE : CALL_READ];
	const struct io_view *io = host->io[op == OP_WRITE ? IO_OP_WRITE : IO_OP_READ];
	uint64_t calls = call ? call->counts.calls - call->counts.direct : 0;

	return calls + (io ? io->counts.end[IO_END_BUFFERED] : 0);
}

static char *say_fewer(const struct trace_view *host, const struct split_row *row, double expected)
{
	char ios[FORMAT_LENGTH], calls[FORMAT_LENGTH];
	uint64_t buffered = buffered_calls(host, row->op);
	const char *noun = op_name[row->op];

	format_count(ios, row->host_ios);
	if ((double)row->host_ios < expected / 2 && (double)(row->host_ios + buffered) > (1 - MOST_APART) * expected)
		return xasprintf("the monitor made %s direct %ss in this time, and %s buffered ones in all. Where the "
				 "host's page cache lies in between, its disks do other things than what the guest "
				 "asks for: start the virtual machine with cache=none.",
				 row->host_ios ? ios : "no", noun, format_count(calls, buffered));
	if (!row->host_ios)
		return xasprintf("the process that was traced on the host made no direct %s in this time: it must be "
				 "this machine's monitor, and its disk opened with cache=none.",
				 noun);
	return xasprintf("the host has %s I/Os for them: QEMU puts neighbours together (request-merging=off keeps them "
			 "apart), or something answered before the host's disk. Means of others cannot be subtracted.",
			 ios);
}

static char *say_more(const struct split_row *row)
{
	char ios[FORMAT_LENGTH];

	return xasprintf("the host has %s I/Os for them: the guest has other disks or other programs that were not "
			 "measured, or its requests were split. Means of others cannot be subtracted.",
			 format_count(ios, row->host_ios));
}

static char *say_sizes(const struct split_row *row)
{
	char guest[FORMAT_LENGTH], host[FORMAT_LENGTH];

	return xasprintf("they have %s on average and the host's I/Os %s: these are not the same.",
			 format_size(guest, row->guest_bytes / row->guest_requests),
			 format_size(host, row->host_bytes / row->host_ios));
}

/* An O_DSYNC write ends with its flush, which is not known of those that QEMU reaps in user space. */
static bool ends_unknown(const struct io_view *io)
{
	uint64_t ended = io_ended(io), synchronous = io->counts.note[IO_NOTE_SYNCHRONOUS];

	return (double)synchronous > MOST_APART * (double)ended &&
	       (double)io->counts.end[IO_END_SELF_REAPED] > MOST_APART * (double)ended;
}

/* --- a row --- */

static void take(struct split_row *row, const struct io_second *chosen)
{
	row->host_ios = io_second_completed(chosen);
	row->host_bytes = chosen->bytes;
}

/* The middle of the run, in whole seconds of the host's, so far from its edges that no clock can be wrong by more. */
static char *choose_inside(const struct trace_view *host, const struct io_view *io, const struct window *window,
			   struct split_row *row, struct io_second *chosen)
{
	double expected;

	*chosen = (struct io_second){0};
	if (window->to - window->from > 2 * CLOCKS_APART)
		*chosen = io_seconds_sum(io, window->from + CLOCKS_APART, window->to - CLOCKS_APART, true);
	expected = requests_within(row, window, chosen->from, chosen->to);
	take(row, chosen);
	row->middle = true;
	if (expected < LEAST_INSIDE * (double)row->guest_requests * window->overlap)
		return xstrdup("other I/Os came right before or after them, and too few of them lie in whole seconds "
			       "between. Let a run take 10 s or more.");
	if ((double)row->host_ios < (1 - MOST_APART) * expected - AT_EDGES)
		return say_fewer(host, row, expected);
	return (double)row->host_ios > (1 + MOST_APART) * expected + AT_EDGES ? say_more(row) : NULL;
}

/*
 * The host's I/Os of a run. Its seconds do not begin with the run, and the two clocks may differ, so all that touch the
 * run and a little more have its I/Os whole, and others' where it did not stand alone. Their number tells; then those
 * in the middle are taken. NULL, or why neither can be.
 */
static char *choose_seconds(const struct trace_view *host, const struct io_view *io, const struct window *window,
			    struct split_row *row, struct io_second *chosen)
{
	uint64_t from = window->from > CLOCKS_APART ? window->from - CLOCKS_APART : 0;
	double expected = (double)row->guest_requests;

	if (window->overlap < ALMOST_ALL)
		expected = requests_within(row, window, window->from, window->to);
	*chosen = io_seconds_sum(io, from, window->to + CLOCKS_APART, false);
	take(row, chosen);
	if ((double)row->host_ios < (1 - MOST_APART) * expected)
		return say_fewer(host, row, expected);
	if ((double)row->host_ios <= (1 + HARDLY_ANY_MORE) * expected)
		return NULL;
	return choose_inside(host, io, window, row, chosen);
}

static void divide(struct split_row *row, const struct io_second *host)
{
	double ios = (double)row->host_ios;

	row->kernel = (double)(host->sum[IO_STAGE_SUBMIT] + host->sum[IO_STAGE_QUEUE]) / ios;
	row->host_device =
		(double)(host->sum[IO_STAGE_DEVICE] + host->sum[IO_STAGE_THROUGH] + host->sum[IO_STAGE_SYNC]) / ios;
	row->transport = row->device - row->kernel - row->host_device;
}

static char *refuse(const struct trace_view *host, const struct window *window, struct split_row *row)
{
	const struct io_view none = {0}, *io = host->io[row->op == OP_WRITE ? IO_OP_WRITE : IO_OP_READ];
	struct io_second chosen;
	char *refusal;

	if (window->overlap < LEAST_OVERLAP)
		return xstrdup("less than half of this run was recorded on the host.");
	refusal = choose_seconds(host, io ? io : &none, window, row, &chosen);
	if (refusal)
		return refusal;
	/* as few as were expected, where the guest's requests lie in another part of its run */
	if (!row->host_ios)
		return say_fewer(host, row, 0);
	/* Sizes that are k times as large and k times as few would have been told by their number. */
	if ((double)row->host_bytes * (double)row->guest_requests >
		    (1 + MOST_APART) * (double)row->guest_bytes * (double)row->host_ios ||
	    (double)row->host_bytes * (double)row->guest_requests <
		    (1 - MOST_APART) * (double)row->guest_bytes * (double)row->host_ios)
		return say_sizes(row);
	if (ends_unknown(io))
		return xstrdup("the monitor's writes are synchronous (cache=directsync or writethrough), and how long "
			       "each waits for its flush is not known of those that it takes from the ring itself. "
			       "Start the virtual machine with aio=threads or cache=none.");
	divide(row, &chosen);
	if (row->transport < 0)
		return xstrdup("the host's I/Os take longer than the guest's requests: these are not the same, the two "
			       "files are interchanged, or one of the clocks is wrong.");
	return NULL;
}

static void add_row(struct split *split, const struct run *run, enum op op, const struct window *window)
{
	struct requests requests = guest_requests(run, op);
	struct split_row *row;

	split->row = xreallocarray(split->row, split->rows + 1, sizeof(*split->row));
	row = &split->row[split->rows++];
	*row = (struct split_row){
		.run = run,
		.op = op,
		.overlap = window->overlap >= ALMOST_ALL ? 1 : window->overlap,
		.guest_requests = requests.count,
		.guest_bytes = requests.bytes,
		.device = (double)requests.sum / (double)requests.count,
	};
	row->refusal = refuse(split->host->run[0].trace, window, row);
}

/* --- all of it --- */

static bool was_traced(const struct run *run)
{
	return run->state == RUN_DONE && run->trace && run->trace->started;
}

static bool has_seconds(const struct trace_view *host)
{
	for (int op = 0; op < IO_OPS; op++)
		if (host->io[op] && io_ended(host->io[op]) && !host->io[op]->seconds)
			return false;
	return true;
}

static char *find_obstacle(const struct result *host, const struct result *guest)
{
	const struct run *run = host->run;
	size_t traced = 0;

	if (host->runs != 1 || run->test != NO_TEST)
		return xstrdup("The host's result is not of trace: record the virtual machine monitor there, with "
			       "iostrata trace -p PID -o DIR.");
	if (!run->trace || !run->trace->ios)
		return xstrdup("In the host's result I/Os were not followed from call to return.");
	if (!run->trace->started || !has_seconds(run->trace))
		return xstrdup("The host's result is of an older iostrata, which did not keep I/Os second by second: "
			       "record again.");
	for (size_t i = 0; i < guest->runs; i++)
		traced += was_traced(&guest->run[i]);
	return traced ? NULL : xstrdup("The guest's result has no run of which it is known when it was traced.");
}

static void add_run(struct split *split, const struct run *run)
{
	struct window window;

	if (!was_traced(run))
		return;
	window = find_window(split->host->run[0].trace, run->trace);
	if (window.overlap <= 0) {
		split->apart++;
		return;
	}
	for (int op = 0; op < DIRECTIONS; op++)
		if (matters(split->guest, run, op))
			add_row(split, run, op, &window);
}

void split_of_results(struct split *split, const struct result *host, const struct result *guest)
{
	*split = (struct split){.host = host, .guest = guest, .obstacle = find_obstacle(host, guest)};
	for (size_t i = 0; !split->obstacle && i < guest->runs; i++)
		add_run(split, &guest->run[i]);
	if (split->obstacle || split->rows)
		return;
	split->obstacle =
		xstrdup(split->apart ? "No run of the guest's lies in the time that was recorded on the host. "
				       "If they were at the same time, one of the two clocks is wrong."
				     : "The guest's runs had no requests.");
}

void split_clear(struct split *split)
{
	for (size_t i = 0; i < split->rows; i++)
		free(split->row[i].refusal);
	free(split->row);
	free(split->obstacle);
	*split = (struct split){0};
}

/* Whether nothing but its partitions stands on a disk. */
static bool stands_alone(const struct trace_view *trace)
{
	for (size_t i = 0; i < trace->aboves; i++)
		if (!trace->above[i].partition)
			return false;
	return trace->leaves == 1;
}

const char *split_disk(const struct result *result)
{
	const char *disk = NULL;

	for (size_t i = 0; i < result->runs; i++) {
		const struct trace_view *trace = result->run[i].trace;

		if (!trace)
			continue;
		if (!stands_alone(trace) || (disk && strcmp(disk, trace->leaf[0].device) != 0))
			return NULL;
		disk = trace->leaf[0].device;
	}
	return disk;
}
