// SPDX-License-Identifier: GPL-2.0
#include "doorbell.h"

#include "base/format.h"
#include "base/text.h"
#include "screen.h"

/*
 * A driver that only fills a ring and writes a register is through in a microsecond or two; an exit to the hypervisor
 * and back takes tens of them where a hypervisor lies on another, and a few on bare metal. What is between may be
 * either.
 */
#define NO_EXIT	  3000.0
#define SURE_EXIT 10000.0

/* One more in a thousand calls is no sharing. */
#define SHARED 1.005

static double ring_mean(const struct io_summary *summary)
{
	return summary->mean[IO_STAGE_DOORBELL];
}

/* I/Os that one doorbell was for; 0 where that was not counted. */
static double sharing(const struct io_summary *summary)
{
	return (double)summary->sum->counts.rung / (double)summary->sum->stage[IO_STAGE_DOORBELL].count;
}

static void add_sharing(struct text *text, const struct io_summary *summary)
{
	char ratio[FORMAT_LENGTH];

	if (sharing(summary) >= SHARED)
		text_addf(text, " for every %s I/Os", format_fixed(ratio, sharing(summary), 2));
	else if (summary->sum->counts.rung)
		text_addf(text, " for each I/O");
}

bool doorbell_has_exit(const struct io_summary *summary, const struct machine *machine)
{
	return machine->hypervisor && summary->sum->stage[IO_STAGE_DOORBELL].count && ring_mean(summary) >= SURE_EXIT;
}

static const char *what_is_in_it(double mean, bool virtual)
{
	if (!virtual)
		return mean < SURE_EXIT ? "" : ": the driver's own work, as this is no virtual machine";
	if (mean < NO_EXIT)
		return ": too short for an exit to the hypervisor";
	return mean < SURE_EXIT ? ": an exit to the hypervisor may be part of it"
				: ": an exit to the hypervisor is part of it";
}

char *doorbell_in_words(const struct io_summary *summary, const struct machine *machine)
{
	char latency[FORMAT_LENGTH];
	struct text text = {0};

	if (!summary->sum->stage[IO_STAGE_DOORBELL].count)
		return NULL;
	if (!machine->hypervisor && ring_mean(summary) < SURE_EXIT && sharing(summary) < SHARED)
		return NULL;
	keep_together(format_latency(latency, ring_mean(summary)), sizeof(latency));
	text_addf(&text, "The doorbell takes %s", latency);
	add_sharing(&text, summary);
	text_addf(&text, "%s.", what_is_in_it(ring_mean(summary), machine->hypervisor));
	return text_take(&text);
}
