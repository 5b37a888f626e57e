// SPDX-License-Identifier: GPL-2.0
/* What the machine was like in a run. */
#include "file_read.h"

#include "base/text.h"

static void read_cpu_busy(const struct node *object, struct conditions *conditions)
{
	struct node array = node_find(object, "cpu_busy");
	size_t elements = node_elements(&array);

	conditions->cpu_busy = xcalloc(elements, sizeof(*conditions->cpu_busy));
	for (; conditions->cpus < elements; conditions->cpus++) {
		struct node busy = node_at(&array, conditions->cpus);

		conditions->cpu_busy[conditions->cpus] = json_is_null(busy.json) ? -1 : node_fraction(&busy);
	}
}

static void read_heartbeat(const struct node *object, struct conditions *conditions)
{
	struct node heartbeat = node_find(object, "heartbeat"), pauses;
	size_t elements;

	conditions->has_heartbeat = node_is(&heartbeat);
	if (!conditions->has_heartbeat)
		return;
	pauses = node_get(&heartbeat, "pauses");
	elements = node_elements(&pauses);
	conditions->pause = xcalloc(elements, sizeof(*conditions->pause));
	for (; conditions->pauses < elements; conditions->pauses++) {
		struct pause *pause = &conditions->pause[conditions->pauses];
		struct node node = node_at(&pauses, conditions->pauses);

		pause->at = get_count(&node, "at");
		pause->length = get_count(&node, "length");
	}
}

static void read_temperature(const struct node *object, struct conditions *conditions)
{
	struct node temperature = node_find(object, "temperature"), coldest, hottest;

	conditions->has_temperature = node_is(&temperature);
	if (!conditions->has_temperature)
		return;
	coldest = node_get(&temperature, "coldest");
	hottest = node_get(&temperature, "hottest");
	conditions->coldest = node_signed(&coldest);
	conditions->hottest = node_signed(&hottest);
}

static void read_arrays(const struct node *object, struct conditions *conditions)
{
	struct node arrays = node_find(object, "arrays");
	size_t elements = node_elements(&arrays);

	conditions->array = xcalloc(elements, sizeof(*conditions->array));
	for (; conditions->arrays < elements; conditions->arrays++) {
		struct array_state *state = &conditions->array[conditions->arrays];
		struct node node = node_at(&arrays, conditions->arrays);

		state->device = get_name(&node, "device");
		state->level = get_text(&node, "level");
		state->action = get_text(&node, "action");
		state->degraded = get_count(&node, "degraded");
	}
}

/* Each of these is known where it is there. */
static void read_figures(const struct node *object, struct conditions *conditions)
{
	struct node steal = node_find(object, "steal_percent"), drift = node_find(object, "drift");
	struct node battery = node_find(object, "on_battery"), throttlings = node_find(object, "throttlings");
	struct node interrupts = node_find(object, "interrupts"), kicks = node_find(object, "kicks");

	conditions->has_steal = node_is(&steal);
	conditions->steal_percent = node_fraction(&steal);
	conditions->has_drift = node_is(&drift);
	conditions->drift = node_signed(&drift);
	conditions->has_power = node_is(&battery);
	conditions->on_battery = node_boolean(&battery);
	conditions->has_throttling = node_is(&throttlings);
	conditions->throttlings = node_count(&throttlings);
	conditions->has_interrupts = node_is(&interrupts);
	conditions->interrupts = node_count(&interrupts);
	conditions->has_kicks = node_is(&kicks);
	conditions->kicks = node_count(&kicks);
}

struct conditions *conditions_from_json(const struct node *run)
{
	struct node node = node_find(run, "conditions");
	struct conditions *conditions;

	if (!node_is(&node))
		return NULL;
	conditions = xcalloc(1, sizeof(*conditions));
	read_cpu_busy(&node, conditions);
	read_figures(&node, conditions);
	read_heartbeat(&node, conditions);
	read_temperature(&node, conditions);
	read_arrays(&node, conditions);
	return conditions;
}
