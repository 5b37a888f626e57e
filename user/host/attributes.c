// SPDX-License-Identifier: GPL-2.0
#include "attributes.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "files.h"

/* SCSI has a vendor beside the model, which says nothing where it is "ATA"; virtio's is a number. */
static char *disk_model(const char *disk)
{
	char *model = host_read_line("/sys/class/block/%s/device/model", disk);
	char *vendor = model ? host_read_line("/sys/class/block/%s/device/vendor", disk) : NULL;
	char *both = NULL;

	if (vendor && strcmp(vendor, "ATA") != 0 && strncmp(vendor, "0x", 2) != 0) {
		both = xasprintf("%s %s", vendor, model);
		free(model);
	}
	free(vendor);
	return both ? both : model;
}

/* SCSI's page of the unit's serial number: four bytes of header, the last two of them the length, then ASCII. */
static char *scsi_serial(const char *disk)
{
	size_t length, serial;
	char *page = host_read_bytes(&length, "/sys/class/block/%s/device/vpd_pg80", disk);
	char *start, *end, *copy = NULL;

	if (page && length > 4) {
		serial = (size_t)(unsigned char)page[2] << 8 | (unsigned char)page[3];
		end = page + 4 + (serial < length - 4 ? serial : length - 4);
		for (start = page + 4; start < end && (*start == ' ' || *start == '\0'); start++)
			;
		while (end > start && (end[-1] == ' ' || end[-1] == '\0'))
			end--;
		if (end > start)
			copy = xasprintf("%.*s", (int)(end - start), start);
	}
	free(page);
	return copy;
}

/* virtio-blk keeps it at the disk, NVMe and MMC at the device. */
static char *disk_serial(const char *disk)
{
	char *serial = host_read_line("/sys/class/block/%s/serial", disk);

	if (!serial)
		serial = host_read_line("/sys/class/block/%s/device/serial", disk);
	return serial ? serial : scsi_serial(disk);
}

/* Blanks at the ends may belong to the name, so only the line's end is cut off. */
static char *loop_file(const char *disk)
{
	char *file = host_read("/sys/class/block/%s/loop/backing_file", disk);
	size_t length = file ? strlen(file) : 0;

	if (length && file[length - 1] == '\n')
		file[length - 1] = '\0';
	return file;
}

/* The one in brackets, or the only one. */
static char *active_scheduler(const char *disk)
{
	char *line = host_read_line("/sys/class/block/%s/queue/scheduler", disk);
	char *open = line ? strchr(line, '[') : NULL, *close = open ? strchr(open, ']') : NULL;
	char *name;

	if (!close)
		return line;
	name = xasprintf("%.*s", (int)(close - open - 1), open + 1);
	free(line);
	return name;
}

static uint64_t queue_number(const char *disk, const char *attribute)
{
	uint64_t value = 0;

	host_read_number(&value, "/sys/class/block/%s/queue/%s", disk, attribute);
	return value;
}

/*
 * Tags are counted in each hardware queue, which nvme and virtio-blk have of their own. SCSI hosts may share one set
 * among all queues, which sysfs doesn't tell; but what a disk is sent at once never exceeds the queue depth of its own.
 */
static uint64_t sum_of_tags(const char *disk, char *const *queue)
{
	uint64_t sum = 0, tags, depth = 0;

	for (; *queue; queue++) {
		tags = 0;
		host_read_number(&tags, "/sys/class/block/%s/mq/%s/nr_tags", disk, *queue);
		sum += tags;
	}
	host_read_number(&depth, "/sys/class/block/%s/device/queue_depth", disk);
	return depth && depth < sum ? depth : sum;
}

static void describe_queues(const char *disk, struct layer *layer)
{
	char **queue = host_list("/sys/class/block/%s/mq", disk);

	if (!queue)
		return;
	layer->has_requests = true;
	/* Older kernels show a number for those without requests, too, which means nothing. */
	layer->queue_requests = queue_number(disk, "nr_requests");
	while (queue[layer->hardware_queues])
		layer->hardware_queues++;
	layer->tags = sum_of_tags(disk, queue);
	strings_free(queue);
}

void attributes_describe(const char *disk, struct layer *layer)
{
	layer->model = disk_model(disk);
	layer->serial = disk_serial(disk);
	layer->backing_file = loop_file(disk);
	layer->scheduler = active_scheduler(disk);
	layer->write_cache = host_read_line("/sys/class/block/%s/queue/write_cache", disk);
	layer->fua = queue_number(disk, "fua") != 0;
	layer->rotational = queue_number(disk, "rotational") != 0;
	layer->logical_block = queue_number(disk, "logical_block_size");
	layer->physical_block = queue_number(disk, "physical_block_size");
	layer->max_request_bytes = queue_number(disk, "max_sectors_kb") * 1024;
	describe_queues(disk, layer);
}
