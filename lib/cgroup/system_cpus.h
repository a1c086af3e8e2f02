/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * system_cpus.h - the machine's OS CPUs as the kernel lists them
 */
#ifndef TB_CGROUP_SYSTEM_CPUS_H
#define TB_CGROUP_SYSTEM_CPUS_H

#include "core/base/bitset.h"

/* Those that are used now, and those that are there, offline or not. */
#define TB_CPUS_ONLINE "/sys/devices/system/cpu/online"
#define TB_CPUS_PRESENT "/sys/devices/system/cpu/present"

/* A new set of nbits; NULL: the list cannot be read, or has a CPU from nbits on. */
struct tb_bitset *tb_system_cpus(const char *list, unsigned nbits);

#endif
