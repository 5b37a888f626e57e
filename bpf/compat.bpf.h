/* SPDX-License-Identifier: GPL-2.0 */
/* Every difference between kernels that the programs must know. Found by BTF, never by version. */
#ifndef BPF_COMPAT_H
#define BPF_COMPAT_H

#include <iostrata/shared.h>

#include "kernel.bpf.h"

/* The disk's number as the kernel keeps it (MKDEV); 0 where a request has no disk (passthrough to a controller). */
static __always_inline uint32_t disk_number(struct gendisk *disk)
{
	return disk ? (uint32_t)disk->major << 20 | (uint32_t)disk->first_minor : 0;
}

/* The low 8 bits of cmd_flags and bi_opf are the REQ_OP_ number; these five have been the same since 4.10. */
static __always_inline enum op op_of_flags(unsigned int flags)
{
	switch (flags & 0xff) {
	case 0:
		return OP_READ;
	case 1:
		return OP_WRITE;
	case 2:
		return OP_FLUSH;
	case 3:
		return OP_DISCARD;
	case 9:
		return OP_WRITE_ZEROES;
	default:
		return OP_OTHER;
	}
}

static __always_inline bool asks_preflush(unsigned int flags)
{
	return flags & 1u << bpf_core_enum_value(enum req_flag_bits, __REQ_PREFLUSH);
}

static __always_inline bool asks_fua(unsigned int flags)
{
	return flags & 1u << bpf_core_enum_value(enum req_flag_bits, __REQ_FUA);
}

static __always_inline bool is_metadata(unsigned int flags)
{
	return flags & 1u << bpf_core_enum_value(enum req_flag_bits, __REQ_META);
}

/* --- system calls --- */

#if defined(__TARGET_ARCH_x86)
#define CALL_NUMBER(regs)    ((regs)->orig_ax)
#define CALL_ARGUMENT1(regs) ((regs)->di)
#define CALL_ARGUMENT2(regs) ((regs)->si)
#define CALL_ARGUMENT3(regs) ((regs)->dx)
#define CALL_ARGUMENT4(regs) ((regs)->r10)
/* TS_COMPAT (arch/x86/include/asm/thread_info.h): a 32-bit call, whose numbers are others. */
#define IS_COMPAT_CALL(task) ((task)->thread_info.status & 2)
/* The syscall instruction leaves its return address in rcx; a fault finds there what the program had. */
#define IS_IN_CALL(regs) ((regs)->cx == (regs)->ip)
#elif defined(__TARGET_ARCH_arm64)
#define CALL_NUMBER(regs)    ((regs)->syscallno)
#define CALL_ARGUMENT1(regs) ((regs)->orig_x0) /* regs[0] holds the result at the end */
#define CALL_ARGUMENT2(regs) ((regs)->regs[1])
#define CALL_ARGUMENT3(regs) ((regs)->regs[2])
#define CALL_ARGUMENT4(regs) ((regs)->regs[3])
#define IS_COMPAT_CALL(task) false
/* NO_SYSCALL (arch/arm64/include/asm/ptrace.h). */
#define IS_IN_CALL(regs) ((regs)->syscallno != -1)
#endif

/* PF_KTHREAD (include/linux/sched.h, the same since 2.6.28). */
#define TASK_KERNEL 0x00200000

/* PF_IO_WORKER (5.12): a worker of io_uring. Kernel workers of workqueues have PF_WQ_WORKER, another bit. */
#define TASK_URING_WORKER 0x00000010

/* --- io_uring --- */

/* What the program named a request by. */
static __always_inline uint64_t uring_user_data(uint64_t req)
{
	struct io_kiocb *now = (void *)req;
	struct io_kiocb___data *before = (void *)req;
	uint64_t data = 0;

	if (bpf_core_field_exists(now->cqe))
		bpf_core_read(&data, sizeof(data), &now->cqe.user_data);
	else
		bpf_core_read(&data, sizeof(data), &before->user_data);
	return data;
}

static __always_inline uint64_t uring_context(uint64_t req)
{
	struct io_kiocb *now = (void *)req;
	uint64_t context = 0;

	bpf_core_read(&context, sizeof(context), &now->ctx);
	return context;
}

/* What the kernel knows a worker thread of io_uring by (a struct io_worker); 0: not known. */
static __always_inline uint64_t uring_worker(struct task_struct *task)
{
	struct task_struct___worker *before = (void *)task;
	uint64_t worker = 0;

	if (bpf_core_field_exists(task->worker_private))
		bpf_core_read(&worker, sizeof(worker), &task->worker_private);
	else if (bpf_core_field_exists(before->pf_io_worker))
		bpf_core_read(&worker, sizeof(worker), &before->pf_io_worker);
	return worker;
}

/* The result that the program gets, or 0 where it is not known here (before 5.19). */
static __always_inline int64_t uring_result(uint64_t req)
{
	struct io_kiocb *now = (void *)req;
	int result = 0;

	if (bpf_core_field_exists(now->cqe))
		bpf_core_read(&result, sizeof(result), &now->cqe.res);
	return result;
}

/* --- loops --- */

enum bpf_func_id___loop {
	BPF_FUNC_loop___loop = 181,
};

static __always_inline bool has_loops(void)
{
	return bpf_core_enum_value_exists(enum bpf_func_id___loop, BPF_FUNC_loop___loop);
}

/*
 * Calls `round` (static, of an index and the context) until it returns other than 0, `rounds` times at the most. Before
 * 5.17 a loop must be bounded, and is gone through by the verifier round by round: there it is `few` times at the most.
 */
#define repeat(rounds, few, round, context)                                                                            \
	do {                                                                                                           \
		if (has_loops()) {                                                                                     \
			bpf_loop(rounds, round, context, 0);                                                           \
			break;                                                                                         \
		}                                                                                                      \
		for (uint32_t i = 0; i < (few) && i < (rounds); i++)                                                   \
			if (round(i, context))                                                                         \
				break;                                                                                 \
	} while (0)

#endif
