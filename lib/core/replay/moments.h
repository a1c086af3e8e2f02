/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * moments.h - when something happens to jobs, in order of time
 *
 * Private to lib/core/replay.  At one time jobs are in the order of their numbers.
 */
#ifndef TB_CORE_REPLAY_MOMENTS_H
#define TB_CORE_REPLAY_MOMENTS_H

#include <stdint.h>

struct tb_moment {
	int64_t at;
	unsigned job;
	uint32_t cores; /* of the job */
};

/* All zero: none.  The caller gives it room for all and frees it. */
struct tb_moments {
	struct tb_moment *list;
	unsigned count;
};

/* Of a heap only the first is in its place. */
void tb_heap_push(struct tb_moments *heap, struct tb_moment moment);
struct tb_moment tb_heap_pop(struct tb_moments *heap);

/* Sorted; what is dropped is there. */
void tb_moments_add(struct tb_moments *moments, struct tb_moment moment);
void tb_moments_drop(struct tb_moments *moments, struct tb_moment moment);

#endif
