// SPDX-License-Identifier: GPL-2.0
#include "link.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "block.h"
#include "files.h"
#include "machine.h"

#define MOST_LANES 32 /* a dead device reads as all ones, which is 63 lanes */

/* How many of the bits on the wire are the sender's own. */
struct encoding {
	unsigned useful, sent;
};

static const struct encoding plain = {1, 1};
static const struct encoding of_8b_10b = {8, 10};

/* In bytes per second; `rate` in 10^5 bits per second, as no bus has anything finer. */
static uint64_t capacity(uint64_t rate, unsigned lanes, struct encoding encoding)
{
	return rate * 100000 * lanes * encoding.useful / encoding.sent / 8;
}

/* The number that `text` begins with, in tenths: 60 of "6.0 Gbps", 50 of "5 GT/s"; 0 of "Unknown". */
static unsigned tenths(const char *text)
{
	unsigned whole, tenth = 0;

	return sscanf(text, "%u.%1u", &whole, &tenth) >= 1 ? whole * 10 + tenth : 0;
}

/* The same of an attribute; 0 where there is none. */
static unsigned attribute_tenths(const char *directory, const char *attribute)
{
	char *line = host_read_line("%s/%s", directory, attribute);
	unsigned value = line ? tenths(line) : 0;

	free(line);
	return value;
}

static char *with_lanes(const char *bus, unsigned rate, const char *unit, unsigned lanes)
{
	if (lanes == 1)
		return xasprintf("%s %u.%u %s", bus, rate / 10, rate % 10, unit);
	return xasprintf("%s %u.%u %s x%u", bus, rate / 10, rate % 10, unit, lanes);
}

/*
 * Each of the following is asked whether `path` in sysfs, the last component of which is `name`, is a device of its
 * bus, and sets the layer's link if so and if its speed is known.
 */
typedef bool bus(const char *path, const char *name, struct layer *layer);

/*
 * The link between the host and what is plugged in, with a port multiplier the one that all its disks share, is called
 * as the port (drivers/ata/libata-transport.c). 8b/10b: Serial ATA specification, link layer.
 */
static bool at_ata(const char *path, const char *name, struct layer *layer)
{
	unsigned port, rate;
	char *directory;
	int end = 0;

	(void)path;
	if (sscanf(name, "ata%u%n", &port, &end) != 1 || name[end])
		return false;
	directory = xasprintf("/sys/class/ata_link/link%u", port);
	rate = attribute_tenths(directory, "sata_spd");
	free(directory);
	if (rate) {
		layer->link = with_lanes("SATA", rate, "Gbit/s", 1);
		layer->link_bytes_per_second = capacity(rate * 1000ull, 1, of_8b_10b);
	}
	return true;
}

/*
 * A port has a link to each of its phys, which carry its I/O together and at one rate (drivers/scsi/
 * scsi_transport_sas.c). 8b/10b up to 12 Gbit/s; SAS-4 sends 150 bits for 128 at 22.5.
 */
static bool at_sas(const char *path, const char *name, struct layer *layer)
{
	static const struct encoding of_128b_150b = {128, 150};
	unsigned rate = 0, lane_rate, lanes = 0;
	char **entries, *directory;
	size_t i;

	if (strncmp(name, "port-", strlen("port-")) != 0)
		return false;
	entries = host_list("%s", path);
	for (i = 0; entries && entries[i]; i++) {
		directory = xasprintf("/sys/class/sas_phy/%s", entries[i]);
		lane_rate = attribute_tenths(directory, "negotiated_linkrate");
		free(directory);
		lanes += lane_rate != 0;
		rate = lane_rate > rate ? lane_rate : rate;
	}
	strings_free(entries);
	if (rate) {
		layer->link = with_lanes("SAS", rate, "Gbit/s", lanes);
		layer->link_bytes_per_second = capacity(rate * 1000ull, lanes, rate > 120 ? of_128b_150b : of_8b_10b);
	}
	return true;
}

/*
 * Documentation/ABI/stable/sysfs-bus-usb: speed in Mbit/s. USB 2 has no encoding but stuffed bits; 3 has 8b/10b, and
 * 128b/132b from 10 Gbit/s (USB 3.2 specification, physical layer). Two lanes of 5 Gbit/s show as 10000, too.
 */
static bool at_usb(const char *path, const char *name, struct layer *layer)
{
	static const struct encoding of_128b_132b = {128, 132};
	struct encoding encoding = plain;
	uint64_t speed = 0;

	(void)name;
	if (!host_exists("%s/busnum", path))
		return false;
	host_read_number(&speed, "%s/speed", path);
	if (!speed)
		return true;
	if (speed >= 5000)
		encoding = speed == 5000 ? of_8b_10b : of_128b_132b;
	layer->link = speed < 1000 ? xasprintf("USB %u Mbit/s", (unsigned)speed)
				   : with_lanes("USB", (unsigned)(speed / 100), "Gbit/s", 1);
	layer->link_bytes_per_second = capacity(speed * 10, 1, encoding);
	return true;
}

/* "0000:03:00.0"; domains of more digits are there, too. */
static bool is_pci_function(const char *name)
{
	unsigned domain, bus_number, device, function;
	int end = 0;

	return sscanf(name, "%x:%x:%x.%x%n", &domain, &bus_number, &device, &function, &end) == 4 && !name[end];
}

/*
 * PCI Express Base specification: 8b/10b at 2.5 and 5 GT/s, 128b/130b from 8 on, and from 64 on flits of 256 bytes, 14
 * of which are check and correction. Headers of packets come on top, so that no device gets all of it.
 */
static struct encoding pcie_encoding(unsigned rate)
{
	if (rate <= 50)
		return of_8b_10b;
	return rate < 640 ? (struct encoding){128, 130} : (struct encoding){242, 256};
}

/* Functions that are part of a chipset have no link, and virtual ones (SR-IOV) don't tell that of their card. */
static bool at_pci(const char *path, const char *name, struct layer *layer)
{
	uint64_t lanes = 0;
	unsigned rate;

	if (!is_pci_function(name))
		return false;
	rate = attribute_tenths(path, "current_link_speed");
	host_read_number(&lanes, "%s/current_link_width", path);
	if (rate && lanes && lanes <= MOST_LANES) {
		layer->link = xasprintf("PCIe %u.%u GT/s x%u", rate / 10, rate % 10, (unsigned)lanes);
		layer->link_bytes_per_second = capacity(rate * 1000ull, (unsigned)lanes, pcie_encoding(rate));
	}
	return true;
}

/* What would be found above these is the link of a network's or a card reader's controller, or a made up one. */
static bool at_another(const char *path, const char *name, struct layer *layer)
{
	static const char *const prefix[] = {"virtio", "rport-", "session", "mmc_host"};
	size_t i;

	(void)path, (void)layer;
	for (i = 0; i < ARRAY_SIZE(prefix); i++)
		if (strncmp(name, prefix[i], strlen(prefix[i])) == 0)
			return true;
	return false;
}

static const char *last_component(const char *path)
{
	return strrchr(path, '/') + 1;
}

static bool step_up(char *path)
{
	char *slash = strrchr(path, '/');

	if (slash == path)
		return false;
	*slash = '\0';
	return true;
}

static bool at_any_bus(const char *path, struct layer *layer)
{
	static bus *const buses[] = {at_another, at_ata, at_sas, at_usb, at_pci};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(buses); i++)
		if (buses[i](path, last_component(path), layer))
			return true;
	return false;
}

/* Makers of devices that are software; from the PCI ID repository. */
static bool is_maker_of_virtual_devices(const char *vendor)
{
	static const char *const makers[] = {
		"0x1af4", /* Red Hat: virtio, and the subsystem of all that QEMU emulates */
		"0x1b36", /* Red Hat: QEMU's own */
		"0x15ad", /* VMware */
		"0x1414", /* Microsoft */
		"0x80ee", /* VirtualBox */
		"0x1ab8", /* Parallels */
		"0x5853", /* XenSource */
		"0xfb5d", /* bhyve */
		"0x1d0f", /* Amazon */
		"0x1ae0", /* Google */
		"0x1ded", /* Alibaba */
	};
	size_t i;

	for (i = 0; vendor && i < ARRAY_SIZE(makers); i++)
		if (strcmp(vendor, makers[i]) == 0)
			return true;
	return false;
}

static bool is_virtual_function(const char *path)
{
	char *vendor = host_read_line("%s/vendor", path), *subsystem = host_read_line("%s/subsystem_vendor", path);
	bool is = is_maker_of_virtual_devices(vendor) || is_maker_of_virtual_devices(subsystem);

	free(vendor);
	free(subsystem);
	return is;
}

/*
 * Hypervisors emulate the link with the device: QEMU's SATA says 1.5 Gbit/s and its NVMe 2.5 GT/s x1, and both are many
 * times as fast. A PCI function may be passed through to a guest, with its real link, so it is told by its maker; disks
 * behind controllers aren't told apart, so that in a guest nothing is said of theirs.
 */
static bool is_made_up(char *path)
{
	if (!is_pci_function(last_component(path)) && machine_is_virtual())
		return true;
	do {
		if (is_pci_function(last_component(path)))
			return is_virtual_function(path);
	} while (step_up(path));
	return false;
}

void link_describe(const char *disk, struct layer *layer)
{
	char *path = block_directory(disk);

	if (!path)
		return;
	while (!at_any_bus(path, layer) && step_up(path))
		;
	if (layer->link && is_made_up(path)) {
		free(layer->link);
		layer->link = NULL;
		layer->link_bytes_per_second = 0;
	}
	free(path);
}
