/* SPDX-License-Identifier: GPL-2.0 */
/* What a diagnosis found, for the tests of command/doctor_*.c. */
#ifndef FINDINGS_H
#define FINDINGS_H

#include "tree.h"

#include "result/diagnosis.h"

static inline const struct finding *find_finding(const struct section *section, const char *name)
{
	for (size_t i = 0; i < section->findings; i++)
		if (!strcmp(section->finding[i].name, name))
			return &section->finding[i];
	return NULL;
}

static inline const struct finding *get_finding(const struct section *section, const char *name)
{
	const struct finding *finding = find_finding(section, name);

	if (!finding)
		fail_msg("there is no finding '%s'", name);
	return finding;
}

static inline void assert_value(const struct section *section, const char *name, const char *value)
{
	assert_string_equal(get_finding(section, name)->value, value);
}

static inline void assert_fine(const struct section *section, const char *name, const char *value)
{
	assert_value(section, name, value);
	assert_int_equal(get_finding(section, name)->fitness, FITNESS_FINE);
}

/* The value is a fact, and nothing is said against it. */
static inline void assert_plain(const struct section *section, const char *name, const char *value)
{
	assert_value(section, name, value);
	assert_int_equal(get_finding(section, name)->fitness, FITNESS_PLAIN);
	assert_null(get_finding(section, name)->problem);
}

/* `problem` is part of the sentence, which is a whole one; `cure` is all of it, or NULL where there is none. */
static inline void assert_blamed(const struct section *section, const char *name, enum fitness fitness,
				 const char *problem, const char *cure)
{
	const struct finding *finding = get_finding(section, name);

	if (finding->fitness != fitness || !finding->problem)
		fail_msg("'%s' (%s) is '%s'", name, finding->value, fitness_name[finding->fitness]);
	if (!strstr(finding->problem, problem))
		fail_msg("'%s' does not have '%s'", finding->problem, problem);
	assert_int_equal(finding->problem[strlen(finding->problem) - 1], '.');
	if (cure)
		assert_string_equal(finding->cure, cure);
	else
		assert_null(finding->cure);
}

/* Of every finding that names a file of /sys or /proc, that it is there; and that no name is there twice. */
static inline void assert_sources(const struct section *section)
{
	for (size_t i = 0; i < section->findings; i++) {
		const struct finding *finding = &section->finding[i];

		assert_ptr_equal(find_finding(section, finding->name), finding);
		if (finding->source && *finding->source == '/' && !host_exists("%s", finding->source))
			fail_msg("'%s' is of %s, which is not there", finding->name, finding->source);
	}
}

#endif
