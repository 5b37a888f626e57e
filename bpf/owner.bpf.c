// SPDX-License-Identifier: GPL-2.0
/* Whose bio it is. Kernel threads write for others: what they write tells for whom. */
#include "task.bpf.h"
#include "trace.bpf.h"

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, MAX_FOREIGNERS);
	__type(key, struct foreigner);
	__type(value, struct foreigner_counts);
} foreigners SEC(".maps");

/* What had no room there. */
volatile struct bio_counts foreign_unnamed[OPS] = {};

/* The journal of ext4 and ocfs2: a thread for each, "jbd2/sda1-8". */
static __always_inline bool is_jbd2(const struct task_struct *task)
{
	return task->comm[0] == 'j' && task->comm[1] == 'b' && task->comm[2] == 'd' && task->comm[3] == '2';
}

/* PAGE_MAPPING_FLAGS (include/linux/mm.h): an anonymous page, or a movable one. */
#define MAPPING_FLAGS 3ull

/* The inode whose page cache the bio's first page is in (its address), or 0. */
static __always_inline uint64_t inode_of_bio(uint64_t bio)
{
	uint64_t vector = 0, page = 0, head = 0, mapping = 0, inode = 0;

	read_field(&vector, struct bio, bio, bi_io_vec);
	if (vector)
		read_field(&page, struct bio_vec, vector, bv_page);
	if (!page)
		return 0;
	/* Bit 0: a tail of a larger page, of which only the head knows the mapping. */
	read_field(&head, struct page, page, compound_head);
	if (head & 1)
		page = head - 1;
	read_field(&mapping, struct page, page, mapping);
	if (mapping && !(mapping & MAPPING_FLAGS))
		read_field(&inode, struct address_space, mapping, host);
	return inode;
}

static __always_inline bool is_own_inode(uint64_t inode)
{
	return inode && bpf_map_lookup_elem(&own_inodes, &inode);
}

__noinline int owner_of(const struct arrival *arrival)
{
	struct task_struct *task = bpf_get_current_task_btf();

	if (!arrival || !is_kernel_thread(task))
		return OWNER_OTHERS;
	if (is_jbd2(task))
		return OWNER_JOURNAL;
	return arrival->op == OP_WRITE && is_own_inode(inode_of_bio(arrival->bio)) ? OWNER_WRITEBACK : OWNER_OTHERS;
}

/* Kernel workers are called by what they do last; all of them stand under one name. */
static __always_inline void name_worker(struct foreigner *who, const struct arrival *arrival)
{
	if (arrival->op == OP_WRITE && inode_of_bio(arrival->bio)) {
		who->kind = FOREIGNER_WRITEBACK;
		__builtin_memcpy(who->command, "writeback", sizeof("writeback"));
		return;
	}
	who->kind = FOREIGNER_KERNEL;
	__builtin_memcpy(who->command, "kworker", sizeof("kworker"));
}

static __always_inline void name_foreigner(struct foreigner *who, const struct arrival *arrival, uint32_t owner)
{
	struct task_struct *task = bpf_get_current_task_btf();

	if (is_kernel_thread(task) && task->comm[0] == 'k' && task->comm[1] == 'w' && task->comm[2] == 'o') {
		if (owner != OWNER_JOURNAL) {
			name_worker(who, arrival);
			return;
		}
		__builtin_memcpy(who->command, "xfs log", sizeof("xfs log"));
	} else {
		bpf_get_current_comm(who->command, sizeof(who->command));
	}
	who->kind = owner == OWNER_JOURNAL ? FOREIGNER_JOURNAL
		    : is_kernel_thread(task) ? FOREIGNER_KERNEL
					     : FOREIGNER_PROCESS;
}

static __always_inline struct foreigner_counts *counts_of_foreigner(const struct foreigner *who)
{
	static const struct foreigner_counts zero;
	struct foreigner_counts *counts = bpf_map_lookup_elem(&foreigners, who);

	if (counts)
		return counts;
	bpf_map_update_elem(&foreigners, who, &zero, BPF_NOEXIST);
	return bpf_map_lookup_elem(&foreigners, who);
}

__noinline int count_foreigner(const struct arrival *arrival, uint32_t owner)
{
	struct foreigner who = {};
	struct foreigner_counts *counts;
	uint32_t op, size;

	if (!arrival || arrival->op >= OPS)
		return 0;
	op = arrival->op;
	size = arrival->size;
	name_foreigner(&who, arrival, owner);
	counts = counts_of_foreigner(&who);
	if (counts) {
		__sync_fetch_and_add(&counts->op[op].bios, 1);
		__sync_fetch_and_add(&counts->op[op].bytes, size);
	} else {
		__sync_fetch_and_add(&foreign_unnamed[op].bios, 1);
		__sync_fetch_and_add(&foreign_unnamed[op].bytes, size);
	}
	return 0;
}
