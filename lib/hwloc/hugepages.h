/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hugepages.h - huge pages of this machine's NUMA nodes, as Linux counts them
 */
#ifndef TB_HWLOC_HUGEPAGES_H
#define TB_HWLOC_HUGEPAGES_H

#include "machine.h"

/* Where Linux has a directory node0, node1 and so on. */
#define TB_HUGEPAGES_DIRECTORY "/sys/devices/system/node"

/*
 * MiB of huge pages of all sizes that nobody uses now, a number for each N object in
 * string order.  The caller frees.  NULL where none are set aside, and when out of
 * memory.
 */
uint64_t *tb_hugepages_free(const struct tb_machine *machine,
			    const char *directory);

#endif
