/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * select_abi_2505.c - what is different in a select plugin since Slurm 25.05
 *
 * Only slurmctld loads it.  It takes no part in steps any more, so their cores are
 * what Slurm picks among the job's.  Nor does Slurm tell when it saves its state:
 * a thread does that from time to time, and when slurmctld ends or gives control
 * back.
 */
#include "select_ops.h"

#include "src/common/read_config.h"

#include "select_topobind/hooks.h"
#include "select_topobind/worker.h"

EXPORT extern const uint32_t plugin_id;

/* That of select/cons_tres: with another one Slurm refuses SelectTypeParameters. */
const uint32_t plugin_id = SELECT_PLUGIN_CONS_TRES;

enum { LOOK_MS = 200, SAVE_S = 60 };

static time_t saved_at;

static void save(void)
{
	saved_at = time(NULL);
	tb_hook_state_saved(slurm_conf.state_save_location);
}

static void save_when_due(void)
{
	if (time(NULL) - saved_at >= SAVE_S)
		save();
}

static struct tb_worker saver = TB_WORKER(save_when_due, LOOK_MS, save);

void tb_state_begin(void)
{
	if (slurmctld_config.shutdown_time || tb_worker_runs(&saver))
		return;
	tb_hook_state_restored(slurm_conf.state_save_location);
	saved_at = time(NULL);
	tb_worker_begin(&saver);
}

/* slurmctld ends without fini(). */
__attribute__((destructor)) static void end_saver(void)
{
	tb_worker_end(&saver);
}

#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(26, 5, 0)
FORWARD(void, job_mem_reduce, job_mem_reduce,
	(job_record_t *job),
	(job))
#endif
