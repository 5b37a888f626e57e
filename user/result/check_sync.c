// SPDX-License-Identifier: GPL-2.0
#include "checks.h"

#include <stdlib.h>

#include "base/format.h"
#include "base/text.h"
#include "ledger.h"

/* What is durable in the field's sense of the word; the medium, if it is memory, is another check's. */
static enum check_state state_of(enum durability durability)
{
	switch (durability) {
	case DURABILITY_FLUSHED:
	case DURABILITY_WRITE_THROUGH:
		return CHECK_PASSED;
	case DURABILITY_UNFLUSHED:
	case DURABILITY_UNWRITTEN:
		return CHECK_WARNING;
	case DURABILITY_UNSEEN:
		return CHECK_UNKNOWN;
	default:
		return CHECK_NOT_APPLICABLE;
	}
}

/* A device above that reports no volatile cache is the cause that is known, and has a remedy of its own. */
static char *advice(const struct ledger *ledger)
{
	if (ledger->durability == DURABILITY_UNWRITTEN)
		return xasprintf(" Set queue/write_cache of %s to \"write back\", or give it direct I/O: losetup "
				 "--direct-io=on /dev/%s.",
				 ledger->cause, ledger->cause);
	if (ledger->durability != DURABILITY_UNFLUSHED)
		return xstrdup("");
	if (ledger->cause)
		return xasprintf(" Set queue/write_cache of %s to \"write back\".", ledger->cause);
	return xstrdup(" Look at the mount options (nobarrier, barrier=0) and at queue/write_cache of each device.");
}

/* "sda: 1,000 flushes, 0 FUA writes", of each leaf. */
static char *leaves_in_words(const struct ledger *ledger)
{
	struct text text = {0};

	for (size_t i = 0; i < ledger->layers; i++) {
		const struct ledger_layer *layer = &ledger->layer[i];
		char flushes[FORMAT_LENGTH], fua[FORMAT_LENGTH];

		if (layer->leaf)
			text_addf(&text, "%s%s: %s flush%s, %s FUA write%s", text.length ? "; " : "", layer->device,
				  format_count(flushes, layer->flushes), layer->flushes == 1 ? "" : "es",
				  format_count(fua, layer->fua), layer->fua == 1 ? "" : "s");
	}
	return text.length ? text_take(&text) : NULL;
}

static char *asked_in_words(const struct ledger *ledger)
{
	char writes[FORMAT_LENGTH], syncs[FORMAT_LENGTH];

	return xasprintf("%s synchronous write%s, %s sync%s asked for", format_count(writes, ledger->writes),
			 ledger->writes == 1 ? "" : "s", format_count(syncs, ledger->syncs),
			 ledger->syncs == 1 ? "" : "s");
}

static void add_durability(struct run *run, const struct ledger *ledger)
{
	bool asked = ledger->durability != DURABILITY_NOT_ASKED;
	char *remedy = advice(ledger);

	run_add_check(run, "durability", state_of(ledger->durability), asked ? leaves_in_words(ledger) : NULL,
		      asked ? asked_in_words(ledger) : NULL, "%s%s", ledger->conclusion, remedy);
	free(remedy);
}

void check_durability(const struct checking *checking)
{
	struct run *run = checking->run;
	struct ledger ledger;

	if (!run->trace)
		return;
	if (ledger_of_run(&ledger, checking->result, run))
		add_durability(run, &ledger);
	else
		run_add_check(run, "durability", CHECK_NOT_APPLICABLE, NULL, NULL,
			      run->trace->ios ? "Nothing was written or synced."
					      : "I/Os were not followed from call to return: --stages left it out.");
	ledger_clear(&ledger);
}
