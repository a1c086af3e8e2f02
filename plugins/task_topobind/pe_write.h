/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pe_write.h - binstance=pe: the files with which MPI binds the job's ranks
 *
 * Made where mpirun is started: for a batch script and for the shell that
 * salloc starts on a node.  Other steps start their tasks themselves, on all
 * nodes at once, and would ask the controller from each.
 */
#ifndef TB_TASK_TOPOBIND_PE_WRITE_H
#define TB_TASK_TOPOBIND_PE_WRITE_H

#include "compat/task_compat.h"
#include "task_topobind/step/step.h"

struct tb_conf;

/*
 * In slurmstepd, as root.  The site's topobind.conf, or NULL.  An error is kept for the
 * tasks.
 */
void tb_pe_write(tb_slurm_step_t *slurm_step, struct tb_step *step,
		 const struct tb_conf *site);

#endif
