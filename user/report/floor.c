// SPDX-License-Identifier: GPL-2.0
#include "floor.h"

#include <stdlib.h>

#include "base/format.h"
#include "result/floor.h"

static char *format_kept(char out[FORMAT_LENGTH], double ns)
{
	return keep_together(format_latency(out, ns), FORMAT_LENGTH);
}

static void add_same(struct text *text, const struct read_times *same)
{
	char mean[FORMAT_LENGTH], p99[FORMAT_LENGTH];

	text_addf(text, "Floor: one block again and again takes %s (p99" KEEP "%s)", format_kept(mean, same->mean),
		  format_kept(p99, (double)same->p99));
}

static void add_random(struct text *text, const struct read_times *random)
{
	char mean[FORMAT_LENGTH];

	if (random->reads)
		text_addf(text, ", a random one %s", format_kept(mean, random->mean));
}

static void add_bounds(struct text *text, const struct floor *floor)
{
	char way[FORMAT_LENGTH], medium[FORMAT_LENGTH];

	text_addf(text, ": at most %s are the way there and, if a cache answers, at most %s the medium.",
		  format_kept(way, floor->same.mean), format_kept(medium, floor->random.mean - floor->same.mean));
}

static void add_origin(struct text *text, const struct floor *floor)
{
	char reached[FORMAT_LENGTH], asked[FORMAT_LENGTH];

	text_addf(text,
		  ", but only %s of %s such reads came to a disk: this machine's own memory answered, and the way "
		  "remains unknown.",
		  format_count(reached, floor->reached), format_count(asked, floor->asked));
}

static void add_finding(struct text *text, const struct target *target)
{
	const struct floor *floor = &target->floor;
	enum floor_finding finding = floor_judge(target);

	if (finding == FLOOR_UNKNOWN)
		return;
	add_same(text, &floor->same);
	if (finding != FLOOR_LOCAL)
		add_random(text, &floor->random);
	if (finding == FLOOR_LOCAL)
		add_origin(text, floor);
	else if (finding == FLOOR_LOWER)
		add_bounds(text, floor);
	else
		text_addf(text, "%s", finding == FLOOR_LEVEL ? ": nothing of the medium shows." : ".");
}

char *floor_in_words(const struct target *target)
{
	struct text text = {0};

	if (target->no_floor)
		text_addf(&text, "Floor: not measured: %s.", target->no_floor);
	else
		add_finding(&text, target);
	return text_take(&text);
}

void print_floor(const struct view *view, size_t target)
{
	const struct target *of = &view->result->target[target];
	char *words = floor_in_words(of);

	if (*words)
		screen_paragraph(&view->screen, of->no_floor ? STYLE_WARNING : STYLE_PLAIN, 0, words);
	free(words);
}
