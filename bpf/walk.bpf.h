/* SPDX-License-Identifier: GPL-2.0 */
/*
 * From a request's bios to the bios that were queued on its layer.
 *
 * A split makes the front piece a bio of its own, with bio_chain_endio as its end and the parent in bi_private; the
 * parent goes on as the last piece. A piece that was itself queued on this layer (md's children on their members are)
 * stands for itself, so the table is asked at each step before the next one is taken.
 */
#ifndef BPF_WALK_H
#define BPF_WALK_H

#include "trace.bpf.h"

static __always_inline struct bio_slot *bio_find(uint64_t bio, uint32_t layer)
{
	uint32_t key = set_of(bio);
	struct bio_set *set = bpf_map_lookup_elem(&bio_sets, &key);

	if (!set)
		return 0;
	for (int i = 0; i < TABLE_WAYS; i++)
		if (set->way[i].bio == bio && stamp_layer(set->way[i].queued) == layer)
			return &set->way[i];
	return 0;
}

static __always_inline bool is_piece(uint64_t bio)
{
	uint64_t end = 0;

	read_field(&end, struct bio, bio, bi_end_io);
	return config.symbol[SYMBOL_CHAIN] && end == config.symbol[SYMBOL_CHAIN];
}

static __always_inline uint64_t parent_of(uint64_t bio)
{
	uint64_t parent = 0;

	read_field(&parent, struct bio, bio, bi_private);
	return parent;
}

/* The slot of the queued bio that `bio` is or is a piece of; NULL when its Q was not recorded. */
static __always_inline struct bio_slot *queued_slot(uint64_t bio, uint32_t layer)
{
	for (int i = 0; i < MAX_CHAIN; i++) {
		struct bio_slot *slot = bio_find(bio, layer);

		if (slot)
			return slot;
		if (!is_piece(bio))
			return 0;
		bio = parent_of(bio);
	}
	return 0;
}

#endif
