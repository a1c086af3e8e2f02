/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pe_files.h - the host file and the rank file of one step, on this node
 *
 * They belong to the job's user, who can only read them.  Those of a slurmstepd
 * that was killed are removed by whoever comes next (files/locked_dir.h).
 *
 * No Slurm in here.
 */
#ifndef TB_TASK_TOPOBIND_PE_PE_FILES_H
#define TB_TASK_TOPOBIND_PE_PE_FILES_H

#include <sys/types.h>

#include "core/base/error.h"

struct tb_pe_files;

struct tb_pe_texts {
	const char *hosts;
	const char *ranks; /* NULL: there is no rank file */
};

/*
 * step is the name of the files, unique among the steps of the node, without
 * "/".  NULL with a sentence.
 */
struct tb_pe_files *tb_pe_files_create(const char *spool_dir, const char *step,
				       uid_t uid, gid_t gid,
				       const struct tb_pe_texts *texts,
				       struct tb_error *err);
/* Removes them.  NULL is fine. */
void tb_pe_files_destroy(struct tb_pe_files *files);

/* Paths; the second is NULL when there is no rank file. */
const char *tb_pe_files_hosts(const struct tb_pe_files *files);
const char *tb_pe_files_ranks(const struct tb_pe_files *files);

/* Remove what killed slurmstepds left. */
void tb_pe_files_sweep(const char *spool_dir);

#endif
