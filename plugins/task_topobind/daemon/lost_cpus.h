/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lost_cpus.h - CPUs of the node that jobs cannot have at present
 *
 * An administrator has taken them out of the cpuset cgroup of all that Slurm has, or out
 * of one above it, a partition of cgroup v2 beside it has them, or they are offline.
 */
#ifndef TB_TASK_TOPOBIND_DAEMON_LOST_CPUS_H
#define TB_TASK_TOPOBIND_DAEMON_LOST_CPUS_H

#include "core/base/error.h"
#include "hwloc/machine.h"

/*
 * In slurmd or a helper of it: the topology string of the machine with those threads in
 * lower case, NULL for none.  The caller frees.  -1 with a sentence: it is not known.
 */
int tb_lost_cpus_find(const struct tb_machine *machine, char **lost,
		      struct tb_error *err);

#endif
