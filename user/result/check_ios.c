// SPDX-License-Identifier: GPL-2.0
#include "checks.h"

#include <inttypes.h>
#include <stdlib.h>

#include "account.h"
#include "base/format.h"
#include "base/text.h"
#include "check.h"
#include "summary.h"

static void check_io_account(struct run *run, enum io_op op)
{
	const struct io_view *view = run->trace->io[op];
	const struct io_counts *counts = &view->counts;
	uint64_t ended = io_ended(view), ends = ended + view->in_flight_at_end + counts->table_full;
	bool closed = counts->called == ends;
	struct text text = {0};

	text_addf(&text, "I/Os, %s: ", io_op_name[op]);
	account_add_closure(&text, "I/O", counts->called, ends);
	account_add_advice(&text, closed, "stages");
	account_add_identity(run, closed,
			     xasprintf("called %" PRIu64 " %s %" PRIu64 " ended + %" PRIu64 " in flight + %" PRIu64
				       " without room in the table",
				       counts->called, closed ? "=" : "!=", ended, view->in_flight_at_end,
				       counts->table_full),
			     &text);
}

void check_io_identity(const struct checking *checking)
{
	const struct trace_view *trace = checking->run->trace;

	for (int op = 0; op < IO_OPS && trace && trace->ios; op++)
		if (trace->io[op])
			check_io_account(checking->run, op);
}

static uint64_t ended_of(const struct run *run, enum io_op op)
{
	return run->trace->io[op] ? io_ended(run->trace->io[op]) : 0;
}

static bool ios_are_equal(const struct run *run, enum op op)
{
	return run->engine->direction[op].ios == ended_of(run, (enum io_op)op);
}

/* `were` is "" where `what` has no verb, or one that is the same for one and many. */
static void add_reason(struct text *text, uint64_t count, const char *were, const char *what)
{
	char number[FORMAT_LENGTH];

	if (count)
		text_addf(text, "%s%s %s%s", text->length ? ", " : "", format_count(number, count),
			  *were && count == 1 ? "was " : were, what);
}

/* A result whose I/O is not in the table may be of one that found no room there. */
static uint64_t unbegun_of(const struct io_counts *counts)
{
	return counts->unbegun > counts->table_full ? counts->unbegun - counts->table_full : 0;
}

/* What is known to set the two counts apart. */
static void add_reasons(struct text *text, const struct io_view *view)
{
	add_reason(text, view->counts.table_full, "", "found no room in the table");
	add_reason(text, view->in_flight_at_end, "were ", "still in flight at the end");
	add_reason(text, unbegun_of(&view->counts), "were ", "called before the recording began");
	add_reason(text, view->counts.left, "were ", "more than one call's results are looked through for");
	add_reason(text, view->counts.end[IO_END_CQE_LOST], "", "had a completion without a trace");
}

/* A clause for a direction in which the counts differ. */
static void add_difference(struct text *text, const struct run *run, enum op op)
{
	char difference[FORMAT_LENGTH], whole[FORMAT_LENGTH];
	uint64_t reported = run->engine->direction[op].ios, seen = ended_of(run, (enum io_op)op);

	if (reported != seen)
		text_addf(text, "%s%s %s%s %s than the %s that the engine reports",
			  op == OP_WRITE && !ios_are_equal(run, OP_READ) ? " and " : "",
			  format_count(difference, account_distance(reported, seen)), op_name[op],
			  account_distance(reported, seen) == 1 ? "" : "s", seen > reported ? "more" : "fewer",
			  format_count(whole, reported));
}

static char *both_ios(uint64_t read, uint64_t write)
{
	return xasprintf("read %" PRIu64 ", write %" PRIu64 " I/Os", read, write);
}

/* The caller frees it. */
static char *differences_in_words(const struct run *run)
{
	struct text text = {0}, reasons = {0};

	text_addf(&text, "Seen to end were ");
	for (int op = 0; op < DIRECTIONS; op++) {
		add_difference(&text, run, op);
		if (run->trace->io[op])
			add_reasons(&reasons, run->trace->io[op]);
	}
	if (reasons.length)
		text_addf(&text, ". Of those that were called, %s.", reasons.data);
	else
		text_addf(&text, ". Something else used the file, or its I/O takes a way that is not watched.");
	text_free(&reasons);
	return text_take(&text);
}

static void check_io_counts(struct run *run)
{
	const struct direction *direction = run->engine->direction;
	bool equal = ios_are_equal(run, OP_READ) && ios_are_equal(run, OP_WRITE);
	char *sentence = equal ? xstrdup("Every I/O that the engine reports was seen to end, and no other.")
			       : differences_in_words(run);

	run_add_check(run, "ios", equal ? CHECK_PASSED : CHECK_WARNING,
		      both_ios(ended_of(run, IO_OP_READ), ended_of(run, IO_OP_WRITE)),
		      both_ios(direction[OP_READ].ios, direction[OP_WRITE].ios), "%s", sentence);
	free(sentence);
}

bool io_end_is_loss(enum io_end end)
{
	return end == IO_END_UNJOINED || end == IO_END_SELF_REAPED || end == IO_END_UNSEEN || end == IO_END_CLOCK ||
	       end == IO_END_CQE_LOST;
}

/* Adds how those reads and writes ended that are no losses and not joined, or those that are. Returns how many. */
static uint64_t add_ends(struct text *text, const struct trace_view *trace, bool losses)
{
	uint64_t sum = 0;

	for (int end = 0; end < IO_ENDS; end++) {
		uint64_t count = 0;

		if (end == IO_END_JOINED || io_end_is_loss(end) != losses)
			continue;
		for (int op = 0; op < DIRECTIONS; op++)
			count += trace->io[op] ? trace->io[op]->counts.end[end] : 0;
		add_reason(text, count, "", io_end_name[end]);
		sum += count;
	}
	return sum;
}

static uint64_t ios_without_room(const struct trace_view *trace)
{
	uint64_t sum = 0;

	for (int op = 0; op < DIRECTIONS; op++)
		sum += trace->io[op] ? trace->io[op]->counts.table_full : 0;
	return sum;
}

/* Where some of them should have stages. */
struct joining {
	uint64_t joined, whole;
	uint64_t without_room;	     /* beside these: nothing is known of them */
	const char *lost, *unstaged; /* how the others ended, and those that rightly have no stages; NULL: none */
};

/* How it stands with the rest, in sentences that follow the first. The caller frees it. */
static char *joining_in_words(const struct joining *joining, bool enough, const char *hidden)
{
	struct text text = {0};
	char count[FORMAT_LENGTH];

	if (joining->unstaged)
		text_addf(&text, " Beside these, rightly without stages: %s.", joining->unstaged);
	if (joining->without_room)
		text_addf(&text, " %s found no room in the probes' table (table full).",
			  format_count(count, joining->without_room));
	if (!enough && hidden)
		text_addf(&text, " %s.", hidden);
	return text_take(&text);
}

static void judge_joined(struct run *run, const struct joining *joining)
{
	double percent = joining->whole ? 100.0 * (double)joining->joined / (double)joining->whole : 0;
	bool enough = percent >= ACCOUNT_MIN_COVERAGE;
	char joined_text[FORMAT_LENGTH], whole_text[FORMAT_LENGTH], percent_text[FORMAT_LENGTH];
	char *rest = joining_in_words(joining, enough, run->trace->hidden);

	run_add_check(run, "ios", enough && !joining->without_room ? CHECK_PASSED : CHECK_WARNING,
		      xasprintf("%s %% joined", format_fixed(percent_text, (double)(uint64_t)(percent * 100) / 100, 2)),
		      xstrdup("99.5 % or more"), "The stages of %s of %s I/O%s are known%s%s.%s",
		      format_count(joined_text, joining->joined), format_count(whole_text, joining->whole),
		      joining->whole == 1 ? "" : "s", joining->lost ? "; the others: " : "",
		      joining->lost ? joining->lost : "", rest);
	free(rest);
}

/* A sync has no stages of its own, and neither has what rightly never came to the block layer. */
static void check_joined(struct run *run)
{
	const struct trace_view *trace = run->trace;
	struct joining joining = {.without_room = ios_without_room(trace)};
	struct text lost = {0}, unstaged = {0};
	uint64_t others;

	for (int op = 0; op < DIRECTIONS; op++)
		joining.joined += trace->io[op] ? trace->io[op]->counts.end[IO_END_JOINED] : 0;
	joining.whole = joining.joined + add_ends(&lost, trace, true);
	others = add_ends(&unstaged, trace, false);
	joining.lost = lost.data;
	joining.unstaged = unstaged.data;
	if (joining.whole || joining.without_room)
		judge_joined(run, &joining);
	else if (others)
		run_add_check(run, "ios", CHECK_NOT_APPLICABLE, NULL, NULL,
			      "No I/O of this run has stages, and rightly so: %s.", unstaged.data);
	text_free(&lost);
	text_free(&unstaged);
}

static void add_not_followed(struct run *run, const char *name)
{
	run_add_check(run, name, CHECK_NOT_APPLICABLE, NULL, NULL,
		      "I/Os were not followed from call to return: --stages left it out.");
}

void check_ios(const struct checking *checking)
{
	struct run *run = checking->run;

	if (!run->trace)
		return;
	if (!run->trace->ios) {
		add_not_followed(run, "ios");
		return;
	}
	if (run->engine)
		check_io_counts(run);
	check_joined(run);
}

/* What was timed from call to return lies inside of what the engine timed; of different I/Os that says little. */
static void compare_total(struct run *run, enum op op)
{
	const struct latency *latency = &run->engine->direction[op].latency[LATENCY_LAT];
	const struct hist *total;
	char total_text[FORMAT_LENGTH], lat_text[FORMAT_LENGTH];
	bool fits;

	if (!run->trace->io[op] || !latency->count)
		return;
	total = &run->trace->io[op]->stage[IO_STAGE_TOTAL];
	if (!total->count)
		return;
	fits = total_fits(hist_mean(total), latency->mean);
	format_latency(total_text, hist_mean(total));
	format_latency(lat_text, latency->mean);
	run_add_check(run, "outer sum",
		      fits		       ? CHECK_PASSED
		      : ios_are_equal(run, op) ? CHECK_FAILED
					       : CHECK_WARNING,
		      xasprintf("%s: call to return %s, lat %s", op_name[op], total_text, lat_text),
		      xstrdup("call to return <= lat"), "From call to return a %s took %s, %s.%s", op_name[op],
		      total_text,
		      fits ? "which lies inside of the latency that the engine measured"
			   : "more than the whole latency that the engine measured",
		      fits ? "" : CHECK_ADVICE "stages; repeat it, and report it as a bug if it happens again.");
}

void check_outer_sum(const struct checking *checking)
{
	struct run *run = checking->run;

	if (!run->trace)
		return;
	if (!run->trace->ios)
		add_not_followed(run, "outer sum");
	for (int op = 0; op < DIRECTIONS && run->trace->ios && run->engine; op++)
		compare_total(run, op);
}
