// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/format.h"
#include "base/log.h"
#include "base/output.h"
#include "base/text.h"
#include "bench_consent.h"
#include "bench_expect.h"
#include "bench_options.h"
#include "command.h"
#include "common.h"
#include "host/privilege.h"
#include "report/csv.h"
#include "report/layers.h"
#include "report/terminal.h"
#include "result/check.h"
#include "result/file.h"
#include "result/remote.h"
#include "trace/tracer.h"
#include "workload/direct.h"
#include "workload/floor.h"
#include "workload/layout.h"
#include "workload/matrix.h"
#include "workload/run.h"
#include "workload/signals.h"
#include "workload/survey.h"

/* One invocation. */
struct bench {
	struct bench_options options;
	char **command; /* argv, until the result has it */
	struct result *result;
	struct place *place; /* one for each of the result's targets */
	struct fio fio;
	struct output_file *json, *csv;
	uint64_t left;	      /* what the runs still to come take, ns */
	size_t number, count; /* the run in progress, and all of them */
	const char *doing;    /* its name, for the progress line */
	uint64_t last_ios, last_bytes;
	int status; /* worst exit status so far */
};

/* --- preparing --- */

static void describe(struct bench *bench)
{
	const struct bench_options *options = &bench->options;
	struct result *result = new_result(bench->command, options->config, &options->options);

	bench->command = NULL;
	result->engine = xstrdup("fio");
	result->engine_version = xstrdup(bench->fio.version);
	result->test = xcalloc(options->tests, sizeof(*result->test));
	memcpy(result->test, options->test, options->tests * sizeof(*result->test));
	result->tests = options->tests;
	bench->result = result;
}

/* Every value of --destroy-data must mean one of the targets: a slip there is a slip about what is destroyed. */
static int check_destroys(const struct bench *bench)
{
	const struct permission *permission = &bench->options.permission;

	for (size_t i = 0; i < permission->destroys; i++) {
		bool named = false;

		for (size_t t = 0; t < bench->result->targets && !named; t++)
			named = bench->result->target[t].kind == TARGET_DEVICE &&
				place_is_named(&bench->result->target[t], permission->destroy[i]);
		if (!named)
			return log_failure(
				-EINVAL,
				"--destroy-data '%s': names no block device among the targets; give its path, "
				"by-id name, WWN or serial number",
				permission->destroy[i]);
	}
	return 0;
}

/* A device is in use when it is named again, and two test files in one directory would measure each other. */
static bool given_before(const struct bench *bench, size_t index)
{
	struct stat st, earlier;

	if (stat(bench->options.target[index], &st))
		return false;
	for (size_t i = 0; i < index; i++)
		if (!stat(bench->options.target[i], &earlier) &&
		    (S_ISBLK(st.st_mode) ? S_ISBLK(earlier.st_mode) && st.st_rdev == earlier.st_rdev
					 : st.st_dev == earlier.st_dev && st.st_ino == earlier.st_ino))
			return true;
	return false;
}

/* All targets are looked at, so that one run of the command tells of all that is wrong. */
static int open_targets(struct bench *bench)
{
	const struct bench_options *options = &bench->options;
	int err = 0;

	bench->result->target = xcalloc(options->targets, sizeof(*bench->result->target));
	bench->place = xcalloc(options->targets, sizeof(*bench->place));
	for (size_t i = 0; i < options->targets; i++) {
		size_t at;

		if (given_before(bench, i)) {
			err = log_failure(-EINVAL, "%s: given twice", options->target[i]);
			continue;
		}
		at = bench->result->targets++;
		if (place_open(&bench->place[at], &bench->result->target[at], options->target[i], options->options.size,
			       &options->permission))
			err = -EINVAL;
	}
	return err ? err : check_destroys(bench);
}

static int open_outputs(struct bench *bench)
{
	char *json = result_file_name(bench->result), *csv = report_csv_name(bench->result);

	bench->csv = output_open(bench->options.outdir, csv);
	bench->json = bench->csv ? output_open(bench->options.outdir, json) : NULL;
	free(json);
	free(csv);
	return bench->json ? 0 : -EINVAL;
}

static void choose_tracing(struct bench *bench)
{
	struct result *result = bench->result;

	result->no_trace = result->options.trace ? trace_obstacle() : xstrdup("switched off by --no-trace");
	if (result->no_trace && result->options.trace)
		log_warning("device times are missing: %s", result->no_trace);
}

/* --- keeping what is done --- */

static void save(struct bench *bench)
{
	char *json = result_to_json(bench->result, false);
	struct text csv = {0};

	report_csv(bench->result, &csv);
	if (output_write(bench->csv, csv.data, csv.length))
		bench->status = EXIT_FAILED;
	if (output_write(bench->json, json, strlen(json)))
		bench->status = EXIT_FAILED;
	text_free(&csv);
	free(json);
}

/* --- progress --- */

static void tell_run(void *context, const struct progress *progress)
{
	struct bench *bench = context;
	const struct options *options = &bench->options.options;
	uint64_t spent = progress->elapsed + (progress->phase == PHASE_MEASURE ? options->warmup : 0);
	char left[FORMAT_LENGTH], ios[FORMAT_LENGTH], rate[96] = "";

	if (progress->sample && progress->sample->has_disk)
		snprintf(rate, sizeof(rate), " · %s IOPS, %.0f MB/s", format_count(ios, progress->sample->disk_ios),
			 progress->sample->disk_bytes / 1e6);
	log_progress("[%zu/%zu] %s · %s %.0f/%.0f s · %s left%s", bench->number, bench->count, bench->doing,
		     progress->phase == PHASE_WARMUP ? "warm-up" : "measuring", progress->elapsed / 1e9,
		     progress->planned / 1e9, format_span(left, bench->left > spent ? bench->left - spent : 0), rate);
}

static void tell_layout(void *context, uint64_t done, uint64_t total)
{
	struct bench *bench = context;
	char written[FORMAT_LENGTH], all[FORMAT_LENGTH], left[FORMAT_LENGTH];

	log_progress("%s · laying out %s of %s · then %s", bench->doing, format_size(written, done),
		     format_size(all, total), format_span(left, bench->left));
}

/* --- running --- */

/* Why write tests may not run here. */
static char *write_obstacle(const struct bench *bench, size_t target)
{
	const struct target *model = &bench->result->target[target];

	if (bench->options.permission.read_only)
		return xstrdup("--read-only");
	return xasprintf("it would destroy what is on the device: --destroy-data=%s allows it", model->path);
}

static struct run *add_run(struct bench *bench, size_t target, size_t test, unsigned iteration)
{
	struct run *run = result_add_run(bench->result);

	run->target = target;
	run->test = test;
	run->iteration = iteration;
	return run;
}

static void add_unrun(struct bench *bench, size_t target, size_t test, enum run_state state, const char *reason)
{
	struct run *run = add_run(bench, target, test, 1);

	run->state = state;
	run->reason = xstrdup(reason);
}

/* With -v: the engine's command, as it was run. */
static void detail_command(const struct run *run)
{
	struct text line = {0};

	for (char **argument = run->command; argument && *argument; argument++)
		text_addf(&line, "%s%s", line.length ? " " : "", *argument);
	if (line.length)
		log_detail("%s", line.data);
	text_free(&line);
}

static void plain_line(const struct bench *bench, const struct run *run)
{
	if (run->state != RUN_DONE)
		log_warning("[%zu/%zu] %s: %s: %s", bench->number, bench->count, bench->doing,
			    run_state_name[run->state], run->reason);
	else if (!log_on_terminal())
		log_info("[%zu/%zu] %s: done", bench->number, bench->count, bench->doing);
}

/* Of a target that no probes were loaded for. */
static const char *why_untraced(const struct target *target, const struct options *options)
{
	if (!target_is_remote(target))
		return "no device with requests was found under the target";
	if (!options->ios)
		return "there is no device under the target, and I/Os were not followed from call to return: --stages "
		       "left it out";
	return remote_obstacle(target->filesystem);
}

static int run_once(struct bench *bench, struct runner *runner, size_t target, size_t test, unsigned iteration)
{
	const struct options *options = &bench->options.options;
	const struct test *model = &bench->result->test[test];
	struct run *run = add_run(bench, target, test, iteration);
	int stuck;

	bench->number++;
	bench->doing = model->name;
	if (!log_on_terminal())
		log_info("[%zu/%zu] %s on %s", bench->number, bench->count, model->name,
			 bench->result->target[target].given);
	stuck = run_test(runner, model, run);
	log_progress_end();
	if (!runner->tracer && options->trace && !bench->result->no_trace && !run->untraced)
		run->untraced = xstrdup(why_untraced(&bench->result->target[target], options));
	check_run(bench->result, run);
	detail_command(run);
	plain_line(bench, run);
	bench->left -= bench_run_time(&bench->options);
	if (run->state == RUN_FAILED && bench->status == EXIT_DONE)
		bench->status = EXIT_INCOMPLETE;
	if (runner->tracer)
		observe(bench->result, runner->tracer);
	save(bench);
	return stuck;
}

static void run_tests(struct bench *bench, struct runner *runner, size_t target)
{
	char *obstacle = write_obstacle(bench, target);
	int stuck = 0;

	for (size_t test = 0; test < bench->options.tests && !signals_stopped(); test++) {
		if (stuck) {
			add_unrun(bench, target, test, RUN_FAILED, "fio's processes of an earlier test still run");
			continue;
		}
		if (!bench_runs_test(&bench->options, &bench->place[target], &bench->options.test[test])) {
			add_unrun(bench, target, test, RUN_SKIPPED, obstacle);
			continue;
		}
		for (unsigned i = 1; i <= bench->options.options.iterations && !signals_stopped() && !stuck; i++)
			stuck = run_once(bench, runner, target, test, i);
	}
	free(obstacle);
}

/* The most requests that a test may have in flight, split I/Os counted by their pieces. */
static uint64_t requests_in_flight(const struct bench *bench, const struct target *target)
{
	uint64_t most = 0;

	for (size_t i = 0; i < bench->options.tests; i++) {
		const struct test *test = &bench->options.test[i];
		uint64_t pieces = 1;

		for (size_t l = 0; l < target->layers; l++)
			if (target->layer[l].max_request_bytes &&
			    test->block_size / target->layer[l].max_request_bytes + 1 > pieces)
				pieces = test->block_size / target->layer[l].max_request_bytes + 1;
		if (test->depth * test->jobs * pieces > most)
			most = test->depth * test->jobs * pieces;
	}
	return most;
}

/* Its work on the disk is what the workload asked for. */
static void mark_server(struct tracer *tracer, const struct target *target)
{
	pid_t server = place_server(target);
	int err = server ? tracer_mark(tracer, server) : 0;

	if (err)
		log_detail("process %d, which serves the file system, could not be marked: %s", (int)server,
			   strerror(-err));
}

static struct tracer *open_tracer(struct bench *bench, const struct target *target, const struct place *place)
{
	const struct options *options = &bench->options.options;
	bool remote = target_is_remote(target);
	const struct trace_wish wish = {
		.remote = remote && options->ios,
		.remote_device = remote ? place_device(place) : 0,
		.layer = target->layer,
		.layers = target->layers,
		.in_flight = requests_in_flight(bench, target),
		.queue = options->queue,
		.ios = options->ios,
		.syncs = options->write_through,
		.file = place->fd,
		.own = OWN_MARKED,
		.slowest = SLOWEST,
	};
	struct tracer *tracer = NULL;
	int err;

	if (bench->result->no_trace || (!target->layers && !wish.remote))
		return NULL;
	err = tracer_open(&tracer, &wish);
	if (!err) {
		detail_tracer(tracer);
		mark_server(tracer, target);
	}
	if (err && err != -ENODEV) {
		bench->result->no_trace = trace_refusal(-err);
		log_warning("device times are missing: %s", bench->result->no_trace);
	}
	return tracer;
}

/* Before the device settles, so that it disturbs nothing. */
static void survey(struct bench *bench, size_t target)
{
	log_progress("%s · looking at its blocks", bench->result->target[target].given);
	survey_target(&bench->place[target], bench->result->machine.hypervisor, &bench->result->target[target]);
	log_progress_end();
}

/* On the idle device, and before probes are attached, which cost each read something. */
static void measure_floor(struct bench *bench, size_t target)
{
	struct target *model = &bench->result->target[target];

	if (!bench->options.options.floor || signals_stopped())
		return;
	log_progress("%s · reading one block again and again", model->given);
	floor_measure(&bench->place[target], model);
	log_progress_end();
	if (model->no_floor && !signals_stopped())
		log_warning("%s: its floor is not measured: %s", model->given, model->no_floor);
}

static int lay_out(struct bench *bench, size_t target)
{
	struct target *model = &bench->result->target[target];
	uint64_t begin = clock_now();
	int err;

	bench->doing = model->given;
	if (!log_on_terminal())
		log_info("laying out %s", model->given);
	err = layout_write(&bench->place[target], model->file_size, tell_layout, bench);
	model->laid_out_in = clock_now() - begin;
	if (!err) {
		survey(bench, target);
		log_progress("%s · laid out, waiting until the device is idle", model->given);
		err = layout_settle(model->layers ? model->layer[0].name : NULL);
	}
	log_progress_end();
	if (err == -ETIMEDOUT) {
		log_warning("%s: the device did not become idle within 30 s: other I/O is going on", model->given);
		target_warn(model, "the device did not become idle before the first test: other I/O was going on");
		return 0;
	}
	return err;
}

static void fail_target(struct bench *bench, size_t target, int err)
{
	char *reason = xasprintf("the test data could not be written: %s", strerror(-err));

	log_error("%s: %s", bench->result->target[target].given, reason);
	for (size_t test = 0; test < bench->options.tests; test++)
		add_unrun(bench, target, test, RUN_FAILED, reason);
	free(reason);
	bench->number += bench_runs(&bench->options, &bench->place[target]);
	bench->left -= bench_runs(&bench->options, &bench->place[target]) * bench_run_time(&bench->options);
	bench->status = bench->status ? bench->status : EXIT_INCOMPLETE;
	save(bench);
}

/* Said at once, and in the report: what is measured then is not what the series measures. */
static void look_for_direct(struct bench *bench, size_t target)
{
	struct target *model = &bench->result->target[target];

	model->buffered = direct_refusal(&bench->place[target], model);
	if (!model->buffered)
		return;
	log_warning("%s: %s: its tests go through this machine's page cache", model->given, model->buffered);
	target_warn(model, "%s: its tests go through this machine's page cache (fio's --direct=0)", model->buffered);
}

static void run_target(struct bench *bench, size_t target)
{
	struct target *model = &bench->result->target[target];
	struct runner runner = {
		.options = &bench->options.options,
		.fio = &bench->fio,
		.place = &bench->place[target],
		.target = model,
		.device = model->layers ? model->layer[0].name : NULL,
		.tell = tell_run,
		.context = bench,
	};
	int err = 0;

	if (!place_lock(&bench->place[target])) {
		log_warning("%s: another iostrata measures there at the same time", model->given);
		target_warn(model, "another iostrata measured there at the same time");
	}
	if (bench->place[target].writable)
		err = lay_out(bench, target);
	else
		survey(bench, target);
	if (err && err != -EINTR)
		fail_target(bench, target, err);
	if (err)
		return;
	look_for_direct(bench, target);
	measure_floor(bench, target);
	detail_layers(model);
	runner.tracer = open_tracer(bench, model, &bench->place[target]);
	run_tests(bench, &runner, target);
	tracer_close(runner.tracer);
}

static void run_all(struct bench *bench)
{
	const struct result *result = bench->result;

	for (size_t i = 0; i < result->targets; i++)
		bench->count += bench_runs(&bench->options, &bench->place[i]);
	bench->left = bench->count * bench_run_time(&bench->options);
	for (size_t i = 0; i < result->targets && !signals_stopped(); i++) {
		run_target(bench, i);
		place_close(&bench->place[i]);
	}
}

/* --- the end --- */

static void print_report(const struct bench *bench)
{
	struct text report = {0};
	char *json;

	if (bench->options.json) {
		json = result_to_json(bench->result, true);
		puts(json);
		free(json);
		return;
	}
	report_terminal(bench->result, log_colourful(STDOUT_FILENO), &report);
	if (bench->options.verbosity > 0)
		report_layers(bench->result, log_colourful(STDOUT_FILENO), &report);
	fwrite(report.data, 1, report.length, stdout);
	text_free(&report);
}

static void print_paths(const struct bench *bench)
{
	const struct output_file *const files[] = {bench->csv, bench->json};

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		if (!output_path(files[i]))
			continue;
		if (bench->options.json)
			log_info("%s", output_path(files[i]));
		else
			puts(output_path(files[i]));
	}
}

/* What went wrong counts before what was found, and whether a figure is true before how high it is. */
static int bench_status(const struct bench *bench)
{
	if (signals_stopped())
		return EXIT_SIGNALLED + signals_stopped();
	if (bench->status != EXIT_DONE || !bench->result)
		return bench->status;
	return status_of_result(bench->result);
}

static int prepare(struct bench *bench)
{
	int err;

	if (access("/proc/self/fd", X_OK))
		return log_failure(EXIT_FAILED, "/proc is not mounted: fio is handed its files through /proc/self/fd");
	err = fio_find(&bench->fio, bench->options.fio_path, &bench->options.options);

	if (err)
		return EXIT_FAILED;
	describe(bench);
	if (open_outputs(bench) || open_targets(bench) ||
	    bench_expect_check_places(&bench->options, bench->place, bench->result->targets))
		return EXIT_USAGE;
	choose_tracing(bench);
	bench_announce(&bench->options, bench->result, bench->place);
	return bench_ask(&bench->options, bench->result, bench->place) ? EXIT_FAILED : EXIT_DONE;
}

static void clear(struct bench *bench)
{
	for (size_t i = 0; bench->result && i < bench->result->targets; i++)
		place_close(&bench->place[i]);
	free(bench->place);
	output_close(bench->csv);
	output_close(bench->json);
	result_free(bench->result);
	strings_free(bench->command);
	fio_clear(&bench->fio);
	bench_options_clear(&bench->options);
}

int command_bench(int argc, char **argv)
{
	struct bench bench = {.command = whole_command(argc, argv)};
	int err = bench_options_parse(&bench.options, argc, argv), status;

	if (err || bench.options.help) {
		if (!err)
			bench_options_print();
		clear(&bench);
		return err ? EXIT_USAGE : EXIT_DONE;
	}
	log_set_verbosity(bench.options.verbosity);
	err = signals_init();
	if (err)
		return log_failure(EXIT_FAILED, "signals cannot be blocked: %s", strerror(-err));

	bench.status = prepare(&bench);
	if (bench.status == EXIT_DONE) {
		run_all(&bench);
		save(&bench);
		print_report(&bench);
		print_paths(&bench);
	}
	status = bench_status(&bench);
	clear(&bench);
	return status;
}
