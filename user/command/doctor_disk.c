// SPDX-License-Identifier: GPL-2.0
#include "doctor_disk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/format.h"
#include "base/text.h"
#include "host/files.h"
#include "result/path.h"

#define SECTOR 512
#define KIB    1024ull

/* The largest block of the standard matrix. */
#define LARGE_KIB 1024

/* The least that the kernel gives to any disk with a queue of its own; a disk may have fewer tags. */
#define FEW_REQUESTS 32

/* One layer, and the section about its target. */
struct examined {
	struct section *section;
	const struct layer *layer;
};

static char *attribute_path(const struct examined *examined, const char *attribute)
{
	return xasprintf("/sys/class/block/%s/%s", examined->layer->name, attribute);
}

/* False where there is none, or it is no number. */
static bool read_attribute(const struct examined *examined, const char *attribute, uint64_t *value)
{
	char *path = attribute_path(examined, attribute);
	bool is = !host_read_number(value, "%s", path);

	free(path);
	return is;
}

static char *read_word(const struct examined *examined, const char *attribute)
{
	char *path = attribute_path(examined, attribute), *word = host_read_line("%s", path);

	free(path);
	return word;
}

/* A finding called "sda cache", from an attribute of the layer, or of no file where `attribute` is NULL. */
static struct finding *add(const struct examined *examined, const char *name, const char *attribute, const char *value)
{
	char *called = xasprintf("%s %s", examined->layer->name, name);
	char *source = attribute ? attribute_path(examined, attribute) : NULL;
	struct finding *finding = section_add(examined->section, called, source, "%s", value);

	free(source);
	free(called);
	return finding;
}

/* The same of a value in printf form. */
#define ADD(examined, name, attribute, ...)                                                                            \
	({                                                                                                             \
		char *value_ = xasprintf(__VA_ARGS__);                                                                 \
		struct finding *finding_ = add(examined, name, attribute, value_);                                     \
		free(value_);                                                                                          \
		finding_;                                                                                              \
	})

/* Frees both, of which the cure may be NULL. */
static void blame(struct finding *finding, enum fitness fitness, char *problem, char *cure)
{
	finding_blame(finding, fitness, problem, cure);
	free(problem);
	free(cure);
}

/* The command that sets an attribute of the layer. */
static char *setting(const struct examined *examined, const char *attribute, const char *value)
{
	return xasprintf("echo %s | sudo tee /sys/class/block/%s/%s", value, examined->layer->name, attribute);
}

/* --- what it is --- */

static void add_kind(const struct examined *examined)
{
	const struct layer *layer = examined->layer;
	const struct path_kind *kind = path_kind(layer->path);
	struct text text = {0};

	text_addf(&text, "%s", kind ? kind->words : "a kind of disk that is not known here");
	if (layer->model)
		text_addf(&text, ", %s", layer->model);
	if (layer->driver)
		text_addf(&text, ", driver %s", layer->driver);
	add(examined, "kind", NULL, text.data);
	text_free(&text);
}

static void add_memory(const struct examined *examined)
{
	const struct layer *layer = examined->layer;

	if (layer->leaf && layer->memory)
		blame(add(examined, "medium", NULL, layer->memory), FITNESS_UNFIT,
		      xasprintf("%s is %s: what is measured there is no disk.", layer->name, layer->memory),
		      xstrdup("name a directory or a device on a disk"));
}

/* --- loop devices --- */

static void add_file(const struct examined *examined)
{
	const struct layer *layer = examined->layer;
	struct finding *finding;

	if (!layer->backing_file)
		return;
	ADD(examined, "file", "loop/backing_file", "%s%s%s", layer->backing_file,
	    layer->backing_filesystem ? ", on " : "", layer->backing_filesystem ? layer->backing_filesystem : "");
	if (!host_exists("/sys/class/block/%s/loop/dio", layer->name))
		return;
	finding = add(examined, "direct I/O", "loop/dio", layer->cached ? "no" : "yes");
	if (!layer->cached)
		finding_is_fine(finding);
	else if (!layer->memory)
		blame(finding, FITNESS_LIMITED,
		      xasprintf("The page cache of %s's file takes part in every figure.", layer->name),
		      xasprintf("sudo losetup --direct-io=on /dev/%s", layer->name));
}

/* --- the cache --- */

/*
 * What the disk itself said of its cache when it was found: SCSI keeps that beside what the queue goes by, virtio-blk
 * at the disk. NULL for others.
 */
static char *own_cache_type(const struct examined *examined, char **attribute)
{
	char *address = host_link_name("/sys/class/block/%s/device", examined->layer->name), *type;

	*attribute = xstrdup("cache_type");
	type = read_word(examined, *attribute);
	if (!type && address) {
		free(*attribute);
		*attribute = xasprintf("device/scsi_disk/%s/cache_type", address);
		type = read_word(examined, *attribute);
	}
	free(address);
	return type;
}

/* Both call it "write back" when it has to be flushed (drivers/scsi/sd.c; drivers/block/virtio_blk.c). */
static bool hides_its_cache(const struct examined *examined)
{
	char *attribute, *type = own_cache_type(examined, &attribute);
	bool hides = type && !strncmp(type, "write back", strlen("write back")) &&
		     !strcmp(examined->layer->write_cache, "write through");

	free(type);
	free(attribute);
	return hides;
}

static bool needs_flushes(const struct layer *layer)
{
	return !strcmp(layer->write_cache, "write back");
}

static const char *cache_in_words(const struct layer *layer)
{
	const struct path_kind *kind = path_kind(layer->path);

	if (needs_flushes(layer))
		return "write back: data is safe once the cache is flushed";
	if (strcmp(layer->write_cache, "write through") != 0)
		return layer->write_cache;
	return kind && kind->hosted ? "write through: no flush is sent; what the hypervisor caches is not visible"
				    : "write through: no flush is sent, and none is needed";
}

static void add_cache(const struct examined *examined)
{
	const struct layer *layer = examined->layer;
	struct finding *finding;

	if (!layer->write_cache)
		return;
	finding = add(examined, "cache", "queue/write_cache", cache_in_words(layer));
	if (hides_its_cache(examined))
		blame(finding, FITNESS_LIMITED,
		      xasprintf("%s has a volatile cache, but the kernel was told not to flush it: synced data is not "
				"safe, and syncs take no time.",
				layer->name),
		      setting(examined, "queue/write_cache", "write back"));
	if (!host_exists("/sys/class/block/%s/queue/fua", layer->name)) /* before Linux 4.10 */
		return;
	finding = add(examined, "FUA", "queue/fua",
		      layer->fua	     ? "yes"
		      : needs_flushes(layer) ? "no: a flush follows each synchronous write"
					     : "no");
	finding->detail = true;
}

/* --- the queue --- */

static void add_scheduler(const struct examined *examined)
{
	const struct layer *layer = examined->layer;
	struct finding *finding;

	if (!layer->scheduler)
		return;
	finding = add(examined, "scheduler", "queue/scheduler", layer->scheduler);
	if (!strcmp(layer->scheduler, "none"))
		finding_is_fine(finding);
	else if (!strcmp(layer->scheduler, "bfq") || !strcmp(layer->scheduler, "kyber"))
		blame(finding, FITNESS_LIMITED,
		      xasprintf("The scheduler %s holds I/O back to share %s out among programs, which is measured "
				"with the disk.",
				layer->scheduler, layer->name),
		      setting(examined, "queue/scheduler", "none"));
}

static void add_depth(const struct examined *examined)
{
	const struct layer *layer = examined->layer;
	struct finding *finding;
	struct text text = {0};

	if (!layer->has_requests)
		return;
	text_addf(&text, "%llu request%s in %u hardware queue%s", (unsigned long long)layer->queue_requests,
		  layer->queue_requests == 1 ? "" : "s", (unsigned)layer->hardware_queues,
		  layer->hardware_queues == 1 ? "" : "s");
	if (layer->tags)
		text_addf(&text, ", at most %llu at the disk at once", (unsigned long long)layer->tags);
	finding = add(examined, "depth", "queue/nr_requests", text.data);
	if (layer->queue_requests && layer->queue_requests < FEW_REQUESTS && layer->tags > layer->queue_requests)
		blame(finding, FITNESS_LIMITED,
		      xasprintf(
			      "%s could take %llu requests at once, but the kernel keeps no more than %llu for each of "
			      "its queues.",
			      layer->name, (unsigned long long)layer->tags, (unsigned long long)layer->queue_requests),
		      setting(examined, "queue/nr_requests", "128"));
	text_free(&text);
}

static void add_accounting(const struct examined *examined)
{
	uint64_t on;

	if (!read_attribute(examined, "queue/iostats", &on) || on)
		return;
	blame(add(examined, "accounting", "queue/iostats", "off"), FITNESS_LIMITED,
	      xasprintf("The kernel counts no I/O of %s, so that what is measured can't be compared with its count.",
			examined->layer->name),
	      setting(examined, "queue/iostats", "1"));
}

/* --- sizes --- */

static void add_request_size(const struct examined *examined)
{
	uint64_t most, possible, wanted;
	struct finding *finding;
	char number[32];

	if (!examined->layer->has_requests || !read_attribute(examined, "queue/max_sectors_kb", &most) ||
	    !read_attribute(examined, "queue/max_hw_sectors_kb", &possible) || !most)
		return;
	if (possible > 1024 * KIB) /* no limit that matters, such as virtio's */
		finding = ADD(examined, "request size", "queue/max_sectors_kb", "up to %llu KiB",
			      (unsigned long long)most);
	else
		finding = ADD(examined, "request size", "queue/max_sectors_kb",
			      "up to %llu KiB; the hardware takes %llu KiB", (unsigned long long)most,
			      (unsigned long long)possible);
	wanted = possible < LARGE_KIB ? possible : LARGE_KIB;
	if (most >= wanted)
		return;
	snprintf(number, sizeof(number), "%llu", (unsigned long long)wanted);
	blame(finding, FITNESS_LIMITED,
	      xasprintf("An I/O of 1 MiB is split into %llu requests, more than the hardware of %s asks for.",
			(unsigned long long)((LARGE_KIB + most - 1) / most), examined->layer->name),
	      setting(examined, "queue/max_sectors_kb", number));
}

static void add_blocks(const struct examined *examined)
{
	const struct layer *layer = examined->layer;

	if (layer->logical_block)
		ADD(examined, "blocks", "queue/physical_block_size", "%llu bytes, physically %llu",
		    (unsigned long long)layer->logical_block, (unsigned long long)layer->physical_block)
			->detail = true;
}

static void add_discard(const struct examined *examined)
{
	char size[FORMAT_LENGTH];
	uint64_t most;

	if (!read_attribute(examined, "queue/discard_max_bytes", &most))
		return;
	if (most)
		ADD(examined, "discard", "queue/discard_max_bytes", "up to %s at once", format_size(size, most))
			->detail = true;
	else
		add(examined, "discard", "queue/discard_max_bytes", "no")->detail = true;
}

static const char *rotational_in_words(const struct layer *layer)
{
	const struct path_kind *kind = path_kind(layer->path);

	if (!layer->rotational)
		return "no";
	return kind && kind->hosted ? "yes, as the hypervisor has it" : "yes";
}

static void add_medium_facts(const struct examined *examined)
{
	const struct layer *layer = examined->layer;

	if (!host_exists("/sys/class/block/%s/queue/rotational", layer->name))
		return;
	add(examined, "rotational", "queue/rotational", rotational_in_words(layer))->detail = true;
	if (layer->leaf && !layer->memory)
		add(examined, "link", NULL, layer->link ? layer->link : "unknown")->detail = true;
}

/* --- arrays --- */

static void add_array(const struct examined *examined)
{
	char *action = read_word(examined, "md/sync_action");
	uint64_t missing = 0;
	struct finding *finding;

	if (action) {
		finding = add(examined, "sync", "md/sync_action", action);
		if (!strcmp(action, "idle"))
			finding_is_fine(finding);
		else
			blame(finding, FITNESS_LIMITED,
			      xasprintf("The array %s is busy with itself (%s), which slows down all else.",
					examined->layer->name, action),
			      xasprintf("wait until it is done: sudo mdadm --wait /dev/%s", examined->layer->name));
	}
	if (read_attribute(examined, "md/degraded", &missing) && missing)
		blame(ADD(examined, "missing", "md/degraded", "%llu", (unsigned long long)missing), FITNESS_LIMITED,
		      xasprintf("The array %s lacks a disk: it has less to read from, and more to work out.",
				examined->layer->name),
		      xasprintf("see sudo mdadm --detail /dev/%s", examined->layer->name));
	free(action);
}

/* --- partitions --- */

/* Some report sizes that are none, such as 65,535 of their blocks. */
#define LARGEST_OPTIMAL (16ull << 20)

static bool misses_optimal(const struct layer *layer, uint64_t bytes)
{
	uint64_t optimal = 0;

	host_read_number(&optimal, "/sys/class/block/%s/queue/optimal_io_size", layer->parent_disk);
	return optimal && optimal <= LARGEST_OPTIMAL && optimal % 4096 == 0 && bytes % optimal;
}

/*
 * Some disks number their blocks so that a physical one begins at block 63, where old partitions do: the kernel knows
 * that as `alignment_offset`, which is 0 where all is well (Documentation/ABI/stable/sysfs-block).
 */
static bool is_misaligned(const struct examined *examined, uint64_t bytes)
{
	char *offset = read_word(examined, "alignment_offset");
	bool is = examined->layer->physical_block && bytes % examined->layer->physical_block &&
		  !(offset && !strcmp(offset, "0"));

	free(offset);
	return is;
}

static void add_alignment(const struct examined *examined)
{
	const struct layer *layer = examined->layer;
	struct finding *finding;
	uint64_t start, bytes;

	if (!read_attribute(examined, "start", &start))
		return;
	bytes = start * SECTOR;
	finding = ADD(examined, "start", "start", "at byte %llu%s", (unsigned long long)bytes,
		      misses_optimal(layer, bytes) ? ", not at a multiple of the disk's optimal I/O size" : "");
	if (!is_misaligned(examined, bytes))
		finding_is_fine(finding);
	else
		blame(finding, FITNESS_LIMITED,
		      xasprintf("%s does not begin where a physical block of %llu bytes does: each write of a block "
				"touches two, and may first have to read them.",
				layer->name, (unsigned long long)layer->physical_block),
		      xstrdup("make the partition anew, at a multiple of 1 MiB"));
}

void doctor_disk(struct section *section, const struct layer *layer)
{
	const struct examined examined = {.section = section, .layer = layer};

	if (layer->parent_disk) {
		add_alignment(&examined);
		return;
	}
	add_kind(&examined);
	add_memory(&examined);
	add_file(&examined);
	add_array(&examined);
	add_cache(&examined);
	add_scheduler(&examined);
	add_depth(&examined);
	add_accounting(&examined);
	add_request_size(&examined);
	add_discard(&examined);
	add_blocks(&examined);
	add_medium_facts(&examined);
}
