// SPDX-License-Identifier: GPL-2.0
#include "bench_consent.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/format.h"
#include "base/log.h"
#include "base/text.h"
#include "host/mounts.h"
#include "workload/matrix.h"
#include "workload/signals.h"

/* Starting and ending an engine, twice for each run. */
#define OVERHEAD NS_PER_SECOND

/* The end of a serial number that is asked for. */
#define SERIAL_TAIL 4

bool bench_runs_test(const struct bench_options *options, const struct place *place, const struct test *test)
{
	return !test_writes(test) || (place->writable && !options->permission.read_only);
}

static size_t runs_that(const struct bench_options *options, const struct place *place, bool only_writes)
{
	size_t tests = 0;

	for (size_t i = 0; i < options->tests; i++)
		tests += bench_runs_test(options, place, &options->test[i]) &&
			 (!only_writes || test_writes(&options->test[i]));
	return tests * options->options.iterations;
}

size_t bench_runs(const struct bench_options *options, const struct place *place)
{
	return runs_that(options, place, false);
}

uint64_t bench_run_time(const struct bench_options *options)
{
	return options->options.warmup + options->options.duration + OVERHEAD;
}

void bench_announce(const struct bench_options *options, const struct result *result, const struct place *places)
{
	char size[FORMAT_LENGTH], span[FORMAT_LENGTH];
	uint64_t laid_out = 0;
	size_t runs = 0, writes = 0;

	for (size_t i = 0; i < result->targets; i++) {
		laid_out += places[i].writable ? result->target[i].file_size : 0;
		runs += bench_runs(options, &places[i]);
		writes += runs_that(options, &places[i], true);
	}
	log_info("%zu run%s on %zu target%s: about %s", runs, runs == 1 ? "" : "s", result->targets,
		 result->targets == 1 ? "" : "s", format_span(span, runs * bench_run_time(options)));
	if (laid_out)
		log_info("before that %s are written to lay the test data out, and the device is left to become idle",
			 format_size(size, laid_out));
	for (size_t i = 0; i < result->targets; i++)
		if (result->target[i].kind == TARGET_FILE)
			log_info("%s is %s", result->target[i].given,
				 places[i].writable ? "a new file, and is removed at the end"
						    : "a file that exists: it is only read, and stays as it is");
	if (writes)
		log_info("write tests run for %s, at whatever rate the disk takes",
			 format_exact_span(span, writes * (options->options.warmup + options->options.duration)));
	if (!laid_out && !writes)
		log_info("nothing is written to a target");
}

/* --- asking --- */

static const char *expected_answer(const struct layer *device)
{
	size_t length = device->serial ? strlen(device->serial) : 0;

	if (!length || device->parent_disk)
		return device->name;
	return length > SERIAL_TAIL ? device->serial + length - SERIAL_TAIL : device->serial;
}

/* A line from the terminal. Signals are blocked, so it is waited for in small steps. */
static int read_answer(char *answer, size_t room)
{
	struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
	ssize_t got;

	while (poll(&input, 1, 100) <= 0) {
		if (signals_stopped()) {
			log_info("nothing was written");
			return -EINTR;
		}
	}
	got = read(STDIN_FILENO, answer, room - 1);
	answer[got > 0 ? got : 0] = '\0';
	answer[strcspn(answer, "\r\n")] = '\0';
	return 0;
}

static void show_device(const struct target *target)
{
	const struct layer *device = &target->layer[0];
	char size[FORMAT_LENGTH], *content = device_content(target->path);

	log_warning("%s will be OVERWRITTEN: %s, serial %s, %s, holding %s", target->given,
		    device->model ? device->model : device->name, device->serial ? device->serial : "unknown",
		    format_size(size, device->size), content);
	free(content);
}

/* Whoever sits at the terminal is asked, wherever the messages go. */
static void prompt(const char *what)
{
	FILE *terminal = log_on_terminal() ? stderr : fopen("/dev/tty", "we");

	fprintf(terminal ? terminal : stderr, "To allow it, type %s: ", what);
	if (terminal && terminal != stderr)
		fclose(terminal);
}

static int ask_for(const struct target *target)
{
	const struct layer *device = &target->layer[0];
	const char *expected = expected_answer(device);
	char answer[128];
	int err;

	prompt(expected == device->name ? "the device's name, without /dev/"
					: "the last characters of its serial number (4)");
	err = read_answer(answer, sizeof(answer));
	if (err)
		return err;
	if (strcmp(answer, expected))
		return log_failure(-EPERM, "that is not %s: nothing was written",
				   expected == device->name ? "its name" : "the end of its serial number");
	return 0;
}

int bench_ask(const struct bench_options *options, const struct result *result, const struct place *places)
{
	bool ask = !options->yes && isatty(STDIN_FILENO);
	int err = 0;

	for (size_t i = 0; i < result->targets && !err; i++) {
		if (result->target[i].kind != TARGET_DEVICE || !places[i].writable)
			continue;
		show_device(&result->target[i]);
		if (ask)
			err = ask_for(&result->target[i]);
	}
	return err;
}
