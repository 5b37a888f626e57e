/* SPDX-License-Identifier: GPL-2.0 */
/* A made-up run whose limits can be set, for the tests of what limits and of the checks that ask for it. */
#ifndef TEST_LIMITED_H
#define TEST_LIMITED_H

#include "base/clock.h"
#include "made_up_result.h"
#include "result/checks.h"

#define SEQUENTIAL 0 /* SEQ1M-Q8T1-Read, two requests an I/O */
#define SATURATED  2 /* RND4K-Q32T16-Read: of 512 I/Os 477 are at the device, which has room for 1,023 */
#define ONE	   4 /* RND4K-Q1T1-Read */

static struct result *limited;
static struct run *run;
static struct checking checking;

/* The requests of both layers took this long each, and so did the program's I/Os: another depth at the device. */
static __attribute__((unused)) void limited_device(uint64_t ns)
{
	struct hist *hists[] = {
		&run->trace->above[0].op[OP_READ]->stage[STAGE_DEVICE],
		&run->trace->leaf[0].op[OP_READ]->stage[STAGE_DEVICE],
		&run->trace->io[OP_READ]->stage[IO_STAGE_DEVICE],
	};

	for (size_t i = 0; i < ARRAY_SIZE(hists); i++) {
		uint64_t count = hists[i]->count;

		*hists[i] = (struct hist){0};
		hist_add(hists[i], ns, count);
	}
}

/* A run of this test, all of its I/Os followed; on a quiet machine with two CPUs. */
static __attribute__((unused)) void limited_make(size_t test)
{
	limited = made_up_result(1);
	run = made_up_run(limited, 0, test, 1, 1);
	made_up_ios(run);
	limited_device(made_up[test].device);
	run->conditions = xcalloc(1, sizeof(*run->conditions));
	run->conditions->cpus = 2;
	run->conditions->cpu_busy = xcalloc(2, sizeof(double));
	run->conditions->cpu_busy[0] = 40;
	run->conditions->cpu_busy[1] = 55;
	run->engine->user_percent = 10;
	run->engine->system_percent = 20;
	checking = (struct checking){limited, run, &limited->target[0], &limited->test[test]};
}

static __attribute__((unused)) int limited_free(void **state)
{
	(void)state;
	result_free(limited);
	return 0;
}

/* That of its disk. */
static __attribute__((unused)) struct layer *limited_disk(void)
{
	return &limited->target[0].layer[1];
}

/* One I/O of the program spends this of its time, whatever the other stages say, in a part. */
static __attribute__((unused)) void limited_part(enum io_stage part, uint64_t ns)
{
	struct io_view *view = run->trace->io[OP_READ];
	struct latency_row *row;

	for (row = view->row; row < view->row + LATENCY_ROWS; row++)
		row->sum[part] = row->count * ns;
}

/* Every I/O has this stage, which lies inside of another. */
static __attribute__((unused)) void limited_inner(enum io_stage stage, uint64_t ns, uint64_t count)
{
	struct hist *hist = &run->trace->io[OP_READ]->stage[stage];

	*hist = (struct hist){0};
	hist_add(hist, ns, count);
}

static __attribute__((unused)) void limited_cpus(double first, double second)
{
	run->conditions->cpu_busy[0] = first;
	run->conditions->cpu_busy[1] = second;
}

/* One sample a second, and one more before and after them. */
static __attribute__((unused)) void limited_seconds(const double *ios, size_t count, uint64_t size)
{
	free(run->sample);
	run->samples = count + 2;
	run->sample = xcalloc(run->samples, sizeof(*run->sample));
	for (size_t i = 0; i < run->samples; i++) {
		uint64_t now = (uint64_t)(i == 0 ? ios[0] / 2 : i <= count ? ios[i - 1] : ios[count - 1] / 3);

		run->sample[i] = (struct sample){
			.at = (i + 1) * NS_PER_SECOND,
			.has_disk = true,
			.disk_ios = now,
			.disk_bytes = now * size,
		};
	}
}

/* The one check of this name; there must be one. */
static __attribute__((unused)) const struct check *limited_check(const char *name)
{
	const struct check *found = NULL;

	for (size_t i = 0; i < run->checks; i++) {
		if (strcmp(run->check[i].name, name) != 0)
			continue;
		assert_null(found);
		found = &run->check[i];
	}
	assert_non_null(found);
	return found;
}

static __attribute__((unused)) void assert_check(const char *name, enum check_state state, bool finding,
						 const char *sentence)
{
	const struct check *check = limited_check(name);

	assert_string_equal(check->sentence, sentence);
	assert_int_equal(check->state, state);
	assert_int_equal(check->finding, finding);
}

#endif
