// SPDX-License-Identifier: GPL-2.0
#include "result/file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>
#include <jansson.h>

#include "file_tests.h"
#include "made_up_ledger.h"
#include "result/ledger.h"

/* --- the durability ledger --- */

/* One number for each key, all of them different. */
static void make_ledger(void)
{
	struct layer_view *sda;

	begin(TARGET_FILE);
	sda = add_layer("sda", true, "write back");
	got(sda, 1003, 1002, 7);
	op_of(sda, OP_WRITE)->asked_flush = 4;
	op_of(sda, OP_FLUSH)->asked_flush = 5;
	op_of(sda, OP_WRITE)->asked_fua = 6;
	synchronous_writes(1000, 990);
	trace->call[CALL_WRITE]->time.sum = 5000000;
	trace->call[CALL_WRITE]->counts.clock[CLASS_DATA] = 2000000;
	call(CALL_FSYNC, 2, 1);
}

static void the_ledger_has_all(void **state)
{
	json_t *json, *ledger, *layer;

	(void)state;
	make_ledger();
	reached(&trace->leaf[0], 77);
	for (int summary = 0; summary < 2; summary++) {
		char *text = result_to_json(result, summary);

		json = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
		ledger = find(json, "runs/0/ledger");
		assert_int_equal(json_object_size(ledger), 11);
		check_count(ledger, "writes", 1000);
		check_count(ledger, "write_bytes", 4096000);
		check_count(ledger, "syncs", 2);
		check_count(ledger, "flushed", 991);
		check_count(ledger, "calls", 1002);
		check_count(ledger, "buffered_bytes", 4096000);
		check_count(ledger, "call_time", 5000000);
		check_count(ledger, "idle_time", 3000000);
		check_text(ledger, "durability", "flushed");
		assert_non_null(strstr(json_string_value(find(ledger, "conclusion")), "sda"));
		assert_int_equal(json_array_size(find(ledger, "layers")), 1);
		layer = find(ledger, "layers/0");
		assert_int_equal(json_object_size(layer), 8);
		check_text(layer, "device", "sda");
		check_count(layer, "writes", 1003);
		check_count(layer, "write_bytes", 1003 * 4096);
		check_count(layer, "flushes", 1002);
		check_count(layer, "fua", 7);
		check_count(layer, "asked_flush", 9);
		check_count(layer, "asked_fua", 6);
		check_count(layer, "reached", 77);
		json_decref(json);
		free(text);
	}
	end();
}

static void the_unknown_is_absent(void **state)
{
	json_t *json, *ledger;

	(void)state;
	begin(TARGET_FILE);
	got(add_layer("sda", true, "write through"), 3, 0, 0);
	io_writes(IO_WAY_URING, 3, 2);
	run->test = 0;
	json = write_and_read(result, false);
	ledger = find(json, "runs/0/ledger");
	check_count(ledger, "writes", 2);
	check_count(ledger, "syncs", 0);
	check_text(ledger, "durability", "write through");
	check_absent(ledger, "write_bytes");
	check_absent(ledger, "flushed");
	check_absent(ledger, "calls");
	check_absent(ledger, "call_time");
	check_absent(ledger, "idle_time");
	check_absent(ledger, "layers/0/reached");
	json_decref(json);
	begin(TARGET_FILE);
	call(CALL_READ, 5, 0);
	json = write_and_read(result, false);
	check_absent(json, "runs/0/ledger");
	json_decref(json);
}

/* The schema lists them. */
/* Of two records one lies in a pause, of which it has 40 ms; and nothing of it is read back. */
static void a_record_tells_of_its_pause(void **state)
{
	json_t *json;

	(void)state;
	begin(TARGET_FILE);
	trace->ios = true;
	trace->slowest_count = trace->slow_count = 2;
	trace->slowest = xcalloc(2, sizeof(*trace->slowest));
	trace->slow = xcalloc(2, sizeof(*trace->slow));
	for (uint64_t i = 0; i < 2; i++)
		trace->slowest[i] = trace->slow[1 - i] = (struct io_record){
			.boundary = {[BOUNDARY_CALL] = (i + 1) * 1000000000, [BOUNDARY_RETURN] = (i + 1) * 1100000000},
		};
	run->conditions = xcalloc(1, sizeof(*run->conditions));
	run->conditions->has_heartbeat = true;
	run->conditions->pauses = 1;
	run->conditions->pause = xcalloc(1, sizeof(*run->conditions->pause));
	run->conditions->pause[0] = (struct pause){.at = 1060000000, .length = 90000000};
	json = write_and_read(result, false);
	check_count(json, "runs/0/trace/slowest/0/paused", 40000000);
	check_absent(json, "runs/0/trace/slowest/1/paused");
	check_absent(json, "runs/0/trace/slow/0/paused");
	check_count(json, "runs/0/trace/slow/1/paused", 40000000);
	json_decref(json);
}

static void each_conclusion_has_a_name(void **state)
{
	static const char *const names[] = {"not asked", "flushed",   "write through", "memory",
					    "unflushed", "unwritten", "unseen"};

	(void)state;
	assert_int_equal(ARRAY_SIZE(names), DURABILITIES);
	for (int i = 0; i < DURABILITIES; i++)
		assert_string_equal(durability_name[i], names[i]);
}

/* --- the curves of a sweep --- */

/* A device that takes 8 I/Os at once, for 100 us each, at depths of 1 to 16 over two jobs. */
static void make_sweep(void)
{
	result = result_new();
	result->options.sweep = true;
	result->options.latency = LATENCY_LAT;
	result->target = xcalloc(1, sizeof(*result->target));
	result->targets = 1;
	result->target->given = xstrdup("/dev/sda");
	result->test = xcalloc(4, sizeof(*result->test));
	for (; result->tests < 4; result->tests++) {
		unsigned depth = 1u << result->tests, all = 2 * depth, busy = all < 8 ? all : 8;
		struct test *test = &result->test[result->tests];
		struct direction *direction;

		*test = (struct test){.access = ACCESS_READ, .read_percent = 100, .depth = depth, .jobs = 2};
		snprintf(test->name, sizeof(test->name), "RND4K-Q%uT2-Read", depth);
		run = result_add_run(result);
		run->test = result->tests;
		run->iteration = 1;
		run->engine = xcalloc(1, sizeof(*run->engine));
		direction = &run->engine->direction[OP_READ];
		direction->ios = direction->latency[LATENCY_LAT].count = busy * 10000;
		direction->ios_per_second = busy * 10000.0;
		direction->latency[LATENCY_LAT].mean = 100000.0 * all / busy;
	}
}

/* All requests of a second, `in_flight` of them on average. */
static void add_depth(size_t index, unsigned in_flight)
{
	struct op_view *op = xcalloc(1, sizeof(*op));
	uint64_t requests = result->run[index].engine->direction[OP_READ].ios;

	trace = result->run[index].trace = xcalloc(1, sizeof(*trace));
	trace->recorded = 1000000000;
	trace->leaf = xcalloc(1, sizeof(*trace->leaf));
	trace->leaves = 1;
	trace->leaf[0] = (struct layer_view){.device = xstrdup("sda"), .has_requests = true};
	trace->leaf[0].op[OP_READ] = op;
	op->issues = op->completions = requests;
	hist_add(&op->stage[STAGE_DEVICE], in_flight * 1000000000ull / requests, requests);
}

static void a_sweep_has_its_curve(void **state)
{
	json_t *json, *sweep, *point;

	(void)state;
	make_sweep();
	add_depth(1, 4);
	run = &result->run[1];
	run->engine->direction[OP_READ].latency[LATENCY_LAT].hist = xcalloc(1, sizeof(struct hist));
	hist_add(run->engine->direction[OP_READ].latency[LATENCY_LAT].hist, 127, 40000);
	json = write_and_read(result, false);
	assert_int_equal(json_array_size(find(json, "sweeps")), 1);
	sweep = find(json, "sweeps/0");
	check_count(sweep, "target", 0);
	check_count(sweep, "knee_depth", 8);
	check_fraction(sweep, "saturation", 8);
	assert_int_equal(json_array_size(find(sweep, "points")), 4);
	point = find(sweep, "points/1");
	check_count(point, "depth", 4);
	check_count(point, "test", 1);
	check_fraction(point, "iops", 40000);
	check_fraction(point, "mean", 100000);
	check_count(point, "p99", 127);
	assert_float_equal(json_real_value(find(point, "reached")), 4, 0.001);
	check_fraction(sweep, "points/3/mean", 200000);
	check_absent(sweep, "points/3/p99");
	check_absent(sweep, "points/3/reached");
	json_decref(json);
}

static void a_curve_may_have_no_knee(void **state)
{
	json_t *json, *sweep;

	(void)state;
	make_sweep();
	result->run[2].state = RUN_FAILED;
	result->run[3].state = RUN_INTERRUPTED;
	json = write_and_read(result, true);
	sweep = find(json, "sweeps/0");
	check_absent(sweep, "knee_depth");
	check_absent(sweep, "saturation");
	check_fraction(sweep, "points/1/iops", 40000);
	check_count(sweep, "points/3/depth", 16);
	assert_int_equal(json_object_size(find(sweep, "points/3")), 2);
	json_decref(json);
	make_sweep();
	result->options.sweep = false;
	json = write_and_read(result, true);
	check_absent(json, "sweeps");
	json_decref(json);
}

/* --- the verdict on all runs --- */

static void check_verdict(enum verdict first, enum verdict second, const char *expected)
{
	json_t *json;

	begin(TARGET_FILE);
	run->verdict = first;
	result_add_run(result)->verdict = second;
	json = write_and_read(result, true);
	if (expected)
		check_text(json, "verdict", expected);
	else
		check_absent(json, "verdict");
	json_decref(json);
}

static void the_worst_of_its_runs(void **state)
{
	(void)state;
	check_verdict(VERDICT_REAL, VERDICT_REAL, "REAL");
	check_verdict(VERDICT_NOT_REAL, VERDICT_SUSPECT, "NOT REAL");
	check_verdict(VERDICT_REAL, VERDICT_SUSPECT, "SUSPECT");
	check_verdict(VERDICT_SUSPECT, VERDICT_NONE, "SUSPECT");
	check_verdict(VERDICT_REAL, VERDICT_NONE, NULL);
	check_verdict(VERDICT_NONE, VERDICT_NONE, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_ledger_has_all),	      cmocka_unit_test(the_unknown_is_absent),
		cmocka_unit_test(a_record_tells_of_its_pause),
		cmocka_unit_test(each_conclusion_has_a_name), cmocka_unit_test(a_sweep_has_its_curve),
		cmocka_unit_test(a_curve_may_have_no_knee),   cmocka_unit_test(the_worst_of_its_runs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
