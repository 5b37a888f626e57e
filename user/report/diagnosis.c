// SPDX-License-Identifier: GPL-2.0
#include "diagnosis.h"

#include <stdlib.h>
#include <string.h>

#include "screen.h"

/* Fits beside the longest names. */
#define LONGEST_WORD 50

/* One report. */
struct block {
	const struct diagnosis *diagnosis;
	struct screen screen;
	bool verbose;
};

static const enum style style_of[FITNESSES] = {
	[FITNESS_LIMITED] = STYLE_WARNING,
	[FITNESS_UNFIT] = STYLE_FAILED,
};

static const char *const mark_of[FITNESSES] = {
	[FITNESS_PLAIN] = " ",
	[FITNESS_FINE] = " ",
	[FITNESS_LIMITED] = "!",
	[FITNESS_UNFIT] = "x",
};

/* --- what the machine is --- */

static void print_heading(const struct block *block)
{
	const struct diagnosis *diagnosis = block->diagnosis;
	struct text text = {0};

	text_addf(&text, "iostrata" KEEP "%.*s" DOT "doctor", (int)strcspn(diagnosis->version, "-"),
		  diagnosis->version);
	if (diagnosis->machine.host)
		text_addf(&text, DOT "%s", diagnosis->machine.host);
	text_addf(&text, DOT "%.10s" KEEP "%s", diagnosis->timestamp, diagnosis->timestamp + 11);
	screen_paragraph(&block->screen, STYLE_HEADING, 2, text.data);
	text_free(&text);
}

static bool decides(const struct clue *clue, const struct platform *platform)
{
	return clue->says && (!strcmp(clue->says, platform->key) ||
			      (platform->container && !strcmp(clue->says, platform->container)));
}

/* Only what speaks for what was found; -v has all. */
static void add_deciding_clues(struct text *text, const struct platform *platform)
{
	bool first = true;

	for (size_t i = 0; i < platform->clues; i++) {
		const struct clue *clue = &platform->clue[i];

		if (!decides(clue, platform))
			continue;
		text_addf(text, "%s%s (%s)", first ? ", by " : ", ", clue->source, clue->value);
		first = false;
	}
}

static void print_platform(const struct block *block)
{
	const struct platform *platform = &block->diagnosis->machine.platform;
	struct text text = {0};

	if (!platform->key)
		return;
	text_addf(&text, "Platform: %s", platform->name ? platform->name : platform->key);
	if (platform->container)
		text_addf(&text, ", in a container (%s)", platform->container);
	text_addf(&text, "; %s", platform->certainty ? platform->certainty : "of unknown certainty");
	add_deciding_clues(&text, platform);
	text_addf(&text, ".");
	screen_paragraph(&block->screen, STYLE_PLAIN, 2, text.data);
	text_free(&text);
}

/* --- the sections --- */

static bool is_shown(const struct block *block, const struct finding *finding)
{
	return block->verbose || !finding->detail || finding->problem;
}

/* A list of mount options is one word, which may be longer than a line: there it may be broken at its commas. */
static char *breakable(const char *value)
{
	struct text text = {0};

	while (*value) {
		size_t word = strcspn(value, " "), comma = 0;

		for (size_t at = 0; at < word; at += comma) {
			comma = strcspn(value + at, ",") + 1;
			if (comma > word - at)
				comma = word - at;
			text_add(&text, value + at, comma);
			if (word > LONGEST_WORD && at + comma < word)
				text_addf(&text, " ");
		}
		value += word;
		text_add(&text, value, strspn(value, " "));
		value += strspn(value, " ");
	}
	return text_take(&text);
}

static void add_finding(const struct block *block, struct table *table, const struct finding *finding)
{
	char *name = xasprintf("%s %s", mark_of[finding->fitness], finding->name);
	struct table_row *row = table_add(table, style_of[finding->fitness], name);
	char *value = breakable(finding->value);

	row->span = block->verbose && finding->source ? xasprintf("%s [%s]", value, finding->source) : xstrdup(value);
	free(value);
	free(name);
}

static struct table table_of(const struct block *block, const struct section *section)
{
	struct table table = {0};

	for (size_t i = 0; i < section->findings; i++)
		if (is_shown(block, &section->finding[i]))
			add_finding(block, &table, &section->finding[i]);
	return table;
}

/* The values of all sections stand in line. */
static struct grid grid_of(const struct block *block)
{
	struct grid grid = {0};

	for (size_t i = 0; i < block->diagnosis->sections; i++) {
		struct table table = table_of(block, &block->diagnosis->section[i]);

		grid_take(&grid, &table);
		table_free(&table);
	}
	return grid;
}

static void print_sections(const struct block *block)
{
	struct grid grid = grid_of(block);

	for (size_t i = 0; i < block->diagnosis->sections; i++) {
		const struct section *section = &block->diagnosis->section[i];
		struct table table = table_of(block, section);

		screen_empty_line(&block->screen);
		screen_paragraph(&block->screen, STYLE_HEADING, 2, section->title);
		table_print(&table, &grid, &block->screen);
		table_free(&table);
	}
}

/* Sources may be long: no columns. */
static void print_clues(const struct block *block)
{
	const struct platform *platform = &block->diagnosis->machine.platform;

	if (!platform->clues)
		return;
	screen_empty_line(&block->screen);
	screen_line(&block->screen, STYLE_HEADING, "what tells which machine it is");
	for (size_t i = 0; i < platform->clues; i++) {
		const struct clue *clue = &platform->clue[i];

		screen_paragraphf(&block->screen, STYLE_PLAIN, 6, KEEP KEEP "%s: %s%s%s", clue->source, clue->value,
				  clue->says ? " →" KEEP : "", clue->says ? clue->says : "");
	}
}

/* --- what to do --- */

static void print_advice(const struct block *block)
{
	for (size_t i = 0; i < block->diagnosis->advices; i++) {
		screen_empty_line(&block->screen);
		screen_lines(&block->screen, STYLE_PLAIN, block->diagnosis->advice[i]);
	}
}

/* The cure begins a line of its own: it is often a command to be copied. */
static void print_problem(const struct block *block, const struct section *section, const struct finding *finding)
{
	screen_paragraphf(&block->screen, style_of[finding->fitness], 4, "%s %s, %s: %s", mark_of[finding->fitness],
			  section->title, finding->name, finding->problem);
	if (finding->cure)
		screen_paragraphf(&block->screen, STYLE_PLAIN, 6, KEEP KEEP KEEP KEEP "→" KEEP "%s", finding->cure);
}

/* What makes it unfit comes first. */
static void print_problems(const struct block *block)
{
	const struct diagnosis *diagnosis = block->diagnosis;

	if (diagnosis_fitness(diagnosis) < FITNESS_LIMITED)
		return;
	screen_empty_line(&block->screen);
	screen_line(&block->screen, STYLE_HEADING, "What to fix");
	for (enum fitness fitness = FITNESS_UNFIT; fitness >= FITNESS_LIMITED; fitness--)
		for (size_t i = 0; i < diagnosis->sections; i++)
			for (size_t j = 0; j < diagnosis->section[i].findings; j++)
				if (diagnosis->section[i].finding[j].fitness == fitness)
					print_problem(block, &diagnosis->section[i], &diagnosis->section[i].finding[j]);
}

static void print_verdict(const struct block *block)
{
	enum fitness worst = diagnosis_fitness(block->diagnosis);
	size_t unfit = diagnosis_count(block->diagnosis, FITNESS_UNFIT);
	size_t limited = diagnosis_count(block->diagnosis, FITNESS_LIMITED);

	if (worst == FITNESS_PLAIN)
		return;
	screen_empty_line(&block->screen);
	if (worst == FITNESS_UNFIT)
		screen_paragraphf(&block->screen, STYLE_FAILED, 2, "not usable: %zu thing%s to fix first (x)%s", unfit,
				  unfit > 1 ? "s" : "", limited ? ", more to fix then (!)" : "");
	else if (worst == FITNESS_LIMITED)
		screen_paragraphf(&block->screen, STYLE_WARNING, 2, "usable with limits: %zu", limited);
	else
		screen_line(&block->screen, STYLE_PLAIN, "fit");
}

void report_diagnosis(const struct diagnosis *diagnosis, bool colour, bool verbose, struct text *out)
{
	const struct block block = {
		.diagnosis = diagnosis,
		.screen = {.out = out, .colour = colour},
		.verbose = verbose,
	};

	print_heading(&block);
	print_platform(&block);
	print_sections(&block);
	if (verbose)
		print_clues(&block);
	print_advice(&block);
	print_problems(&block);
	print_verdict(&block);
}
