// SPDX-License-Identifier: GPL-2.0
/* What the machine was like in a run. */
#include "file_json.h"

/* One for each CPU, by its number: null for one that was offline, as 0 would be an idle one. */
static json_t *cpu_busy_to_json(const struct conditions *conditions)
{
	json_t *array;

	if (!conditions->cpus)
		return NULL;
	array = json_array();
	for (size_t i = 0; i < conditions->cpus; i++)
		json_array_append_new(array,
				      conditions->cpu_busy[i] >= 0 ? json_real(conditions->cpu_busy[i]) : json_null());
	return array;
}

static json_t *heartbeat_to_json(const struct conditions *conditions)
{
	json_t *object, *pauses;

	if (!conditions->has_heartbeat)
		return NULL;
	object = json_object();
	pauses = json_array();
	for (size_t i = 0; i < conditions->pauses; i++) {
		json_t *pause = json_object();

		put_count(pause, "at", conditions->pause[i].at);
		put_count(pause, "length", conditions->pause[i].length);
		json_array_append_new(pauses, pause);
	}
	put(object, "pauses", pauses);
	return object;
}

static json_t *temperature_to_json(const struct conditions *conditions)
{
	json_t *object;

	if (!conditions->has_temperature)
		return NULL;
	object = json_object();
	put_fraction(object, "coldest", conditions->coldest);
	put_fraction(object, "hottest", conditions->hottest);
	return object;
}

static json_t *arrays_to_json(const struct conditions *conditions)
{
	json_t *array;

	if (!conditions->arrays)
		return NULL;
	array = json_array();
	for (size_t i = 0; i < conditions->arrays; i++) {
		const struct array_state *state = &conditions->array[i];
		json_t *object = json_object();

		put_text(object, "device", state->device);
		put_text(object, "level", state->level);
		put_text(object, "action", state->action);
		put_count(object, "degraded", state->degraded);
		json_array_append_new(array, object);
	}
	return array;
}

json_t *conditions_to_json(const struct conditions *conditions)
{
	json_t *object;

	if (!conditions)
		return NULL;
	object = json_object();
	put(object, "cpu_busy", cpu_busy_to_json(conditions));
	if (conditions->has_steal)
		put_fraction(object, "steal_percent", conditions->steal_percent);
	put(object, "heartbeat", heartbeat_to_json(conditions));
	if (conditions->has_drift)
		put_fraction(object, "drift", conditions->drift);
	if (conditions->has_power)
		put_boolean(object, "on_battery", conditions->on_battery);
	if (conditions->has_throttling)
		put_count(object, "throttlings", conditions->throttlings);
	put(object, "temperature", temperature_to_json(conditions));
	put(object, "arrays", arrays_to_json(conditions));
	if (conditions->has_interrupts)
		put_count(object, "interrupts", conditions->interrupts);
	if (conditions->has_kicks)
		put_count(object, "kicks", conditions->kicks);
	return object;
}
