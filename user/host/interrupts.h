/* SPDX-License-Identifier: GPL-2.0 */
/* The interrupts by which disks tell that I/Os have ended, as the kernel counts them. */
#ifndef HOST_INTERRUPTS_H
#define HOST_INTERRUPTS_H

#include "result/result.h"

/*
 * How many those among `layers` that are leaves have had since the machine started, on all CPUs. False where one of
 * them has none that are known as its own: known are those of virtio-blk ("virtio1-req.0", drivers/block/virtio_blk.c,
 * or of all its queues, "virtio1-virtqueues") and of NVMe ("nvme0q1", drivers/nvme/host/pci.c; queue 0 is for
 * administration) in /proc/interrupts, which counts in 32 bits for each CPU; and of Hyper-V's disks, which share one
 * line there, those of their channels (vmbus.h).
 */
bool interrupts_read(const struct layer *layers, size_t count, uint64_t *interrupts);

#endif
