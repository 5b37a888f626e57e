// SPDX-License-Identifier: GPL-2.0
/* Of file systems that a server answers for, without a block device. */
#include "checks.h"

#include <inttypes.h>
#include <stdlib.h>

#include "account.h"
#include "base/format.h"
#include "remote.h"

/* How much of what the program moved must have been asked of the server: as for disks (check_cache.c). */
#define ARRIVED_LEAST 0.95

static const char *const moved_words[DIRECTIONS] = {"read", "written"};

void check_round_trips(const struct checking *checking)
{
	struct run *run = checking->run;
	struct remote_sum sum;
	struct text text = {0};
	uint64_t ends;

	if (!run->trace || !run->trace->remotes)
		return;
	sum = remote_sum(run->trace);
	ends = sum.answered + sum.in_flight + sum.lost;
	text_addf(&text, "Round trips to the file system's server: ");
	account_add_closure(&text, "request", sum.sent, ends);
	account_add_advice(&text, sum.sent == ends, "the times of round trips");
	account_add_identity(run, sum.sent == ends,
			     xasprintf("requests %" PRIu64 " %s %" PRIu64 " answered + %" PRIu64 " in flight + %" PRIu64
				       " lost",
				       sum.sent, sum.sent == ends ? "=" : "!=", sum.answered, sum.in_flight, sum.lost),
			     &text);
}

void check_remote_coverage(const struct checking *checking)
{
	struct remote_sum sum = remote_sum(checking->run->trace);
	char answered[FORMAT_LENGTH], sent[FORMAT_LENGTH], number[FORMAT_LENGTH];
	uint64_t ended = sum.sent - sum.in_flight;
	double percent = ended ? 100 * (double)sum.answered / (double)ended : 0;

	if (!ended) {
		run_add_check(checking->run, "coverage", CHECK_NOT_APPLICABLE, xstrdup("no requests"), NULL,
			      "Not one request to the file system's server was seen, so there are no times of it: see "
			      "the check \"cache\".");
		return;
	}
	run_add_check(checking->run, "coverage", percent >= ACCOUNT_MIN_COVERAGE ? CHECK_PASSED : CHECK_WARNING,
		      xasprintf("%s %%", format_fixed(number, percent, 2)), xstrdup("99.5 % or more"),
		      "The time of %s of %s round trip%s to the file system's server is known.%s",
		      format_count(answered, sum.answered), format_count(sent, ended), ended == 1 ? "" : "s",
		      percent >= ACCOUNT_MIN_COVERAGE
			      ? ""
			      : " Its figures may be off, in the tail most of all; the identity "
				"check says what was lost.");
}

static void fail(struct run *run, enum op op, uint64_t moved, uint64_t arrived, char *found)
{
	char all[FORMAT_LENGTH], some[FORMAT_LENGTH];

	run_add_check(run, "cache", CHECK_FAILED, found, xstrdup("95 % or more"),
		      "Of %s %s the server was asked for %s: the page cache of this machine %s the rest, or memory "
		      "that it shares with the server (DAX).",
		      format_size(all, moved), moved_words[op], arrived ? format_size(some, arrived) : "nothing",
		      op == OP_READ ? "answered" : "took");
}

void check_remote_cache(const struct checking *checking, enum op op, uint64_t moved)
{
	uint64_t arrived = remote_bytes(checking->run->trace, op);
	char some[FORMAT_LENGTH], all[FORMAT_LENGTH];
	char *found = xasprintf("%s: %s of %s", op_name[op], format_size(some, arrived), format_size(all, moved));

	if ((double)arrived >= ARRIVED_LEAST * (double)moved) {
		run_add_check(checking->run, "cache", CHECK_PASSED, found, xstrdup("95 % or more"),
			      "What was %s was asked of the server; whether that had it in a cache is not visible.",
			      moved_words[op]);
	} else if (remote_bytes_are_least(checking->run->trace, op)) {
		run_add_check(checking->run, "cache", CHECK_UNKNOWN, NULL, NULL,
			      "How much of what was %s the server was asked for can't be told: 9p does not tell the "
			      "size of what it reads ahead.",
			      moved_words[op]);
		free(found);
	} else {
		fail(checking->run, op, moved, arrived, found);
	}
}

void check_trips_per_io(struct run *run)
{
	uint64_t joined = 0, trips = 0;
	char number[FORMAT_LENGTH];

	for (int op = 0; op < DIRECTIONS; op++) {
		joined += run->trace->io[op] ? run->trace->io[op]->counts.end[IO_END_JOINED] : 0;
		trips += run->trace->io[op] ? run->trace->io[op]->counts.requests : 0;
	}
	if (!joined) {
		run_add_check(run, "splits", CHECK_UNKNOWN, NULL, NULL,
			      "No round trip to the server is known to be of an I/O, so it is not known how many one "
			      "takes.");
		return;
	}
	format_fixed(number, (double)trips / (double)joined, 2);
	if (trips == joined)
		run_add_check(run, "splits", CHECK_PASSED, xstrdup(number), xstrdup("1"),
			      "One I/O is one round trip to the server.");
	else
		run_add_finding(run, "splits", xstrdup(number), NULL, "%s round trips to the server per I/O.", number);
}

void check_buffered(const struct checking *checking)
{
	const char *why = checking->target ? checking->target->buffered : NULL;

	if (why && checking->test)
		run_add_check(checking->run, "direct", CHECK_WARNING, xstrdup("through the page cache"),
			      xstrdup("direct I/O"),
			      "This test went through this machine's page cache, which takes part in every figure: "
			      "%s.",
			      why);
}
