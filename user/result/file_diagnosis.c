// SPDX-License-Identifier: GPL-2.0
#include "file_diagnosis.h"

#include <stdlib.h>

#include "base/text.h"
#include "file_json.h"

static json_t *finding_to_json(const struct finding *finding)
{
	json_t *object = json_object();

	put_text(object, "name", finding->name);
	put_text(object, "value", finding->value);
	put_text(object, "source", finding->source);
	if (finding->fitness != FITNESS_PLAIN)
		put_text(object, "fitness", fitness_name[finding->fitness]);
	if (finding->detail)
		put_boolean(object, "detail", true);
	put_text(object, "problem", finding->problem);
	put_text(object, "cure", finding->cure);
	return object;
}

static json_t *section_to_json(const struct section *section)
{
	json_t *object = json_object(), *findings = json_array();

	put_text(object, "title", section->title);
	for (size_t i = 0; i < section->findings; i++)
		json_array_append_new(findings, finding_to_json(&section->finding[i]));
	put(object, "findings", findings);
	return object;
}

static void put_spread(json_t *object, const char *key, const struct spread *spread)
{
	json_t *values;

	if (!spread->samples)
		return;
	values = json_object();
	put_count(values, "samples", spread->samples);
	put_fraction(values, "p5", spread->p5);
	put_fraction(values, "p50", spread->p50);
	put_fraction(values, "p99", spread->p99);
	put(object, key, values);
}

static json_t *probes_to_json(const struct probes *probes)
{
	json_t *object = json_object();

	put_spread(object, probes->hypervisor ? "vm_exit" : "cpuid", &probes->exit);
	put_spread(object, "clock", &probes->clock);
	put_known(object, "clock_step", probes->clock_step);
	put_spread(object, "timer_late", &probes->timer);
	put_spread(object, "wake_same_cpu", &probes->same);
	put_spread(object, "wake_across_cpus", &probes->across);
	if (json_object_size(object))
		return object;
	json_decref(object);
	return NULL;
}

static json_t *diagnosis_to_object(const struct diagnosis *diagnosis)
{
	json_t *object = json_object(), *tool = json_object();
	json_t *sections = json_array(), *targets = json_array(), *advice = json_array();

	put_text(tool, "name", "iostrata");
	put_text(tool, "version", diagnosis->version);
	for (size_t i = 0; i < diagnosis->sections; i++)
		json_array_append_new(sections, section_to_json(&diagnosis->section[i]));
	for (size_t i = 0; i < diagnosis->targets; i++)
		json_array_append_new(targets, target_to_json(&diagnosis->target[i]));
	for (size_t i = 0; i < diagnosis->advices; i++)
		json_array_append_new(advice, text_to_json(diagnosis->advice[i]));
	put(object, "doctor_schema_version", json_integer(DIAGNOSIS_SCHEMA_VERSION));
	put(object, "tool", tool);
	put_text(object, "timestamp", diagnosis->timestamp);
	put_text(object, "verdict", diagnosis_verdict_name(diagnosis));
	put(object, "machine", machine_to_json(&diagnosis->machine, false));
	put(object, "probes", probes_to_json(&diagnosis->probes));
	put(object, "sections", sections);
	put(object, "targets", targets);
	put(object, "advice", advice);
	return object;
}

char *diagnosis_to_json(const struct diagnosis *diagnosis)
{
	struct text text = {0};
	json_t *object;
	char *dumped;

	file_json_init();
	object = diagnosis_to_object(diagnosis);
	dumped = json_dumps(object, JSON_INDENT(2) | JSON_REAL_PRECISION(15));
	text_addf(&text, "%s\n", dumped);
	free(dumped);
	json_decref(object);
	return text_take(&text);
}
