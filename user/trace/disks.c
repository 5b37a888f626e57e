// SPDX-License-Identifier: GPL-2.0
#include "disks.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "base/log.h"
#include "base/text.h"
#include "host/block.h"
#include "host/files.h"

static uint32_t kernel_device(dev_t device)
{
	return major(device) << 20 | minor(device);
}

/* The number of a device as the kernel keeps it. 0 or -errno. */
static int kernel_number(const char *name, uint32_t *number)
{
	dev_t device;
	int err = block_number(name, &device);

	if (!err)
		*number = kernel_device(device);
	return err;
}

/* --- the layers --- */

static uint32_t flags_of(const struct layer *layer)
{
	uint32_t flags = layer->has_requests ? LAYER_REQUESTS : LAYER_BIOS;

	if (layer->has_requests && !layer->parent_disk && block_is_scsi(layer->name))
		flags |= LAYER_SCSI;
	if (layer->write_cache && !strcmp(layer->write_cache, "write back") && !layer->fua)
		flags |= LAYER_NO_FUA;
	return layer->parent_disk ? flags | LAYER_PARTITION : flags;
}

/* A path of NVMe multipath has no number, and its bios come through the queue of the head. */
static int hide(struct trace_config *config, struct trace_layer *entry)
{
	for (uint32_t i = 0; i < config->layers; i++) {
		if (!block_is_path_of(entry->name, config->layer[i].name))
			continue;
		entry->flags |= LAYER_HIDDEN;
		entry->queued_on = i;
		return 0;
	}
	return -ENODEV;
}

static int add_layer(struct trace_config *config, const struct layer *layer)
{
	struct trace_layer *entry = &config->layer[config->layers];
	int err;

	snprintf(entry->name, sizeof(entry->name), "%s", layer->name);
	entry->flags = flags_of(layer);
	entry->queued_on = config->layers;
	err = kernel_number(layer->name, &entry->number);
	if (err && hide(config, entry))
		return err;
	config->flags |= entry->flags;
	config->layers++;
	return 0;
}

static int layer_named(const struct trace_config *config, const char *name)
{
	for (uint32_t i = 0; i < config->layers; i++)
		if (!strcmp(config->layer[i].name, name))
			return i;
	return -1;
}

/* --- what stands on what --- */

static bool is_disk(const struct trace_layer *layer)
{
	return !(layer->flags & LAYER_PARTITION);
}

/* Notes of all disks below `upper`, however far, that it stands on them. */
static void note_above(struct trace_config *config, uint32_t upper)
{
	uint32_t number = config->layer[upper].number;
	struct layer *layer;
	size_t layers;

	if (!number || block_stack(makedev(number >> 20, number & 0xfffff), &layer, &layers))
		return;
	for (size_t i = 0; i < layers; i++) {
		int lower = layer_named(config, layer[i].name);

		if (lower >= 0 && lower != (int)upper && is_disk(&config->layer[lower]))
			config->layer[lower].above |= 1u << upper;
		layer_clear(&layer[i]);
	}
	free(layer);
}

/* Whether nothing but loop devices, and what these carry, stands on it: the files on it are used directly, too. */
static bool carries_files(const struct trace_config *config, const struct layer *const *chosen, uint32_t index)
{
	uint32_t above = config->layer[index].above, through_loops = 0;

	for (uint32_t i = 0; i < config->layers; i++)
		if (above & 1u << i && chosen[i]->backing_file)
			through_loops |= 1u << i | config->layer[i].above;
	return !(above & ~through_loops);
}

/*
 * Where I/O comes in: the disk of the one file (of a btrfs of several, each of them); else the disks that were named,
 * or all that carry files.
 */
static bool is_top(const struct trace_config *config, const struct trace_wish *wish, const struct layer *const *chosen,
		   uint32_t index)
{
	if (wish->file >= 0 || wish->files_of_layers)
		return !config->layer[index].above;
	return carries_files(config, chosen, index);
}

static void choose_tops(struct trace_config *config, const struct trace_wish *wish, const struct layer *const *chosen)
{
	for (uint32_t i = 0; i < config->layers; i++) {
		struct trace_layer *layer = &config->layer[i];

		if (!is_disk(layer) || layer->flags & LAYER_HIDDEN)
			continue;
		if (is_top(config, wish, chosen, i))
			layer->flags |= LAYER_TOP;
		config->flags |= layer->flags;
	}
}

char *disks_top(const struct trace_config *config)
{
	const char *name = NULL;

	for (uint32_t i = 0; i < config->layers; i++)
		if (config->layer[i].flags & LAYER_TOP)
			name = name ? "all disks" : config->layer[i].name;
	return xstrdup(name ? name : config->layer[0].name);
}

/* --- where files lie --- */

static int add_files_on(struct trace_config *config, const char *name);

/* Frees `names`, which may be NULL. */
static int add_files_on_all(struct trace_config *config, char **names)
{
	int err = 0;

	for (char **name = names; name && *name && !err; name++)
		err = add_files_on(config, *name);
	strings_free(names);
	return err;
}

/* The device itself, its partitions, and what stands on any of them. 0, or -E2BIG. */
static int add_files_on(struct trace_config *config, const char *name)
{
	uint32_t number;
	int err;

	if (kernel_number(name, &number))
		return 0;
	for (uint32_t i = 0; i < config->files_on; i++)
		if (config->file_on[i] == number)
			return 0;
	if (config->files_on == MAX_LAYERS)
		return -E2BIG;
	config->file_on[config->files_on++] = number;
	err = add_files_on_all(config, block_partitions(name));
	return err ? err : add_files_on_all(config, host_list("/sys/class/block/%s/holders", name));
}

/* Of a partition that was named, not its whole disk; and not what lies below the disks that were named. */
static bool may_carry_files(const struct trace_config *config, uint32_t index)
{
	bool partition = !is_disk(&config->layer[0]);

	return index ? config->layer[index].flags & LAYER_TOP && !(partition && config->layer[0].disk == index)
		     : partition || config->layer[0].flags & LAYER_TOP;
}

static void choose_files(struct trace_config *config)
{
	int err = 0;

	for (uint32_t i = 0; i < config->layers && !err; i++)
		if (may_carry_files(config, i))
			err = add_files_on(config, config->layer[i].name);
	if (!err)
		return;
	log_detail("more than %d devices may carry files here: I/O on any file counts", MAX_LAYERS);
	config->files_on = 0;
}

/* --- all of it --- */

/*
 * All layers but partitions further down (of md's members, say): those have no I/O of their own that their disk's layer
 * does not show.
 */
int disks_choose(struct trace_config *config, const struct trace_wish *wish, const struct layer *chosen[MAX_LAYERS])
{
	int err = wish->layers || wish->remote ? 0 : -ENODEV, disk;

	if (wish->remote && wish->remote_device)
		config->file_on[config->files_on++] = kernel_device(wish->remote_device);
	for (size_t i = 0; i < wish->layers && !err; i++) {
		if (i && wish->layer[i].parent_disk)
			continue;
		if (config->layers == MAX_LAYERS)
			return -E2BIG;
		chosen[config->layers] = &wish->layer[i];
		err = add_layer(config, &wish->layer[i]);
	}
	if (err || !wish->layers)
		return err;
	disk = wish->layer[0].parent_disk ? layer_named(config, wish->layer[0].parent_disk) : -1;
	if (disk > 0)
		config->layer[0].disk = disk;
	for (uint32_t i = 0; i < config->layers; i++)
		if (is_disk(&config->layer[i]))
			note_above(config, i);
	choose_tops(config, wish, chosen);
	if (wish->file >= 0 || wish->files_of_layers)
		choose_files(config);
	return 0;
}
