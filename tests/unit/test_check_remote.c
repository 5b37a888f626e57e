// SPDX-License-Identifier: GPL-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "checked.h"
#include "targeted.h"

/* A file on a server: 1000 I/Os of 4096 bytes, each one round trip. No disk was watched. */
static struct remote_view *make_served(enum op op, const char *protocol, const char *kind)
{
	struct remote_view *view = xcalloc(1, sizeof(*view));
	struct target *target = add_target(TARGET_FILE);
	struct io_view *io = fill_ios(op);

	layer_clear(&target->layer[0]);
	target->layers = 0;
	target->filesystem = xstrdup(protocol);
	free(run->trace->leaf[0].op[op]);
	free(run->trace->leaf[0].device);
	free(run->trace->top);
	run->trace->leaves = 0;
	run->trace->top = NULL;
	run->trace->queued[OWNER_WORKLOAD][op] = (struct bio_counts){0};
	*view = (struct remote_view){.protocol = xstrdup(protocol), .kind = xstrdup(kind), .sent = 1000};
	view->answered = 1000;
	hist_add(&view->time, 60000, 1000);
	run->trace->remote = view;
	run->trace->remotes = 1;
	io->counts.requests = 1000;
	io->counts.bytes = io->counts.remote_bytes = 4096000;
	hist_add(&io->stage[IO_STAGE_REMOTE], 60000, 1000);
	return view;
}

static void all_is_well(void **state)
{
	(void)state;
	make_served(OP_READ, "9p", "Tread");
	judge(&read_test);
	assert_state(nth_check("cache", 0), CHECK_PASSED);
	assert_has(nth_check("cache", 0)->sentence, "was asked of the server");
	assert_state(nth_check("coverage", 0), CHECK_PASSED);
	assert_has(nth_check("coverage", 0)->sentence, "1,000 of 1,000 round trips");
	assert_state(nth_check("identity", 0), CHECK_PASSED);
	assert_state(nth_check("ios", 0), CHECK_PASSED);
	assert_state(nth_check("splits", 0), CHECK_PASSED);
	assert_state(nth_check("balance", 0), CHECK_NOT_APPLICABLE);
	assert_state(nth_check("foreign", 0), CHECK_NOT_APPLICABLE);
	assert_state(nth_check("medium", 0), CHECK_UNKNOWN);
	assert_int_equal(count_checks("direct"), 0);
	/* what medium is behind the server is not known, so the figure is not called real */
	assert_int_equal(run->verdict, VERDICT_NONE);
}

static void what_is_open_is_told(void **state)
{
	struct remote_view *view = make_served(OP_READ, "9p", "Tread");

	(void)state;
	view->answered = 990;
	judge(&read_test);
	assert_state(nth_check("identity", 0), CHECK_FAILED);
	assert_has(nth_check("identity", 0)->found, "requests 1000 != 990 answered");
}

static void losses_lower_coverage(void **state)
{
	struct remote_view *view = make_served(OP_READ, "9p", "Tread");

	(void)state;
	view->answered = 980;
	view->lost = 10;
	view->in_flight_at_end = 10;
	judge(&read_test);
	assert_state(nth_check("identity", 0), CHECK_PASSED);
	assert_state(nth_check("coverage", 0), CHECK_WARNING);
	assert_string_equal(nth_check("coverage", 0)->found, "98.99 %");
}

static void nothing_was_asked_of_it(void **state)
{
	(void)state;
	make_served(OP_READ, "9p", "Tread");
	run->trace->remote[0].sent = run->trace->remote[0].answered = 0;
	run->trace->io[OP_READ]->counts.remote_bytes = 0;
	judge(&read_test);
	assert_state(nth_check("coverage", 0), CHECK_NOT_APPLICABLE);
	assert_state(nth_check("cache", 0), CHECK_FAILED);
	assert_has(nth_check("cache", 0)->sentence, "Of 3.91 MiB read the server was asked for nothing");
	assert_int_equal(run->verdict, VERDICT_NOT_REAL);
}

/* The answers tell: 95 % are enough. */
static void at_the_limit(void **state)
{
	struct remote_view *view = make_served(OP_WRITE, "fuse.sshfs", "FUSE_WRITE");

	(void)state;
	view->has_bytes = true;
	run->trace->io[OP_WRITE]->counts.remote_bytes = 0;
	view->bytes = 4096000 * 95 / 100;
	judge(&write_test);
	assert_state(nth_check("cache", 0), CHECK_PASSED);
}

static void below_the_limit(void **state)
{
	struct remote_view *view = make_served(OP_WRITE, "fuse.sshfs", "FUSE_WRITE");

	(void)state;
	view->has_bytes = true;
	run->trace->io[OP_WRITE]->counts.remote_bytes = 0;
	view->bytes = 4096000 * 95 / 100 - 1;
	judge(&write_test);
	assert_state(nth_check("cache", 0), CHECK_FAILED);
	assert_has(nth_check("cache", 0)->sentence, "the page cache of this machine took the rest");
}

/* Reads through the page cache, of which 9p asked for some in advance: nothing is claimed. */
static void what_is_read_ahead_is_of_unknown_size(void **state)
{
	(void)state;
	make_served(OP_READ, "9p", "Tread");
	run->trace->io[OP_READ]->counts.remote_bytes = 4096;
	run->trace->io[OP_READ]->counts.end[IO_END_JOINED] = 1;
	run->trace->io[OP_READ]->counts.end[IO_END_BUFFERED] = 999;
	judge(&read_test);
	assert_state(nth_check("cache", 0), CHECK_UNKNOWN);
	assert_has(nth_check("cache", 0)->sentence, "reads ahead");
}

static void several_round_trips_are_a_finding(void **state)
{
	(void)state;
	make_served(OP_READ, "9p", "Tread");
	run->trace->io[OP_READ]->counts.requests = 2500;
	judge(&read_test);
	assert_state(nth_check("splits", 0), CHECK_PASSED);
	assert_true(nth_check("splits", 0)->finding);
	assert_string_equal(nth_check("splits", 0)->found, "2.50");
}

/* However much was asked of the server, and with or without a trace. */
static void the_page_cache_is_never_real(void **state)
{
	(void)state;
	make_served(OP_READ, "9p", "Tread");
	result->target[0].buffered = xstrdup("9p refuses O_DIRECT when a file is opened (EINVAL)");
	judge(&read_test);
	assert_state(nth_check("direct", 0), CHECK_WARNING);
	assert_has(nth_check("direct", 0)->sentence, "9p refuses O_DIRECT when a file is opened (EINVAL).");
	assert_int_equal(run->verdict, VERDICT_SUSPECT);
}

/* Of a program that used both: the disks' share is judged as ever, and the server's is what came to it. */
static void a_server_beside_disks(void **state)
{
	struct io_view *io = fill_ios(OP_READ);

	(void)state;
	add_target(TARGET_DISKS);
	run->trace->remote = xcalloc(1, sizeof(struct remote_view));
	run->trace->remotes = 1;
	run->trace->remote[0] = (struct remote_view){
		.protocol = xstrdup("fuse"),
		.kind = xstrdup("FUSE_READ"),
		.sent = 5,
		.answered = 5,
		.has_bytes = true,
		.bytes = 4096000,
	};
	io->counts.bytes = 2 * 4096000;
	engine_figures_free(run->engine);
	run->engine = NULL;
	judge(NULL);
	assert_state(nth_check("cache", 0), CHECK_PASSED);
	assert_has(nth_check("cache", 0)->sentence, "or was asked of a file system's server");
	assert_state(nth_check("medium", 0), CHECK_UNKNOWN);
}

/* A sync on a server is none of the disk that was watched beside it, which lacks no flush. */
static void a_sync_on_a_server(void **state)
{
	struct target *target = add_target(TARGET_DISKS);
	struct call_view *sync = run->trace->call[CALL_FSYNC] = xcalloc(1, sizeof(*sync));

	(void)state;
	fill_ios(OP_WRITE);
	target->layer[0].write_cache = xstrdup("write back");
	sync->counts.calls = 10;
	run->trace->remote = xcalloc(1, sizeof(struct remote_view));
	engine_figures_free(run->engine);
	run->engine = NULL;
	assert_check("durability", CHECK_WARNING, "got no flush");
	run->trace->remotes = 1;
	run->trace->remote[0] = (struct remote_view){
		.protocol = xstrdup("9p"),
		.kind = xstrdup("Tfsync"),
		.sent = 10,
		.answered = 10,
	};
	assert_check("durability", CHECK_UNKNOWN, "went to a file system's server");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		READS(all_is_well),
		READS(what_is_open_is_told),
		READS(losses_lower_coverage),
		READS(nothing_was_asked_of_it),
		WRITES(at_the_limit),
		WRITES(below_the_limit),
		READS(what_is_read_ahead_is_of_unknown_size),
		READS(several_round_trips_are_a_finding),
		READS(the_page_cache_is_never_real),
		READS(a_server_beside_disks),
		WRITES(a_sync_on_a_server),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
