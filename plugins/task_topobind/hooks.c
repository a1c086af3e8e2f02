/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "hooks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/common/env.h"
#include "src/common/log.h"

#include "cgroup/cpuset.h"
#include "common/conf/conf.h"
#include "common/conf/conf_soft.h"
#include "common/job/request_env.h"
#include "common/soft/soft_registry.h"
#include "core/request/alternatives.h"
#include "core/topology/distances.h"
#include "core/topology/numa_memory.h"
#include "core/topology/os_cpus.h"
#include "hwloc/hugepages.h"
#include "hwloc/machine.h"
#include "task_topobind/step/task_cpuset.h"
#include "task_topobind/daemon/step_watch.h"
#include "task_topobind/isolate/isolate.h"
#include "task_topobind/isolate/isolation.h"
#include "task_topobind/pe_write.h"
#include "task_topobind/pe/pe_files.h"
#include "task_topobind/daemon/publish.h"
#include "task_topobind/daemon/site.h"
#include "task_topobind/soft/soft.h"
#include "task_topobind/step/ownership.h"
#include "task_topobind/step/step.h"
#include "task_topobind/step/step_usage.h"

/* What is kept in slurmd's spool directory. */
#define MACHINE_FILE "topobind_machine"
#define SITE_FILE "topobind_conf"

/* slurmstepd serves one step; NULL: it asks for no binding. */
static struct tb_step *current;
static struct tb_step_watch *watch; /* NULL: it is not held */

static char *join_spool_path(const char *name)
{
	char *path;

	if (asprintf(&path, "%s/%s", tb_daemon_spool_dir(), name) < 0)
		return NULL;
	return path;
}

static struct tb_conf *load_site(struct tb_error *err)
{
	char *copy = join_spool_path(SITE_FILE);
	struct tb_conf *site = NULL;

	if (copy == NULL)
		tb_fail(err, "out of memory");
	else
		site = tb_site_load(copy, err);
	free(copy);
	return site;
}

static void save_machine(const struct tb_machine *machine)
{
	char *path = join_spool_path(MACHINE_FILE);
	struct tb_error err;

	if (path == NULL)
		error("topobind: out of memory");
	else if (tb_machine_save(machine, path, &err) < 0)
		error("topobind: steps with a binding will fail: %s", err.text);
	free(path);
}

/* As text; NULL for none that say anything. */
static char *print_distances(const struct tb_machine *machine)
{
	const unsigned *distances = tb_machine_distances(machine);
	unsigned count = tb_machine_numa_nodes(machine);
	struct tb_error err;
	char *text;

	if (distances == NULL || !tb_distances_differ(distances, count))
		return NULL;
	text = tb_distances_print(distances, count, &err);
	if (text == NULL)
		error("topobind: node %s does not publish its NUMA distances: %s",
		      tb_daemon_node_name(), err.text);
	return text;
}

/* As text; NULL where it is not known of any NUMA node. */
static char *print_memory(const struct tb_machine *machine)
{
	unsigned count = tb_machine_numa_nodes(machine);
	uint64_t *memory = calloc(count + 1, sizeof(*memory));
	struct tb_error err = { "out of memory" };
	char *text = NULL;
	bool known = false;

	for (unsigned i = 0; memory != NULL && i < count; i++) {
		memory[i] = tb_machine_numa_memory(machine, i);
		known = known || memory[i] > 0;
	}
	if (known)
		text = tb_numa_memory_print(memory, count, &err);
	if (memory == NULL || (known && text == NULL))
		error("topobind: node %s does not publish the memory of its NUMA nodes: %s",
		      tb_daemon_node_name(), err.text);
	free(memory);
	return text;
}

/* NULL: none are set aside, or they are too many to tell. */
static char *print_hugepages(const struct tb_machine *machine)
{
	uint64_t *sizes = tb_hugepages_free(machine, TB_HUGEPAGES_DIRECTORY);
	char *text = sizes != NULL ? tb_numa_memory_print(sizes,
							  tb_machine_numa_nodes(
								  machine),
							  NULL)
				   : NULL;

	free(sizes);
	return text;
}

static char *print_os_cpus(const struct tb_machine *machine)
{
	const struct tb_topology *topology = tb_machine_topology(machine);
	struct tb_error err;
	char *text = tb_os_cpus_print(tb_topology_os_cpus(topology), topology,
				      &err);

	if (text == NULL)
		error("topobind: node %s does not publish its OS CPU numbers, and gets no jobs with bcpus=os: %s",
		      tb_daemon_node_name(), err.text);
	return text;
}

/* NULL: no NUMA node is the memory of a GPU, or out of memory. */
static char *print_gpu_memory(const struct tb_machine *machine)
{
	struct tb_bitset *os_nodes = tb_machine_memory(machine, 0);
	unsigned count;
	struct tb_gpu_numa *list = tb_machine_gpu_memory(machine, &count);
	char *text = NULL;

	for (unsigned i = 0; os_nodes != NULL && list != NULL && i < count; i++)
		tb_bitset_set(os_nodes, list[i].os_node);
	if (os_nodes != NULL && !tb_bitset_is_empty(os_nodes))
		text = tb_bitset_print_list(os_nodes);
	tb_bitset_destroy(os_nodes);
	free(list);
	return text;
}

static char *print_speed(const struct tb_machine *machine)
{
	unsigned speed = tb_machine_speed(machine);
	char *text;

	return speed > 0 && asprintf(&text, "%u", speed) >= 0 ? text : NULL;
}

static void publish_machine(const struct tb_machine *machine)
{
	char *distances = print_distances(machine);
	char *memory = print_memory(machine);
	char *hugepages = print_hugepages(machine);
	char *os_cpus = print_os_cpus(machine);
	char *gpu_memory = print_gpu_memory(machine);
	char *speed = print_speed(machine);
	const struct tb_published published = {
		.topology = tb_machine_string(machine),
		.distances = distances,
		.memory = memory,
		.hugepages = hugepages,
		.os_cpus = os_cpus,
		.gpu_memory = gpu_memory,
		.speed = speed,
	};

	tb_publish_start(tb_daemon_node_name(), machine, &published);
	free(distances);
	free(memory);
	free(hugepages);
	free(os_cpus);
	free(gpu_memory);
	free(speed);
}

/*
 * slurmctld has the topology of topobind.conf.  If that is this machine, it still needs
 * to be told the numbers of its CPUs, and which memory is that of GPUs.
 */
static void publish_numbers(const struct tb_machine *machine,
			    const char *configured)
{
	struct tb_topology *described = tb_topology_parse(configured, NULL,
							  NULL);
	const struct tb_topology *real = tb_machine_topology(machine);
	bool is_real = described != NULL &&
		       tb_topology_same_shape(described, real);
	char *os_cpus = is_real ? print_os_cpus(machine) : NULL;
	char *gpu_memory = is_real ? print_gpu_memory(machine) : NULL;
	const struct tb_published published = { .os_cpus = os_cpus,
						.gpu_memory = gpu_memory };

	if (os_cpus != NULL)
		tb_publish_start(tb_daemon_node_name(), machine, &published);
	free(os_cpus);
	free(gpu_memory);
	tb_topology_destroy(described);
}

static bool tidy(const char *spool_dir)
{
	bool done = tb_isolation_tidy(spool_dir);

	tb_pe_files_sweep(spool_dir);
	return tb_task_soft_tidy(spool_dir) && done;
}

/* The registry is there: each step has a claim in it, the watched ones, too. */
static void watch_steps(void)
{
	struct tb_error err;

	if (tb_step_watch_start(tb_daemon_spool_dir(), TB_REGISTRY_DIRECTORY,
				tidy, &err) < 0)
		error("topobind: the processes of a step whose slurmstepd is "
		      "killed will not be ended at once: %s",
		      err.text);
}

void tb_task_slurmd_start(void)
{
	struct tb_machine *machine = NULL;
	struct tb_error err = { "" };
	struct tb_conf *site = load_site(&err);
	const char *configured;

	tb_pe_files_sweep(tb_daemon_spool_dir());
	tb_ownership_take_all();
	tb_isolation_tidy(tb_daemon_spool_dir());
	tb_task_soft_slurmd_start();
	watch_steps();
	if (site != NULL && !tb_conf_enabled_somewhere(site))
		goto out;
	/* CoreSpecCount confines slurmd to some of the cores that it counts. */
	if (site != NULL)
		machine = tb_machine_load_whole(&err);
	if (machine == NULL) {
		error("topobind: steps with a binding will fail: %s", err.text);
		goto out;
	}
	save_machine(machine);
	configured = tb_conf_topology(site, tb_daemon_node_name());
	if (configured == NULL)
		publish_machine(machine);
	else
		publish_numbers(machine, configured);
out:
	tb_machine_destroy(machine);
	tb_conf_destroy(site);
}

void tb_task_slurmd_stop(void)
{
	tb_publish_stop();
	tb_step_watch_stop();
}

static struct tb_step *create_configured(struct tb_step_input *input,
					 const struct tb_conf *site)
{
	struct tb_step *step = NULL;
	char *path = join_spool_path(MACHINE_FILE);

	input->node.configured = tb_conf_topology(site, tb_daemon_node_name());
	input->node.machine_file = path;
	if (path != NULL)
		step = tb_step_create(input);
	free(path);
	return step;
}

/*
 * The step of a job that asked, in some way, or is bound without; NULL: as if
 * nobody had asked.  A script's request has come with it from the controller.
 */
static struct tb_step *create_step(tb_slurm_step_t *slurm_step,
				   struct tb_step_input *input,
				   const struct tb_conf *site)
{
	char *partition = tb_slurm_step_partition(slurm_step);
	struct tb_step *step = NULL;
	struct tb_conf_soft soft;

	input->memory = tb_conf_memory(site, partition);
	tb_conf_soft_find(site, tb_daemon_node_name(), partition, &soft);
	input->mode = soft.mode;
	input->isolation = tb_conf_isolation(site, partition);
	input->filter = tb_conf_filter(site, tb_daemon_node_name(), partition);
	if (!slurm_step->batch)
		input->implicit = tb_conf_implicit(site, partition);
	/* Running jobs stay bound when the site sets Enabled=no. */
	if (tb_slurm_job_is_held(slurm_step) ||
	    (tb_conf_enabled(site, partition) && tb_step_is_asked(input))) {
		step = create_configured(input, site);
		/* Going on would start the tasks unbound. */
		if (step == NULL)
			fatal("topobind: out of memory");
	}
	free(partition);
	return step;
}

/* Without topobind.conf nobody is bound who did not ask. */
static struct tb_step *create_unconfigured(tb_slurm_step_t *slurm_step,
					   const struct tb_step_input *input,
					   const struct tb_error *err)
{
	struct tb_step *step = NULL;

	if (tb_step_is_asked(input) || tb_slurm_job_is_held(slurm_step)) {
		step = tb_step_create_failed(err);
		if (step == NULL)
			fatal("topobind: out of memory");
	}
	return step;
}

/*
 * CPUs come and go with their administrator: the node offers the others.  Any other
 * error is there to stay.
 */
static void fail_to_open(tb_slurm_step_t *slurm_step, const char *job_cpus,
			 const struct tb_error *err)
{
	if (job_cpus == NULL ||
	    !tb_slurm_step_leave_lost(slurm_step, job_cpus)) {
		tb_step_blame_node(current, err);
		return;
	}
	tb_step_fail(current, err);
	tb_slurm_job_requeue(slurm_step);
}

static void open_cpusets(tb_slurm_step_t *slurm_step)
{
	char *job_cpus = tb_step_job_cpus(current);
	char *step_cpus = tb_step_step_cpus(current);
	char *step_mems = tb_step_step_mems(current);
	struct tb_error err;
	int rc;

	if (job_cpus == NULL || step_cpus == NULL || step_mems == NULL)
		rc = tb_fail(&err, "out of memory");
	else
		rc = tb_slurm_cpusets_open(slurm_step, job_cpus, step_cpus,
					   step_mems, &err);
	if (rc == 0 && tb_step_taken_cores(current) != NULL)
		rc = tb_slurm_cpusets_move(slurm_step, step_cpus, step_mems,
					   &err);
	if (rc < 0)
		fail_to_open(slurm_step, job_cpus, &err);
	free(job_cpus);
	free(step_cpus);
	free(step_mems);
}

static int print_beside(FILE *out, const char *cgroup, unsigned tasks,
			struct tb_error *err)
{
	for (unsigned i = 0; i < tasks; i++) {
		char *path = tb_task_cpuset_beside(cgroup, i, err);

		if (path == NULL)
			return -1;
		fprintf(out, "%s\n", path);
		free(path);
	}
	return 0;
}

/*
 * The step's, which has those of its tasks in it.  With cgroup v1 those of tasks
 * that spread are beside it, and come first: in other hierarchies their processes
 * are in the step's, which cannot go before them.  The caller frees; NULL with a
 * sentence.
 */
static char *list_cgroups(tb_slurm_step_t *slurm_step, const char *cgroup,
			  bool is_soft, struct tb_error *err)
{
	bool beside = is_soft && !tb_cpuset_is_v2();
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	int rc = 0;

	if (out == NULL) {
		tb_fail(err, "out of memory");
		return NULL;
	}
	if (beside)
		rc = print_beside(out, cgroup, tb_slurm_step_tasks(slurm_step),
				  err);
	fprintf(out, "%s\n", cgroup);
	if (fclose(out) == 0 && rc == 0)
		return text;
	free(text);
	return NULL;
}

static struct tb_step_watch *create_watch(tb_slurm_step_t *slurm_step,
					  const char *name, bool is_soft,
					  struct tb_error *err)
{
	struct tb_step_watch *created = NULL;
	char *top, *cgroup, *cgroups;

	if (tb_slurm_step_cgroups(slurm_step, &top, &cgroup, err) < 0)
		return NULL;
	cgroups = list_cgroups(slurm_step, cgroup, is_soft, err);
	if (cgroups != NULL)
		created = tb_step_watch_create(tb_daemon_spool_dir(), name, top,
					       cgroups, err);
	free(top);
	free(cgroup);
	free(cgroups);
	return created;
}

/*
 * Without a step watch the step is held all the same: with a full disk that is
 * better than not at all.
 */
static void open_watch(tb_slurm_step_t *slurm_step, bool is_soft)
{
	char *name = tb_slurm_step_name(slurm_step);
	struct tb_error err = { "out of memory" };

	if (name != NULL)
		watch = create_watch(slurm_step, name, is_soft, &err);
	if (watch == NULL)
		error("topobind: if slurmstepd is killed, its tasks will not "
		      "be ended: %s",
		      err.text);
	free(name);
}

static void hold_step(tb_slurm_step_t *slurm_step)
{
	open_watch(slurm_step, tb_step_is_soft(current));
	open_cpusets(slurm_step);
}

/*
 * The tasks print an error of their step, where the user sees it.  An error of
 * the node is for its administrator: it gets no more jobs, and a batch script runs
 * elsewhere.
 */
static int tell_error(tb_slurm_step_t *slurm_step)
{
	const struct tb_error *err = tb_step_error(current);

	if (err == NULL)
		return 0;
	error("topobind: %s", err->text);
	if (!tb_step_blames_node(current))
		return 0;
	tb_slurm_node_drain(err);
	return tb_slurm_batch_requeue(slurm_step) ? -1 : 0;
}

/*
 * A script's binding comes with it, so topobind.conf makes no difference for a
 * script without one.  Reading that file is a good part of what topobind costs a
 * plain job.
 */
static bool is_plain_script(tb_slurm_step_t *slurm_step,
			    const struct tb_step_input *input)
{
	return slurm_step->batch && !tb_step_is_asked(input) &&
	       !tb_slurm_job_is_held(slurm_step);
}

int tb_task_step_start(tb_slurm_step_t *slurm_step)
{
	struct tb_step_input input = { 0 };
	struct tb_step_slots_id slots;
	struct tb_conf *site = NULL;
	struct tb_error err;
	char *copy;

	tb_task_isolate_give_way(slurm_step);
	/* task/cgroup may come later, see tb_task_hold(). */
	tb_ownership_take(slurm_step);
	if (tb_slurm_step_is_extern(slurm_step))
		tb_ownership_take_later(slurm_step);
	tb_daemon_node_shape(&input.node);
	tb_slurm_step_input(slurm_step, &input);
	if (tb_slurm_step_is_unplanned(slurm_step, &slots))
		input.slots = &slots;
	if (!is_plain_script(slurm_step, &input)) {
		site = load_site(&err);
		current = site != NULL ? create_step(slurm_step, &input, site)
				       : create_unconfigured(slurm_step, &input,
							     &err);
	}
	if (current != NULL) {
		if (tb_step_taken_cores(current) != NULL)
			tb_slurm_step_set_cores(slurm_step,
						tb_step_taken_cores(current));
		tb_pe_write(slurm_step, current, site);
		if (tb_step_is_held(current))
			hold_step(slurm_step);
	}
	/* Last: now it is known whether and where tasks will run. */
	copy = join_spool_path(SITE_FILE);
	tb_task_soft_step_start(slurm_step, current, site, copy);
	free(copy);
	/* Soft-bound tasks have left its CPUs now. */
	if (current != NULL)
		tb_task_isolate(slurm_step, current);
	tb_step_usage_start(slurm_step, current, site);
	tb_conf_destroy(site);
	return current != NULL ? tell_error(slurm_step) : 0;
}

void tb_task_hold(tb_slurm_step_t *slurm_step, uint32_t task)
{
	struct tb_error err;
	int rc;

	/* Now all plugins have made their cgroups, and no program has started. */
	if (task == 0)
		tb_ownership_take(slurm_step);
	if (current == NULL)
		return;
	rc = tb_step_is_held(current)
		     ? tb_slurm_task_cgroup(slurm_step, task, &err)
		     : 0;
	if (rc < 0)
		tb_step_fail_task(current, task, &err);
	else
		rc = tb_step_hold(current, task,
				  tb_slurm_task_pid(slurm_step, task), &err);
	if (rc < 0)
		debug("topobind: task %u: %s", task, err.text);
	if (task + 1 == tb_slurm_step_tasks(slurm_step))
		tb_task_soft_tasks_held(slurm_step, current);
}

int tb_task_prepare(tb_slurm_step_t *slurm_step)
{
	uint32_t task = tb_slurm_task_id(slurm_step);
	struct tb_variables variables;
	struct tb_error err;
	int rc = 0;

	/* Before scripts of the site run here, which may take their time. */
	tb_step_watch_leave(watch);
	watch = NULL;
	tb_task_isolate_leave();
	if (current == NULL)
		tb_variables_plain(&variables);
	else
		rc = tb_step_variables(current, task, &variables, &err);
	if (rc == 0 && current != NULL)
		rc = tb_step_prefer(current, task, &err);
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

/* Both, whatever becomes of the first.  -1: something of the step is left. */
static int end_cgroups(tb_slurm_step_t *slurm_step)
{
	bool is_held = current != NULL && tb_step_is_held(current);
	struct tb_error err;
	int rc = 0;

	if (current != NULL && tb_step_destroy(current, &err) < 0) {
		error("topobind: %s", err.text);
		rc = -1;
	}
	current = NULL;
	if (tb_ownership_end(slurm_step, is_held, &err) < 0) {
		error("topobind: %s", err.text);
		rc = -1;
	}
	return rc;
}

void tb_task_step_end(tb_slurm_step_t *slurm_step)
{
	int rc;

	tb_step_usage_end(slurm_step, current);
	tb_task_soft_step_end();
	tb_task_isolate_end();
	rc = end_cgroups(slurm_step);
	tb_slurm_cpusets_close();
	/* After an error it stays; a helper of slurmd goes on with it then. */
	if (rc == 0)
		tb_step_watch_end(watch);
	else if (watch == NULL)
		open_watch(slurm_step, false);
	watch = NULL;
}
