// SPDX-License-Identifier: GPL-2.0
#include "heading.h"

#include <string.h>

void print_warnings(const struct view *view)
{
	const struct result *result = view->result;

	for (size_t t = 0; t < result->targets; t++) {
		const struct target *target = &result->target[t];

		for (size_t i = 0; i < target->warnings; i++) {
			/* of all disks there is but one target */
			if (target->kind != TARGET_DISKS)
				screen_paragraphf(&view->screen, STYLE_WARNING, 2, "Warning: %s: %s", target->given,
						  target->warning[i]);
			else
				screen_paragraphf(&view->screen, STYLE_WARNING, 2, "Warning: %s", target->warning[i]);
		}
	}
}

void add_version(struct text *text, const struct result *result)
{
	text_addf(text, "iostrata" KEEP "%.*s", (int)strcspn(result->version, "-"), result->version);
}

static void add_kept(struct text *text, const char *words)
{
	for (size_t length; *words; words += length + (words[length] == ' ')) {
		length = strcspn(words, " ");
		text_addf(text, "%.*s%s", (int)length, words, words[length] ? KEEP : "");
	}
}

/* Of files that know no more. */
static void add_kind_of_machine(struct text *text, const struct machine *machine)
{
	if (machine->wsl)
		text_addf(text, DOT "WSL" KEEP "%s", machine->wsl);
	else if (machine->hypervisor)
		text_addf(text, DOT "virtual" KEEP "machine");
}

/* Where no manager shows it is called just that: see clues_container.c. */
static void add_container(struct text *text, const char *container)
{
	text_addf(text, DOT "container");
	if (strcmp(container, "container") == 0)
		return;
	text_addf(text, KEEP "(");
	add_kept(text, container);
	text_addf(text, ")");
}

void add_machine(struct text *text, const struct machine *machine)
{
	const struct platform *platform = &machine->platform;

	if (platform->name) {
		text_addf(text, DOT "%s",
			  platform->certainty && strcmp(platform->certainty, "a guess") == 0 ? "perhaps" KEEP : "");
		add_kept(text, platform->name);
	} else {
		add_kind_of_machine(text, machine);
	}
	if (platform->container)
		add_container(text, platform->container);
}
