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

void add_machine(struct text *text, const struct machine *machine)
{
	if (machine->wsl)
		text_addf(text, DOT "WSL" KEEP "%s", machine->wsl);
	else if (machine->hypervisor)
		text_addf(text, DOT "virtual" KEEP "machine");
}
