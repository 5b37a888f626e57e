/* SPDX-License-Identifier: GPL-2.0 */
/* What doctor found: of the kernel, the machine and its targets; what limits a measurement there, and what helps. */
#ifndef RESULT_DIAGNOSIS_H
#define RESULT_DIAGNOSIS_H

#include <stdbool.h>
#include <stddef.h>

#include "probes.h"
#include "result.h"

/* The worse the higher. FINE: it is as it should be. PLAIN: a fact that is neither good nor bad, or not known. */
enum fitness { FITNESS_PLAIN, FITNESS_FINE, FITNESS_LIMITED, FITNESS_UNFIT, FITNESSES };

/* "", "fine", "limited", "unfit": as files have it */
extern const char *const fitness_name[FITNESSES];

struct finding {
	char *name;    /* "clock source"; unique in its section */
	char *value;   /* "tsc"; never NULL: "unknown" where it can't be told */
	char *source;  /* the file, instruction or call that it is from; NULL: worked out of several */
	enum fitness fitness;
	bool detail;   /* one of many that are fine: people see it with -v only, unless something is wrong with it */
	char *problem; /* what is wrong, a sentence; NULL where nothing is */
	char *cure;    /* the command, or what to do, that fixes it; NULL where there is none */
};

struct section {
	char *title; /* "kernel", "machine", a target as given */
	struct finding *finding;
	size_t findings;
};

struct diagnosis {
	char *version; /* of iostrata */
	char *timestamp;
	struct machine machine;
	struct probes probes; /* what it costs, where that was measured */
	struct section *section;
	size_t sections;
	struct target *target; /* those that were looked at, with their layers */
	size_t targets;
	/*
	 * Paragraphs that end the report, such as how to give WSL a whole disk. One may have several lines, of which those
	 * that begin with a blank are commands: see screen_lines() of the report.
	 */
	char **advice;
	size_t advices;
};

/* An empty one; never NULL. */
struct diagnosis *diagnosis_new(void);
void diagnosis_free(struct diagnosis *diagnosis);

/* A new section at the end; valid until the next call. */
struct section *diagnosis_add_section(struct diagnosis *diagnosis, const char *title);

/* A new finding at the section's end, valid until the next call; `source` may be NULL, `value` is in printf form. */
struct finding *section_add(struct section *section, const char *name, const char *source, const char *value, ...)
	__attribute__((format(printf, 4, 5)));

/* That nothing is wrong with it. */
void finding_is_fine(struct finding *finding);

/* What is wrong with it, a sentence, and what helps (NULL: nothing). `fitness` is FITNESS_LIMITED or FITNESS_UNFIT. */
void finding_blame(struct finding *finding, enum fitness fitness, const char *problem, const char *cure);

/*
 * The same from one sentence of the form "what is wrong: what helps", as host/privilege.h and others have it; frees
 * `sentence`. What is wrong may have colons of its own where `last`: it then ends at the last one.
 */
void finding_blame_sentence(struct finding *finding, enum fitness fitness, char *sentence, bool last);

/* A paragraph of advice, in printf form. */
void diagnosis_advise(struct diagnosis *diagnosis, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The worst of all findings. */
enum fitness diagnosis_fitness(const struct diagnosis *diagnosis);

/* "fit", "limited" or "unfit": what that comes to; NULL where nothing was judged. */
const char *diagnosis_verdict_name(const struct diagnosis *diagnosis);

/* How many findings have this fitness. */
size_t diagnosis_count(const struct diagnosis *diagnosis, enum fitness fitness);

#endif
