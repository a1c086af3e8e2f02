/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * usage.h - the CPU time that processes have used, read often
 *
 * Of the processes of a cgroup: with v2 the kernel counts it for each cgroup,
 * also of what has ended.  With v1 it is the sum over the processes that are in
 * the cgroup, with that of children which they have waited for.  Or of everybody
 * on some CPUs.  In microseconds; v1's and everybody's are as fine as the
 * kernel's clock ticks, ten milliseconds.
 */
#ifndef TB_CGROUP_USAGE_H
#define TB_CGROUP_USAGE_H

#include <stdint.h>

#include "core/base/bitset.h"
#include "core/base/error.h"

struct tb_usage;

/*
 * directory: of the cgroup, in the cpuset hierarchy; is_v2: of that version.
 * NULL with a sentence.
 */
struct tb_usage *tb_usage_open(const char *directory, bool is_v2,
			       struct tb_error *err);
void tb_usage_close(struct tb_usage *usage); /* NULL is fine */
/* 0 when it cannot be read, as at the end of a cgroup. */
uint64_t tb_usage_read(const struct tb_usage *usage);

/*
 * Everybody's: file is an open /proc/stat; used[i] is set for each of the
 * os_cpus below count.  -1 when it cannot be read.
 */
int tb_usage_of_cpus(int file, uint64_t *used_us, unsigned count);

/* CPU time as files of /proc have it, in ticks. */
uint64_t tb_usage_of_ticks(uint64_t ticks);

#endif
