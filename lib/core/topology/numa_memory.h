/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * numa_memory.h - the memory of NUMA nodes as text: "64214,64508"
 *
 * MiB of main memory, a number for each N object in string order; 0 where it has
 * none.  topobind.conf (Memory=) and a node's Extra field (m_memory=) have this form
 * (doc/design.md, "Topology strings" and "Configuration").
 */
#ifndef TB_CORE_TOPOLOGY_NUMA_MEMORY_H
#define TB_CORE_TOPOLOGY_NUMA_MEMORY_H

#include <stdint.h>

#include "core/base/error.h"

/* A number has at most twelve digits: an exbibyte. */
#define TB_NUMA_MEMORY_MAX UINT64_C(999999999999)
/*
 * Longest text that is made, in bytes: enough for 512 NUMA nodes of a terabyte.
 * Every command that shows nodes receives a text for each node.
 */
#define TB_NUMA_MEMORY_TEXT_MAX 4096

/*
 * Read the numbers of count NUMA nodes, which the caller frees.  NULL with a sentence
 * when the text is anything else.
 */
uint64_t *tb_numa_memory_parse(const char *text, unsigned count,
			       struct tb_error *err);

/*
 * The text of such numbers, which the caller frees.  NULL with a sentence when it
 * would be too long, or a number is too large.
 */
char *tb_numa_memory_print(const uint64_t *memory, unsigned count,
			   struct tb_error *err);

#endif
