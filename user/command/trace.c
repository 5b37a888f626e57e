// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/format.h"
#include "base/log.h"
#include "base/output.h"
#include "base/text.h"
#include "command.h"
#include "common.h"
#include "host/conditions.h"
#include "host/mounts.h"
#include "host/privilege.h"
#include "report/interval.h"
#include "report/trace.h"
#include "result/check.h"
#include "result/file.h"
#include "result/remote.h"
#include "trace/tracer.h"
#include "trace_options.h"
#include "trace_subject.h"
#include "trace_target.h"
#include "workload/signals.h"

/* I/Os in flight that nothing is lost of: the depth of a large benchmark. */
#define IN_FLIGHT 512

#define READ_EVERY NS_PER_SECOND

/* Lines of intervals until a terminal shows their heading again. */
#define HEADING_EVERY 20

/* Signals that come together are one request: timeout, for one, sends to a process and then to its group. */
#define ONE_REQUEST (200 * NS_PER_MS)

/* How long a killed program may take to end before we go without it: it hangs in a device then. */
#define PATIENCE (10 * NS_PER_SECOND)

/* One invocation. */
struct trace {
	struct trace_options options;
	char **command; /* argv, until the result has it */
	struct result *result;
	struct output_file *json; /* NULL: no file is written */
	struct tracer *tracer;	  /* NULL: nothing is recorded any more */
	struct watch *watch;	  /* NULL: the conditions are not watched any more */
	struct trace_interval *interval;
	struct subject subject;
	char *doing;	/* "tracing process 1234 (dd) on sda" */
	int signals;	/* a descriptor */
	uint64_t begin; /* of the recording; the other moments are on the same clock */
	uint64_t end;	/* by --duration; 0: none */
	uint64_t next_read, next_line;
	unsigned lines;		/* since the last heading; 0: there was none */
	uint64_t asked, killed; /* when we were asked to end, and when the program was killed for it; 0: not */
	int status;		/* the program's */
	bool failed;		/* something of ours did */
};

/* --- what is traced --- */

static void describe(struct trace *trace)
{
	struct result *result = new_result(trace->command, "trace", &trace->options.options);

	trace->command = NULL;
	trace->result = result;
	result->target = xcalloc(1, sizeof(*result->target));
	result->targets = 1;
}

static void say_what(struct trace *trace)
{
	char *subject = subject_in_words(&trace->subject), *disks = trace_target_in_words(trace->result->target);

	trace->doing = xasprintf("tracing %s on %s", subject, disks);
	free(subject);
	free(disks);
	detail_layers(trace->result->target);
}

static int open_output(struct trace *trace)
{
	char *name;

	if (!trace->options.outdir)
		return 0;
	name = result_file_name(trace->result);
	trace->json = output_open(trace->options.outdir, name);
	free(name);
	return trace->json ? 0 : -EINVAL;
}

/* Everything that may be wrong with what was asked is found here, before anything is started or loaded. */
static int prepare(struct trace *trace)
{
	char *obstacle;

	describe(trace);
	if (open_output(trace) || trace_target_describe(trace->result->target, &trace->options) ||
	    subject_find(&trace->subject, &trace->options))
		return EXIT_USAGE;
	say_what(trace);
	obstacle = trace_obstacle();
	if (obstacle)
		log_error("nothing can be traced: %s", obstacle);
	free(obstacle);
	return obstacle ? EXIT_OURS : EXIT_DONE;
}

/* --- the probes --- */

static enum owner_rule owner_rule(const struct trace_options *options)
{
	if (options->cgroup)
		return OWN_CGROUP;
	return options->program || options->pids ? OWN_MARKED : OWN_EVERYONE;
}

static int refuse_tracer(const struct trace *trace, int err)
{
	char *refusal;

	if (trace->subject.cgroup && (err == -ENOENT || err == -ENOTSUP))
		return log_failure(EXIT_USAGE, "-g %s: %s", trace->options.cgroup,
				   err == -ENOENT ? "it is gone"
						  : "it cannot be told from others here: is this a cgroup namespace?");
	if (err == -ENODEV)
		return log_failure(EXIT_OURS, "nothing can be traced: none of the disks can be watched");
	refusal = trace_refusal(-err);
	log_error("nothing can be traced: %s", refusal);
	free(refusal);
	return EXIT_OURS;
}

static int open_tracer(struct trace *trace)
{
	const struct trace_options *options = &trace->options;
	const struct target *target = trace->result->target;
	const struct trace_wish wish = {
		.layer = target->layer,
		.layers = target->layers,
		.in_flight = IN_FLIGHT,
		.queue = true,
		.ios = true,
		.clocks = true,
		.syncs = true,
		.rings = true,
		.file = -1,
		.files_of_layers = options->devices > 0,
		/* Who names disks does not mean what has none. */
		.remote = !options->devices && mounts_have(filesystem_is_remote),
		.own = owner_rule(options),
		.cgroup = trace->subject.cgroup,
		.no_children = options->no_children,
		.slowest = options->slowest,
		.intervals = options->options.interval > 0,
		.slow_from = options->options.slow_from,
		.slow_records = options->slow_records,
	};
	int err;

	/* A program's terminal is its own. */
	if (!options->program)
		log_progress("loading the probes");
	err = tracer_open(&trace->tracer, &wish);
	log_progress_end();
	if (err)
		return refuse_tracer(trace, err);
	detail_tracer(trace->tracer);
	return EXIT_DONE;
}

/* --- while it is recorded --- */

static void print_line(struct trace *trace)
{
	struct interval_line line = {0};
	bool colour = log_colourful(STDERR_FILENO);
	struct text text = {0};

	if (!trace->interval)
		trace->interval = xcalloc(1, sizeof(*trace->interval));
	tracer_interval(trace->tracer, trace->interval);
	line.from = trace->interval->from;
	line.to = trace->interval->to;
	memcpy(line.bytes, trace->interval->bytes, sizeof(line.bytes));
	for (int op = 0; op < IO_OPS; op++)
		line.stage[op] = trace->interval->stage[op];
	line.call = trace->interval->call;
	line.slowest = trace->interval->has_slowest ? &trace->interval->slowest : NULL;
	if (interval_has_ios(&line) && (!trace->lines || (trace->lines > HEADING_EVERY && log_on_terminal()))) {
		trace->lines = 1;
		interval_heading(colour, &text);
	}
	interval_print(&line, colour, &text);
	for (size_t i = 0; trace->lines && i < text.length; i++)
		trace->lines += text.data[i] == '\n';
	fwrite(text.data, 1, text.length, stderr);
	text_free(&text);
}

/* Unless one has just been printed. */
static void print_last_line(struct trace *trace)
{
	uint64_t interval = trace->options.options.interval;

	if (interval && clock_now() + interval - trace->next_line > interval / 10)
		print_line(trace);
}

/* A line of its own would stand in the midst of what the program prints. */
static void show_progress(const struct trace *trace)
{
	char span[FORMAT_LENGTH], whole[FORMAT_LENGTH];
	const char *of = "";

	if (trace->options.program || trace->options.options.interval)
		return;
	format_span(span, clock_now() - trace->begin);
	if (trace->end) {
		of = " of ";
		format_span(whole, trace->end - trace->begin);
	}
	log_progress("%s · %s%s%s · Ctrl-C ends it and reports", trace->doing, span, of, *of ? whole : "");
}

/* Moves `next` on to after `now`; what a stopped process has missed is not made up for. */
static void move_on(uint64_t *next, uint64_t every, uint64_t now)
{
	*next += every;
	if (*next <= now)
		*next = now + every;
}

static void tick(struct trace *trace)
{
	uint64_t now = clock_now(), interval = trace->options.options.interval;

	if (interval && now >= trace->next_line) {
		print_line(trace);
		move_on(&trace->next_line, interval, now);
	}
	if (now < trace->next_read)
		return;
	tracer_read(trace->tracer);
	show_progress(trace);
	move_on(&trace->next_read, READ_EVERY, now);
}

/*
 * What a terminal sends, the program has got as well, and one that handles it has a use of its own for it. Else the
 * first request is passed on, and the second means that it must end.
 */
static void pass_on(struct trace *trace, int signal, bool typed)
{
	uint64_t now = clock_now();
	bool first = !trace->asked;

	if (typed && program_catches(&trace->subject.program, signal))
		return;
	if (!typed && (first || now - trace->asked <= ONE_REQUEST))
		program_signal(&trace->subject.program, signal);
	if (!first && now - trace->asked > ONE_REQUEST) {
		program_signal(&trace->subject.program, SIGKILL);
		trace->killed = trace->killed ? trace->killed : now;
	}
	if (first)
		trace->asked = now;
}

static void take_signals(struct trace *trace)
{
	bool typed;
	int signal;

	while ((signal = signals_take(trace->signals, &typed))) {
		if (trace->subject.program.pid)
			pass_on(trace, signal, typed);
		else
			trace->asked = clock_now();
	}
}

static void look_for_end(struct trace *trace)
{
	struct program *program = &trace->subject.program;
	struct run *run = trace->result->run;

	if (program_ended(program, &trace->status)) {
		run->has_status = true;
		run->status = trace->status;
	} else if (program->pid && trace->killed && clock_now() - trace->killed > PATIENCE) {
		log_warning("%s hangs in the kernel and cannot be killed: does the device still answer?",
			    trace->options.program[0]);
		trace->status = EXIT_SIGNALLED + SIGKILL;
		program->pid = 0;
	}
}

static bool is_over(struct trace *trace)
{
	if (trace->end && clock_now() >= trace->end)
		return true;
	return (trace->asked && !trace->options.program) || subject_is_gone(&trace->subject);
}

/* Milliseconds until something is due; -1: nothing is. */
static int until_due(const struct trace *trace)
{
	uint64_t due = UINT64_MAX, now = clock_now();

	if (trace->tracer) {
		due = trace->next_read;
		if (trace->options.options.interval && trace->next_line < due)
			due = trace->next_line;
		if (trace->end && trace->end < due)
			due = trace->end;
	}
	if (trace->killed && trace->killed + PATIENCE < due)
		due = trace->killed + PATIENCE;
	if (due == UINT64_MAX)
		return -1;
	return due > now ? (int)((due - now) / NS_PER_MS + 1) : 0;
}

/* Waits for a signal, the end of a process, or what is due. */
static void wait_for_something(struct trace *trace)
{
	const struct subject *subject = &trace->subject;
	struct pollfd *event = xcalloc(1 + subject->watches, sizeof(*event));

	event[0] = (struct pollfd){.fd = trace->signals, .events = POLLIN};
	for (size_t i = 0; i < subject->watches; i++)
		event[1 + i] = (struct pollfd){.fd = subject->watched[i].ended, .events = POLLIN};
	poll(event, 1 + subject->watches, until_due(trace));
	free(event);
	take_signals(trace);
	look_for_end(trace);
}

/* --- the report --- */

static FILE *report_stream(const struct trace *trace)
{
	return trace->options.program ? stderr : stdout;
}

static void save(struct trace *trace)
{
	char *json;

	if (!trace->json)
		return;
	json = result_to_json(trace->result, false);
	if (output_write(trace->json, json, strlen(json)))
		trace->failed = true;
	free(json);
}

static void print_report(struct trace *trace)
{
	FILE *stream = report_stream(trace);
	struct text report = {0};
	char *json;

	if (trace->options.json) {
		json = result_to_json(trace->result, true);
		text_addf(&report, "%s\n", json);
		free(json);
	} else {
		report_trace(trace->result, log_colourful(fileno(stream)), trace->options.verbosity > 0, &report);
	}
	fwrite(report.data, 1, report.length, stream);
	/* A reader that had enough is no failure. */
	if (fflush(stream) && errno != EPIPE) {
		log_error("standard output cannot be written: %m");
		clearerr(stream);
		trace->failed = true;
	}
	text_free(&report);
}

static void print_path(const struct trace *trace)
{
	const char *path = trace->json ? output_path(trace->json) : NULL;

	if (path)
		fprintf(trace->options.json ? stderr : report_stream(trace), "%s\n", path);
}

/* The program, if it is still there, is not slowed down any longer than it is recorded. */
static void conclude(struct trace *trace)
{
	struct run *run = trace->result->run;

	print_last_line(trace);
	run->elapsed = clock_now() - trace->begin;
	conditions_end(trace->watch);
	run->trace = tracer_stop(trace->tracer);
	run->conditions = conditions_close(trace->watch);
	trace->watch = NULL;
	log_progress_end();
	observe(trace->result, trace->tracer);
	tracer_close(trace->tracer);
	trace->tracer = NULL;
	check_run(trace->result, run);
	save(trace);
	print_report(trace);
	print_path(trace);
}

/* --- the whole --- */

static void add_run(struct trace *trace)
{
	struct run *run = result_add_run(trace->result);
	size_t count = 0;

	run->test = NO_TEST;
	run->iteration = 1;
	run->state = RUN_DONE;
	run->started = clock_wall();
	for (char **word = trace->options.program; word && *word; word++)
		strings_add(&run->command, &count, *word);
}

static int begin(struct trace *trace)
{
	const struct options *options = &trace->options.options;
	const struct target *target = trace->result->target;
	int status;

	if (signals_stopped())
		return EXIT_SIGNALLED + signals_stopped();
	add_run(trace);
	trace->watch = conditions_open(target->layer, target->layers);
	conditions_begin(trace->watch, tracer_start(trace->tracer));
	trace->begin = clock_now();
	trace->end = options->duration ? trace->begin + options->duration : 0;
	trace->next_read = trace->begin + READ_EVERY;
	trace->next_line = trace->begin + options->interval;
	status = subject_release(&trace->subject);
	if (!trace->options.program && (!log_on_terminal() || options->interval))
		log_info("%s", trace->doing);
	show_progress(trace);
	return status;
}

static void record(struct trace *trace)
{
	while (!is_over(trace)) {
		wait_for_something(trace);
		tick(trace);
	}
	conclude(trace);
	while (trace->subject.program.pid)
		wait_for_something(trace);
}

static int run(struct trace *trace)
{
	int status = prepare(trace);

	if (status == EXIT_DONE)
		status = subject_start(&trace->subject);
	if (status == EXIT_DONE)
		status = open_tracer(trace);
	if (status == EXIT_DONE)
		status = subject_mark(&trace->subject, trace->tracer);
	if (status == EXIT_DONE)
		status = begin(trace);
	if (status != EXIT_DONE)
		return status;
	record(trace);
	return !trace->status && trace->failed ? EXIT_OURS : trace->status;
}

static void clear(struct trace *trace)
{
	subject_clear(&trace->subject);
	conditions_free(conditions_close(trace->watch));
	tracer_close(trace->tracer);
	close_once(&trace->signals);
	output_close(trace->json);
	result_free(trace->result);
	strings_free(trace->command);
	free(trace->interval);
	free(trace->doing);
	trace_options_clear(&trace->options);
}

/* With a program, also Ctrl-\ is the program's: we stay to report. */
static int open_signals(struct trace *trace)
{
	int err = signals_init();

	if (!err && trace->options.program)
		err = signals_add_quit();
	if (!err)
		trace->signals = signals_open();
	if (!err && trace->signals < 0)
		err = trace->signals;
	return err ? log_failure(EXIT_OURS, "signals cannot be blocked: %s", strerror(-err)) : EXIT_DONE;
}

int command_trace(int argc, char **argv)
{
	struct trace trace = {.command = whole_command(argc, argv), .signals = -1};
	int err = trace_options_parse(&trace.options, argc, argv), status;

	if (err || trace.options.help) {
		if (!err)
			trace_options_print();
		status = err ? EXIT_USAGE : EXIT_DONE;
	} else {
		log_set_verbosity(trace.options.verbosity);
		status = open_signals(&trace);
		if (status == EXIT_DONE)
			status = run(&trace);
	}
	clear(&trace);
	return status;
}
