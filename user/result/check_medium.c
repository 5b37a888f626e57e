// SPDX-License-Identifier: GPL-2.0
#include "checks.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/format.h"
#include "base/text.h"
#include "floor.h"
#include "remote.h"
#include "summary.h"
#include "traffic.h"

static bool reads(const struct test *test)
{
	return test && test_has_op(test, OP_READ);
}

/* --- medium --- */

static bool is_memory_filesystem(const char *name)
{
	return name && (!strcmp(name, "tmpfs") || !strcmp(name, "ramfs"));
}

static void fail_medium(struct run *run, const char *where, const char *what)
{
	run_add_check(run, "medium", CHECK_FAILED, xasprintf("%s: %s", where, what), xstrdup("a disk"),
		      "%s is %s: what was measured is no disk.", where, what);
}

static void pass_medium(struct run *run)
{
	run_add_check(run, "medium", CHECK_PASSED, NULL, NULL, "No layer of the target is known to be memory.");
}

static void check_stack(struct run *run, const struct target *target)
{
	const struct layer *hidden;

	if (is_memory_filesystem(target->filesystem)) {
		char *what = xasprintf("in memory (%s)", target->filesystem);

		fail_medium(run, target->path ? target->path : target->given, what);
		free(what);
		return;
	}
	for (size_t i = 0; i < target->layers; i++) {
		const struct layer *layer = &target->layer[i];

		if (!layer->leaf || !layer->memory)
			continue;
		fail_medium(run, layer->name, layer->memory);
		return;
	}
	hidden = traffic_hidden_file(target);
	if (hidden)
		run_add_check(run, "medium", CHECK_UNKNOWN, NULL, NULL,
			      "The file under %s can't be found by its path (%s): it was deleted, or lies in another "
			      "mount namespace, and it may be in memory.",
			      hidden->name, hidden->backing_file);
	else if (target->layers)
		pass_medium(run);
	else
		run_add_check(
			run, "medium", CHECK_UNKNOWN, NULL, NULL,
			"The target has no block device on this machine%s%s%s: what medium is behind it cannot be "
			"seen from here.",
			target->filesystem ? " (" : "", target->filesystem ? target->filesystem : "",
			target->filesystem ? ")" : "");
}

/* Of a trace of several disks: which of them carried what. */
struct media {
	uint64_t memory, disks;	  /* bytes on leaves that are memory, and on the others */
	const struct layer *most; /* of the former, the one with the most */
	uint64_t most_bytes;
	uint64_t own, others; /* bytes that came in at the top */
	uint64_t remote;      /* bytes that file systems' servers were asked for */
};

static void add_leaf(struct media *media, const struct layer *facts, uint64_t bytes)
{
	if (!facts || !facts->memory) {
		media->disks += bytes;
		return;
	}
	media->memory += bytes;
	if (bytes <= media->most_bytes)
		return;
	media->most = facts;
	media->most_bytes = bytes;
}

static struct media media_of(const struct trace_view *trace, const struct target *target)
{
	struct media media = {0};

	for (int op = 0; op < DIRECTIONS; op++) {
		media.own += traffic_of_workload(trace, op);
		media.others += traffic_of_others(trace, target, op);
		media.remote += remote_bytes(trace, op);
	}
	for (size_t i = 0; i < trace->leaves; i++)
		add_leaf(&media, traffic_facts(target, trace->leaf[i].device),
			 traffic_of_layer(&trace->leaf[i], OP_READ) + traffic_of_layer(&trace->leaf[i], OP_WRITE));
	return media;
}

/*
 * What of the workload's own went to memory, at the least: what the disks together did not carry, or what of the
 * memory's all the others together can't have caused.
 */
static uint64_t own_in_memory(const struct media *media)
{
	uint64_t missing = media->own > media->disks ? media->own - media->disks : 0;
	uint64_t unexplained = media->memory > media->others ? media->memory - media->others : 0;
	uint64_t most = missing > unexplained ? missing : unexplained;

	return most < media->memory ? most : media->memory;
}

static void check_disks(struct run *run, const struct target *target)
{
	struct media media = media_of(run->trace, target);
	uint64_t in_memory = own_in_memory(&media);

	if (media.remote && media.remote * 20 >= media.own + media.remote)
		run_add_check(run, "medium", CHECK_UNKNOWN, NULL, NULL,
			      "Reads and writes went to a file system without a block device on this machine: what "
			      "medium is behind its server cannot be seen from here.");
	else if (run->trace->top && !media.own)
		run_add_check(run, "medium", CHECK_NOT_APPLICABLE, NULL, NULL,
			      "None of the disks carried any of the workload's reads and writes.");
	else if (!run->trace->top || (traffic_is_of_everyone(run) && media.disks && media.memory))
		run_add_check(run, "medium", CHECK_NOT_APPLICABLE, NULL, NULL,
			      "It is not known which of the disks carried the workload's reads and writes.");
	else if (media.most && in_memory * 20 >= media.own)
		fail_medium(run, media.most->name, media.most->memory);
	else
		pass_medium(run);
}

void check_medium(const struct checking *checking)
{
	const struct target *target = checking->target;

	if (!target)
		return;
	if (target->kind != TARGET_DISKS)
		check_stack(checking->run, target);
	else if (checking->run->trace)
		check_disks(checking->run, target);
}

/* --- layout --- */

#define LAYOUT_EXPECTED "every block that is read was written before"

static void fail_layout(struct run *run, enum check_state state, char *found, char *sentence)
{
	run_add_check(run, "layout", state, found, xstrdup(LAYOUT_EXPECTED), "%s", sentence);
	free(sentence);
}

/* Percent, for people: with the digits that it takes to be more than nothing. */
static char *format_percent(char out[FORMAT_LENGTH], double part, double whole)
{
	double percent = whole > 0 ? 100 * part / whole : 0;

	return format_fixed(out, percent, percent < 10 ? 1 : 0);
}

/*
 * Direct reads that the file system answered itself, with bytes. Errors and the end of a file end so as well: the
 * former are counted apart, and of both fewer bytes came to the disk than the program got only where it was given some.
 */
static uint64_t unqueued_reads(const struct trace_view *trace)
{
	const struct io_view *view = trace ? trace->io[IO_OP_READ] : NULL;
	uint64_t count, failed;

	if (!view || !trace->top || view->counts.bytes <= trace->queued[OWNER_WORKLOAD][OP_READ].bytes)
		return 0;
	count = view->counts.end[IO_END_NOT_QUEUED];
	failed = view->counts.note[IO_NOTE_FAILED];
	count = count > failed ? count - failed : 0;
	return count >= 16 && count * 100 >= io_ended(view) ? count : 0;
}

/* True: there is nothing more to be said. */
static bool judge_unqueued(const struct checking *checking)
{
	struct run *run = checking->run;
	uint64_t count = target_is_served(checking->target) ? 0 : unqueued_reads(run->trace);
	char count_text[FORMAT_LENGTH], ended_text[FORMAT_LENGTH];

	if (!count)
		return false;
	format_count(count_text, count);
	format_count(ended_text, io_ended(run->trace->io[IO_OP_READ]));
	fail_layout(run, CHECK_FAILED, xasprintf("%s of %s direct reads not queued", count_text, ended_text),
		    xasprintf("%s of %s direct reads never came to the block layer: holes, or blocks that were never "
			      "written, which the file system answers with zeros. Write the whole file first.",
			      count_text, ended_text));
	return true;
}

static char *not_written_in_words(const struct layout *layout, uint64_t whole)
{
	uint64_t missing = layout->holes + layout->unwritten;
	const char *what =
		layout->holes >= layout->unwritten ? "holes (a sparse file)" : "never written blocks (fallocate)";
	char missing_text[FORMAT_LENGTH], whole_text[FORMAT_LENGTH], percent[FORMAT_LENGTH];

	return xasprintf(
		"%s of the file's %s (%s %%) are %s: the file system answers with zeros without asking the disk. "
		"Write the whole file first.",
		format_size(missing_text, missing), format_size(whole_text, whole),
		format_percent(percent, (double)missing, (double)whole), what);
}

static bool judge_extents(struct run *run, const struct layout *layout)
{
	uint64_t missing = layout->holes + layout->unwritten;
	uint64_t whole = layout->written + layout->elsewhere + missing;
	char percent[FORMAT_LENGTH];

	if (missing * 1000 > whole) {
		fail_layout(run, CHECK_FAILED,
			    xasprintf("%" PRIu64 " bytes unwritten, %" PRIu64 " in holes", layout->unwritten,
				      layout->holes),
			    not_written_in_words(layout, whole));
		return true;
	}
	if (layout->elsewhere * 100 <= whole)
		return false;
	fail_layout(
		run, CHECK_WARNING, xasprintf("%" PRIu64 " bytes elsewhere", layout->elsewhere),
		xasprintf("%s %% of the file lie compressed, within the file system's own blocks, or not on the disk "
			  "yet: what is read from the disk is not what the program gets. Turn compression off for "
			  "this file.",
			  format_percent(percent, (double)layout->elsewhere, (double)whole)));
	return true;
}

static bool judge_sample(struct run *run, const struct layout *layout)
{
	char percent[FORMAT_LENGTH], sampled[FORMAT_LENGTH];

	if (layout->zeros * 20 < layout->sampled || !layout->zeros)
		return false;
	format_percent(percent, (double)layout->zeros, (double)layout->sampled);
	format_count(sampled, layout->sampled);
	fail_layout(
		run, layout->zeros * 2 >= layout->sampled ? CHECK_FAILED : CHECK_WARNING,
		xasprintf("%" PRIu64 " of %" PRIu64 " blocks are zeros", layout->zeros, layout->sampled),
		xasprintf(
			"%s %% of %s blocks that were looked at hold nothing but zeros: what was never written, or was "
			"discarded, many disks answer without their medium. Write the device whole first, or "
			"measure a file.",
			percent, sampled));
	return true;
}

/* Of a test: how its file or device came to be, and whether all that was read came to the disk. */
static void judge_layout(const struct checking *checking, const struct layout *layout)
{
	struct run *run = checking->run;

	if (layout->has_extents && judge_extents(run, layout))
		return;
	if (layout->sampled && judge_sample(run, layout))
		return;
	if (judge_unqueued(checking))
		return;
	if (layout->has_extents || layout->sampled)
		run_add_check(run, "layout", CHECK_PASSED, NULL, xstrdup(LAYOUT_EXPECTED),
			      "What was read had been written before%s.",
			      layout->has_extents ? "" : ", as a sample shows");
	else
		run_add_check(run, "layout", CHECK_UNKNOWN, NULL, NULL,
			      "How the blocks that were read came to be is not known.");
}

/* The engine asks for blocks of one size, and gets less only beyond the end. True: it did. */
static bool judge_short(const struct checking *checking)
{
	struct run *run = checking->run;
	const struct direction *reads = run->engine ? &run->engine->direction[OP_READ] : NULL;
	char bytes[FORMAT_LENGTH], ios[FORMAT_LENGTH], block[FORMAT_LENGTH];

	if (!reads || !checking->test || reads->bytes * 100 >= reads->ios * checking->test->block_size * 99)
		return false;
	format_size(bytes, reads->bytes);
	format_count(ios, reads->ios);
	fail_layout(run, CHECK_FAILED, xasprintf("%s in %s reads", bytes, ios),
		    xasprintf("Only %s came of %s reads of %s: the file or device ended before its size. It was "
			      "truncated during the run.",
			      bytes, ios, format_size(block, checking->test->block_size)));
	return true;
}

void check_layout(const struct checking *checking)
{
	struct run *run = checking->run;

	if (judge_short(checking))
		return;
	if (checking->test && checking->target && reads(checking->test))
		judge_layout(checking, &checking->target->layout);
	else if (checking->test)
		run_add_check(run, "layout", CHECK_NOT_APPLICABLE, NULL, NULL,
			      "Nothing was read, so it does not matter what the blocks held before.");
	else if (run->trace && !judge_unqueued(checking))
		run_add_check(run, "layout", CHECK_NOT_APPLICABLE, NULL, NULL,
			      "A program's files are not looked at; its direct reads came to the block layer.");
}

/* --- nearness --- */

/*
 * A host's page cache answers a virtual disk within tens of microseconds. Measured on a virtio disk: 65 us for a random
 * block of a file just written and 63 us for the same again; 500 to 700 us and 70 to 100 us where the host had not read
 * the block before. What takes longer may be a disk behind a network, whose way is the same for both.
 */
#define NEAR_ENOUGH (200 * NS_PER_MS / 1000)

/* In a virtual machine a link is only known of a disk that is passed through: no host's cache is before that. */
static bool is_passed_through(const struct target *target)
{
	for (size_t i = 0; i < target->layers; i++)
		if (target->layer[i].leaf && target->layer[i].link)
			return true;
	return false;
}

/* Both are as fast, which may have reasons of its own. */
static void tell_of_nearness(struct run *run, const char *random, const char *same)
{
	run_add_finding(run, "nearness", xasprintf("random %s, the same again %s", random, same), NULL,
			"A random read is as fast as the same block again (%s and %s): either the medium has no cache, "
			"or the way to it takes most of the time.",
			random, same);
}

/* A read of what was read just before that is no faster says that a random one came from as near. */
static void compare_nearness(struct run *run, const struct target *target)
{
	const struct nearness *nearness = &target->nearness;
	bool far = is_clearly_less((double)nearness->same, (double)nearness->random);
	char random[FORMAT_LENGTH], same[FORMAT_LENGTH];

	format_latency(random, (double)nearness->random);
	format_latency(same, (double)nearness->same);
	if (!far && (nearness->random > NEAR_ENOUGH || is_passed_through(target))) {
		tell_of_nearness(run, random, same);
		return;
	}
	run_add_check(
		run, "nearness", far ? CHECK_PASSED : CHECK_WARNING,
		xasprintf("random %s, the same again %s", random, same), xstrdup("the same again is faster by 10 %"),
		far ? "In this virtual machine a random read takes longer than the same block again (%s and %s)."
		    : "In this virtual machine a random read is as fast as the same block again (%s and %s): something "
		      "nearer than the medium, such as the host's memory, may have answered. Measure with a file "
		      "much larger than the host's memory.",
		random, same);
}

/* A check that says that no disk answered this run; NULL: none does. It comes before, in check.c. */
static const char *no_disk(const struct run *run)
{
	static const char *const names[] = {"medium", "cache", "layout"};

	for (size_t i = 0; i < run->checks; i++)
		for (size_t name = 0; name < ARRAY_SIZE(names); name++)
			if (run->check[i].state == CHECK_FAILED && !strcmp(run->check[i].name, names[name]))
				return names[name];
	return NULL;
}

void check_nearness(const struct checking *checking)
{
	const struct target *target = checking->target;
	const char *failed = no_disk(checking->run);

	if (!target || !reads(checking->test))
		return;
	if (!checking->result->machine.hypervisor)
		run_add_check(checking->run, "nearness", CHECK_NOT_APPLICABLE, NULL, NULL,
			      "This is no virtual machine: there is no host whose memory could answer.");
	else if (failed)
		run_add_check(checking->run, "nearness", CHECK_NOT_APPLICABLE, NULL, NULL,
			      "No disk answered: see the check \"%s\".", failed);
	else if (!nearness_is_known(&target->nearness))
		run_add_check(checking->run, "nearness", CHECK_UNKNOWN, NULL, NULL,
			      "Whether a random read is slower than the same block again was not tried.");
	else
		compare_nearness(checking->run, target);
}

/* --- link --- */

/* Bytes per second of one direction through links that carry `most`. */
struct load {
	double rate, most;
	const char *link;
	size_t links;
};

/* The more heavily loaded of two. */
static struct load heavier(struct load a, struct load b)
{
	if (a.most <= 0)
		return b;
	return b.most > 0 && b.rate / b.most > a.rate / a.most ? b : a;
}

/* Links of most kinds carry as much both ways at once, so directions are not added up. */
static struct load load_of_leaf(const struct trace_view *trace, const struct layer_view *leaf,
				const struct layer *facts, enum op op)
{
	struct load load = {.links = 1};

	if (!facts || !facts->link || !trace->recorded)
		return load;
	load.link = facts->link;
	load.most = (double)facts->link_bytes_per_second;
	load.rate = (double)traffic_of_layer(leaf, op) * NS_PER_SECOND / (double)trace->recorded;
	return load;
}

/* What the engine reports, over all leaves' links; without a link that is known for each nothing can be said. */
static struct load load_of_engine(const struct checking *checking, enum op op)
{
	const struct target *target = checking->target;
	struct load load = {.rate = (double)checking->run->engine->direction[op].bytes_per_second};

	for (size_t i = 0; i < target->layers; i++) {
		const struct layer *layer = &target->layer[i];

		if (!layer->leaf)
			continue;
		if (!layer->link || !layer->link_bytes_per_second)
			return (struct load){0};
		load.link = layer->link;
		load.most += (double)layer->link_bytes_per_second;
		load.links++;
	}
	return load;
}

static struct load heaviest(const struct checking *checking)
{
	const struct trace_view *trace = checking->run->trace;
	struct load load = {0};

	for (int op = 0; op < DIRECTIONS; op++) {
		if (checking->run->engine)
			load = heavier(load, load_of_engine(checking, op));
		for (size_t i = 0; trace && i < trace->leaves; i++) {
			const struct layer *facts = traffic_facts(checking->target, trace->leaf[i].device);

			load = heavier(load, load_of_leaf(trace, &trace->leaf[i], facts, op));
		}
	}
	return load;
}

static void judge_link(struct run *run, const struct load *load)
{
	bool above = load->rate > load->most;
	char rate[FORMAT_LENGTH], most[FORMAT_LENGTH], *links;

	format_fixed(rate, load->rate / 1e6, 1);
	format_fixed(most, load->most / 1e6, 0);
	links = load->links > 1 ? xasprintf("%zu links (%s) carry together", load->links, load->link)
				: xasprintf("%s carries", load->link);
	run_add_check(run, "link", above ? CHECK_WARNING : CHECK_PASSED, xasprintf("%s MB/s", rate),
		      xasprintf("%s MB/s at the most", most), "%s MB/s is %s what %s (%s MB/s)%s.", rate,
		      above ? "above" : "within", links, most,
		      above ? ": look at the clock first, then at caches" : "");
	free(links);
}

void check_link(const struct checking *checking)
{
	struct load load;

	if (!checking->target || (!checking->run->engine && !checking->run->trace))
		return;
	load = heaviest(checking);
	if (load.most > 0)
		judge_link(checking->run, &load);
	else
		run_add_check(checking->run, "link", CHECK_NOT_APPLICABLE, NULL, NULL,
			      "How the disk is attached, and what that can carry, is not known.");
}
