// SPDX-License-Identifier: GPL-2.0
#include "bench_expect.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/parse.h"
#include "base/text.h"
#include "bench_consent.h"
#include "result/expect.h"
#include "workload/matrix.h"

/* --- one piece --- */

static int find_measure(const char *name, enum measure *measure)
{
	for (int i = 0; i < MEASURES; i++) {
		if (strcmp(name, measure_name[i]))
			continue;
		*measure = i;
		return 0;
	}
	return -EINVAL;
}

static int parse_limit(const char *string, struct expectation *expectation)
{
	uint64_t ns;
	int err;

	if (!measure_is_time(expectation->measure)) {
		err = parse_number(string, &expectation->limit);
		return err ? err : expectation->limit > 0 ? 0 : -ERANGE;
	}
	err = parse_latency(string, &ns);
	expectation->limit = err ? 0 : (double)ns;
	return err ? err : ns ? 0 : -ERANGE;
}

/* A test by its name is spelt as in the matrix. */
static char *spell_tests(const char *given)
{
	struct test test;

	return xstrdup(test_parse(given, &test) ? given : test.name);
}

static int refuse(const char *piece, const char *expected)
{
	return log_failure(-EINVAL, "--expect: '%s': expected %s", piece, expected);
}

/* `copy` of the piece is written to. */
static int parse_piece(const char *piece, char *copy, struct expectation *expectation)
{
	char *number = strchr(copy, '='), *measure;

	if (number)
		*number++ = '\0';
	measure = strrchr(copy, ':');
	if (measure)
		*measure++ = '\0';
	if (!number || (measure && !*copy))
		return refuse(piece, "[TEST:]MEASURE=NUMBER, such as iops=3000 or RND4K*Read:p99=2ms");
	if (find_measure(measure ? measure : copy, &expectation->measure))
		return refuse(piece, "one of the measures iops, mbps, lat, p99 and p99.9");
	if (parse_limit(number, expectation))
		return refuse(piece, measure_is_time(expectation->measure) ? "a time such as 500us, 2ms or 1s"
									   : "a number above 0, such as 3000");
	expectation->tests = measure ? spell_tests(copy) : NULL;
	return 0;
}

/* --- all of them --- */

static int add_piece(struct options *options, const char *piece)
{
	struct expectation expectation = {0};
	char *copy = xstrdup(piece);
	int err = parse_piece(piece, copy, &expectation);

	free(copy);
	if (err)
		return err;
	options->expectation =
		xreallocarray(options->expectation, options->expectations + 1, sizeof(*options->expectation));
	options->expectation[options->expectations++] = expectation;
	return 0;
}

int bench_expect_parse(struct options *options, const char *list)
{
	char *copy = xstrdup(list), *rest = copy, *piece;
	int err = 0;

	while (!err && (piece = strsep(&rest, ",")))
		err = add_piece(options, piece);
	free(copy);
	return err;
}

void bench_expect_clear(struct options *options)
{
	for (size_t i = 0; i < options->expectations; i++)
		free(options->expectation[i].tests);
	free(options->expectation);
	options->expectation = NULL;
	options->expectations = 0;
}

/* --- what they are about --- */

/* As it was given, without its number. */
static char *label_of(const struct expectation *expectation)
{
	return xasprintf("%s%s%s", expectation->tests ? expectation->tests : "", expectation->tests ? ":" : "",
			 measure_name[expectation->measure]);
}

static bool fits_some(const struct expectation *expectation, const struct bench_options *options)
{
	for (size_t i = 0; i < options->tests; i++)
		if (expectation_applies(expectation, &options->test[i]))
			return true;
	return false;
}

int bench_expect_check(const struct bench_options *options)
{
	for (size_t i = 0; i < options->options.expectations; i++) {
		const struct expectation *expectation = &options->options.expectation[i];

		if (fits_some(expectation, options))
			continue;
		log_error("--expect: '%s' fits none of the tests to be run, which are called like %s",
			  expectation->tests, options->test[0].name);
		return -EINVAL;
	}
	return 0;
}

static bool is_run(const struct expectation *expectation, const struct bench_options *options,
		   const struct place *place)
{
	for (size_t i = 0; i < options->tests; i++)
		if (expectation_applies(expectation, &options->test[i]) &&
		    bench_runs_test(options, place, &options->test[i]))
			return true;
	return false;
}

int bench_expect_check_places(const struct bench_options *options, const struct place *places, size_t count)
{
	for (size_t i = 0; i < options->options.expectations; i++) {
		const struct expectation *expectation = &options->options.expectation[i];
		bool run = false;
		char *label;

		for (size_t p = 0; p < count && !run; p++)
			run = is_run(expectation, options, &places[p]);
		if (run)
			continue;
		label = label_of(expectation);
		log_error("--expect: '%s' is about tests that write, and none of the targets may be written", label);
		free(label);
		return -EINVAL;
	}
	return 0;
}
