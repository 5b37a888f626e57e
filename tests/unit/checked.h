/* SPDX-License-Identifier: GPL-2.0 */
/* A run to be checked, in which all is well until a test spoils it. Include cmocka.h first. */
#ifndef TEST_CHECKED_H
#define TEST_CHECKED_H

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "result/check.h"

static __attribute__((unused)) const struct test read_test = {.access = ACCESS_READ, .read_percent = 100};
static __attribute__((unused)) const struct test write_test = {.access = ACCESS_WRITE};

static struct result *result;
static struct run *run;

static __attribute__((unused)) struct op_view *layer_op(struct layer_view *layer, enum op op)
{
	if (!layer->op[op])
		layer->op[op] = xcalloc(1, sizeof(struct op_view));
	return layer->op[op];
}

/*
 * 1000 requests of 4096 bytes that took 50,000 ns each, as the probes and the kernel see them; the bios are not
 * followed.
 */
static __attribute__((unused)) void fill_leaf(struct layer_view *leaf, enum op op)
{
	enum stat_group group = op == OP_READ ? STAT_READ : STAT_WRITE;
	struct op_view *view = layer_op(leaf, op);

	view->issues = view->completions = 1000;
	view->issued_bytes = view->completed_bytes = 4096000;
	leaf->has_requests = true;
	hist_add(&view->stage[STAGE_DEVICE], 50000, 1000);
	leaf->has_stat = true;
	leaf->stat[group] = (struct stat_delta){.ios = 1000, .sectors = 8000, .time = 60000000};
}

static __attribute__((unused)) void fill_engine(enum op op)
{
	struct direction *direction = &run->engine->direction[op];

	direction->ios = 1000;
	direction->bytes = 4096000;
	for (int kind = 0; kind < LATENCY_KINDS; kind++) {
		struct latency *latency = &direction->latency[kind];

		latency->count = 1000;
		latency->mean = kind == LATENCY_LAT ? 70000 : 65000;
		for (int i = 0; i < PERCENTILES; i++) {
			latency->has_percentile[i] = true;
			latency->percentile[i] = (uint64_t)(kind == LATENCY_LAT ? 70000 : 65000) + (uint64_t)i;
		}
	}
}

/* The 1000 I/Os of the engine, which take 68,000 ns from call to return. */
static __attribute__((unused)) struct io_view *fill_ios(enum op op)
{
	struct io_view *view = run->trace->io[op] = xcalloc(1, sizeof(*view));

	run->trace->ios = true;
	view->counts.called = view->counts.end[IO_END_JOINED] = 1000;
	hist_add(&view->stage[IO_STAGE_TOTAL], 68000, 1000);
	return view;
}

/* A run in which all is well: 1000 reads, or writes where the test says so. */
static __attribute__((unused)) void make_run(enum op op)
{
	result = result_new();
	run = result_add_run(result);
	run->engine = xcalloc(1, sizeof(*run->engine));
	fill_engine(op);
	run->trace = xcalloc(1, sizeof(*run->trace));
	run->trace->top = xstrdup("sda");
	run->trace->queued[OWNER_WORKLOAD][op] = (struct bio_counts){.bios = 1000, .bytes = 4096000};
	run->trace->leaf = xcalloc(2, sizeof(struct layer_view));
	run->trace->leaves = 1;
	run->trace->above = xcalloc(2, sizeof(struct layer_view));
	run->trace->leaf[0].device = xstrdup("sda");
	fill_leaf(&run->trace->leaf[0], op);
}

/* One more layer, above the disk, without any I/O. */
static __attribute__((unused)) struct layer_view *add_above(const char *device)
{
	struct layer_view *layer;

	layer = &run->trace->above[run->trace->aboves++];
	layer->device = xstrdup(device);
	return layer;
}

/* 1000 bios of 4096 bytes that took 90,000 ns each on a layer without requests. */
static __attribute__((unused)) void fill_bios(struct layer_view *layer, enum op op)
{
	enum stat_group group = op == OP_READ ? STAT_READ : STAT_WRITE;
	struct op_view *view = layer_op(layer, op);

	layer->queue = layer->has_stat = true;
	layer->stat[group] = (struct stat_delta){.ios = 1000, .sectors = 8000, .time = 88000000};
	view->bios = view->finished = view->completions = 1000;
	view->bio_bytes = view->completed_bytes = 4096000;
	hist_add(&view->stage[STAGE_THROUGH], 90000, 1000);
}

/* The disk is one without requests, such as zram. */
static __attribute__((unused)) struct layer_view *make_bio_based(enum op op)
{
	struct layer_view *leaf = &run->trace->leaf[0];

	free(leaf->op[op]);
	free(leaf->device);
	*leaf = (struct layer_view){.device = xstrdup("zram0")};
	fill_bios(leaf, op);
	return leaf;
}

static __attribute__((unused)) int make_reads(void **state)
{
	(void)state;
	make_run(OP_READ);
	return 0;
}

static __attribute__((unused)) int make_writes(void **state)
{
	(void)state;
	make_run(OP_WRITE);
	return 0;
}

static __attribute__((unused)) int free_run(void **state)
{
	(void)state;
	result_free(result);
	return 0;
}

/* As a run of that test; NULL: of a traced program. */
static __attribute__((unused)) void judge(const struct test *test)
{
	if (!result->tests) {
		result->test = xcalloc(1, sizeof(*result->test));
		result->tests = 1;
	}
	if (test)
		result->test[0] = *test;
	run->test = test ? 0 : NO_TEST;
	check_run(result, run);
}

static __attribute__((unused)) size_t count_checks(const char *name)
{
	size_t count = 0;

	for (size_t i = 0; i < run->checks; i++)
		count += !strcmp(run->check[i].name, name);
	return count;
}

/* The `nth`, from 0, of that name. */
static __attribute__((unused)) const struct check *nth_check(const char *name, size_t nth)
{
	for (size_t i = 0; i < run->checks; i++)
		if (!strcmp(run->check[i].name, name) && !nth--)
			return &run->check[i];
	fail_msg("there is no check '%s'", name);
	return NULL;
}

static __attribute__((unused)) void assert_state(const struct check *check, enum check_state state)
{
	if (check->state != state)
		fail_msg("%s is '%s', not '%s': %s", check->name, check_state_name[check->state],
			 check_state_name[state], check->sentence);
	assert_true(strlen(check->sentence) > 20);
	assert_int_equal(check->sentence[strlen(check->sentence) - 1], '.');
}

static __attribute__((unused)) void assert_has(const char *string, const char *part)
{
	if (!strstr(string, part))
		fail_msg("'%s' is not in '%s'", part, string);
}

#define READS(function)	 cmocka_unit_test_setup_teardown(function, make_reads, free_run)
#define WRITES(function) cmocka_unit_test_setup_teardown(function, make_writes, free_run)

#endif
