/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The fields of kernel structures that we read; libbpf moves them to where the running kernel has them (CO-RE). Names
 * are the kernel's (include/linux/blk-mq.h, blk_types.h, blkdev.h, sched.h).
 */
#ifndef BPF_KERNEL_H
#define BPF_KERNEL_H

#include <linux/bpf.h>
#include <stdbool.h>
#include <stdint.h>

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct task_struct {
	struct task_struct *group_leader;
};

struct gendisk {
	int major;
	int first_minor;
	char disk_name[32];
};

struct block_device {
	struct gendisk *bd_disk;
	uint32_t bd_dev;
};

struct bvec_iter {
	unsigned int bi_size;
};

struct bio {
	struct bio *bi_next;
	struct block_device *bi_bdev;
	unsigned int bi_opf;
	uint8_t bi_status;
	struct bvec_iter bi_iter;
	void *bi_end_io;
	void *bi_private;
};

struct request_queue {
	struct gendisk *disk;
};

struct request {
	struct request_queue *q;
	unsigned int cmd_flags;
	unsigned int __data_len;
	struct bio *bio;
	struct block_device *part;
};

enum req_flag_bits {
	__REQ_PREFLUSH = 18,
};

#pragma clang attribute pop

#endif
