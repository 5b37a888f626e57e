// SPDX-License-Identifier: GPL-2.0
#include "account.h"

#include <stdlib.h>

#include "base/format.h"
#include "check.h"

uint64_t account_distance(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

void account_add_closure(struct text *text, const char *thing, uint64_t started, uint64_t ends)
{
	char difference[FORMAT_LENGTH];
	bool one = account_distance(started, ends) == 1;
	const char *were = one ? "was" : "were", *are = one ? "is" : "are";

	format_count(difference, account_distance(started, ends));
	if (started == ends)
		text_addf(text, "every %s that was started is accounted for.", thing);
	else if (started > ends)
		text_addf(text, "%s %s%s %s started and %s not accounted for.", difference, thing, one ? "" : "s", were,
			  are);
	else
		text_addf(text, "%s %s%s %s accounted for that %s not started.", difference, thing, one ? "" : "s", are,
			  were);
}

void account_add_advice(struct text *text, bool closed, const char *times)
{
	if (!closed)
		text_addf(text, CHECK_ADVICE "%s; repeat it, and report it as a bug if it happens again.", times);
}

void account_add_identity(struct run *run, bool closed, char *found, struct text *sentence)
{
	run_add_check(run, "identity", closed ? CHECK_PASSED : CHECK_FAILED, found, xstrdup("both sides equal"), "%s",
		      sentence->data);
	text_free(sentence);
}
