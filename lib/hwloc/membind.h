/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * membind.h - the memory policy of a process: which NUMA nodes it prefers
 *
 * A policy is no limit: when the nodes are full memory comes from others, and
 * the process may change it.  Its children inherit it.
 */
#ifndef TB_HWLOC_MEMBIND_H
#define TB_HWLOC_MEMBIND_H

#include "core/base/bitset.h"
#include "core/base/error.h"

struct tb_membind;

/*
 * Get ready, with the OS nodes that the machine has; what follows can be called
 * in processes that are forked later.  NULL with a sentence in err.
 */
struct tb_membind *tb_membind_create(const struct tb_bitset *os_nodes,
				     struct tb_error *err);
void tb_membind_destroy(struct tb_membind *membind); /* NULL is fine */

/*
 * Let the calling process, which has one thread, prefer some OS nodes, and look
 * whether it does.  An old kernel prefers the first of them only.  0, or -1
 * with a sentence in err.
 */
int tb_membind_prefer(const struct tb_membind *membind,
		      const struct tb_bitset *os_nodes, struct tb_error *err);

#endif
