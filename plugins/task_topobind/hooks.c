/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "task_topobind/hooks.h"

#include <stdio.h>
#include <stdlib.h>

#include "src/common/env.h"
#include "src/common/log.h"

#include "common/conf.h"
#include "common/request_env.h"
#include "hwloc/machine.h"
#include "task_topobind/plan.h"
#include "task_topobind/publish.h"
#include "task_topobind/step.h"

#define MACHINE_FILE "topobind_machine"

/* slurmstepd serves one step; NULL: it asks for no binding. */
static struct tb_step *current;

static char *machine_file(void)
{
	char *path;

	if (asprintf(&path, "%s/%s", tb_daemon_spool_dir(), MACHINE_FILE) < 0)
		return NULL;
	return path;
}

static void save_machine(const struct tb_machine *machine)
{
	char *path = machine_file();
	struct tb_error err;

	if (path == NULL)
		error("topobind: out of memory");
	else if (tb_machine_save(machine, path, &err) < 0)
		error("topobind: steps with a binding will fail: %s", err.text);
	free(path);
}

static void publish_machine(const struct tb_machine *machine)
{
	struct tb_node_input node;
	unsigned cores;

	tb_daemon_node_shape(&node);
	cores = node.sockets * node.cores;
	if (tb_plan_fits(tb_machine_topology(machine), cores)) {
		tb_publish_start(tb_daemon_node_name(),
				 tb_machine_string(machine));
		return;
	}
	info("topobind: the topology %s is not published: node %s has %u cores",
	     tb_machine_string(machine), tb_daemon_node_name(), cores);
}

void tb_task_slurmd_start(void)
{
	struct tb_machine *machine = NULL;
	struct tb_error err = { "" };
	struct tb_conf *site = tb_conf_load(&err);

	if (site != NULL && !tb_conf_enabled(site))
		goto out;
	if (site != NULL)
		machine = tb_machine_load_live(&err);
	if (machine == NULL) {
		error("topobind: steps with a binding will fail: %s", err.text);
		goto out;
	}
	save_machine(machine);
	if (tb_conf_topology(site, tb_daemon_node_name()) == NULL)
		publish_machine(machine);
out:
	tb_machine_destroy(machine);
	tb_conf_destroy(site);
}

void tb_task_slurmd_stop(void)
{
	tb_publish_stop();
}

/* What Slurm has kept with the job is passed on as it is: slurmstepd judges. */
void tb_task_batch_request(char ***env, uint32_t *env_count,
			   char *const *spank_env, uint32_t spank_count)
{
	const char *name = TB_JOB_ENV_PREFIX TB_REQUEST_VARIABLE;
	struct tb_request request;
	struct tb_error err;
	char *line = NULL;
	int rc;

	if (*env == NULL)
		return;
	/* It may be there from a job in which this one was submitted. */
	unsetenvp(*env, name);
	rc = tb_request_from_env(&request, spank_env, spank_count, &err);
	if (rc == 0 && tb_request_is_given(&request))
		line = tb_request_print(&request);
	if (rc < 0)
		env_array_overwrite(env, name, "invalid");
	else if (line != NULL)
		env_array_overwrite(env, name, line);
	*env_count = envcount(*env);
	free(line);
	tb_request_clear(&request);
}

static struct tb_step *create_configured(struct tb_step_input *input,
					 const struct tb_conf *site)
{
	struct tb_step *step = NULL;
	char *path = machine_file();

	input->node.configured = tb_conf_topology(site, tb_daemon_node_name());
	input->node.machine_file = path;
	if (path != NULL)
		step = tb_step_create(input);
	free(path);
	return step;
}

/* NULL for Enabled=no: as if nobody had asked. */
static struct tb_step *create_step(struct tb_step_input *input)
{
	struct tb_step *step;
	struct tb_error err;
	struct tb_conf *site = tb_conf_load(&err);

	if (site != NULL && !tb_conf_enabled(site)) {
		tb_conf_destroy(site);
		return NULL;
	}
	step = site != NULL ? create_configured(input, site) :
			      tb_step_create_failed(&err);
	tb_conf_destroy(site);
	/* Going on would start the tasks unbound. */
	if (step == NULL)
		fatal("topobind: out of memory");
	return step;
}

static void open_cpusets(tb_slurm_step_t *slurm_step)
{
	char *job_cpus = tb_step_job_cpus(current);
	char *step_cpus = tb_step_step_cpus(current);
	struct tb_error err;
	int rc;

	if (job_cpus == NULL || step_cpus == NULL)
		rc = tb_fail(&err, "out of memory");
	else
		rc = tb_slurm_cpusets_open(slurm_step, job_cpus, step_cpus,
					   &err);
	if (rc < 0)
		tb_step_fail(current, &err);
	free(job_cpus);
	free(step_cpus);
}

void tb_task_step_start(tb_slurm_step_t *slurm_step)
{
	struct tb_step_input input = { 0 };

	tb_daemon_node_shape(&input.node);
	tb_slurm_step_input(slurm_step, &input);
	if (!tb_step_is_asked(&input) && !tb_slurm_job_is_held(slurm_step))
		return;
	current = create_step(&input);
	if (current == NULL)
		return;
	if (tb_step_is_held(current))
		open_cpusets(slurm_step);
	if (tb_step_error(current) != NULL)
		error("topobind: %s", tb_step_error(current)->text);
}

void tb_task_hold(tb_slurm_step_t *slurm_step, uint32_t task)
{
	struct tb_error err;

	if (current != NULL &&
	    tb_step_hold(current, task, tb_slurm_task_pid(slurm_step, task),
			 &err) < 0)
		debug("topobind: task %u: %s", task, err.text);
}

int tb_task_prepare(tb_slurm_step_t *slurm_step)
{
	struct tb_variables variables;
	struct tb_error err;
	int rc = 0;

	if (current == NULL)
		tb_variables_plain(&variables);
	else
		rc = tb_step_variables(current, tb_slurm_task_id(slurm_step),
				       &variables, &err);
	if (rc < 0)
		error("topobind: %s", err.text);
	for (int i = 0; rc == 0 && i < TB_VARIABLES; i++)
		tb_slurm_task_setenv(slurm_step, variables.name[i],
				     variables.value[i]);
	tb_variables_clear(&variables);
	return rc;
}

void tb_task_adopt(pid_t pid)
{
	if (current != NULL && tb_step_is_held(current))
		tb_slurm_cpusets_adopt(pid);
}

void tb_task_step_end(void)
{
	struct tb_error err;

	if (current == NULL)
		return;
	if (tb_step_destroy(current, &err) < 0)
		error("topobind: %s", err.text);
	current = NULL;
	tb_slurm_cpusets_close();
}
