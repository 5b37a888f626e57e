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
#include "result/file.h"
#include "version.h"

/* Far above any result: a file without an end must not take all memory. */
#define MAX_LENGTH (1u << 28)

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

/* The whole of `stream`. 0 or -errno. */
static int read_stream(FILE *stream, struct text *text)
{
	char part[65536];
	size_t length;

	while ((length = fread(part, 1, sizeof(part), stream))) {
		if (text->length + length > MAX_LENGTH)
			return -EFBIG;
		text_add(text, part, length);
	}
	return ferror(stream) ? -errno : 0;
}

static int read_file(const char *path, struct text *text)
{
	FILE *stream = fopen(path, "re");
	int err;

	if (!stream)
		return -errno;
	err = read_stream(stream, text);
	fclose(stream);
	return err;
}

struct result *read_result(const char *path)
{
	struct result *result = NULL;
	struct text text = {0};
	char *reason;
	int err = read_file(path, &text);

	if (err) {
		log_error("%s: cannot be read: %s", path, strerror(-err));
	} else if (result_from_json(text.data ? text.data : "", text.length, &result, &reason)) {
		log_error("%s: %s", path, reason);
		free(reason);
	}
	text_free(&text);
	return result;
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
