// SPDX-License-Identifier: GPL-2.0
#include "run.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text.h"
#include "calibration.h"
#include "child.h"
#include "host/conditions.h"
#include "host/sample.h"
#include "import/fio.h"
#include "signals.h"

#define SAMPLE_EVERY NS_PER_SECOND

/* A partial second at the end counts as a sample only from here on: shorter ones are mostly rounding. */
#define SAMPLE_SHORTEST (NS_PER_SECOND / 2)

/* How long beyond its runtime the engine may take: starting, finishing what is in flight on a slow device. */
#define GRACE (120 * NS_PER_SECOND)

/* What is kept of the engine's messages, and what its result may have at the most; bytes. */
#define MESSAGE_LIMIT (64u << 10)
#define RESULT_LIMIT  (64u << 20)

/* How long it may take to end once it was asked to. */
#define PATIENCE (3 * NS_PER_SECOND)

/* One execution of the engine. */
struct execution {
	const struct runner *runner;
	struct progress progress;
	struct child child;
	struct sampler *sampler; /* NULL: none are taken */
	struct watch *watch;	 /* NULL: the conditions do not matter */
	struct tracer *traced;	 /* records this execution; NULL: it is not traced */
	uint64_t begin, end, next_tick, asked_to_stop, killed;
	int stuck; /* -EBUSY: its processes cannot be ended */
	struct run *run;
	int output, messages; /* scratch files */
};

/* --- while it runs --- */

static void take_sample(struct execution *execution)
{
	struct run *run = execution->run;

	run->sample = xreallocarray(run->sample, run->samples + 1, sizeof(*run->sample));
	sampler_take(execution->sampler, &run->sample[run->samples++]);
	execution->progress.sample = &run->sample[run->samples - 1];
}

static void tick(struct execution *execution)
{
	execution->next_tick += SAMPLE_EVERY;
	execution->progress.elapsed = clock_now() - execution->begin;
	if (execution->traced)
		tracer_read(execution->traced);
	if (execution->sampler)
		take_sample(execution);
	execution->runner->tell(execution->runner->context, &execution->progress);
}

/* Asks it to end, kindly first; a second signal to us, or silence, and it is killed. */
static void stop(struct execution *execution)
{
	if (!execution->asked_to_stop) {
		execution->asked_to_stop = clock_now();
		child_ask_to_end(&execution->child);
	} else if (!execution->killed && (clock_now() - execution->asked_to_stop > PATIENCE || signals_count() > 1)) {
		execution->killed = clock_now();
		child_kill(&execution->child);
	}
}

/* Returns the status of waitpid; or that of a killed program where it cannot be killed. */
static int wait_for_end(struct execution *execution)
{
	uint64_t limit = execution->begin + 2 * execution->progress.planned + GRACE;
	int status;

	while (!child_ended(&execution->child, &status)) {
		uint64_t now = clock_now();

		if (execution->killed && now - execution->killed > PATIENCE)
			return SIGKILL;
		if (signals_stopped() || now > limit)
			stop(execution);
		if (now >= execution->next_tick)
			tick(execution);
		else
			signals_wait(execution->asked_to_stop ? 50 * NS_PER_MS : execution->next_tick - now);
	}
	return status;
}

static void take_last_sample(struct execution *execution)
{
	uint64_t since = clock_now() - (execution->next_tick - SAMPLE_EVERY);

	if (execution->sampler && (since >= SAMPLE_SHORTEST || !execution->run->samples))
		take_sample(execution);
}

/* --- how it ended --- */

static char *last_line(const char *text)
{
	size_t end = strlen(text), begin;

	while (end && strchr("\r\n \t", text[end - 1]))
		end--;
	for (begin = end; begin && text[begin - 1] != '\n'; begin--)
		;
	return end ? xasprintf("%.*s", (int)(end - begin), text + begin) : NULL;
}

static void fail(struct run *run, char *reason)
{
	run->state = RUN_FAILED;
	free(run->reason);
	run->reason = reason;
}

static void interrupt(struct run *run)
{
	run->state = RUN_INTERRUPTED;
	run->reason = xasprintf("stopped by SIG%s", sigabbrev_np(signals_stopped()));
}

static void fail_by_status(struct execution *execution, int status, const char *said)
{
	const char *phase = execution->progress.phase == PHASE_WARMUP ? " in the warm-up" : "";
	char *line = last_line(said);

	if (WIFSIGNALED(status))
		fail(execution->run,
		     xasprintf("fio was killed by signal %d (%s)%s", WTERMSIG(status),
			       sigabbrev_np(WTERMSIG(status)) ? sigabbrev_np(WTERMSIG(status)) : "?", phase));
	else if (line)
		fail(execution->run, xasprintf("fio ended with status %d%s: %s", WEXITSTATUS(status), phase, line));
	else
		fail(execution->run,
		     xasprintf("fio ended with status %d%s and said nothing", WEXITSTATUS(status), phase));
	free(line);
}

/* Keeps what fio printed beside its result, before what stood in front of its JSON. */
static void keep_message(struct engine_figures *figures, const char *said)
{
	char *message;

	if (!*said)
		return;
	message = xasprintf("%s%s%s", said, figures->message ? "\n" : "", figures->message ? figures->message : "");
	free(figures->message);
	figures->message = message;
}

static void read_figures(struct execution *execution, int status, const char *said)
{
	struct engine_figures *figures = NULL;
	struct run *run = execution->run;
	char *text, *error = NULL;
	size_t length;

	text = fio_read_scratch(execution->output, RESULT_LIMIT, &length);
	if (length == RESULT_LIMIT)
		error = xstrdup("it has 64 MiB or more");
	if (error || fio_read(text, length, &figures, &error)) {
		if (status)
			fail_by_status(execution, status, said);
		else
			fail(run, xasprintf("fio's result cannot be read: %s", error));
		free(error);
		free(text);
		return;
	}
	free(text);
	keep_message(figures, said);
	run->engine = figures;
	if (status)
		fail_by_status(execution, status, figures->message ? figures->message : "");
	else if (figures->error)
		fail(run, xasprintf("fio reports error %d (%s)", figures->error, strerror(figures->error)));
	else if (!figures->direction[OP_READ].ios && !figures->direction[OP_WRITE].ios)
		fail(run, xstrdup("fio reports not one I/O"));
	else
		run->state = RUN_DONE;
}

static void conclude(struct execution *execution, int status)
{
	struct run *run = execution->run;
	size_t length;
	char *said;

	if (execution->asked_to_stop && signals_stopped()) {
		interrupt(run);
		return;
	}
	if (execution->asked_to_stop) {
		fail(run, xasprintf("fio did not end within %llu s and was killed",
				    (unsigned long long)((2 * execution->progress.planned + GRACE) / NS_PER_SECOND)));
		return;
	}
	said = fio_read_scratch(execution->messages, MESSAGE_LIMIT, &length);
	if (execution->progress.phase == PHASE_MEASURE)
		read_figures(execution, status, said);
	else if (status)
		fail_by_status(execution, status, said);
	else
		run->state = RUN_DONE;
	free(said);
}

/* --- running it --- */

/* What is read of the machine beside a measured part; its edges are closest to it. */
static void start_looking(struct execution *execution, uint64_t since)
{
	execution->sampler = sampler_start(execution->runner->device);
	conditions_begin(execution->watch, since);
}

static void stop_looking(struct execution *execution)
{
	take_last_sample(execution);
	sampler_stop(execution->sampler);
	conditions_end(execution->watch);
}

/* The warm-up, in which it is found what the probes take. */
static bool start_calibration(const struct execution *execution)
{
	struct tracer *tracer = execution->runner->tracer;

	return execution->progress.phase == PHASE_WARMUP && tracer && calibration_begin(tracer, execution->child.pid);
}

static void measure(struct execution *execution)
{
	bool measured = execution->progress.phase == PHASE_MEASURE;
	const struct target *target = execution->runner->target;
	struct tracer *tracer = measured ? execution->runner->tracer : NULL;
	struct run *run = execution->run;
	bool calibrated = start_calibration(execution);
	int err = tracer ? tracer_mark(tracer, execution->child.pid) : 0, status = 0;
	uint64_t since;

	if (err) {
		run->untraced = xasprintf("the program could not be marked: %s", strerror(-err));
		tracer = NULL;
	}
	execution->traced = tracer;
	execution->watch = measured ? conditions_open(target->layer, target->layers) : NULL;
	since = tracer ? tracer_start(tracer) : clock_now();
	if (measured)
		start_looking(execution, since);
	execution->begin = clock_now();
	execution->next_tick = execution->begin + SAMPLE_EVERY;
	err = child_release(&execution->child);
	if (!err)
		status = wait_for_end(execution);
	execution->end = clock_now();
	run->elapsed = execution->end - execution->begin;
	if (measured)
		stop_looking(execution);
	execution->stuck = child_finish(&execution->child);
	if (tracer)
		run->trace = tracer_stop(tracer);
	if (calibrated)
		calibration_end(execution->runner->tracer, run);
	run->conditions = conditions_close(execution->watch);
	if (err)
		fail(run, xasprintf("fio cannot be started: %s", strerror(-err)));
	else
		conclude(execution, status);
	if (execution->stuck)
		fail(run,
		     xstrdup("fio's processes hang in the kernel and cannot be ended: does the device still answer?"));
}

static void execute(struct execution *execution, const struct test *test, uint64_t runtime)
{
	const struct runner *runner = execution->runner;
	char *file = place_engine_name(runner->place), *output = xasprintf("/proc/self/fd/%d", execution->output);
	char **argv = fio_command(runner->fio, runner->options, test, file, runner->target->buffered, runtime,
				  output);
	int keep[] = {runner->place->fd, execution->output}, err;

	execution->progress.planned = runtime;
	err = child_start(&execution->child, argv, execution->messages, keep, ARRAY_SIZE(keep));
	if (err)
		fail(execution->run, xasprintf("fio cannot be started: %s", strerror(-err)));
	else
		measure(execution);
	if (execution->progress.phase == PHASE_MEASURE)
		execution->run->command = argv;
	else
		strings_free(argv);
	free(file);
	free(output);
}

static struct execution execute_phase(const struct runner *runner, const struct test *test, struct run *run,
				      enum phase phase)
{
	struct execution execution = {
		.runner = runner,
		.run = run,
		.progress.phase = phase,
		.output = fio_scratch(),
		.messages = fio_scratch(),
	};

	if (execution.output < 0 || execution.messages < 0)
		fail(run, xstrdup("no temporary file for fio's output could be made"));
	else
		execute(&execution, test, phase == PHASE_WARMUP ? runner->options->warmup : runner->options->duration);
	if (execution.output >= 0)
		close(execution.output);
	if (execution.messages >= 0)
		close(execution.messages);
	return execution;
}

int run_test(const struct runner *runner, const struct test *test, struct run *run)
{
	struct execution warmup = {0}, measured;

	run->started = clock_wall();
	run->state = RUN_DONE;
	if (place_shrunk(runner->place, runner->options->size)) {
		fail(run, xstrdup("the file or device has become smaller than the test needs"));
		return 0;
	}
	if (runner->options->warmup)
		warmup = execute_phase(runner, test, run, PHASE_WARMUP);
	if (run->state == RUN_DONE && signals_stopped())
		interrupt(run);
	if (run->state != RUN_DONE)
		return warmup.stuck;
	run->started = clock_wall();
	measured = execute_phase(runner, test, run, PHASE_MEASURE);
	run->has_gap = runner->options->warmup && measured.begin;
	if (run->has_gap)
		run->gap = measured.begin - warmup.end;
	return measured.stuck;
}
