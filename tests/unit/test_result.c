// SPDX-License-Identifier: GPL-2.0
#include "result/result.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "base/text.h"

static void assert_named(const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		assert_non_null(names[i]);
		for (size_t other = 0; other < i; other++)
			assert_string_not_equal(names[i], names[other]);
	}
}

static void everything_has_a_name(void **state)
{
	(void)state;
	assert_named(op_name, OPS);
	assert_named(loss_name, LOSSES);
	assert_named(stage_name, STAGES);
	assert_named(latency_name, LATENCY_KINDS);
	assert_named(stat_group_name, STAT_GROUPS);
	assert_named(check_state_name, CHECK_STATES);
	assert_named(run_state_name, RUN_STATES);
	assert_named(target_kind_name, TARGET_KINDS);
	assert_string_equal(latency_name[LATENCY_CLAT], "clat");
	assert_string_equal(stat_group_name[STAT_FLUSH], "flush");
	assert_string_equal(op_name[OP_WRITE_ZEROES], "write-zeroes");
	assert_string_equal(loss_name[LOSS_UNSEEN], "completion not seen");
	assert_string_equal(stage_name[STAGE_THROUGH], "through");
	assert_true(percentile_percent[P50] == 50 && percentile_percent[P99_99] == 99.99);
	for (int i = 1; i < PERCENTILES; i++)
		assert_true(percentile_percent[i] > percentile_percent[i - 1]);
}

/* blk_errors in block/blk-core.c; later numbers are not the same in all kernels, so they have no errno here. */
static void statuses_as_the_kernel_translates_them(void **state)
{
	static const int known[] = {0,	     EOPNOTSUPP, ETIMEDOUT, ENOSPC, ENOLINK, EREMOTEIO, EBADE,
				    ENODATA, EILSEQ,	 ENOMEM,    EIO,    EREMCHG, EAGAIN,	EBUSY};

	(void)state;
	for (unsigned status = 0; status < STATUSES; status++)
		assert_int_equal(status_errno(status), status < ARRAY_SIZE(known) ? known[status] : 0);
	assert_int_equal(status_errno(UINT32_MAX), 0);
}

static void assert_balance(struct balance balance, uint64_t started, uint64_t timed, uint64_t untimed,
			   uint64_t in_flight, uint64_t lost)
{
	assert_int_equal(balance.started, started);
	assert_int_equal(balance.timed, timed);
	assert_int_equal(balance.untimed, untimed);
	assert_int_equal(balance.in_flight, in_flight);
	assert_int_equal(balance.lost, lost);
}

/* No two numbers are equal, so that none can stand for another. */
static const struct op_view every_count = {
	.issues = 100,
	.requeues = 7,
	.completions = 82,
	.in_flight_at_end = 2,
	.loss = {[LOSS_TABLE_FULL] = 1, [LOSS_UNSEEN] = 3, [LOSS_CLOCK] = 5},
	.bios = 200,
	.finished = 120,
	.empty = 17,
	.ended_early = 11,
	.bios_in_flight_at_end = 13,
	.bio_loss = {[LOSS_TABLE_FULL] = 10, [LOSS_UNSEEN] = 20, [LOSS_CLOCK] = 9},
};

static void accounts_of_requests(void **state)
{
	static struct op_view view;
	struct layer_view layer = {.has_requests = true, .op = {[OP_WRITE] = &view}};

	(void)state;
	view = every_count;
	assert_int_equal(layer_stage(&layer), STAGE_DEVICE);
	assert_balance(layer_balance(&layer, OP_WRITE), 93, 82, 0, 2, 9);
	assert_balance(layer_balance(&layer, OP_READ), 0, 0, 0, 0, 0);

	/* of its bios only where they were followed */
	assert_balance(layer_bio_balance(&layer, OP_WRITE), 0, 0, 0, 0, 0);
	layer.queue = true;
	assert_balance(layer_bio_balance(&layer, OP_WRITE), 200, 120, 28, 13, 39);
	assert_balance(layer_bio_balance(&layer, OP_READ), 0, 0, 0, 0, 0);
	assert_balance(layer_balance(&layer, OP_WRITE), 93, 82, 0, 2, 9);
}

static void accounts_of_bios(void **state)
{
	static struct op_view view;
	struct layer_view layer = {.queue = true, .op = {[OP_FLUSH] = &view}};

	(void)state;
	view = every_count;
	assert_int_equal(layer_stage(&layer), STAGE_THROUGH);
	assert_balance(layer_balance(&layer, OP_FLUSH), 200, 82, 0, 13, 39);
	assert_balance(layer_bio_balance(&layer, OP_FLUSH), 0, 0, 0, 0, 0);
	layer.queue = false;
	assert_balance(layer_balance(&layer, OP_FLUSH), 0, 0, 0, 0, 0);
}

static void starts_now(void **state)
{
	(void)state;
	struct timespec before, after; /* time() lags behind by up to a tick */
	struct result *result;
	struct tm local = {.tm_isdst = -1};

	setenv("TZ", "Asia/Kolkata", 1);
	tzset();
	clock_gettime(CLOCK_REALTIME, &before);
	result = result_new();
	clock_gettime(CLOCK_REALTIME, &after);
	assert_in_range(result->started / 1000000000, before.tv_sec, after.tv_sec);
	assert_int_equal(strlen(result->stamp), 15);
	assert_non_null(strptime(result->stamp, "%Y%m%d_%H%M%S", &local));
	assert_int_equal(mktime(&local), result->started / 1000000000);
	local.tm_isdst = -1;
	assert_int_equal(strlen(result->timestamp), 19);
	assert_non_null(strptime(result->timestamp, "%Y-%m-%d %H:%M:%S", &local));
	assert_int_equal(mktime(&local), result->started / 1000000000);
	result_free(result);
}

static void runs_start_absent(void **state)
{
	(void)state;
	struct result *result = result_new();

	for (unsigned i = 1; i <= 20; i++) {
		struct run *run = result_add_run(result);

		assert_int_equal(result->runs, i);
		assert_ptr_equal(run, &result->run[i - 1]);
		assert_null(run->engine);
		assert_null(run->reason);
		assert_int_equal(run->checks, 0);
		run->iteration = i;
	}
	assert_int_equal(result->run[0].iteration, 1);
	assert_int_equal(result->run[19].iteration, 20);
	result_free(result);
}

static void adds_warnings_and_checks(void **state)
{
	(void)state;
	struct result *result = result_new();
	struct run *run = result_add_run(result);

	result->target = xcalloc(1, sizeof(struct target));
	result->targets = 1;
	target_warn(&result->target[0], "%s will grow by %d GiB", "ext4.vhdx", 8);
	target_warn(&result->target[0], "100 %%");
	assert_int_equal(result->target[0].warnings, 2);
	assert_string_equal(result->target[0].warning[0], "ext4.vhdx will grow by 8 GiB");
	assert_string_equal(result->target[0].warning[1], "100 %");

	run_add_check(run, "one", CHECK_FAILED, xstrdup("3"), NULL, "%d of %s", 3, "4");
	run_add_check(run, "two", CHECK_PASSED, NULL, xstrdup("5"), "fine");
	assert_int_equal(run->checks, 2);
	assert_string_equal(run->check[0].name, "one");
	assert_int_equal(run->check[0].state, CHECK_FAILED);
	assert_string_equal(run->check[0].found, "3");
	assert_null(run->check[0].expected);
	assert_string_equal(run->check[0].sentence, "3 of 4");
	assert_string_equal(run->check[1].expected, "5");
	result_free(result);
}

static char **two_words(void)
{
	char **words = xcalloc(3, sizeof(*words));

	words[0] = xstrdup("fio");
	words[1] = xstrdup("--version");
	return words;
}

static struct op_view *view_with_course(void)
{
	struct op_view *view = xcalloc(1, sizeof(*view));
	struct course *course = &view->course[STAGE_QUEUE];

	course->second = xcalloc(2, sizeof(*course->second));
	course->seconds = 2;
	for (size_t i = 0; i < course->seconds; i++) {
		course->second[i].grown = xcalloc(3, sizeof(struct grown));
		course->second[i].buckets = 3;
	}
	return view;
}

static void fill_run(struct run *run)
{
	run->reason = xstrdup("killed");
	run->untraced = xstrdup("no BTF");
	run->command = two_words();
	run->sample = xcalloc(2, sizeof(*run->sample));
	run->samples = 2;
	run->engine = xcalloc(1, sizeof(*run->engine));
	run->engine->version = xstrdup("fio-3.33");
	run->engine->message = xstrdup("full");
	run->engine->direction[OP_WRITE].latency[LATENCY_LAT].hist = hist_new();
	run->trace = xcalloc(1, sizeof(*run->trace));
	run->trace->top = xstrdup("md0");
	run->trace->leaf = xcalloc(2, sizeof(struct layer_view));
	run->trace->leaves = 2;
	run->trace->leaf[1].device = xstrdup("sdb");
	run->trace->leaf[1].op[OP_FLUSH] = view_with_course();
	run->trace->above = xcalloc(1, sizeof(struct layer_view));
	run->trace->aboves = 1;
	run->trace->above[0].device = xstrdup("md0");
	run->trace->above[0].op[OP_OTHER] = view_with_course();
}

static void fill_target(struct target *target)
{
	struct layer *layer = xcalloc(1, sizeof(*layer));

	layer->name = xstrdup("sda1");
	layer->parent_disk = xstrdup("sda");
	layer->model = xstrdup("model");
	layer->serial = xstrdup("serial");
	layer->backing_file = xstrdup("/x");
	layer->scheduler = xstrdup("none");
	layer->write_cache = xstrdup("write back");
	target->layer = layer;
	target->layers = 1;
	target->given = xstrdup(".");
	target->path = xstrdup("/home");
	target->filesystem = xstrdup("ext4");
	target->source = xstrdup("/dev/sda1");
	target->mount_point = xstrdup("/");
}

/* What is not freed is found by the leak sanitizer. */
static void frees_all(void **state)
{
	(void)state;
	struct result *result = result_new();
	struct machine *machine = &result->machine;
	char **strings[] = {&machine->host,
			    &machine->os,
			    &machine->kernel,
			    &machine->architecture,
			    &machine->cpu,
			    &machine->wsl,
			    &machine->clocksource,
			    &result->version,
			    &result->config,
			    &result->engine,
			    &result->engine_version,
			    &result->no_trace,
			    &result->options.ioengine};

	for (size_t i = 0; i < ARRAY_SIZE(strings); i++)
		*strings[i] = xstrdup("string");
	result->command = two_words();
	result->test = xcalloc(1, sizeof(struct test));
	result->tests = 1;
	result->target = xcalloc(1, sizeof(struct target));
	result->targets = 1;
	fill_target(&result->target[0]);
	fill_run(result_add_run(result));
	result_free(result);

	result_free(NULL);
	engine_figures_free(NULL);
	trace_view_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(everything_has_a_name),
		cmocka_unit_test(statuses_as_the_kernel_translates_them),
		cmocka_unit_test(accounts_of_requests),
		cmocka_unit_test(accounts_of_bios),
		cmocka_unit_test(starts_now),
		cmocka_unit_test(runs_start_absent),
		cmocka_unit_test(adds_warnings_and_checks),
		cmocka_unit_test(frees_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
