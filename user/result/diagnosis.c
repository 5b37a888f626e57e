// SPDX-License-Identifier: GPL-2.0
#include "diagnosis.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

const char *const fitness_name[FITNESSES] = {"", "fine", "limited", "unfit"};

struct diagnosis *diagnosis_new(void)
{
	return xcalloc(1, sizeof(struct diagnosis));
}

static void section_clear(struct section *section)
{
	for (size_t i = 0; i < section->findings; i++) {
		struct finding *finding = &section->finding[i];

		free(finding->name);
		free(finding->value);
		free(finding->source);
		free(finding->problem);
		free(finding->cure);
	}
	free(section->finding);
	free(section->title);
}

void diagnosis_free(struct diagnosis *diagnosis)
{
	if (!diagnosis)
		return;
	for (size_t i = 0; i < diagnosis->sections; i++)
		section_clear(&diagnosis->section[i]);
	for (size_t i = 0; i < diagnosis->targets; i++)
		target_clear(&diagnosis->target[i]);
	for (size_t i = 0; i < diagnosis->advices; i++)
		free(diagnosis->advice[i]);
	free(diagnosis->section);
	free(diagnosis->target);
	free(diagnosis->advice);
	free(diagnosis->version);
	free(diagnosis->timestamp);
	machine_clear(&diagnosis->machine);
	free(diagnosis);
}

struct section *diagnosis_add_section(struct diagnosis *diagnosis, const char *title)
{
	struct section *section;

	diagnosis->section = xreallocarray(diagnosis->section, diagnosis->sections + 1, sizeof(struct section));
	section = &diagnosis->section[diagnosis->sections++];
	*section = (struct section){.title = xstrdup(title)};
	return section;
}

struct finding *section_add(struct section *section, const char *name, const char *source, const char *value, ...)
{
	struct finding *finding;
	va_list values;

	section->finding = xreallocarray(section->finding, section->findings + 1, sizeof(struct finding));
	finding = &section->finding[section->findings++];
	*finding = (struct finding){
		.name = xstrdup(name),
		.source = source ? xstrdup(source) : NULL,
	};
	va_start(values, value);
	finding->value = xvasprintf(value, values);
	va_end(values);
	return finding;
}

void finding_is_fine(struct finding *finding)
{
	finding->fitness = FITNESS_FINE;
}

void finding_blame(struct finding *finding, enum fitness fitness, const char *problem, const char *cure)
{
	finding->fitness = fitness;
	finding->problem = xstrdup(problem);
	finding->cure = cure ? xstrdup(cure) : NULL;
}

static char *last_colon(char *sentence)
{
	char *colon = strstr(sentence, ": "), *next = colon;

	while (next && (next = strstr(next + 2, ": ")))
		colon = next;
	return colon;
}

void finding_blame_sentence(struct finding *finding, enum fitness fitness, char *sentence, bool last)
{
	char *colon = last ? last_colon(sentence) : strstr(sentence, ": "), *problem;

	if (colon)
		*colon = '\0';
	*sentence = (char)toupper((unsigned char)*sentence);
	problem = xasprintf("%s.", sentence);
	finding_blame(finding, fitness, problem, colon ? colon + 2 : NULL);
	free(problem);
	free(sentence);
}

void diagnosis_advise(struct diagnosis *diagnosis, const char *format, ...)
{
	va_list values;

	diagnosis->advice = xreallocarray(diagnosis->advice, diagnosis->advices + 1, sizeof(char *));
	va_start(values, format);
	diagnosis->advice[diagnosis->advices++] = xvasprintf(format, values);
	va_end(values);
}

enum fitness diagnosis_fitness(const struct diagnosis *diagnosis)
{
	enum fitness worst = FITNESS_PLAIN;

	for (size_t i = 0; i < diagnosis->sections; i++)
		for (size_t j = 0; j < diagnosis->section[i].findings; j++)
			if (diagnosis->section[i].finding[j].fitness > worst)
				worst = diagnosis->section[i].finding[j].fitness;
	return worst;
}

const char *diagnosis_verdict_name(const struct diagnosis *diagnosis)
{
	enum fitness worst = diagnosis_fitness(diagnosis);

	if (worst == FITNESS_PLAIN)
		return NULL;
	return worst == FITNESS_FINE ? "fit" : fitness_name[worst];
}

size_t diagnosis_count(const struct diagnosis *diagnosis, enum fitness fitness)
{
	size_t count = 0;

	for (size_t i = 0; i < diagnosis->sections; i++)
		for (size_t j = 0; j < diagnosis->section[i].findings; j++)
			count += diagnosis->section[i].finding[j].fitness == fitness;
	return count;
}
