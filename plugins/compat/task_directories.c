/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * task_directories.c - where Slurm has cgroups of v1, as directories
 *
 * Without libcgroup, which is slow: every step asks.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>

#include "task_compat.h"

#include "src/common/read_config.h"
#include "src/common/xmalloc.h"
#include "src/slurmd/slurmd/slurmd.h"
#if SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(23, 2, 0)
#include "src/common/cgroup.h"
#else
#include "src/interfaces/cgroup.h"
#endif

char *tb_slurm_top_directory(const char *controller)
{
	const char *mount = slurm_cgroup_conf.cgroup_mountpoint;
	char *top, *path = NULL;

	if (mount == NULL || slurm_cgroup_conf.cgroup_prepend == NULL)
		return NULL;
	top = slurm_conf_expand_slurmd_path(slurm_cgroup_conf.cgroup_prepend,
					    conf->node_name, conf->hostname);
	if (top == NULL ||
	    asprintf(&path, "%s/%s%s", mount, controller, top) < 0)
		path = NULL;
	xfree(top);
	return path;
}

char *tb_slurm_step_directory(tb_slurm_step_t *step, const char *controller)
{
	char *top = tb_slurm_top_directory(controller);
	char id[64], *path = NULL;

	log_build_step_id_str(&step->step_id, id, sizeof(id),
			      STEP_ID_FLAG_NO_PREFIX | STEP_ID_FLAG_NO_JOB);
	if (top == NULL || asprintf(&path, "%s/uid_%u/job_%u/step_%s", top,
				    step->uid, step->step_id.job_id, id) < 0)
		path = NULL;
	free(top);
	return path;
}
