// SPDX-License-Identifier: GPL-2.0
#include "conditions.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cpu.h"
#include "files.h"
#include "interrupts.h"
#include "pulse.h"
#include "sensors.h"
#include "vmbus.h"

/* --- CPUs --- */

/* No machine has more; what a broken file says must not become memory. */
#define CPUS_AT_MOST 65536

struct one_cpu {
	bool online;
	struct cpu_times times;
};

struct cpus {
	struct cpu_times all;
	struct one_cpu *cpu; /* by number */
	size_t count;
};

static void add_cpu(struct cpus *cpus, size_t number, const char *columns)
{
	if (number >= CPUS_AT_MOST)
		return;
	if (number >= cpus->count) {
		cpus->cpu = xreallocarray(cpus->cpu, number + 1, sizeof(*cpus->cpu));
		memset(&cpus->cpu[cpus->count], 0, (number + 1 - cpus->count) * sizeof(*cpus->cpu));
		cpus->count = number + 1;
	}
	cpus->cpu[number].online = true;
	cpu_times_parse(&cpus->cpu[number].times, columns);
}

/* Those that are offline have no line. */
static struct cpus read_cpus(void)
{
	char *content = host_read("/proc/stat"), *rest = content, *line, *columns;
	struct cpus cpus = {0};
	unsigned long number;

	while ((line = strsep(&rest, "\n")) && !strncmp(line, "cpu", 3)) {
		if (line[3] == ' ') {
			cpu_times_parse(&cpus.all, line + 3);
			continue;
		}
		number = strtoul(line + 3, &columns, 10);
		add_cpu(&cpus, number, columns);
	}
	free(content);
	return cpus;
}

static bool is_online(const struct cpus *cpus, size_t number)
{
	return number < cpus->count && cpus->cpu[number].online;
}

static double busy_percent(const struct cpus *before, const struct cpus *after, size_t number)
{
	struct cpu_span span;

	if (!is_online(before, number) || !is_online(after, number))
		return -1;
	span = cpu_span_between(&before->cpu[number].times, &after->cpu[number].times);
	return span.total ? 100.0 * (double)span.busy / (double)span.total : -1;
}

/* A hypervisor that has never told of time that it took tells of none. */
static void tell_cpus(const struct cpus *before, const struct cpus *after, struct conditions *conditions)
{
	struct cpu_span all = cpu_span_between(&before->all, &after->all);

	conditions->cpus = before->count > after->count ? before->count : after->count;
	conditions->cpu_busy = xcalloc(conditions->cpus, sizeof(*conditions->cpu_busy));
	for (size_t i = 0; i < conditions->cpus; i++)
		conditions->cpu_busy[i] = busy_percent(before, after, i);
	conditions->has_steal = after->all.column[CPU_STEAL] && all.total;
	if (conditions->has_steal)
		conditions->steal_percent = 100.0 * (double)all.stolen / (double)all.total;
}

/* --- the watch --- */

/* What is read before and after everything. */
struct surroundings {
	bool has_power, on_battery;
	bool has_throttlings;
	uint64_t throttlings;
	struct array_state *array;
	size_t arrays;
};

/* What is read at the edges of the measured part. */
struct edge {
	struct cpus cpus;
	bool has_interrupts, has_kicks;
	uint64_t interrupts, kicks;
};

struct watch {
	const struct layer *layer;
	size_t layers;
	struct surroundings before;
	struct edge begin;
	struct pulse *pulse;	       /* NULL: it does not beat */
	struct conditions *conditions; /* what is known of them so far */
	bool measured;
};

/* Leaves that have a sensor; the coldest and hottest of all that was read. */
static void feel_leaves(struct watch *watch)
{
	struct conditions *conditions = watch->conditions;
	double degrees;

	for (size_t i = 0; i < watch->layers; i++) {
		if (!watch->layer[i].leaf || !sensors_temperature(watch->layer[i].name, &degrees))
			continue;
		if (!conditions->has_temperature || degrees < conditions->coldest)
			conditions->coldest = degrees;
		if (!conditions->has_temperature || degrees > conditions->hottest)
			conditions->hottest = degrees;
		conditions->has_temperature = true;
	}
}

static struct surroundings look_around(struct watch *watch)
{
	struct surroundings seen = {.array = xcalloc(watch->layers, sizeof(*seen.array))};

	seen.has_power = sensors_on_battery(&seen.on_battery);
	seen.has_throttlings = sensors_throttlings(&seen.throttlings);
	for (size_t i = 0; i < watch->layers; i++)
		if (sensors_array(watch->layer[i].name, &seen.array[seen.arrays]))
			seen.arrays++;
	feel_leaves(watch);
	return seen;
}

static void surroundings_clear(struct surroundings *seen)
{
	for (size_t i = 0; i < seen->arrays; i++)
		array_state_clear(&seen->array[i]);
	free(seen->array);
}

static struct edge look_at_edge(const struct watch *watch)
{
	struct edge edge = {.cpus = read_cpus()};

	edge.has_interrupts = interrupts_read(watch->layer, watch->layers, &edge.interrupts);
	edge.has_kicks = vmbus_read_kicks(watch->layer, watch->layers, &edge.kicks);
	return edge;
}

/* --- what changed --- */

/* An array that was busy in the beginning was so in the run, whatever it does now. */
static void tell_arrays(struct surroundings *before, struct surroundings *after, struct conditions *conditions)
{
	for (size_t i = 0; i < after->arrays; i++) {
		for (size_t j = 0; j < before->arrays; j++) {
			struct array_state *was = &before->array[j], now = after->array[i];

			if (strcmp(was->device, now.device) != 0 || !strcmp(was->action, "idle"))
				continue;
			after->array[i] = *was;
			*was = now;
			break;
		}
	}
	conditions->array = after->array;
	conditions->arrays = after->arrays;
	after->array = NULL;
	after->arrays = 0;
}

/* Fewer than before, and the counting began anew: a CPU or a disk went and came back, or the counter overflowed. */
static bool tell_growth(bool known, uint64_t before, uint64_t after, uint64_t *growth)
{
	if (!known || after < before)
		return false;
	*growth = after - before;
	return true;
}

static void tell_surroundings(struct surroundings *before, struct surroundings *after, struct conditions *conditions)
{
	conditions->has_power = before->has_power || after->has_power;
	conditions->on_battery = before->on_battery || after->on_battery;
	conditions->has_throttling = tell_growth(before->has_throttlings && after->has_throttlings, before->throttlings,
						 after->throttlings, &conditions->throttlings);
	tell_arrays(before, after, conditions);
}

/* --- the four moments --- */

struct watch *conditions_open(const struct layer *layers, size_t count)
{
	struct watch *watch = xcalloc(1, sizeof(*watch));

	watch->layer = layers;
	watch->layers = count;
	watch->conditions = xcalloc(1, sizeof(*watch->conditions));
	watch->before = look_around(watch);
	return watch;
}

void conditions_begin(struct watch *watch, uint64_t since)
{
	watch->begin = look_at_edge(watch);
	watch->pulse = pulse_start(since);
}

void conditions_end(struct watch *watch)
{
	struct edge *begin = &watch->begin, end = look_at_edge(watch);
	struct conditions *conditions = watch->conditions;

	pulse_stop(watch->pulse, conditions);
	watch->pulse = NULL;
	watch->measured = true;
	tell_cpus(&begin->cpus, &end.cpus, conditions);
	conditions->has_interrupts = tell_growth(begin->has_interrupts && end.has_interrupts, begin->interrupts,
						 end.interrupts, &conditions->interrupts);
	conditions->has_kicks =
		tell_growth(begin->has_kicks && end.has_kicks, begin->kicks, end.kicks, &conditions->kicks);
	free(begin->cpus.cpu);
	free(end.cpus.cpu);
	begin->cpus.cpu = NULL;
}

struct conditions *conditions_close(struct watch *watch)
{
	struct surroundings after;
	struct conditions *conditions;

	if (!watch)
		return NULL;
	conditions = watch->conditions;
	if (watch->pulse)
		conditions_end(watch);
	if (watch->measured) {
		after = look_around(watch);
		tell_surroundings(&watch->before, &after, conditions);
		surroundings_clear(&after);
	} else {
		conditions_free(conditions);
		conditions = NULL;
	}
	surroundings_clear(&watch->before);
	free(watch);
	return conditions;
}
