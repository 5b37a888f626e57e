/* SPDX-License-Identifier: GPL-2.0 */
/* The channels of Hyper-V's bus by which its disks are reached, and what the kernel counts of them without a trace. */
#ifndef HOST_VMBUS_H
#define HOST_VMBUS_H

#include "result/result.h"

/*
 * Since the channels were opened. A kick is a signal to the host (a hypercall, which is an exit of the virtual
 * machine); it is left out while the host still empties the ring, so that one may be for several I/Os.
 */
struct vmbus_counts {
	uint64_t kicks, interrupts;
	size_t leaves; /* that hang on these channels */
};

/*
 * The directory of the storvsc controller that a disk hangs on, without the root: "/sys/devices/.../VMBUS:00/<guid>".
 * NULL for other disks; the caller frees it. That of a PCI bus which Hyper-V passes through has channels, too: but they
 * carry its configuration and no I/O, so it is none.
 */
char *vmbus_controller(const char *disk);

/*
 * Of all channels of the controllers that leaves among `layers` hang on, each once: `events` and `interrupts` of
 * channels/<number>/ (drivers/hv/vmbus_drv.c, Documentation/ABI/stable/sysfs-bus-vmbus). All disks of a controller are
 * in them. False where one can't be read.
 */
bool vmbus_read(const struct layer *layers, size_t count, struct vmbus_counts *counts);

/* The kicks alone. False where there are no leaves, or one of them does not hang on such a controller. */
bool vmbus_read_kicks(const struct layer *layers, size_t count, uint64_t *kicks);

#endif
