/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * partition.h - CPUs on which only one cgroup, and what is below it, runs
 *
 * A partition of cgroup v2 with a scheduling domain of its own: the kernel takes its
 * CPUs from all cgroups outside, and from its own threads.  It is a "root" partition,
 * not an "isolated" one, in which the kernel would not balance threads: those of one
 * task would all stay on one of its CPUs.
 *
 * A cgroup in any place can be one since Linux 6.7, where its CPUs are in
 * cpuset.cpus.exclusive of all cgroups above, too.  There they stay when the partition
 * ends, so somebody has to count them (tb_partition_share()).
 */
#ifndef TB_CGROUP_PARTITION_H
#define TB_CGROUP_PARTITION_H

#include "core/base/bitset.h"
#include "core/base/error.h"

/* Can a cgroup, by its path, be one?  -1 with a sentence that says what is missing. */
int tb_partition_check(const char *path, struct tb_error *err);

/*
 * The cgroups at path and above lend CPUs to partitions below: not the first set any
 * more, but the second.  CPUs that others have there stay.  Cgroups that are gone are no
 * error.
 */
int tb_partition_share(const char *path, const struct tb_bitset *before,
		       const struct tb_bitset *after, struct tb_error *err);

/* Make the cgroup a partition with these CPUs; as it is already, nothing changes. */
int tb_partition_make(const char *path, const struct tb_bitset *cpus,
		      struct tb_error *err);
/* Make it an ordinary cgroup; also when it is one, or is not there. */
void tb_partition_end(const char *path);

#endif
