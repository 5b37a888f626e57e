// SPDX-License-Identifier: GPL-2.0
#include "checks.h"

#include <stdlib.h>
#include <string.h>

#include "base/format.h"
#include "base/text.h"
#include "remote.h"
#include "traffic.h"

/* Percent from which on others take part in the figures. */
#define MOST_FOREIGN 5.0
/* Of a layer's bytes, what may come to the one below it beside them: metadata of the file that it stands on. */
#define MOST_BESIDE 0.1
/* So few are no load. */
#define FEW_BIOS 16

/* --- at the top --- */

/* The larger of their shares of requests and of bytes, in percent. */
static double share_of_others(const struct trace_view *trace)
{
	struct bio_counts others = traffic_of_owner(trace, OWNER_OTHERS), all = {0};
	double bios, bytes;

	for (int owner = 0; owner < OWNERS; owner++) {
		struct bio_counts counts = traffic_of_owner(trace, owner);

		all.bios += counts.bios;
		all.bytes += counts.bytes;
	}
	bios = all.bios ? 100 * (double)others.bios / (double)all.bios : 0;
	bytes = all.bytes ? 100 * (double)others.bytes / (double)all.bytes : 0;
	return bios > bytes ? bios : bytes;
}

static bool is_load(const struct bio_counts *counts)
{
	return counts->bios >= FEW_BIOS || counts->bytes >= TRAFFIC_LEAST;
}

static uint64_t bios_of(const struct foreign_view *foreigner)
{
	return foreigner->op[OP_READ].bios + foreigner->op[OP_WRITE].bios;
}

/* Up to three of those who are not the journal, who comes first having moved most. The caller frees it. */
static char *foreigners_in_words(const struct trace_view *trace)
{
	struct text text = {0};
	size_t named = 0;

	for (size_t i = 0; i < trace->foreigners && named < 3; i++) {
		const struct foreign_view *foreigner = &trace->foreigner[i];

		if (!foreigner->command || foreigner->kind == FOREIGNER_JOURNAL || !bios_of(foreigner))
			continue;
		if (foreigner->kind == FOREIGNER_WRITEBACK)
			text_addf(&text, "%swriteback of other files", named++ ? ", " : "");
		else
			text_addf(&text, "%s%s (%s)", named++ ? ", " : "", foreigner->command,
				  foreigner_kind_name[foreigner->kind]);
	}
	return named ? text_take(&text) : xstrdup("others");
}

static void judge_share(struct run *run)
{
	struct bio_counts others = traffic_of_owner(run->trace, OWNER_OTHERS);
	double share = share_of_others(run->trace);
	bool much = share >= MOST_FOREIGN && is_load(&others);
	char *who = foreigners_in_words(run->trace), percent[FORMAT_LENGTH];

	format_fixed(percent, share, 1);
	if (much)
		run_add_check(run, "foreign", CHECK_WARNING, xasprintf("%s %%", percent), xstrdup("below 5 %"),
			      "%s %% of the work of %s was not this workload's: %s. Repeat it with the disk at rest.",
			      percent, run->trace->top, who);
	else
		run_add_check(run, "foreign", CHECK_PASSED, xasprintf("%s %%", percent), xstrdup("below 5 %"),
			      "%s %% of the work of %s was not this workload's.", percent, run->trace->top);
	free(who);
}

/* Of several disks: whether one alone did all the work, and none of it for a loop device. */
static bool is_one_disk(const struct trace_view *trace, const struct target *target)
{
	size_t used = 0;

	for (size_t i = 0; i < trace->aboves; i++) {
		const struct layer *facts = traffic_facts(target, trace->above[i].device);

		if (facts && facts->backing_file &&
		    traffic_of_layer(&trace->above[i], OP_READ) + traffic_of_layer(&trace->above[i], OP_WRITE))
			return false;
	}
	for (size_t i = 0; i < trace->leaves; i++)
		used += traffic_of_layer(&trace->leaf[i], OP_READ) + traffic_of_layer(&trace->leaf[i], OP_WRITE) > 0;
	return used == 1;
}

/* NULL, or why the share at the top can't be told. */
static const char *obstacle(const struct checking *checking)
{
	const struct trace_view *trace = checking->run->trace;

	if (checking->target && target_is_remote(checking->target))
		return "what others ask of the server is not visible";
	if (!trace->top)
		return "--stages left out whose I/O it was";
	if (traffic_is_of_everyone(checking->run))
		return "everyone's I/O was watched, so there are no others";
	if (!traffic_of_owner(trace, OWNER_WORKLOAD).bios && !traffic_of_owner(trace, OWNER_WRITEBACK).bios)
		return "none of the disk's work was the workload's";
	if (checking->target && checking->target->members)
		return "the file system lies on several devices";
	if (traffic_has_several_tops(trace) && !is_one_disk(trace, checking->target))
		return "several disks were at work; name the one that matters with -D";
	return NULL;
}

/* --- below a loop device --- */

/* The last layer above the only leaf, where that is a loop device without a cache: what passes it is all there is. */
static const struct layer_view *direct_loop(const struct checking *checking)
{
	const struct trace_view *trace = checking->run->trace;
	const struct layer *facts;

	if (trace->leaves != 1 || !trace->aboves || traffic_has_several_tops(trace))
		return NULL;
	facts = traffic_facts(checking->target, trace->above[trace->aboves - 1].device);
	if (!facts || !facts->backing_file || facts->parent_disk || facts->cached)
		return NULL;
	return &trace->above[trace->aboves - 1];
}

/* A flush of the loop device is an fsync of its file, and writes the journal of the file system below. */
static bool has_flushes(const struct layer_view *layer)
{
	const struct op_view *flush = layer->op[OP_FLUSH], *write = layer->op[OP_WRITE];

	return (flush && (flush->issues || flush->bios)) || (write && (write->fua || write->flush_ends));
}

/* "40 % more than", "5.1 times as much as"; the caller frees it. */
static char *more_in_words(uint64_t arrived, uint64_t through)
{
	double times = (double)arrived / (double)through;
	char number[FORMAT_LENGTH];

	if (times < 2)
		return xasprintf("%s %% more than", format_fixed(number, 100 * (times - 1), 0));
	if (times >= 100)
		format_count(number, (uint64_t)(times + 0.5));
	else
		format_fixed(number, times, 1);
	return xasprintf("%s times as much as", number);
}

static void judge_below(struct run *run, const struct layer_view *loop)
{
	const struct layer_view *leaf = &run->trace->leaf[0];
	uint64_t through = 0, arrived = 0, more;
	char *words;

	for (int op = 0; op < DIRECTIONS; op++) {
		if (op == OP_WRITE && has_flushes(loop))
			continue;
		through += traffic_of_layer(loop, op);
		arrived += traffic_of_layer(leaf, op);
	}
	more = arrived > through ? arrived - through : 0;
	if (!through || more < TRAFFIC_LEAST || (double)more <= MOST_BESIDE * (double)through)
		return;
	words = more_in_words(arrived, through);
	run_add_check(run, "foreign", CHECK_WARNING, xasprintf("%s: %s %s", leaf->device, words, loop->device),
		      xstrdup("10 % more at the most"),
		      "%s moved %s came through %s: other programs use it. Repeat it with the disk at rest.",
		      leaf->device, words, loop->device);
	free(words);
}

void check_foreign(const struct checking *checking)
{
	struct run *run = checking->run;
	const struct layer_view *loop;
	const char *why;

	if (!run->trace)
		return;
	why = obstacle(checking);
	if (why)
		run_add_check(run, "foreign", CHECK_NOT_APPLICABLE, NULL, NULL,
			      "The share of others in the disk's work is not told: %s.", why);
	else
		judge_share(run);
	loop = direct_loop(checking);
	if (loop)
		judge_below(run, loop);
}
