// SPDX-License-Identifier: GPL-2.0
#include "common.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/format.h"
#include "base/log.h"
#include "base/text.h"
#include "command.h"
#include "host/machine.h"
#include "result/expect.h"
#include "version.h"

char **whole_command(int argc, char *const *argv)
{
	char **copy = NULL;
	size_t count = 0;

	strings_add(&copy, &count, program_invocation_name);
	for (int i = 0; i < argc; i++)
		strings_add(&copy, &count, argv[i]);
	return copy;
}

/* The result owns what it has of them. */
static void copy_expectations(struct options *to, const struct options *from)
{
	to->expectation = xcalloc(from->expectations, sizeof(*to->expectation));
	for (size_t i = 0; i < from->expectations; i++) {
		to->expectation[i] = from->expectation[i];
		to->expectation[i].tests = from->expectation[i].tests ? xstrdup(from->expectation[i].tests) : NULL;
	}
}

struct result *new_result(char **command, const char *config, const struct options *options)
{
	struct result *result = result_new();

	result->version = xstrdup(IOSTRATA_VERSION);
	result->config = xstrdup(config);
	result->command = command;
	machine_describe(&result->machine);
	result->options = *options;
	result->options.ioengine = options->ioengine ? xstrdup(options->ioengine) : NULL;
	copy_expectations(&result->options, options);
	return result;
}

void observe(struct result *result, const struct tracer *tracer)
{
	struct rusage usage;

	tracer_observe(tracer, &result->observer);
	if (!getrusage(RUSAGE_SELF, &usage))
		result->observer.resident = usage.ru_maxrss * 1024ull;
	result->has_observer = true;
}

void detail_tracer(const struct tracer *tracer)
{
	struct observer observed;
	char size[FORMAT_LENGTH];

	tracer_observe(tracer, &observed);
	log_detail("probes live after %.0f ms, %s of maps", observed.startup / 1e6,
		   format_size(size, observed.map_bytes));
}

int status_of_result(const struct result *result)
{
	if (result_leaves_expectation_open(result))
		return EXIT_INCOMPLETE;
	for (size_t i = 0; i < result->runs; i++)
		if (result->run[i].verdict == VERDICT_NOT_REAL)
			return EXIT_NOT_REAL;
	return result_fails_expectation(result) ? EXIT_UNMET : EXIT_DONE;
}

void detail_layers(const struct target *target)
{
	for (size_t i = 0; i < target->layers; i++) {
		const struct layer *layer = &target->layer[i];

		log_detail("%s %s %s: %s", target->given, target->kind == TARGET_DISKS ? "with" : "stands on",
			   layer->name,
			   !layer->leaf		 ? "followed further down"
			   : layer->has_requests ? "its requests are timed"
						 : "bio-based, there are no requests to time");
	}
}
