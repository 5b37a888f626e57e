// SPDX-License-Identifier: GPL-2.0
#include "result.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/text.h"

/* A table that is too short does not compile. */
#define TABLE(type, name, count, ...)                                                                                  \
	type name[count] = {__VA_ARGS__};                                                                              \
	_Static_assert(sizeof((type[]){__VA_ARGS__}) / sizeof(type) == (count), #name " has one entry for each")

/* clang-format off */
TABLE(const char *const, latency_name, LATENCY_KINDS,
      [LATENCY_SLAT] = "slat", [LATENCY_CLAT] = "clat", [LATENCY_LAT] = "lat");

TABLE(const double, percentile_percent, PERCENTILES,
      [P50] = 50, [P90] = 90, [P95] = 95, [P99] = 99, [P99_9] = 99.9, [P99_99] = 99.99);

TABLE(const char *const, stat_group_name, STAT_GROUPS,
      [STAT_READ] = "read", [STAT_WRITE] = "write", [STAT_DISCARD] = "discard", [STAT_FLUSH] = "flush");

TABLE(const char *const, check_state_name, CHECK_STATES,
      [CHECK_PASSED] = "passed", [CHECK_WARNING] = "warning", [CHECK_FAILED] = "failed",
      [CHECK_NOT_APPLICABLE] = "not applicable", [CHECK_UNKNOWN] = "unknown");

TABLE(const char *const, run_state_name, RUN_STATES,
      [RUN_DONE] = "done", [RUN_FAILED] = "failed", [RUN_SKIPPED] = "skipped", [RUN_INTERRUPTED] = "interrupted");

TABLE(const char *const, verdict_name, VERDICTS,
      [VERDICT_NONE] = "", [VERDICT_REAL] = "REAL", [VERDICT_SUSPECT] = "SUSPECT", [VERDICT_NOT_REAL] = "NOT REAL");

TABLE(const char *const, target_kind_name, TARGET_KINDS,
      [TARGET_DIRECTORY] = "directory", [TARGET_FILE] = "file", [TARGET_DEVICE] = "device",
      [TARGET_DISKS] = "disks");

#define ROW(id, name, ...) [OP_##id] = (name),
TABLE(const char *const, op_name, OPS, IOSTRATA_OPS(ROW));
#undef ROW
#define ROW(id, name, ...) [LOSS_##id] = (name),
TABLE(const char *const, loss_name, LOSSES, IOSTRATA_LOSSES(ROW));
#undef ROW
#define ROW(id, name, ...) [STAGE_##id] = (name),
TABLE(const char *const, stage_name, STAGES, IOSTRATA_STAGES(ROW));
#undef ROW
#define ROW(id, name, ...) [HOP_##id] = (name),
TABLE(const char *const, hop_name, HOPS, IOSTRATA_HOPS(ROW));
#undef ROW
#define ROW(id, name, ...) [OWNER_##id] = (name),
TABLE(const char *const, owner_name, OWNERS, IOSTRATA_OWNERS(ROW));
#undef ROW
#define ROW(id, letter, ...) [BOUNDARY_##id] = (letter),
TABLE(const char *const, boundary_letter, BOUNDARIES, IOSTRATA_BOUNDARIES(ROW));
#undef ROW
#define ROW(id, name, ...) [IO_OP_##id] = (name),
TABLE(const char *const, io_op_name, IO_OPS, IOSTRATA_IO_OPS(ROW));
#undef ROW
#define ROW(id, name, ...) [IO_WAY_##id] = (name),
TABLE(const char *const, io_way_name, IO_WAYS, IOSTRATA_IO_WAYS(ROW));
#undef ROW
#define ROW(id, name, ...) [IO_END_##id] = (name),
TABLE(const char *const, io_end_name, IO_ENDS, IOSTRATA_IO_ENDS(ROW));
#undef ROW
#define ROW(id, name, ...) [IO_NOTE_##id] = (name),
TABLE(const char *const, io_note_name, IO_NOTES, IOSTRATA_IO_NOTES(ROW));
#undef ROW
#define ROW(id, name, ...) [IO_STAGE_##id] = (name),
TABLE(const char *const, io_stage_name, IO_STAGES, IOSTRATA_IO_STAGES(ROW));
#undef ROW
#define ROW(id, name, ...) [CALL_##id] = (name),
TABLE(const char *const, call_name, CALLS, IOSTRATA_CALLS(ROW));
#undef ROW
#define ROW(id, name, ...) [CLASS_##id] = (name),
TABLE(const char *const, class_name, CLASSES, IOSTRATA_CLASSES(ROW));
#undef ROW
#define ROW(id, name, ...) [MEASURE_##id] = (name),
TABLE(const char *const, measure_name, MEASURES, IOSTRATA_MEASURES(ROW));
#undef ROW
#define ROW(id, name, ...) [FOREIGNER_##id] = (name),
TABLE(const char *const, foreigner_kind_name, FOREIGNERS, IOSTRATA_FOREIGNERS(ROW));
#undef ROW
/* clang-format on */

/* Makes room for one more of `size` bytes and zeroes it. */
static void *grow(void *array, size_t *count, size_t size)
{
	char *grown = xreallocarray(array, *count + 1, size);

	memset(grown + *count * size, 0, size);
	(*count)++;
	return grown;
}

struct result *result_new(void)
{
	struct result *result = xcalloc(1, sizeof(*result));
	struct timespec now;
	struct tm local;

	clock_gettime(CLOCK_REALTIME, &now);
	localtime_r(&now.tv_sec, &local);
	result->started = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
	strftime(result->stamp, sizeof(result->stamp), "%Y%m%d_%H%M%S", &local);
	strftime(result->timestamp, sizeof(result->timestamp), "%Y-%m-%d %H:%M:%S", &local);
	return result;
}

struct run *result_add_run(struct result *result)
{
	result->run = grow(result->run, &result->runs, sizeof(*result->run));
	return &result->run[result->runs - 1];
}

bool target_is_served(const struct target *target)
{
	const char *filesystem = target && target->layers ? target->filesystem : NULL;

	return filesystem && (!strcmp(filesystem, "fuseblk") || !strncmp(filesystem, "fuse.", strlen("fuse.")));
}

void target_warn(struct target *target, const char *format, ...)
{
	va_list arguments;

	target->warning = grow(target->warning, &target->warnings, sizeof(*target->warning));
	va_start(arguments, format);
	target->warning[target->warnings - 1] = xvasprintf(format, arguments);
	va_end(arguments);
}

static struct check *add_check(struct run *run, const char *name, enum check_state state, char *found, char *expected)
{
	struct check *check;

	run->check = grow(run->check, &run->checks, sizeof(*run->check));
	check = &run->check[run->checks - 1];
	check->name = xstrdup(name);
	check->state = state;
	check->found = found;
	check->expected = expected;
	return check;
}

void run_add_check(struct run *run, const char *name, enum check_state state, char *found, char *expected,
		   const char *sentence, ...)
{
	struct check *check = add_check(run, name, state, found, expected);
	va_list arguments;

	va_start(arguments, sentence);
	check->sentence = xvasprintf(sentence, arguments);
	va_end(arguments);
}

void run_add_finding(struct run *run, const char *name, char *found, char *expected, const char *sentence, ...)
{
	struct check *check = add_check(run, name, CHECK_PASSED, found, expected);
	va_list arguments;

	check->finding = true;
	va_start(arguments, sentence);
	check->sentence = xvasprintf(sentence, arguments);
	va_end(arguments);
}

void engine_figures_free(struct engine_figures *figures)
{
	if (!figures)
		return;
	for (int op = 0; op < DIRECTIONS; op++)
		for (int kind = 0; kind < LATENCY_KINDS; kind++)
			free(figures->direction[op].latency[kind].hist);
	free(figures->version);
	free(figures->message);
	free(figures);
}

/* From 14 on the numbers are not the same in all kernels: 16 is ENODEV in 6.18 and was EOVERFLOW in 6.1. */
int status_errno(unsigned status)
{
	static const int errors[] = {
		[1] = EOPNOTSUPP, [2] = ETIMEDOUT, [3] = ENOSPC, [4] = ENOLINK, [5] = EREMOTEIO,
		[6] = EBADE,	  [7] = ENODATA,   [8] = EILSEQ, [9] = ENOMEM,	[10] = EIO,
		[11] = EREMCHG,	  [12] = EAGAIN,   [13] = EBUSY,
	};

	return status < ARRAY_SIZE(errors) ? errors[status] : 0;
}

static uint64_t sum_losses(const uint64_t loss[LOSSES])
{
	uint64_t sum = 0;

	for (int i = 0; i < LOSSES; i++)
		sum += loss[i];
	return sum;
}

struct balance layer_balance(const struct layer_view *layer, enum op op)
{
	const struct op_view *view = layer->op[op];

	if (!view)
		return (struct balance){0};
	if (layer->has_requests)
		return (struct balance){.started = view->issues - view->requeues,
					.timed = view->completions,
					.in_flight = view->in_flight_at_end,
					.lost = sum_losses(view->loss)};
	if (!layer->queue)
		return (struct balance){0};
	return (struct balance){.started = view->bios,
				.timed = view->completions,
				.in_flight = view->bios_in_flight_at_end,
				.lost = sum_losses(view->bio_loss)};
}

struct balance layer_bio_balance(const struct layer_view *layer, enum op op)
{
	const struct op_view *view = layer->op[op];

	if (!view || !layer->queue || !layer->has_requests)
		return (struct balance){0};
	return (struct balance){.started = view->bios,
				.timed = view->finished,
				.untimed = view->empty + view->ended_early,
				.in_flight = view->bios_in_flight_at_end,
				.lost = sum_losses(view->bio_loss)};
}

enum stage layer_stage(const struct layer_view *layer)
{
	return layer->has_requests ? STAGE_DEVICE : STAGE_THROUGH;
}

static void course_release(struct course *course)
{
	for (size_t i = 0; i < course->seconds; i++)
		free(course->second[i].grown);
	free(course->second);
}

void op_view_clear(struct op_view *view)
{
	for (int stage = 0; stage < STAGES; stage++)
		course_release(&view->course[stage]);
	for (int hop = 0; hop < HOPS; hop++)
		free(view->hop[hop]);
	memset(view, 0, sizeof(*view));
}

void io_view_clear(struct io_view *view)
{
	for (int stage = 0; stage < IO_STAGES; stage++)
		course_release(&view->course[stage]);
	free(view->second);
	memset(view, 0, sizeof(*view));
}

uint64_t io_ended(const struct io_view *view)
{
	uint64_t ended = 0;

	for (int end = 0; end < IO_ENDS; end++)
		ended += view->counts.end[end];
	return ended;
}

static void free_layers(struct layer_view *layer, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		for (int op = 0; op < OPS; op++) {
			if (layer[i].op[op])
				op_view_clear(layer[i].op[op]);
			free(layer[i].op[op]);
		}
		free(layer[i].device);
	}
	free(layer);
}

static void free_ios(struct trace_view *view)
{
	for (int op = 0; op < IO_OPS; op++) {
		if (view->io[op])
			io_view_clear(view->io[op]);
		free(view->io[op]);
	}
	for (int call = 0; call < CALLS; call++)
		free(view->call[call]);
	for (size_t i = 0; i < view->foreigners; i++)
		free(view->foreigner[i].command);
	free(view->foreigner);
	free(view->slowest);
	free(view->slow);
	free(view->hidden);
}

static void free_remotes(struct trace_view *view)
{
	for (size_t i = 0; i < view->remotes; i++) {
		free(view->remote[i].protocol);
		free(view->remote[i].kind);
	}
	free(view->remote);
}

void trace_view_free(struct trace_view *view)
{
	if (!view)
		return;
	free_remotes(view);
	free_ios(view);
	free_layers(view->leaf, view->leaves);
	free_layers(view->above, view->aboves);
	free(view->top);
	free(view);
}

void conditions_free(struct conditions *conditions)
{
	if (!conditions)
		return;
	for (size_t i = 0; i < conditions->arrays; i++) {
		free(conditions->array[i].device);
		free(conditions->array[i].level);
		free(conditions->array[i].action);
	}
	free(conditions->array);
	free(conditions->pause);
	free(conditions->cpu_busy);
	free(conditions);
}

static void run_release(struct run *run)
{
	for (size_t i = 0; i < run->checks; i++) {
		free(run->check[i].name);
		free(run->check[i].found);
		free(run->check[i].expected);
		free(run->check[i].sentence);
	}
	free(run->check);
	conditions_free(run->conditions);
	free(run->sample);
	free(run->untraced);
	free(run->reason);
	strings_free(run->command);
	engine_figures_free(run->engine);
	trace_view_free(run->trace);
}

void layer_clear(struct layer *layer)
{
	free(layer->name);
	free(layer->parent_disk);
	free(layer->model);
	free(layer->serial);
	free(layer->backing_file);
	free(layer->scheduler);
	free(layer->write_cache);
	free(layer->memory);
	free(layer->backing_filesystem);
	free(layer->driver);
	free(layer->path);
	free(layer->link);
	*layer = (struct layer){0};
}

void target_clear(struct target *target)
{
	for (size_t i = 0; i < target->layers; i++)
		layer_clear(&target->layer[i]);
	for (size_t i = 0; i < target->warnings; i++)
		free(target->warning[i]);
	free(target->layer);
	free(target->warning);
	free(target->given);
	free(target->path);
	free(target->filesystem);
	free(target->source);
	free(target->mount_point);
	free(target->access);
	free(target->buffered);
	free(target->no_floor);
	*target = (struct target){0};
}

static void platform_release(struct platform *platform)
{
	for (size_t i = 0; i < platform->clues; i++) {
		free(platform->clue[i].source);
		free(platform->clue[i].value);
		free(platform->clue[i].says);
	}
	free(platform->clue);
	free(platform->key);
	free(platform->name);
	free(platform->certainty);
	free(platform->container);
}

void machine_clear(struct machine *machine)
{
	platform_release(&machine->platform);
	free(machine->host);
	free(machine->os);
	free(machine->kernel);
	free(machine->architecture);
	free(machine->cpu);
	free(machine->wsl);
	free(machine->clocksource);
	*machine = (struct machine){0};
}

void result_free(struct result *result)
{
	if (!result)
		return;
	for (size_t i = 0; i < result->runs; i++)
		run_release(&result->run[i]);
	for (size_t i = 0; i < result->targets; i++)
		target_clear(&result->target[i]);
	machine_clear(&result->machine);
	free(result->run);
	free(result->target);
	free(result->test);
	free(result->version);
	free(result->config);
	strings_free(result->command);
	free(result->options.ioengine);
	for (size_t i = 0; i < result->options.expectations; i++)
		free(result->options.expectation[i].tests);
	free(result->options.expectation);
	free(result->engine);
	free(result->engine_version);
	free(result->no_trace);
	free(result);
}
