// SPDX-License-Identifier: GPL-2.0
#include "target.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/format.h"
#include "base/text.h"
#include "result/path.h"
#include "screen.h"

/* More disks than these are counted, not named. */
#define MOST_NAMED 4

/* "1 TB", "275 GB": powers of 1000, as disks are sold. */
static void add_capacity(struct text *text, uint64_t bytes)
{
	static const char *const unit[] = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
	char number[FORMAT_LENGTH];
	double amount = (double)bytes;
	size_t i = 0;

	for (; i + 1 < ARRAY_SIZE(unit) && amount >= 999.5; i++)
		amount /= 1000;
	format_fixed(number, amount, amount < 9.995 ? 2 : amount < 99.95 ? 1 : 0);
	if (strchr(number, '.')) {
		while (number[strlen(number) - 1] == '0')
			number[strlen(number) - 1] = '\0';
		if (number[strlen(number) - 1] == '.')
			number[strlen(number) - 1] = '\0';
	}
	text_addf(text, "%s %s", number, unit[i]);
}

static const struct layer *find_layer(const struct target *target, const char *name)
{
	for (size_t i = 0; i < target->layers; i++)
		if (!strcmp(target->layer[i].name, name))
			return &target->layer[i];
	return NULL;
}

/* What a layer is made of: of a partition, its disk. */
static const struct layer *layer_body(const struct target *target, const struct layer *layer)
{
	const struct layer *disk = layer->parent_disk ? find_layer(target, layer->parent_disk) : NULL;

	return disk ? disk : layer;
}

/* Model and size, or the file behind a loop device. Empty when nothing is known. */
static char *describe_body(const struct layer *body)
{
	struct text text = {0};

	if (body->backing_file)
		text_addf(&text, "file %s", body->backing_file);
	else if (body->model)
		text_addf(&text, "%s", body->model);
	if (body->size) {
		if (text.length)
			text_addf(&text, ", ");
		add_capacity(&text, body->size);
	}
	return text_take(&text);
}

/* The end of a branch is named once: as the partition that is used, or else as the disk. */
static bool is_end(const struct target *target, const struct layer *layer)
{
	return layer_body(target, layer)->leaf;
}

static bool is_named_by_partition(const struct target *target, const struct layer *disk)
{
	for (size_t i = 0; i < target->layers; i++)
		if (target->layer[i].parent_disk && !strcmp(target->layer[i].parent_disk, disk->name))
			return true;
	return false;
}

/* The layers that the file system lies on itself. */
static size_t count_tops(const struct target *target)
{
	return target->members ? target->members : 1;
}

/* The layers below these that are ends, or those between them. */
static size_t pick_below(const struct target *target, bool ends, const struct layer **picked)
{
	size_t count = 0;

	for (size_t i = count_tops(target); i < target->layers; i++) {
		const struct layer *layer = &target->layer[i];

		if (!is_named_by_partition(target, layer) && is_end(target, layer) == ends)
			picked[count++] = layer;
	}
	return count;
}

static void add_names(struct text *text, const struct layer *const *layers, size_t count, const char *many)
{
	if (count > MOST_NAMED) {
		text_addf(text, "%zu %s", count, many);
		return;
	}
	for (size_t i = 0; i < count; i++)
		text_addf(text, "%s%s", i ? ", " : "", layers[i]->name);
}

static bool all_alike(const struct target *target, const struct layer *const *ends, size_t count)
{
	char *first = describe_body(layer_body(target, ends[0]));
	bool alike = true;

	for (size_t i = 1; i < count && alike; i++) {
		char *other = describe_body(layer_body(target, ends[i]));

		alike = !strcmp(first, other);
		free(other);
	}
	free(first);
	return alike;
}

static void add_body(struct text *text, const struct target *target, const struct layer *end, size_t count)
{
	char *body = describe_body(layer_body(target, end));

	if (*body && count > 1)
		text_addf(text, " (%zu × %s)", count, body);
	else if (*body)
		text_addf(text, " (%s)", body);
	free(body);
}

static void add_ends(struct text *text, const struct target *target, const struct layer *const *ends, size_t count)
{
	if (count > MOST_NAMED || all_alike(target, ends, count)) {
		add_names(text, ends, count, "disks");
		if (all_alike(target, ends, count))
			add_body(text, target, ends[0], count);
		return;
	}
	for (size_t i = 0; i < count; i++) {
		text_addf(text, "%s%s", i ? ", " : "", ends[i]->name);
		add_body(text, target, ends[i], 1);
	}
}

/* Of several devices that are no ends just the names: what is below follows. */
static void add_tops(struct text *text, const struct target *target)
{
	const struct layer **top = xcalloc(target->layers, sizeof(const struct layer *));
	size_t count = count_tops(target), ends = 0;

	for (size_t i = 0; i < count; i++) {
		top[i] = &target->layer[i];
		ends += is_end(target, top[i]) || (count == 1 && top[i]->backing_file);
	}
	if (ends == count)
		add_ends(text, target, top, count);
	else
		add_names(text, top, count, "devices");
	free(top);
}

static void add_stack(struct text *text, const struct target *target)
{
	const struct layer **below = xcalloc(target->layers, sizeof(const struct layer *));
	size_t count;

	add_tops(text, target);
	count = pick_below(target, false, below);
	if (count) {
		text_addf(text, " over ");
		add_names(text, below, count, "devices");
	}
	count = pick_below(target, true, below);
	if (count) {
		text_addf(text, " over ");
		add_ends(text, target, below, count);
	}
	free(below);
}

/* Of several the loop devices are just named: their files are long names. */
static void add_disks_and_loops(struct text *text, const struct target *target, const struct layer *const *disks,
				size_t count)
{
	for (size_t i = 0; i < count; i++) {
		text_addf(text, "%s%s", i ? ", " : "", disks[i]->name);
		if (!disks[i]->backing_file)
			add_body(text, target, disks[i], 1);
	}
}

/* The disks that are watched, and the loop devices, which are none to the stack: what is on them is not of interest. */
static void add_disks(struct text *text, const struct target *target)
{
	const struct layer **disks = xcalloc(target->layers, sizeof(const struct layer *));
	size_t count = 0, loops = 0;

	for (size_t i = 0; i < target->layers; i++) {
		const struct layer *layer = &target->layer[i];

		if (layer->parent_disk || (!layer->leaf && !layer->backing_file))
			continue;
		disks[count++] = layer;
		loops += layer->backing_file != NULL;
	}
	if (loops && count > 1 && count <= MOST_NAMED)
		add_disks_and_loops(text, target, disks, count);
	else if (count)
		add_ends(text, target, disks, count);
	free(disks);
}

char *loops_in_words(const struct target *target, bool *many)
{
	const struct layer **loops = xcalloc(target->layers, sizeof(const struct layer *));
	struct text text = {0};
	size_t count = 0;

	for (size_t i = 0; i < target->layers; i++)
		if (target->layer[i].backing_file && !target->layer[i].leaf && !target->layer[i].parent_disk)
			loops[count++] = &target->layer[i];
	if (target->kind == TARGET_DISKS && target->given && !strcmp(target->given, "all disks"))
		add_names(&text, loops, count, "loop devices");
	free(loops);
	*many = count > 1;
	return text.length ? text_take(&text) : NULL;
}

/* One device was named, and the rest of the layers is what it stands on. */
static bool is_one_disk(const struct target *target)
{
	return target->layers && target->given && !strncmp(target->given, "/dev/", 5) && !strchr(target->given, ',');
}

char *target_in_words(const struct target *target)
{
	struct text text = {0};

	if (target->kind == TARGET_DISKS) {
		if (is_one_disk(target))
			add_stack(&text, target);
		else
			add_disks(&text, target);
		return text_take(&text);
	}
	if (target->kind == TARGET_DEVICE)
		text_addf(&text, "block device ");
	else if (target->filesystem)
		text_addf(&text, "%s%s", target->filesystem, target->layers ? " on " : " without a block device");
	if (target->layers)
		add_stack(&text, target);
	return text_take(&text);
}

/* The size of what was named, which the words of the path leave out. */
static void add_size(struct text *text, const struct target *target)
{
	struct text capacity = {0};
	char size[FORMAT_LENGTH];

	if (!target->layers || target->members || !target->layer[0].size)
		return;
	add_capacity(&capacity, target->layer[0].size);
	snprintf(size, sizeof(size), "%s", capacity.data);
	text_addf(text, DOT "%s" KEEP "%s", keep_together(size, sizeof(size)),
		  target->layer[0].parent_disk ? "partition" : "disk");
	text_free(&capacity);
}

char *target_with_path_in_words(const struct target *target)
{
	char *words = target_in_words(target), *path = path_in_words(target);
	struct text text = {0};

	if (!path)
		return words;
	if (target->kind == TARGET_DISKS && !is_one_disk(target)) {
		text_addf(&text, "%s%s%s", words, *words ? ": " : "", path);
	} else {
		text_addf(&text, "%s", path);
		add_size(&text, target);
	}
	free(path);
	free(words);
	return text_take(&text);
}
