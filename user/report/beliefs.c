// SPDX-License-Identifier: GPL-2.0
#include "beliefs.h"

#include "base/text.h"

/* Where it stands is told in colour as well, so that what did not pass is found among the rest. */
static enum style style_of(const struct check *check)
{
	return check->state == CHECK_FAILED    ? STYLE_FAILED
	       : check->state == CHECK_WARNING ? STYLE_WARNING
					       : STYLE_PLAIN;
}

static void print_evidence(const struct screen *screen, const struct check *check)
{
	if (check->found && check->expected)
		screen_paragraphf(screen, STYLE_PLAIN, 4, KEEP KEEP "found %s; expected %s", check->found,
				  check->expected);
	else if (check->found)
		screen_paragraphf(screen, STYLE_PLAIN, 4, KEEP KEEP "found %s", check->found);
	else if (check->expected)
		screen_paragraphf(screen, STYLE_PLAIN, 4, KEEP KEEP "expected %s", check->expected);
}

static void print_run(const struct screen *screen, const struct run *run, bool numbered)
{
	struct text title = {0};

	text_addf(&title, "checks");
	if (numbered)
		text_addf(&title, " #%u", run->iteration);
	if (run->verdict != VERDICT_NONE)
		text_addf(&title, ": %s", verdict_name[run->verdict]);
	screen_empty_line(screen);
	screen_paragraph(screen, STYLE_HEADING, 2, title.data);
	text_free(&title);
	for (size_t i = 0; i < run->checks; i++) {
		const struct check *check = &run->check[i];

		screen_paragraphf(screen, style_of(check), 2, "%s, %s: %s", check->name, check_state_name[check->state],
				  check->sentence ? check->sentence : "no reason is known");
		print_evidence(screen, check);
	}
}

void print_beliefs(const struct screen *screen, const struct run *const *runs, size_t count, bool numbered)
{
	for (size_t i = 0; i < count; i++)
		if (runs[i]->checks)
			print_run(screen, runs[i], numbered);
}
