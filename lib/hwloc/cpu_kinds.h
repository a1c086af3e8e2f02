/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cpu_kinds.h - which CPUs are of efficiency cores, and how fast CPUs are
 *
 * By what hwloc tells of kinds of CPUs.  Private to lib/hwloc.
 */
#ifndef TB_HWLOC_CPU_KINDS_H
#define TB_HWLOC_CPU_KINDS_H

#include <hwloc.h>

/*
 * The OS CPUs of efficiency cores, by doc/design.md, "Topology strings".  Never by the
 * maximum frequency alone: it tells favoured cores from others of the same kind.  The
 * caller frees it; NULL when out of memory.
 */
hwloc_bitmap_t tb_cpu_kinds_efficient(hwloc_topology_t hwloc);

/* MHz of the fastest kind; 0: not known. */
unsigned tb_cpu_kinds_speed(hwloc_topology_t hwloc);

#endif
