// SPDX-License-Identifier: GPL-2.0
#include "result/file.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <jansson.h>

#include "file_tests.h"
#include "made_up_result.h"

static void keeps_the_key_values(void **state)
{
	struct result *result = made_up_matrix(1, 1);
	json_t *json;

	(void)state;
	result->has_observer = true;
	result->observer.startup = 321000000;
	result->run[4].engine->direction[OP_READ].latency[LATENCY_LAT].stddev = 1.0 / 3;
	result->run[4].trace->leaf[0].op[OP_READ]->loss[LOSS_UNSEEN] = 12;
	result->run[4].trace->queued[OWNER_OTHERS][OP_WRITE].bytes = 8192;
	run_add_check(&result->run[4], "identity", CHECK_PASSED, xstrdup("1"), NULL, "fine");
	json = write_and_read(result, false);
	check_count(json, "schema_version", 1);
	check_text(json, "tool/name", "iostrata");
	check_text(json, "tool/version", "0.1");
	check_text(json, "config", "NonRAID");
	check_text(json, "timestamp", "2026-11-30 17:00:21");
	check_text(json, "stamp", "20261130_170021");
	check_count(json, "started", 1796058021000000000);
	check_text(json, "command/1", "bench");
	check_count(json, "machine/cpus", 8);
	check_count(json, "options/duration", 30000000000);
	check_text(json, "options/latency", "lat");
	check_text(json, "engine/version", "fio-3.33");
	check_count(json, "observer/startup", 321000000);
	check_text(json, "targets/0/layers/1/model", "Made-up SSD 500");
	check_text(json, "tests/4/access", "read");
	check_count(json, "runs/4/test", 4);
	check_text(json, "runs/4/state", "done");
	check_text(json, "runs/4/command/0", "fio");
	check_count(json, "runs/4/engine/directions/read/ios", 375000);
	check_fraction(json, "runs/4/engine/directions/read/latency/lat/mean", 78840);
	check_fraction(json, "runs/4/engine/directions/read/latency/lat/stddev", 1.0 / 3);
	check_fraction(json, "runs/4/engine/directions/read/latency/clat/mean", 75700);
	check_count(json, "runs/4/engine/directions/read/latency/clat/percentiles/p99.9", 246000);
	check_count(json, "runs/4/trace/queued/others/write/bytes", 8192);
	check_count(json, "runs/4/trace/leaves/0/ops/read/completions", 375000);
	check_count(json, "runs/4/trace/leaves/0/ops/read/losses/completion not seen", 12);
	check_count(json, "runs/4/trace/leaves/0/ops/read/losses/table full", 0);
	check_count(json, "runs/4/trace/leaves/0/ops/read/stages/device/sum", 375000ll * 68100);
	check_count(json, "runs/4/trace/leaves/0/diskstats/read/sectors", 375000 * 8);
	check_count(json, "runs/4/samples/1/at", 2000000000);
	check_fraction(json, "runs/4/samples/0/disk_percent", 93.9);
	check_text(json, "runs/4/checks/0/state", "passed");
	json_decref(json);
}

static void layers_say_what_they_are(void **state)
{
	struct result *result = made_up_result(1);
	struct run *run = made_up_run(result, 0, 0, 1, 1);
	json_t *json;

	(void)state;
	run->trace->above = xreallocarray(run->trace->above, 2, sizeof(struct layer_view));
	run->trace->above[1] = (struct layer_view){.device = xstrdup("md0"), .queue = true};
	run->trace->aboves = 2;
	json = write_and_read(result, false);
	check_text(json, "runs/0/trace/leaves/0/device", "nvme0n1");
	check_text(json, "runs/0/trace/leaves/0/kind", "requests");
	check_text(json, "runs/0/trace/above/0/device", "nvme0n1p2");
	check_text(json, "runs/0/trace/above/0/kind", "partition");
	check_count(json, "runs/0/trace/above/0/ops/read/issues", 160860);
	check_count(json, "runs/0/trace/above/0/diskstats/read/ios", 160860);
	check_text(json, "runs/0/trace/above/1/device", "md0");
	check_text(json, "runs/0/trace/above/1/kind", "bios");
	check_absent(json, "runs/0/trace/above/1/diskstats");
	assert_int_equal(json_object_size(find(json, "runs/0/trace/above/1/ops")), 0);
	assert_true(json_is_true(find(json, "options/queue")));
	json_decref(json);
}

/* One number for each key, all of them different. */
static void bios_keep_their_counts(void **state)
{
	struct result *result = made_up_result(1);
	struct op_view *view = made_up_run(result, 0, 0, 1, 1)->trace->leaf[0].op[OP_READ];
	json_t *json, *bios;

	(void)state;
	view->bios = 101;
	view->bio_bytes = 102;
	view->empty = 103;
	view->finished = 104;
	view->ended_early = 105;
	view->pieces = 106;
	view->bios_in_flight_at_end = 107;
	view->bio_loss[LOSS_TABLE_FULL] = 108;
	view->bio_loss[LOSS_UNSEEN] = 109;
	view->bio_loss[LOSS_CLOCK] = 110;
	view->walked = 111;
	view->unqueued = 112;
	view->walk_over = 113;
	view->children = 114;
	view->asked_flush = 116;
	view->asked_fua = 117;
	view->loss[LOSS_UNSEEN] = 115;
	json = write_and_read(result, false);
	bios = find(json, "runs/0/trace/leaves/0/ops/read/bios");
	check_count(bios, "queued", 101);
	check_count(bios, "queued_bytes", 102);
	check_count(bios, "empty", 103);
	check_count(bios, "finished", 104);
	check_count(bios, "ended_early", 105);
	check_count(bios, "requests", 106);
	check_count(bios, "in_flight_at_end", 107);
	check_count(bios, "losses/table full", 108);
	check_count(bios, "losses/completion not seen", 109);
	check_count(bios, "losses/clock went backwards", 110);
	check_count(bios, "walked", 111);
	check_count(bios, "unqueued", 112);
	check_count(bios, "walk_over", 113);
	check_count(bios, "children", 114);
	check_count(bios, "asked_flush", 116);
	check_count(bios, "asked_fua", 117);
	assert_int_equal(json_object_size(bios), 14);
	check_count(json, "runs/0/trace/leaves/0/ops/read/losses/completion not seen", 115);
	json_decref(json);
}

static void errors_have_their_names(void **state)
{
	struct result *result = made_up_result(1);
	struct trace_view *trace = made_up_run(result, 0, 0, 1, 1)->trace;
	json_t *json;

	(void)state;
	trace->leaf[0].op[OP_READ]->error[1] = 2;  /* BLK_STS_NOTSUPP */
	trace->leaf[0].op[OP_READ]->error[10] = 3; /* BLK_STS_IOERR */
	trace->leaf[0].op[OP_READ]->error[12] = 4; /* BLK_STS_AGAIN */
	trace->leaf[0].op[OP_READ]->error[17] = 5; /* not the same in all kernels */
	json = write_and_read(result, false);
	check_count(json, "runs/0/trace/leaves/0/ops/read/errors/EOPNOTSUPP", 2);
	check_count(json, "runs/0/trace/leaves/0/ops/read/errors/EIO", 3);
	check_count(json, "runs/0/trace/leaves/0/ops/read/errors/EAGAIN", 4);
	check_count(json, "runs/0/trace/leaves/0/ops/read/errors/status 17", 5);
	assert_int_equal(json_object_size(find(json, "runs/0/trace/leaves/0/ops/read/errors")), 4);
	assert_true(json_is_object(find(json, "runs/0/trace/above/0/ops/read/errors")));
	assert_int_equal(json_object_size(find(json, "runs/0/trace/above/0/ops/read/errors")), 0);
	json_decref(json);
}

/* The stages that there are, each with the seconds in which it came; values are the buckets' lowest. */
static void stages_keep_their_course(void **state)
{
	struct result *result = made_up_result(1);
	struct op_view *view = made_up_run(result, 0, 4, 1, 1)->trace->leaf[0].op[OP_READ];
	struct second *second = xcalloc(2, sizeof(*second));
	struct course *course = &view->course[STAGE_THROUGH];
	json_t *json, *stages;

	(void)state;
	second[0] = (struct second){.at = 1000000000, .grown = xcalloc(2, sizeof(struct grown)), .buckets = 2};
	second[0].grown[0] = (struct grown){.bucket = hist_bucket(100), .count = 3};
	second[0].grown[1] = (struct grown){.bucket = hist_bucket(129), .count = 1};
	second[1] = (struct second){.at = 3000000000, .grown = xcalloc(1, sizeof(struct grown)), .buckets = 1};
	second[1].grown[0] = (struct grown){.bucket = hist_bucket(100), .count = 2};
	*course = (struct course){.second = second, .seconds = 2};
	hist_add(&view->stage[STAGE_THROUGH], 100, 5);
	hist_add(&view->stage[STAGE_THROUGH], 129, 1);
	json = write_and_read(result, false);
	stages = find(json, "runs/0/trace/leaves/0/ops/read/stages");
	assert_int_equal(json_object_size(stages), 3);
	check_count(stages, "through/count", 6);
	assert_int_equal(json_array_size(find(stages, "through/course")), 2);
	check_count(stages, "through/course/0/at", 1000000000);
	assert_int_equal(json_array_size(find(stages, "through/course/0/buckets")), 2);
	check_count(stages, "through/course/0/buckets/0/0", 100);
	check_count(stages, "through/course/0/buckets/0/1", 3);
	check_count(stages, "through/course/0/buckets/1/0", 128);
	check_count(stages, "through/course/0/buckets/1/1", 1);
	check_count(stages, "through/course/1/at", 3000000000);
	check_count(stages, "through/course/1/buckets/0/1", 2);
	check_count(stages, "queue/sum", 375000ll * 6810);
	check_count(stages, "device/course/0/buckets/0/1", 375000);
	/* what its disk's bios wait for is not the partition's own */
	assert_int_equal(json_object_size(find(json, "runs/0/trace/above/0/ops/read/stages")), 1);
	json_decref(json);
}

/* A histogram can be built again from its buckets. */
static void histograms_are_lossless(void **state)
{
	static const uint64_t values[] = {0, 1, 127, 128, 129, 4095, 68100, 1000000007, 20000000000};
	struct result *result = made_up_result(1);
	struct run *run = made_up_run(result, 0, 4, 1, 1);
	struct hist *hist = &run->trace->leaf[0].op[OP_READ]->stage[STAGE_DEVICE], *again = hist_new(), original;
	json_t *json, *buckets;

	(void)state;
	memset(hist, 0, sizeof(*hist));
	for (size_t i = 0; i < ARRAY_SIZE(values); i++)
		hist_add(hist, values[i], i + 1);
	original = *hist;
	json = write_and_read(result, false);
	buckets = find(json, "runs/0/trace/leaves/0/ops/read/stages/device/buckets");
	assert_int_equal(json_array_size(buckets), 8); /* 128 and 129 share one, 20 s is in the last */
	for (size_t i = 0; i < json_array_size(buckets); i++) {
		json_t *pair = json_array_get(buckets, i);

		hist_add(again, (uint64_t)json_integer_value(json_array_get(pair, 0)),
			 (uint64_t)json_integer_value(json_array_get(pair, 1)));
	}
	assert_memory_equal(again->bucket, original.bucket, sizeof(original.bucket));
	check_count(json, "runs/0/trace/leaves/0/ops/read/stages/device/count", (json_int_t)original.count);
	check_count(json, "runs/0/trace/leaves/0/ops/read/stages/device/max", 20000000000);
	free(again);
	json_decref(json);
}

static void the_unknown_is_absent(void **state)
{
	struct result *result = made_up_result(1);
	struct run *run = made_up_run(result, 0, 5, 1, 1);
	json_t *json;

	(void)state;
	trace_view_free(run->trace);
	run->trace = NULL;
	run->untraced = xstrdup("no device");
	run->sample[0].has_disk = false;
	run->engine->direction[OP_WRITE].latency[LATENCY_LAT].stddev = NAN;
	result->target[0].laid_out_in = 0;
	result->options.queue = false;
	json = write_and_read(result, false);
	check_absent(json, "no_trace");
	check_absent(json, "observer");
	check_absent(json, "summary");
	check_absent(json, "machine/memory");
	check_absent(json, "machine/wsl");
	check_absent(json, "targets/0/laid_out_in");
	check_absent(json, "targets/0/layers/0/model");
	check_absent(json, "targets/0/layout");
	check_absent(json, "targets/0/nearness");
	check_absent(json, "targets/0/floor");
	check_absent(json, "targets/0/no_floor");
	check_absent(json, "options/expect");
	check_absent(json, "runs/0/verdict");
	check_absent(json, "runs/0/conditions");
	check_absent(json, "runs/0/probe_cost");
	check_absent(json, "runs/0/reason");
	check_absent(json, "runs/0/trace");
	check_text(json, "runs/0/untraced", "no device");
	check_absent(json, "runs/0/engine/message");
	check_absent(json, "runs/0/engine/directions/read");
	check_absent(json, "runs/0/engine/directions/write/latency/lat/stddev");
	check_absent(json, "runs/0/engine/directions/write/latency/lat/percentiles/p90");
	check_absent(json, "runs/0/samples/0/disk_ios");
	assert_true(json_is_false(find(json, "options/queue")));
	check_count(json, "runs/0/samples/1/disk_ios", 12345);
	json_decref(json);
}

/* Linux takes any byte but / and NUL in a name. */
static void bad_utf8_does_not_stop_it(void **state)
{
	struct result *result = made_up_result(1);
	struct run *run = made_up_run(result, 0, 0, 1, 1);
	json_t *json;

	(void)state;
	free(result->target[0].given);
	result->target[0].given = xstrdup("/mnt/caf\xe9/\xc3\xa9");
	run->engine->message = xstrdup("fio: \xff\xfe\n\"quoted\"\x01");
	target_warn(&result->target[0], "%s", "\xed\xa0\x80");
	json = write_and_read(result, false);
	check_text(json, "targets/0/given", "/mnt/caf\uFFFD/\u00e9");
	check_text(json, "runs/0/engine/message", "fio: \uFFFD\uFFFD\n\"quoted\"\x01");
	check_text(json, "targets/0/warnings/0", "\uFFFD\uFFFD\uFFFD");
	json_decref(json);
}

static void numbers_beyond_the_format(void **state)
{
	struct result *result = made_up_result(1);
	json_t *json;

	(void)state;
	result->options.size = INT64_MAX;
	result->target[0].file_size = UINT64_MAX;
	json = write_and_read(result, false);
	check_count(json, "options/size", INT64_MAX);
	check_fraction(json, "targets/0/file_size", 0x1p64);
	json_decref(json);
}

/* --- whether it can be believed --- */

static void what_is_known_of_a_layer(void **state)
{
	struct result *result = made_up_result(1);
	struct layer *layer = &result->target[0].layer[1];
	json_t *json;

	(void)state;
	layer->memory = xstrdup("compressed memory (zram)");
	layer->backing_filesystem = xstrdup("xfs");
	layer->driver = xstrdup("hv_storvsc");
	layer->path = xstrdup("vhdx");
	result->target[0].access = xstrdup("drvfs");
	layer->link = xstrdup("PCIe 8.0 GT/s x4");
	layer->link_bytes_per_second = 3938461538;
	layer->hardware_queues = 3;
	layer->tags = 4;
	layer->cached = true;
	json = write_and_read(result, false);
	check_text(json, "targets/0/layers/1/memory", "compressed memory (zram)");
	check_text(json, "targets/0/layers/1/backing_filesystem", "xfs");
	check_text(json, "targets/0/layers/1/driver", "hv_storvsc");
	check_text(json, "targets/0/layers/1/path", "vhdx");
	check_text(json, "targets/0/access", "drvfs");
	check_text(json, "targets/0/layers/1/link", "PCIe 8.0 GT/s x4");
	check_count(json, "targets/0/layers/1/link_bytes_per_second", 3938461538);
	check_count(json, "targets/0/layers/1/hardware_queues", 3);
	check_count(json, "targets/0/layers/1/tags", 4);
	assert_true(json_is_true(find(json, "targets/0/layers/1/cached")));
	check_absent(json, "targets/0/layers/0/memory");
	check_absent(json, "targets/0/layers/0/driver");
	check_absent(json, "targets/0/layers/0/path");
	check_absent(json, "targets/0/layers/0/link_bytes_per_second");
	check_absent(json, "targets/0/layers/0/tags");
	check_absent(json, "targets/0/layers/0/cached");
	json_decref(json);
}

/* Of a file all are known, 0 or not; of a device there is the sample. */
static void what_is_known_of_blocks(void **state)
{
	struct result *result = made_up_result(2);
	json_t *json;

	(void)state;
	result->target[0].layout = (struct layout){.has_extents = true, .written = 5, .holes = 7, .extents = 8};
	result->target[1].layout = (struct layout){.sampled = 256};
	result->target[1].nearness = (struct nearness){.reads = 200, .random = 90000, .same = 41000};
	json = write_and_read(result, false);
	check_count(json, "targets/0/layout/written", 5);
	check_count(json, "targets/0/layout/unwritten", 0);
	check_count(json, "targets/0/layout/holes", 7);
	check_count(json, "targets/0/layout/elsewhere", 0);
	check_count(json, "targets/0/layout/extents", 8);
	check_absent(json, "targets/0/layout/sampled");
	check_absent(json, "targets/0/layout/zeros");
	check_absent(json, "targets/0/nearness");
	check_count(json, "targets/1/layout/sampled", 256);
	check_count(json, "targets/1/layout/zeros", 0);
	check_absent(json, "targets/1/layout/written");
	check_count(json, "targets/1/nearness/reads", 200);
	check_count(json, "targets/1/nearness/random", 90000);
	check_count(json, "targets/1/nearness/same", 41000);
	json_decref(json);
}

static void what_is_known_of_the_floor(void **state)
{
	struct result *result = made_up_result(2);
	json_t *json;

	(void)state;
	result->options.floor = true;
	result->target[0].no_floor = xstrdup("no block");
	result->target[1].floor.same = (struct read_times){
		.reads = 900, .least = 27000, .median = 28000, .p99 = 40000, .mean = 28100.5, .deviation = 900.25};
	result->target[1].floor.asked = 1900;
	json = write_and_read(result, false);
	assert_true(json_is_true(find(json, "options/floor")));
	check_absent(json, "targets/0/floor");
	check_text(json, "targets/0/no_floor", "no block");
	check_absent(json, "targets/1/no_floor");
	check_count(json, "targets/1/floor/same/reads", 900);
	check_count(json, "targets/1/floor/same/least", 27000);
	check_count(json, "targets/1/floor/same/median", 28000);
	check_count(json, "targets/1/floor/same/p99", 40000);
	check_fraction(json, "targets/1/floor/same/mean", 28100.5);
	check_fraction(json, "targets/1/floor/same/deviation", 900.25);
	check_absent(json, "targets/1/floor/random");
	check_count(json, "targets/1/floor/asked", 1900);
	check_absent(json, "targets/1/floor/reached");
	json_decref(json);
}

static void what_was_expected(void **state)
{
	struct result *result = made_up_result(1);
	struct options *options = &result->options;
	json_t *json;

	(void)state;
	options->sweep = true;
	options->expectations = 2;
	options->expectation = xcalloc(2, sizeof(*options->expectation));
	options->expectation[0] = (struct expectation){.measure = MEASURE_MBPS, .limit = 125.5};
	options->expectation[1] =
		(struct expectation){.tests = xstrdup("*-Read"), .measure = MEASURE_P99, .limit = 2000000};
	json = write_and_read(result, false);
	assert_true(json_is_true(find(json, "options/sweep")));
	check_absent(json, "options/expect/0/tests");
	check_text(json, "options/expect/0/measure", "mbps");
	check_fraction(json, "options/expect/0/limit", 125.5);
	check_text(json, "options/expect/1/tests", "*-Read");
	check_text(json, "options/expect/1/measure", "p99");
	check_fraction(json, "options/expect/1/limit", 2000000);
	json_decref(json);
}

static void what_was_asked_to_be_durable(void **state)
{
	struct result *result = made_up_matrix(1, 1);
	struct trace_view *trace = result->run[1].trace;
	json_t *json;

	(void)state;
	trace->has_reached = true;
	trace->leaf[0].op[OP_WRITE]->fua = 21;
	trace->leaf[0].op[OP_WRITE]->reached_bytes = 22;
	json = write_and_read(result, false);
	assert_true(json_is_true(find(json, "runs/1/trace/reached")));
	check_count(json, "runs/1/trace/leaves/0/ops/write/fua", 21);
	check_count(json, "runs/1/trace/leaves/0/ops/write/reached_bytes", 22);
	check_count(json, "runs/1/trace/above/0/ops/write/reached_bytes", 0);
	check_absent(json, "runs/0/trace/reached");
	check_count(json, "runs/0/trace/leaves/0/ops/read/fua", 0);
	check_absent(json, "runs/0/trace/leaves/0/ops/read/reached_bytes");
	json_decref(json);
}

static void the_verdict_is_in_both(void **state)
{
	static const char *const words[] = {NULL, "REAL", "SUSPECT", "NOT REAL"};

	(void)state;
	for (int i = 0; i < VERDICTS * 2; i++) {
		struct result *result = made_up_result(1);
		struct run *run = made_up_run(result, 0, 0, 1, 1);
		json_t *json;

		run->verdict = (enum verdict)(i / 2);
		run_add_check(run, "cpu", CHECK_PASSED, NULL, NULL, "no matter");
		run_add_finding(run, "depth", NULL, NULL, "3 of 32");
		run->has_probe_cost = i % 2;
		run->conditions = xcalloc(1, sizeof(*run->conditions));
		json = write_and_read(result, i % 2);
		if (words[i / 2])
			check_text(json, "runs/0/verdict", words[i / 2]);
		else
			check_absent(json, "runs/0/verdict");
		check_absent(json, "runs/0/checks/0/finding");
		assert_true(json_is_true(find(json, "runs/0/checks/1/finding")));
		assert_int_equal(!!find(json, "runs/0/probe_cost"), i % 2);
		assert_int_equal(!!find(json, "runs/0/conditions"), !(i % 2));
		json_decref(json);
	}
}

static void a_failed_run_keeps_its_reason(void **state)
{
	struct result *result = made_up_result(1);
	json_t *json;

	(void)state;
	made_up_not_done(made_up_run(result, 0, 0, 1, 1), RUN_FAILED, "fio was killed");
	json = write_and_read(result, false);
	check_text(json, "runs/0/state", "failed");
	check_text(json, "runs/0/reason", "fio was killed");
	check_absent(json, "runs/0/engine");
	assert_int_equal(json_array_size(find(json, "runs/0/samples")), 0);
	json_decref(json);
}

static void a_summary_is_short(void **state)
{
	json_t *json = write_and_read(made_up_matrix(1, 1), true);

	(void)state;
	assert_true(json_is_true(find(json, "summary")));
	assert_false(contains_key(json, "buckets"));
	assert_false(contains_key(json, "samples"));
	assert_false(contains_key(json, "issues"));
	assert_false(contains_key(json, "diskstats"));
	assert_false(contains_key(json, "course"));
	assert_false(contains_key(json, "errors"));
	assert_false(contains_key(json, "finished"));
	check_text(json, "runs/4/trace/above/0/kind", "partition");
	check_fraction(json, "runs/4/trace/leaves/0/ops/read/stages/queue/mean", 6810);
	check_absent(json, "runs/4/trace/leaves/0/ops/read/stages/through");
	check_absent(json, "machine/cpus");
	check_fraction(json, "runs/4/engine/directions/read/latency/lat/mean", 78840);
	check_count(json, "runs/4/trace/leaves/0/ops/read/stages/device/count", 375000);
	check_fraction(json, "runs/4/trace/leaves/0/ops/read/stages/device/mean", 68100);
	check_count(json, "runs/4/trace/leaves/0/ops/read/stages/device/percentiles/p99", 68096);
	json_decref(json);
}

static void names_the_file(void **state)
{
	struct result *result = made_up_result(1);
	char *name = result_file_name(result);

	(void)state;
	assert_string_equal(name, "iostrata_bench1_NonRAID_20261130_170021.json");
	free(name);
	free(result->machine.host);
	free(result->config);
	result->machine.host = NULL;
	result->config = xstrdup("../x y");
	name = result_file_name(result);
	assert_null(strchr(name, '/'));
	assert_string_equal(name, "iostrata_unknown_.._x_y_20261130_170021.json");
	free(name);
	result_free(result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keeps_the_key_values),	     cmocka_unit_test(layers_say_what_they_are),
		cmocka_unit_test(bios_keep_their_counts),    cmocka_unit_test(errors_have_their_names),
		cmocka_unit_test(stages_keep_their_course),  cmocka_unit_test(histograms_are_lossless),
		cmocka_unit_test(the_unknown_is_absent),     cmocka_unit_test(bad_utf8_does_not_stop_it),
		cmocka_unit_test(numbers_beyond_the_format), cmocka_unit_test(a_failed_run_keeps_its_reason),
		cmocka_unit_test(a_summary_is_short),	     cmocka_unit_test(names_the_file),
		cmocka_unit_test(what_is_known_of_a_layer),  cmocka_unit_test(what_is_known_of_blocks),
		cmocka_unit_test(what_is_known_of_the_floor),
		cmocka_unit_test(what_was_expected),	     cmocka_unit_test(what_was_asked_to_be_durable),
		cmocka_unit_test(the_verdict_is_in_both),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
