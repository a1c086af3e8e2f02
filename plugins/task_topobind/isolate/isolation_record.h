/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * isolation_record.h - the file of a step of an isolated job
 *
 * Four lines: the cgroup of all that Slurm has on the node, that of the job, the job's
 * number, and its OS CPUs.
 */
#ifndef TB_TASK_TOPOBIND_ISOLATE_ISOLATION_RECORD_H
#define TB_TASK_TOPOBIND_ISOLATE_ISOLATION_RECORD_H

#include <stdint.h>

#include "cgroup/cpuset.h"
#include "core/base/bitset.h"
#include "files/locked_dir.h"

#define TB_ISOLATION_CPUS TB_CPUSET_OS_MAX

struct tb_isolation_record {
	struct tb_isolation_record *next;
	char *name; /* of the file */
	char *top, *cgroup;
	uint32_t job;
	struct tb_bitset *cpus; /* TB_ISOLATION_CPUS */
};

/* malloc()ed; NULL: out of memory. */
char *tb_isolation_record_print(const char *top, const char *cgroup,
				uint32_t job, const char *cpus);
/* NULL: it was not written to its end, or out of memory. */
struct tb_isolation_record *tb_isolation_record_read(int fd, const char *name);

/* A list of all in a directory, which is locked; -1: out of memory. */
int tb_isolation_records_read(const struct tb_locked_dir *dir,
			      struct tb_isolation_record **records);
void tb_isolation_records_destroy(struct tb_isolation_record *records);

#endif
