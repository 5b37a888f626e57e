// SPDX-License-Identifier: GPL-2.0
#include "sweep.h"

#include <stdlib.h>

#include "base/text.h"
#include "limits.h"

/* What is as good as all: deeper than that a device that still gains hardly does so for the latency it costs. */
#define KNEE_SHARE 0.9

/* The runs at one depth over all jobs. */
struct depth_runs {
	const struct run **run;
	size_t count;
};

static unsigned whole_depth(const struct test *test)
{
	return test->depth * test->jobs;
}

static bool has_test(const struct result *result, const struct run *run)
{
	return run->test < result->tests; /* not so for NO_TEST */
}

static void runs_at_depth(struct depth_runs *runs, const struct result *result, size_t target, unsigned depth)
{
	runs->run = xcalloc(result->runs, sizeof(const struct run *));
	runs->count = 0;
	for (size_t i = 0; i < result->runs; i++) {
		const struct run *run = &result->run[i];

		if (run->target == target && has_test(result, run) && whole_depth(&result->test[run->test]) == depth)
			runs->run[runs->count++] = run;
	}
}

/* --- the depth that was reached --- */

/* Each run weighs the same. Negative: not known of one of them, or there is none. */
static double depth_reached(const struct result *result, const struct depth_runs *runs)
{
	double sum = 0;
	size_t known = 0;

	for (size_t i = 0; i < runs->count; i++) {
		const struct run *run = runs->run[i];
		double reached;

		if (run->state != RUN_DONE || !run->engine)
			continue;
		reached = limits_reached(result, run);
		if (reached < 0)
			return -1;
		sum += reached;
		known++;
	}
	return known ? sum / (double)known : -1;
}

/* --- the points --- */

static int by_depth(const void *a, const void *b)
{
	const struct sweep_point *one = a, *other = b;

	return one->depth == other->depth ? 0 : one->depth < other->depth ? -1 : 1;
}

/* One point a depth: tests of the same depth, which can only differ in how jobs and depth make it, share theirs. */
static void add_depths(struct sweep *sweep, const struct result *result)
{
	sweep->point = xcalloc(result->tests, sizeof(*sweep->point));
	for (size_t test = 0; test < result->tests; test++) {
		unsigned depth = whole_depth(&result->test[test]);
		bool known = false;

		for (size_t i = 0; i < sweep->points && !known; i++)
			known = sweep->point[i].depth == depth;
		if (!known)
			sweep->point[sweep->points++] = (struct sweep_point){.depth = depth, .test = test};
	}
	if (sweep->points)
		qsort(sweep->point, sweep->points, sizeof(*sweep->point), by_depth);
}

static void measure_point(struct sweep_point *point, const struct result *result, size_t target)
{
	struct depth_runs runs;

	runs_at_depth(&runs, result, target, point->depth);
	summary_of_runs(&point->summary, runs.run, runs.count, &result->test[point->test], result->options.latency);
	point->reached = depth_reached(result, &runs);
	free(runs.run);
}

/* --- the knee --- */

static double most_ios(const struct sweep *sweep)
{
	double most = 0;

	for (size_t i = 0; i < sweep->points; i++)
		if (sweep->point[i].summary.runs && sweep->point[i].summary.ios_per_second > most)
			most = sweep->point[i].summary.ios_per_second;
	return most;
}

/* Where only the deepest one that is known gives so much, more depth might give more still: there is no knee. */
static size_t find_knee(const struct sweep *sweep, double most)
{
	size_t first = NO_KNEE, last = NO_KNEE;

	for (size_t i = 0; i < sweep->points && most > 0; i++) {
		const struct summary *summary = &sweep->point[i].summary;

		if (!summary->runs)
			continue;
		if (first == NO_KNEE && summary->ios_per_second >= KNEE_SHARE * most)
			first = i;
		last = i;
	}
	return first == last ? NO_KNEE : first;
}

/*
 * ns that an I/O takes at the least depth that is known, from call to return whatever the tables show: Little's law
 * knows of no part that is left out. 0: not known.
 */
static double shortest_latency(const struct sweep *sweep, const struct result *result, size_t target)
{
	struct summary summary;
	struct depth_runs runs;
	double mean;
	size_t i = 0;

	while (i < sweep->points && !sweep->point[i].summary.runs)
		i++;
	if (i == sweep->points)
		return 0;
	runs_at_depth(&runs, result, target, sweep->point[i].depth);
	summary_of_runs(&summary, runs.run, runs.count, &result->test[sweep->point[i].test], LATENCY_LAT);
	mean = summary.mean;
	summary_clear(&summary);
	free(runs.run);
	return mean;
}

void sweep_of_target(struct sweep *sweep, const struct result *result, size_t target)
{
	double most;

	*sweep = (struct sweep){.knee = NO_KNEE};
	add_depths(sweep, result);
	for (size_t i = 0; i < sweep->points; i++)
		measure_point(&sweep->point[i], result, target);
	most = most_ios(sweep);
	sweep->knee = find_knee(sweep, most);
	if (sweep->knee != NO_KNEE)
		sweep->saturation = most * shortest_latency(sweep, result, target) / 1e9;
}

void sweep_clear(struct sweep *sweep)
{
	for (size_t i = 0; i < sweep->points; i++)
		summary_clear(&sweep->point[i].summary);
	free(sweep->point);
	*sweep = (struct sweep){0};
}
