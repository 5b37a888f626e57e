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

struct files_struct;
struct inode;
struct mm_struct;
struct io_uring_task;

struct thread_info {
	unsigned int status;
};

struct task_struct {
	struct thread_info thread_info;
	unsigned int flags;
	int tgid;
	char comm[16];
	struct task_struct *group_leader;
	struct files_struct *files;
	struct mm_struct *mm;
	unsigned long maj_flt;
	unsigned int __state;
	void *stack;
	void *worker_private;
};

/* Before 5.17. */
struct task_struct___worker {
	void *pf_io_worker;
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
	uint64_t bi_sector;
	unsigned int bi_size;
};

struct page;

struct bio_vec {
	struct page *bv_page;
};

struct bio {
	struct bio *bi_next;
	struct block_device *bi_bdev;
	unsigned int bi_opf;
	uint8_t bi_status;
	struct bvec_iter bi_iter;
	void *bi_end_io;
	void *bi_private;
	struct bio_vec *bi_io_vec;
};

struct request_queue {
	struct gendisk *disk;
};

struct request {
	struct request_queue *q;
	unsigned int cmd_flags;
	unsigned int __data_len;
	struct bio *bio;
	struct bio *biotail;
	struct block_device *part;
};

enum req_flag_bits {
	__REQ_META = 12,
	__REQ_FUA = 17,
	__REQ_PREFLUSH = 18,
};

/* --- files (include/linux/fs.h, fdtable.h) --- */

struct file;

struct fdtable {
	unsigned int max_fds;
	struct file **fd;
};

struct files_struct {
	struct fdtable *fdt;
};

struct super_block {
	uint32_t s_dev;
	unsigned long s_flags;
	unsigned long s_magic;
	void *s_fs_info;
};

struct inode {
	uint16_t i_mode;
	unsigned int i_flags;
	struct super_block *i_sb;
	uint32_t i_rdev;
};

struct address_space;

struct file {
	struct inode *f_inode;
	struct address_space *f_mapping;
	unsigned int f_flags;
};

struct address_space {
	struct inode *host;
};

struct page {
	unsigned long compound_head;
	struct address_space *mapping;
};

/* --- direct I/O (include/linux/fs.h, fs/iomap/direct-io.c, block/fops.c) --- */

struct kiocb {
	struct file *ki_filp;
	void *ki_complete;
	int ki_flags;
};

struct work_struct {
	void *func;
};

struct iomap_dio {
	struct kiocb *iocb;
	struct {
		struct task_struct *waiter;
	} submit;
	struct {
		struct work_struct work;
	} aio;
};

struct blkdev_dio {
	struct kiocb *iocb;
	unsigned int flags;
	struct bio bio;
};

/* What submit_bio_wait() sleeps on (include/linux/completion.h, swait.h). */
struct list_head {
	struct list_head *next;
};

struct swait_queue_head {
	struct list_head task_list;
};

struct completion {
	struct swait_queue_head wait;
};

struct swait_queue {
	struct task_struct *task;
	struct list_head task_list;
};

/* --- libaio (fs/aio.c) --- */

struct kioctx {
	unsigned long user_id;
};

struct kioctx_table {
	unsigned int nr;
	struct kioctx *table[0];
};

struct mm_struct {
	struct kioctx_table *ioctx_table;
};

struct io_event {
	uint64_t obj;
	int64_t res;
};

struct aio_kiocb {
	struct kioctx *ki_ctx;
	struct io_event ki_res;
};

/* --- io_uring (include/linux/io_uring_types.h) --- */

struct io_cqe {
	uint64_t user_data;
	int res;
};

struct io_ring_ctx;

struct io_wq_work {
	unsigned int flags;
};

/* What a worker thread is (io_uring/io-wq.c). */
struct io_worker {
	struct io_wq_work *cur_work;
};

struct io_kiocb {
	struct file *file;
	uint8_t opcode;
	struct io_cqe cqe;
	struct io_ring_ctx *ctx;
	unsigned int flags;
	struct io_wq_work work;
};

/* Before 5.19. */
struct io_kiocb___data {
	uint64_t user_data;
};

/* --- FUSE (fs/fuse/fuse_i.h, include/uapi/linux/fuse.h) --- */

struct fuse_in_header {
	uint32_t len;
	uint32_t opcode;
};

struct fuse_out_header {
	uint32_t len;
	int32_t error;
};

struct fuse_mount {
	struct super_block *sb;
};

struct fuse_args {
	void *end;
};

struct fuse_req {
	struct fuse_args *args;
	struct {
		struct fuse_in_header h;
	} in;
	struct {
		struct fuse_out_header h;
	} out;
	struct fuse_mount *fm;
};

struct fuse_args_pages {
	struct fuse_args args;
	struct page **pages;
};

/* Since 6.13 or so. */
struct fuse_args_pages___folios {
	struct folio **folios;
};

struct fuse_io_priv {
	struct kiocb *iocb;
};

struct fuse_io_args {
	struct fuse_args_pages ap;
	struct fuse_io_priv *io;
};

struct fuse_writepage_args {
	struct fuse_io_args ia;
	struct inode *inode;
};

/* --- registers at a system call (arch/.../include/asm/ptrace.h) --- */

#if defined(__TARGET_ARCH_x86)
struct pt_regs {
	unsigned long di, si, dx, r10, cx, ip, orig_ax;
};
#elif defined(__TARGET_ARCH_arm64)
struct pt_regs {
	uint64_t regs[31];
	uint64_t orig_x0;
	int syscallno;
};
#endif

#pragma clang attribute pop

#endif
