/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "isolate.h"

#include <stdlib.h>
#include <string.h>

#include "src/common/log.h"

#include "common/soft/soft_registry.h"
#include "isolation.h"

static struct tb_isolated_job
	*own; /* NULL: the job is not isolated by this step */

void tb_task_isolate_give_way(tb_slurm_step_t *slurm_step)
{
	char *cpus = tb_slurm_job_os_cpus(slurm_step);

	if (cpus != NULL && cpus[0] != '\0')
		tb_isolation_yield(tb_daemon_spool_dir(),
				   tb_slurm_step_id(slurm_step).job, cpus);
	free(cpus);
}

/* Where jobs share their units, or take turns, none has them for itself. */
static int check_alone(uint32_t job, const char *list, struct tb_error *err)
{
	struct tb_registry *registry = tb_registry_open(tb_daemon_spool_dir(),
							err);
	struct tb_bitset *claimed = NULL, *cpus = NULL;
	int rc = -1;

	if (registry != NULL && tb_registry_lock(registry, err) == 0) {
		claimed = tb_registry_claimed(registry, job, err);
		tb_registry_unlock(registry);
	}
	if (claimed != NULL)
		cpus = tb_bitset_parse_list(list, TB_REGISTRY_CPUS, err);
	if (cpus != NULL)
		rc = tb_bitset_intersects(cpus, claimed)
			     ? tb_fail(err, "other jobs have CPUs of %.200s",
				       list)
			     : 0;
	tb_bitset_destroy(claimed);
	tb_bitset_destroy(cpus);
	tb_registry_close(registry);
	return rc;
}

/* The cgroup of the job is the one above that of its step. */
static struct tb_isolated_job *begin(tb_slurm_step_t *slurm_step,
				     const char *cpus, struct tb_error *err)
{
	char *name = tb_slurm_step_name(slurm_step);
	char *top = NULL, *cgroup = NULL, *slash;
	struct tb_isolated_job *begun = NULL;

	if (name == NULL) {
		tb_fail(err, "out of memory");
	} else if (tb_slurm_step_cgroups(slurm_step, &top, &cgroup, err) == 0) {
		const struct tb_isolation_input input = {
			.spool_dir = tb_daemon_spool_dir(),
			.name = name,
			.job = tb_slurm_step_id(slurm_step).job,
			.top = top,
			.cgroup = cgroup,
			.cpus = cpus,
		};

		slash = strrchr(cgroup, '/');
		if (slash != NULL)
			*slash = '\0';
		begun = tb_isolation_begin(&input, err);
	}
	free(name);
	free(top);
	free(cgroup);
	return begun;
}

void tb_task_isolate(tb_slurm_step_t *slurm_step, struct tb_step *step)
{
	enum tb_step_isolation wanted = tb_step_isolation(step);
	uint32_t job = tb_slurm_step_id(slurm_step).job;
	struct tb_error err = { "out of memory" };
	char *cpus;

	if (wanted == TB_STEP_SHARE)
		return;
	cpus = tb_step_job_cpus(step);
	if (cpus != NULL &&
	    (wanted == TB_STEP_ISOLATE || check_alone(job, cpus, &err) == 0))
		own = begin(slurm_step, cpus, &err);
	free(cpus);
	if (own != NULL)
		return;
	if (wanted == TB_STEP_ISOLATE)
		tb_step_fail(step, &err);
	else
		info("topobind: the job is not isolated, as the site would like: %s",
		     err.text);
}

void tb_task_isolate_leave(void)
{
	tb_isolation_leave(own);
	own = NULL;
}

void tb_task_isolate_end(void)
{
	tb_isolation_end(own);
	own = NULL;
}
