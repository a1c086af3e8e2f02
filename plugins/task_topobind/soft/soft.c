/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "soft.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "src/common/log.h"

#include "common/conf/conf_soft.h"
#include "common/soft/soft_view.h"
#include "cpu_claim.h"
#include "task_topobind/daemon/site.h"
#include "soft_totals.h"
#include "soft_controller.h"

/* slurmstepd serves one step. */
static struct {
	struct tb_soft_site site;
	char *partition;
	struct tb_site_watch *watch; /* of topobind.conf */
	struct tb_registry *registry;
	struct tb_registry_claim *claim;
	struct tb_soft_controller *controller;
} own;

/* ---- slurmd ---- */

static bool sweep(struct tb_registry *registry, const char *spool_dir)
{
	bool done = tb_cpu_claim_sweep(registry);

	if (tb_registry_lock(registry, NULL) == 0) {
		tb_soft_view_sweep(spool_dir, registry);
		tb_registry_unlock(registry);
	}
	return done;
}

void tb_task_soft_slurmd_start(void)
{
	char *cpus = tb_daemon_system_cpus();
	struct tb_error err = { "out of memory" };
	struct tb_registry *opened;
	int rc = -1;

	opened = tb_registry_open(tb_daemon_spool_dir(), &err);
	if (opened != NULL) {
		sweep(opened, tb_daemon_spool_dir());
		if (cpus != NULL && tb_registry_lock(opened, &err) == 0) {
			rc = tb_registry_claim_system(opened, cpus, &err);
			tb_registry_unlock(opened);
		}
	}
	if (rc < 0)
		error("topobind: soft-bound tasks will not spread: %s",
		      err.text);
	tb_registry_close(opened);
	free(cpus);
}

bool tb_task_soft_tidy(const char *spool_dir)
{
	struct tb_registry *found = tb_registry_find(spool_dir, NULL);
	bool done = found == NULL || sweep(found, spool_dir);

	tb_registry_close(found);
	return done;
}

/* ---- slurmstepd ---- */

/* A step that must not run claims no CPUs. */
static int claim_cpus(tb_slurm_step_t *slurm_step, struct tb_step *step,
		      struct tb_error *err)
{
	bool bound = step != NULL && tb_step_is_held(step);
	char *cpus = bound ? tb_step_kept_from_others(step)
			   : tb_slurm_job_os_cpus(slurm_step);
	char *inside = bound ? tb_step_kept_from_own(step) : strdup("");
	char *cgroup = tb_slurm_job_cgroup(slurm_step);
	int rc = -1;

	if (cpus == NULL || inside == NULL || cgroup == NULL) {
		tb_fail(err, "out of memory");
	} else {
		const struct tb_registry_claim_input input = {
			.id = tb_slurm_step_id(slurm_step),
			.cpus = cpus,
			.own = inside,
			.cgroup = cgroup,
		};

		rc = tb_cpu_claim_take(own.registry, &input, &own.claim, err);
	}
	free(cpus);
	free(inside);
	free(cgroup);
	return rc;
}

static void find_site(const struct tb_conf *file, struct tb_soft_site *site)
{
	const char *node = tb_daemon_node_name();

	tb_conf_soft_find(file, node, own.partition, &site->step);
	tb_conf_soft_find(file, node, NULL, &site->node);
}

/* By the controller's thread. */
static bool reload_site(struct tb_soft_site *site)
{
	struct tb_conf *file = own.watch != NULL ? tb_site_watch_load(own.watch)
						 : NULL;

	if (file == NULL)
		return false;
	find_site(file, site);
	tb_conf_destroy(file);
	return true;
}

void tb_task_soft_step_start(tb_slurm_step_t *slurm_step, struct tb_step *step,
			     const struct tb_conf *site, const char *copy)
{
	struct tb_error err;

	if (site != NULL) {
		own.partition = tb_slurm_step_partition(slurm_step);
		find_site(site, &own.site);
		own.watch = copy != NULL ? tb_site_watch_create(copy) : NULL;
	}
	if (step != NULL && tb_step_error(step) != NULL)
		return;
	own.registry = tb_registry_open(tb_daemon_spool_dir(), &err);
	if (own.registry != NULL && claim_cpus(slurm_step, step, &err) == 0)
		return;
	/* What is promised to bound steps is kept, or they do not run. */
	if (step != NULL)
		tb_step_fail(step, &err);
	else
		error("topobind: soft-bound tasks may be on CPUs of this step: "
		      "%s",
		      err.text);
}

static void clear_tasks(struct tb_soft_controller_task *task, unsigned tasks)
{
	for (unsigned i = 0; task != NULL && i < tasks; i++) {
		tb_bitset_destroy(task[i].preferred);
		tb_bitset_destroy(task[i].scope);
	}
	free(task);
}

static struct tb_soft_controller_task *make_tasks(tb_slurm_step_t *slurm_step,
						  const struct tb_step *step,
						  unsigned tasks)
{
	struct tb_soft_controller_task *task = calloc(tasks, sizeof(*task));
	bool whole = task != NULL;

	for (unsigned i = 0; whole && i < tasks; i++) {
		task[i].id = tb_slurm_task_number(slurm_step, i);
		task[i].pid = tb_slurm_task_pid(slurm_step, i);
		task[i].preferred = tb_step_preferred(step, i);
		task[i].scope = tb_step_scope(step, i);
		whole = task[i].preferred != NULL && task[i].scope != NULL;
	}
	if (whole)
		return task;
	clear_tasks(task, tasks);
	return NULL;
}

static bool save_totals(struct tb_registry *registry, uint32_t job,
			const struct tb_soft_counts *more)
{
	struct tb_error err;

	if (tb_soft_totals_add(registry, job, more, &err) == 0)
		return true;
	error("topobind: %s", err.text);
	return false;
}

static struct tb_soft_controller *start_controller(tb_slurm_step_t *slurm_step,
						   const struct tb_step *step,
						   struct tb_error *err)
{
	unsigned tasks = tb_slurm_step_tasks(slurm_step);
	struct tb_soft_controller_task *task = make_tasks(slurm_step, step,
							  tasks);
	char *job_cpus = tb_step_job_cpus(step);
	char *step_cpus = tb_step_step_cpus(step);
	struct tb_soft_controller *started = NULL;

	if (task == NULL || job_cpus == NULL || step_cpus == NULL) {
		tb_fail(err, "out of memory");
	} else {
		const struct tb_soft_controller_input input = {
			.spool_dir = tb_daemon_spool_dir(),
			.id = tb_slurm_step_id(slurm_step),
			.uid = slurm_step->uid,
			.site = own.site,
			.reload = reload_site,
			.job_cpus = job_cpus,
			.step_cpus = step_cpus,
			.tasks = tasks,
			.task = task,
			.suspended = tb_slurm_step_is_suspended,
			/* Two nodes could not add at the same time. */
			.save = slurm_step->nodeid == 0 ? save_totals : NULL,
		};

		started = tb_soft_controller_start(&input, err);
	}
	clear_tasks(task, tasks);
	free(job_cpus);
	free(step_cpus);
	return started;
}

/* Without it tasks stay on their preferred CPUs. */
void tb_task_soft_tasks_held(tb_slurm_step_t *slurm_step, struct tb_step *step)
{
	struct tb_error err;

	if (!tb_step_is_soft(step))
		return;
	own.controller = start_controller(slurm_step, step, &err);
	if (own.controller == NULL)
		error("topobind: the tasks of this step will not spread: %s",
		      err.text);
}

void tb_task_soft_step_end(void)
{
	bool watched = own.controller != NULL;
	struct tb_soft_counts counts;

	tb_soft_controller_stop(own.controller, &counts);
	own.controller = NULL;
	if (own.registry != NULL) {
		tb_registry_claim_release(own.claim);
		tb_registry_forget(own.registry);
	}
	own.claim = NULL;
	tb_registry_close(own.registry);
	own.registry = NULL;
	tb_site_watch_destroy(own.watch);
	own.watch = NULL;
	free(own.partition);
	own.partition = NULL;
	if (watched)
		info("topobind: soft binding on this node: preferred %" PRIu64
		     " times, allowed %" PRIu64 ", smoothed %" PRIu64,
		     counts.preferred, counts.allowed, counts.smoothed);
}
