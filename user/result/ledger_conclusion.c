// SPDX-License-Identifier: GPL-2.0
#include "ledger_conclusion.h"

#include <stdlib.h>
#include <string.h>

#include "base/format.h"
#include "base/text.h"
#include "remote.h"

/* A flush that could not be seen, in one of so many calls, is no reason to doubt the others. */
#define MAY_BE_MISSED 20

/* Of writes to one page at the same time a device may get the last alone: what is held back is more than this part. */
#define SHORT_OF 2

/* What the judging of a layer needs. */
struct concluding {
	struct ledger *ledger;
	const struct target *target;
	const struct run *run;
	uint64_t asked;	  /* synchronous writes and syncs */
	uint64_t certain; /* of these, those that ask for a flush, where there is a cache to be flushed */
	bool guest;
	bool one_stack; /* each layer is above the next; else they are of several disks, and any may be meant */
};

/* What one leaf, or a layer above it, comes to. */
struct judgement {
	enum durability durability;
	const struct ledger_layer *layer;
	const struct ledger_layer *by; /* the layer above that is the reason; NULL */
};

static uint64_t smaller(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static void conclude(struct ledger *ledger, enum durability durability, char *sentence)
{
	ledger->durability = durability;
	ledger->conclusion = sentence;
}

/* --- facts --- */

static bool has_cache(const struct ledger_layer *layer, const char *mode)
{
	return layer->facts && layer->facts->write_cache && !strcmp(layer->facts->write_cache, mode);
}

static bool is_volatile(const struct ledger_layer *layer)
{
	return has_cache(layer, "write back");
}

static bool is_cached(const struct ledger_layer *layer)
{
	return layer->facts && layer->facts->cached;
}

/* A bio-based device gets bios, whether they carry data or not. */
static uint64_t flushes_of(const struct ledger_layer *layer)
{
	uint64_t flushes = layer->flushes > layer->asked_flush ? layer->flushes : layer->asked_flush;

	return layer->has_requests ? layer->flushes + layer->fua : flushes + layer->asked_fua;
}

/* The kernel ends flushes, and drops FUA, at a device that says it needs none. */
static const struct ledger_layer *stops_flushes(const struct concluding *concluding, const struct ledger_layer *below)
{
	const struct ledger *ledger = concluding->ledger;

	if (!concluding->one_stack)
		return NULL;
	for (const struct ledger_layer *layer = ledger->layer; layer < below; layer++)
		if (!layer->leaf && has_cache(layer, "write through"))
			return layer;
	return NULL;
}

static const struct ledger_layer *only_leaf(const struct ledger *ledger)
{
	const struct ledger_layer *only = NULL;

	for (size_t i = 0; i < ledger->layers; i++) {
		if (!ledger->layer[i].leaf)
			continue;
		if (only)
			return NULL;
		only = &ledger->layer[i];
	}
	return only;
}

/* Whether each thing that was asked for is a call, in which a flush was seen to end or not. */
static bool knows_each(const struct ledger *ledger)
{
	return ledger->calls && ledger->calls >= ledger->writes + ledger->syncs;
}

static bool wrote_anything(const struct concluding *concluding)
{
	const struct trace_view *trace = concluding->run->trace;

	return concluding->ledger->writes || concluding->ledger->buffered_bytes || trace->io[IO_OP_WRITE] ||
	       trace->queued[OWNER_WORKLOAD][OP_WRITE].bytes || trace->queued[OWNER_WRITEBACK][OP_WRITE].bytes;
}

/* --- in words --- */

static void add_count(struct text *text, uint64_t count, const char *one, const char *many)
{
	char number[FORMAT_LENGTH];

	if (count)
		text_addf(text, "%s%s %s", text->length ? " and " : "", format_count(number, count),
			  count == 1 ? one : many);
}

/* "1,000 synchronous writes and 12 syncs" */
static char *asked_in_words(const struct ledger *ledger)
{
	struct text text = {0};

	add_count(&text, ledger->writes, "synchronous write", "synchronous writes");
	add_count(&text, ledger->syncs, "sync", "syncs");
	return text_take(&text);
}

/* "the virtual disk vda" */
static char *name_of(const struct concluding *concluding, const struct ledger_layer *layer)
{
	return xasprintf("%s%s", concluding->guest ? "the virtual disk " : "", layer->device);
}

/* --- nothing was synced --- */

/* No more of it than the program, or writeback for it, queued. */
static uint64_t queued_for_program(const struct trace_view *trace)
{
	return trace->queued[OWNER_WORKLOAD][OP_WRITE].bytes + trace->queued[OWNER_WRITEBACK][OP_WRITE].bytes;
}

/*
 * At most so much of what was written. What reached a layer is everyone's, as the disk of a loop device's file has
 * others to serve: of the program's there is no more than any layer above it had got.
 */
static uint64_t own_bytes_reached(const struct concluding *concluding, const struct ledger_layer *leaf)
{
	const struct trace_view *trace = concluding->run->trace;
	uint64_t reached = smaller(leaf->reached, concluding->ledger->buffered_bytes);

	if (trace->top)
		reached = smaller(reached, queued_for_program(trace));
	if (!concluding->one_stack)
		return reached;
	for (const struct ledger_layer *layer = concluding->ledger->layer; layer < leaf; layer++)
		reached = smaller(reached, layer->reached);
	return reached;
}

/* How much of what the page cache took had reached the disk when the program was last told. */
static char *how_much_reached(const struct concluding *concluding, const struct ledger_layer *leaf)
{
	uint64_t told = concluding->ledger->buffered_bytes, reached = own_bytes_reached(concluding, leaf);
	char told_text[FORMAT_LENGTH], reached_text[FORMAT_LENGTH];

	format_size(told_text, told);
	format_size(reached_text, reached);
	if (reached == told)
		return xasprintf("Nothing was synced. The program was told that %s were written, and all of them had "
				 "reached %s by then.",
				 told_text, leaf->device);
	if (!reached)
		return xasprintf("Nothing was synced. The program was told that %s were written; none of them had "
				 "reached %s by then%s: they were in the page cache.",
				 told_text, leaf->device, leaf->reached ? " (what reached it was others')" : "");
	return xasprintf("Nothing was synced. The program was told that %s were written; %s of them had reached %s by "
			 "then, and the rest was in the page cache.",
			 told_text, reached_text, leaf->device);
}

/* RWF_DSYNC is an argument of its call, and what libaio and io_uring give to the page cache no kiocb tells of. */
static bool may_have_asked(const struct concluding *concluding)
{
	const struct ledger_layer *top = concluding->ledger->layer;

	return concluding->ledger->layers && top->asked_flush + top->asked_fua;
}

static void conclude_not_asked(const struct concluding *concluding)
{
	const struct ledger_layer *leaf = only_leaf(concluding->ledger);
	char *sentence;

	if (may_have_asked(concluding))
		sentence = xasprintf("No sync and no synchronous write of the program was seen, and yet %s was asked "
				     "for flushes: by others, by the journal, or by the program in a way that is not "
				     "followed (RWF_DSYNC, or buffered writes of libaio and io_uring).",
				     concluding->ledger->layer[0].device);
	else if (!concluding->ledger->buffered_bytes)
		sentence = xstrdup("Nothing was synced, and no write asked to be durable.");
	else if (leaf && leaf->has_reached)
		sentence = how_much_reached(concluding, leaf);
	else
		sentence = xstrdup("Nothing was synced. The page cache took what was written, and how much of it had "
				   "reached a disk when the program was told is not known.");
	conclude(concluding->ledger, DURABILITY_NOT_ASKED, sentence);
}

/* --- there is no device --- */

static void conclude_unseen(const struct concluding *concluding)
{
	const char *filesystem = concluding->target->filesystem;

	if (filesystem && (!strcmp(filesystem, "tmpfs") || !strcmp(filesystem, "ramfs")))
		conclude(concluding->ledger, DURABILITY_MEMORY,
			 xasprintf("%s is memory: what was synced survives no power cut.", filesystem));
	else
		conclude(concluding->ledger, DURABILITY_UNSEEN,
			 xasprintf("No block device was followed%s%s: whether what was synced is durable is not known.",
				   filesystem ? " under " : "", filesystem ? filesystem : ""));
}

/* --- one layer --- */

/* Whether calls that must contain a flush, as seen at the target's own disk, do not. Bios alone have no flush clock. */
static bool calls_lack_flushes(const struct concluding *concluding)
{
	const struct ledger *ledger = concluding->ledger;

	if (!knows_each(ledger) || !ledger->layer[0].has_requests)
		return false;
	if (!ledger->flushed)
		return true;
	/* A sync may rightly find nothing to do. */
	return ledger->flushed + ledger->syncs + ledger->calls / MAY_BE_MISSED < ledger->calls;
}

/* What was promised to be durable by synchronous writes, and had come no further than a loop device's page cache. */
static const struct ledger_layer *holds_back(const struct concluding *concluding, const struct ledger_layer *leaf)
{
	const struct ledger *ledger = concluding->ledger;
	const struct ledger_layer *top = ledger->layer;
	uint64_t promised = top->reached < ledger->write_bytes ? top->reached : ledger->write_bytes;

	if (!concluding->one_stack || !leaf->has_reached || leaf != only_leaf(ledger) || !promised ||
	    leaf->reached >= promised / SHORT_OF)
		return NULL;
	for (const struct ledger_layer *layer = ledger->layer; layer < leaf; layer++)
		if (is_cached(layer))
			return layer;
	return NULL;
}

/* Of a layer with a cache that loses what it holds. */
static struct judgement judge_volatile(const struct concluding *concluding, const struct ledger_layer *layer)
{
	struct judgement judgement = {DURABILITY_UNFLUSHED, layer, stops_flushes(concluding, layer)};

	if (!judgement.by && flushes_of(layer) && !calls_lack_flushes(concluding))
		judgement.durability = DURABILITY_FLUSHED;
	return judgement;
}

static struct judgement judge_leaf(const struct concluding *concluding, const struct ledger_layer *leaf)
{
	const struct ledger_layer *holding = holds_back(concluding, leaf);

	if (leaf->facts->memory)
		return (struct judgement){DURABILITY_MEMORY, leaf, NULL};
	if (holding)
		return (struct judgement){DURABILITY_UNWRITTEN, leaf, holding};
	if (is_volatile(leaf))
		return judge_volatile(concluding, leaf);
	if (has_cache(leaf, "write through"))
		return (struct judgement){DURABILITY_WRITE_THROUGH, leaf, NULL};
	return (struct judgement){DURABILITY_UNSEEN, leaf, NULL};
}

/* The page cache under a loop device is a volatile cache whatever the device says of itself. */
static struct judgement judge_loop(const struct concluding *concluding, const struct ledger_layer *loop)
{
	if (has_cache(loop, "write through"))
		return (struct judgement){DURABILITY_UNFLUSHED, loop, loop};
	return judge_volatile(concluding, loop);
}

/* --- all layers --- */

/* The higher, the less durable. */
static const int weakness[DURABILITIES] = {
	[DURABILITY_NOT_ASKED] = 0, [DURABILITY_WRITE_THROUGH] = 1, [DURABILITY_FLUSHED] = 2,	[DURABILITY_UNSEEN] = 3,
	[DURABILITY_UNFLUSHED] = 4, [DURABILITY_MEMORY] = 5,	    [DURABILITY_UNWRITTEN] = 6,
};

/* Of equals the lower layer is told of. */
static void weaken(struct judgement *weakest, struct judgement judgement)
{
	if (weakness[judgement.durability] >= weakness[weakest->durability])
		*weakest = judgement;
}

/*
 * Whether a layer has a part in it: it was written to, or should have been. Of several disks, those that got flushes as
 * long as there are any: the synced files are on one of them.
 */
static bool takes_part(const struct concluding *concluding, const struct ledger_layer *layer, bool flushed)
{
	if (!layer->leaf)
		return concluding->one_stack && layer->writes && is_cached(layer);
	if (!layer->writes)
		return holds_back(concluding, layer);
	return concluding->one_stack || !flushed || flushes_of(layer);
}

/* The weakest of the layers; its own is NULL where none has a part in it. `leaves` of them have. */
static struct judgement judge_layers(const struct concluding *concluding, size_t *leaves)
{
	const struct ledger *ledger = concluding->ledger;
	struct judgement weakest = {DURABILITY_NOT_ASKED, NULL, NULL};
	bool flushed = false;

	*leaves = 0;
	for (size_t i = 0; i < ledger->layers; i++)
		flushed |= ledger->layer[i].leaf && flushes_of(&ledger->layer[i]);
	for (size_t i = 0; i < ledger->layers; i++) {
		const struct ledger_layer *layer = &ledger->layer[i];

		if (!takes_part(concluding, layer, flushed))
			continue;
		*leaves += layer->leaf;
		weaken(&weakest, layer->leaf ? judge_leaf(concluding, layer) : judge_loop(concluding, layer));
	}
	return weakest;
}

/* --- the conclusion --- */

/* "640 flushes and 12 FUA writes" */
static char *flushes_in_words(const struct ledger_layer *layer)
{
	struct text text = {0};
	uint64_t fua = layer->has_requests ? layer->fua : layer->asked_fua;

	add_count(&text, flushes_of(layer) - fua, "flush", "flushes");
	add_count(&text, fua, "FUA write", "FUA writes");
	return text_take(&text);
}

/* Flushes of a layer are everyone's, and one may serve many; those that ended in the program's calls are its own. */
static char *flushed_in_words(const struct concluding *concluding, const struct ledger_layer *layer, const char *name)
{
	const struct ledger *ledger = concluding->ledger;
	uint64_t flushed = knows_each(ledger) ? ledger->flushed : flushes_of(layer);
	char number[FORMAT_LENGTH], *asked = asked_in_words(ledger), *flushes = flushes_in_words(layer), *sentence;
	const char *host = concluding->guest ? ": what the host does with it is not visible from here" : "";

	if (concluding->asked == 1)
		sentence = xasprintf("The %s was flushed to %s%s.", asked + strlen("1 "), name, host);
	else if (flushed >= concluding->asked)
		sentence = xasprintf("Each of the %s was flushed to %s%s.", asked, name, host);
	else if (knows_each(ledger))
		sentence =
			xasprintf("%s of the %s ended with a flush of %s (the others may have had nothing to write)%s.",
				  format_count(number, flushed), asked, name, host);
	else
		sentence = xasprintf("The %s were flushed to %s in %s%s.", asked, name, flushes, host);
	free(flushes);
	free(asked);
	return sentence;
}

static void conclude_flushed(const struct concluding *concluding, const struct ledger_layer *layer)
{
	char *name = name_of(concluding, layer);

	conclude(concluding->ledger, DURABILITY_FLUSHED, flushed_in_words(concluding, layer, name));
	free(name);
}

static char *unflushed_in_words(const struct concluding *concluding, const struct judgement *judgement)
{
	const char *device = judgement->layer->device;
	uint64_t own = concluding->ledger->flushed;
	char *sentence, *asked, flushed[FORMAT_LENGTH];

	if (judgement->by == judgement->layer)
		return xasprintf("%s reports no volatile cache, and so gets no flush, but keeps what is written in the "
				 "page cache of its file: what it acknowledged may be lost when power fails.",
				 device);
	if (judgement->by)
		return xasprintf("%s has a volatile cache and got none of the flushes, as %s above it reports that it "
				 "needs none: what it acknowledged may be lost when power fails.",
				 device, judgement->by->device);
	if (!flushes_of(judgement->layer))
		return xasprintf(
			"%s has a volatile cache and got no flush: what it acknowledged may be lost when power "
			"fails.",
			device);
	asked = asked_in_words(concluding->ledger);
	sentence = xasprintf("%s has a volatile cache, and %s%s of the %s contained a flush: what it acknowledged may "
			     "be lost when power fails.",
			     device, own ? "only " : "", own ? format_count(flushed, own) : "none", asked);
	free(asked);
	return sentence;
}

static char *unwritten_in_words(const struct concluding *concluding, const struct judgement *judgement)
{
	char told[FORMAT_LENGTH], reached[FORMAT_LENGTH];

	return xasprintf(
		"The program was told that %s were durable when %s of them had reached %s: %s keeps the rest in the "
		"page cache of its file.",
		format_size(told, concluding->ledger->write_bytes),
		judgement->layer->reached ? format_size(reached, judgement->layer->reached) : "none",
		judgement->layer->device, judgement->by->device);
}

static void conclude_judged(const struct concluding *concluding, const struct judgement *judgement)
{
	const struct ledger_layer *layer = judgement->layer;
	char *sentence;

	switch (judgement->durability) {
	case DURABILITY_FLUSHED:
		conclude_flushed(concluding, layer);
		return;
	case DURABILITY_WRITE_THROUGH:
		sentence = xasprintf("%s reports no volatile cache: no flush was needed%s.", layer->device,
				     concluding->guest ? "; what its host does is not visible from here" : "");
		break;
	case DURABILITY_MEMORY:
		sentence = xasprintf("%s is %s: what was synced survives no power cut.", layer->device,
				     layer->facts->memory);
		break;
	case DURABILITY_UNFLUSHED:
		sentence = unflushed_in_words(concluding, judgement);
		break;
	case DURABILITY_UNWRITTEN:
		sentence = unwritten_in_words(concluding, judgement);
		break;
	default:
		sentence = xasprintf("Whether %s has a volatile cache, which would have to be flushed, is not known.",
				     layer->device);
	}
	conclude(concluding->ledger, judgement->durability, sentence);
	concluding->ledger->cause = judgement->by ? judgement->by->device : NULL;
}

/* Nothing came to any leaf: there may have been nothing to write, or what was written is somewhere else. */
static void conclude_without_writes(const struct concluding *concluding)
{
	if (wrote_anything(concluding))
		conclude(concluding->ledger, DURABILITY_UNSEEN,
			 xasprintf("None of what was %s came to a device: the file is in memory, or on a device that "
				   "was not watched.",
				   concluding->ledger->writes ? "written synchronously" : "synced"));
	else
		conclude(concluding->ledger, DURABILITY_NOT_ASKED,
			 xstrdup("There was nothing to be written when it synced."));
}

/* Of several disks, none got anything of the program's: what was written there is others'. */
static bool went_elsewhere(const struct concluding *concluding)
{
	return !concluding->one_stack && concluding->run->trace->top && concluding->ledger->write_bytes &&
	       !queued_for_program(concluding->run->trace);
}

/* What was seen on a device may be no matter of what the program asked for. */
static void conclude_of_layers(const struct concluding *concluding)
{
	size_t leaves;
	struct judgement weakest = judge_layers(concluding, &leaves);
	bool lost = weakest.durability == DURABILITY_UNFLUSHED || weakest.durability == DURABILITY_MEMORY;
	bool cache = weakest.durability == DURABILITY_UNFLUSHED || weakest.durability == DURABILITY_FLUSHED;

	if (!weakest.layer || went_elsewhere(concluding) ||
	    (weakest.durability == DURABILITY_UNFLUSHED && !wrote_anything(concluding)))
		conclude_without_writes(concluding);
	else if (lost && leaves > 1 && !concluding->one_stack)
		conclude(concluding->ledger, DURABILITY_UNSEEN,
			 xstrdup("Which of the disks holds what was synced is not known: to know whether it was "
				 "flushed, name the disk with -D."));
	else if (cache && !concluding->certain && !concluding->ledger->flushed)
		conclude(
			concluding->ledger, DURABILITY_NOT_ASKED,
			xasprintf(
				"sync_file_range() asks for no flush, nor does msync() with MS_ASYNC: what was written "
				"may still be in the volatile cache of %s.",
				weakest.layer->device));
	else
		conclude_judged(concluding, &weakest);
}

/* The target's own disk is the first layer; where several are, `top` is none of them. */
static bool is_one_stack(const struct ledger *ledger, const struct target *target, const struct trace_view *trace)
{
	if (!trace->top || !ledger->layers)
		return target->kind != TARGET_DISKS;
	return !strcmp(trace->top, ledger->layer[0].device);
}

void ledger_conclude(struct ledger *ledger, const struct result *result, const struct run *run)
{
	const struct target *target = &result->target[run->target];
	uint64_t asked = ledger->writes + ledger->syncs;
	struct concluding concluding = {
		.ledger = ledger,
		.target = target,
		.run = run,
		.asked = asked,
		.certain = asked - ledger_weak_syncs(run->trace),
		.guest = result->machine.hypervisor,
		.one_stack = is_one_stack(ledger, target, run->trace),
	};

	if (!asked)
		conclude_not_asked(&concluding);
	else if (target->kind == TARGET_DISKS && remote_was_written(run->trace))
		conclude(ledger, DURABILITY_UNSEEN,
			 xstrdup("Part of what was written or synced went to a file system's server: whether that made "
				 "it durable is not visible from here."));
	else if (!ledger->layers)
		conclude_unseen(&concluding);
	else
		conclude_of_layers(&concluding);
}
