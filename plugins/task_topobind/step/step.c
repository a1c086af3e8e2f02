/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "step.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "common/job/request_env.h"
#include "hwloc/membind.h"
#include "task_cpuset.h"
#include "step_plan.h"

struct tb_step {
	bool failed;
	bool blames_node;
	struct tb_error error; /* of the whole step */
	struct tb_step_node node;
	struct tb_step_plan plan;
	struct tb_step_slots *slots; /* NULL: slurmctld chose its cores */
	struct tb_unit unit; /* of the job's request; cores where it names CPUs */
	struct tb_task_cpusets *cpusets;
	enum tb_step_isolation isolation;
	bool whole;		    /* a batch script or the like */
	unsigned threads_per_core;  /* that tasks use; 0: all */
	struct tb_membind *membind; /* NULL: tasks have no memory policy */
	struct tb_pe_files *files;  /* NULL: none */
	/*
	 * Tasks are forked before slurmstepd holds them, so each task's error is
	 * in memory that they share; empty: the task is held.
	 */
	struct tb_error *verdict;
	size_t verdict_size;
};

struct requests {
	struct tb_request job, step;
	bool implicit; /* the job's is the site's */
};

static int read_requests(struct requests *requests,
			 const struct tb_step_input *input,
			 struct tb_error *err)
{
	int rc = tb_job_request_from_env(&requests->job, input->env,
					 input->env_count, input->job, err);

	requests->implicit = rc == 0 && input->implicit != NULL &&
			     tb_request_is_open(&requests->job);
	if (requests->implicit)
		rc = tb_request_bind_implicitly(&requests->job, input->implicit,
						err);
	if (tb_step_request_from_env(&requests->step, input->env,
				     input->env_count, rc < 0 ? NULL : err) < 0)
		rc = -1;
	return rc;
}

static void clear_requests(struct requests *requests)
{
	tb_request_clear(&requests->job);
	tb_request_clear(&requests->step);
}

bool tb_step_is_asked(const struct tb_step_input *input)
{
	struct requests requests;
	bool asked = read_requests(&requests, input, NULL) < 0 ||
		     tb_request_binds(&requests.job) ||
		     tb_request_binds(&requests.step);

	clear_requests(&requests);
	return asked;
}

/* What a user says to Slurm overrides what the site says. */
static struct tb_memory_policy site_memory(const struct tb_step_input *input)
{
	bool gives_way = input->mem_bind &&
			 input->memory.where == TB_MEMORY_PREFER;

	return gives_way ? tb_any_memory() : input->memory;
}

static int make_plan(struct tb_step *step, const struct tb_step_input *input,
		     const struct requests *requests, struct tb_error *err)
{
	struct tb_step_plan_input plan = {
		.job_cores = input->job_cores,
		.step_cores = input->step_cores,
		.job = &requests->job,
		.step = &requests->step,
		.implicit = requests->implicit,
		.tasks = input->tasks,
		.site = site_memory(input),
		.site_mode = input->mode,
		.filter = input->filter,
		.whole = input->whole,
		.shares = input->shares,
		.threads_per_core = input->threads_per_core,
	};

	if (tb_step_node_open(&step->node, &input->node, err) < 0) {
		step->blames_node = true;
		return -1;
	}
	plan.topology = tb_step_node_topology(&step->node);
	plan.node_cores = step->node.cores;
	if (input->slots != NULL && !input->whole)
		step->slots = tb_step_slots_take(input->slots, &plan);
	if (step->slots != NULL)
		plan.step_cores = tb_step_slots_cores(step->slots);
	return tb_step_plan_make(&step->plan, &plan, err);
}

/* In the order of who says it: the step for itself, its job, the site. */
static enum tb_gpu_memory_wish find_wish(const struct requests *requests)
{
	if (tb_request_names_gpu_memory(&requests->step))
		return TB_GPU_MEMORY_OF_SOME;
	return tb_request_names_gpu_memory(&requests->job)
		       ? TB_GPU_MEMORY_OF_ANY
		       : TB_GPU_MEMORY_IF_KNOWN;
}

/* On a virtual node there is none: its memory is not that of the machine. */
static int find_gpu_memory(struct tb_step *step,
			   const struct tb_step_input *input,
			   const struct requests *requests,
			   struct tb_error *err)
{
	struct tb_step_gpus gpus = { 0 };

	if (tb_step_node_is_virtual(&step->node) ||
	    !tb_step_plan_has_gpu_memory(&step->plan))
		return 0;
	if (input->find_gpus(input->slurm_step, &gpus) < 0)
		tb_fail(err, "out of memory");
	else
		step->node.gpu_memory = tb_step_gpus_memory(&gpus, "",
							    step->node.machine,
							    find_wish(requests),
							    err);
	tb_step_gpus_clear(&gpus);
	return step->node.gpu_memory != NULL ? 0 : -1;
}

static int share_verdicts(struct tb_step *step, unsigned tasks,
			  struct tb_error *err)
{
	step->verdict_size = (tasks > 0 ? tasks : 1) * sizeof(*step->verdict);
	step->verdict = mmap(NULL, step->verdict_size, PROT_READ | PROT_WRITE,
			     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (step->verdict == MAP_FAILED) {
		step->verdict = NULL;
		return tb_fail(err, "out of memory");
	}
	for (unsigned i = 0; i < tasks; i++)
		tb_fail(&step->verdict[i], "this task was started before its "
					   "CPUs were set");
	return 0;
}

/*
 * With binstance=env and pe tasks are free inside their step's cpuset, which
 * keeps them off the units of other jobs.
 */
static bool binds_tasks(const struct tb_step *step)
{
	return !tb_step_node_is_virtual(&step->node) &&
	       step->plan.instance == TB_SET;
}

/* A process has one memory policy: Slurm and topobind cannot both set it. */
static int open_membind(struct tb_step *step, const struct tb_step_input *input,
			struct tb_error *err)
{
	struct tb_bitset *os_nodes;

	if (!binds_tasks(step) || step->plan.memory.where != TB_MEMORY_PREFER)
		return 0;
	if (input->mem_bind)
		return tb_fail(err,
			       "bmem=prefer does not go with --mem-bind, "
			       "which sets the memory policy of a task, too: "
			       "leave out one of them, or use bmem=local");
	os_nodes = tb_step_node_os_nodes(&step->node, (struct tb_near){ 0 });
	if (os_nodes == NULL)
		return tb_fail(err, "out of memory");
	step->membind = tb_membind_create(os_nodes, err);
	tb_bitset_destroy(os_nodes);
	return step->membind != NULL ? 0 : -1;
}

static struct tb_unit unit_of_request(const struct tb_request *request)
{
	const struct tb_unit core = { .letter = 'C' };

	return tb_request_binds(request) && !request->cpus ? request->unit
							   : core;
}

/* A step can ask for its job. */
static int choose_isolation(struct tb_step *step,
			    const struct tb_step_input *input,
			    const struct requests *requests,
			    struct tb_error *err)
{
	const struct tb_request *job = &requests->job, *own = &requests->step;
	bool is_asked = (tb_request_binds(job) && job->isolate) ||
			(tb_request_binds(own) && own->isolate);

	if (tb_request_check_isolation(job, input->isolation, err) < 0 ||
	    tb_request_check_isolation(own, input->isolation, err) < 0)
		return -1;
	if (is_asked)
		step->isolation = TB_STEP_ISOLATE;
	else if (tb_request_isolates(job, input->isolation))
		step->isolation = TB_STEP_TRY_TO_ISOLATE;
	return 0;
}

static int prepare_step(struct tb_step *step, const struct tb_step_input *input,
			struct tb_error *err)
{
	struct requests requests;
	int rc = read_requests(&requests, input, err);

	if (rc == 0)
		rc = make_plan(step, input, &requests, err);
	if (rc == 0)
		rc = choose_isolation(step, input, &requests, err);
	if (rc == 0)
		rc = find_gpu_memory(step, input, &requests, err);
	step->unit = unit_of_request(&requests.job);
	if (rc == 0)
		rc = open_membind(step, input, err);
	clear_requests(&requests);
	if (rc < 0)
		return -1;
	step->cpusets = tb_task_cpusets_create(input->tasks);
	if (step->cpusets == NULL)
		return tb_fail(err, "out of memory");
	return share_verdicts(step, input->tasks, err);
}

struct tb_step *tb_step_create(const struct tb_step_input *input)
{
	struct tb_step *step = calloc(1, sizeof(*step));
	struct tb_error err;

	if (step != NULL) {
		step->whole = input->whole;
		step->threads_per_core = input->threads_per_core;
	}
	if (step != NULL && prepare_step(step, input, &err) < 0)
		tb_step_fail(step, &err);
	return step;
}

struct tb_step *tb_step_create_failed(const struct tb_error *err)
{
	struct tb_step *step = calloc(1, sizeof(*step));

	if (step != NULL)
		tb_step_fail(step, err);
	return step;
}

const struct tb_error *tb_step_error(const struct tb_step *step)
{
	return step->failed ? &step->error : NULL;
}

void tb_step_fail(struct tb_step *step, const struct tb_error *err)
{
	step->failed = true;
	step->error = *err;
}

void tb_step_blame_node(struct tb_step *step, const struct tb_error *err)
{
	step->blames_node = true;
	tb_step_fail(step, err);
}

bool tb_step_blames_node(const struct tb_step *step)
{
	return step->failed && step->blames_node;
}

bool tb_step_is_held(const struct tb_step *step)
{
	return !step->failed && !tb_step_node_is_virtual(&step->node);
}

enum tb_step_isolation tb_step_isolation(const struct tb_step *step)
{
	return tb_step_is_held(step) ? step->isolation : TB_STEP_SHARE;
}

bool tb_step_has_instance(const struct tb_step *step, enum tb_instance instance)
{
	return !step->failed && step->plan.instance == instance;
}

const char *tb_step_taken_cores(const struct tb_step *step)
{
	return step->slots != NULL ? tb_step_slots_cores(step->slots) : NULL;
}

void tb_step_give_files(struct tb_step *step, struct tb_pe_files *files)
{
	step->files = files;
}

static char *print_cpus(const struct tb_step *step,
			const struct tb_bitset *threads)
{
	struct tb_bitset *os_cpus = tb_step_node_os_cpus(&step->node, threads);
	char *list = NULL;

	if (os_cpus != NULL)
		list = tb_bitset_print_list(os_cpus);
	tb_bitset_destroy(os_cpus);
	return list;
}

static char *print_unmasked_cpus(const struct tb_step *step,
				 const struct tb_bitset *threads)
{
	struct tb_bitset *unmasked = tb_bitset_copy(threads);
	char *list = NULL;

	if (unmasked != NULL) {
		tb_step_plan_drop_masked(&step->plan, unmasked);
		list = print_cpus(step, unmasked);
	}
	tb_bitset_destroy(unmasked);
	return list;
}

char *tb_step_job_cpus(const struct tb_step *step)
{
	return print_unmasked_cpus(step, step->plan.job);
}

char *tb_step_step_cpus(const struct tb_step *step)
{
	return print_unmasked_cpus(step, step->plan.step);
}

/*
 * Processes that join a step from outside are in its cgroup, in no task's.  The
 * job's has all memory: it serves steps of any policy.
 */
char *tb_step_step_mems(const struct tb_step *step)
{
	struct tb_near near = tb_step_plan_step_constrained(&step->plan);
	struct tb_bitset *os_nodes;
	char *list;

	if (near.threads == NULL || step->plan.instance != TB_SET)
		return strdup("");
	os_nodes = tb_step_node_os_nodes(&step->node, near);
	list = os_nodes != NULL ? tb_bitset_print_list(os_nodes) : NULL;
	tb_bitset_destroy(os_nodes);
	return list;
}

static double *measure_threads(const struct tb_step *step,
			       const struct tb_cpu_look *before,
			       const struct tb_cpu_look *after)
{
	unsigned count = step->plan.job->nbits;
	double *busy = calloc(count + 1, sizeof(*busy));

	for (unsigned i = 0; busy != NULL && i < count; i++)
		busy[i] = tb_cpu_look_busy(before, after,
					   tb_machine_os_cpu(step->node.machine,
							     i));
	return busy;
}

int tb_step_measure(const struct tb_step *step,
		    const struct tb_cpu_look *before,
		    const struct tb_cpu_look *after, struct tb_unit *unit,
		    struct tb_busy *busy, struct tb_error *err)
{
	struct tb_bitset *unmasked = tb_bitset_copy(step->plan.job);
	double *threads = measure_threads(step, before, after);
	int rc = -1;

	*unit = step->unit;
	if (unmasked != NULL && threads != NULL) {
		tb_step_plan_drop_masked(&step->plan, unmasked);
		rc = tb_busy_measure(tb_step_node_topology(&step->node), *unit,
				     unmasked, threads, busy);
	}
	tb_bitset_destroy(unmasked);
	free(threads);
	return rc < 0 ? tb_fail(err, "out of memory") : 0;
}

bool tb_step_is_soft(const struct tb_step *step)
{
	return !step->failed && binds_tasks(step) && step->plan.mode == TB_SOFT;
}

struct tb_bitset *tb_step_preferred(const struct tb_step *step, unsigned task)
{
	return tb_step_node_os_cpus(&step->node, step->plan.task[task]);
}

struct tb_bitset *tb_step_scope(const struct tb_step *step, unsigned task)
{
	struct tb_bitset *os_cpus = NULL;
	struct tb_bitset *threads = tb_step_plan_scope(&step->plan,
						       tb_step_node_topology(
							       &step->node),
						       step->threads_per_core,
						       task);

	if (threads != NULL)
		os_cpus = tb_step_node_os_cpus(&step->node, threads);
	tb_bitset_destroy(threads);
	return os_cpus;
}

/* Of a job that is soft as a whole only its hard steps keep theirs. */
char *tb_step_kept_from_others(const struct tb_step *step)
{
	if (step->plan.job_mode == TB_HARD)
		return print_cpus(step, step->plan.job);
	return step->plan.mode == TB_HARD ? print_cpus(step, step->plan.step)
					  : strdup("");
}

/* A batch script has all that its job has, but its steps run there, too. */
char *tb_step_kept_from_own(const struct tb_step *step)
{
	if (step->plan.mode == TB_HARD && !step->whole)
		return print_cpus(step, step->plan.step);
	return strdup("");
}

static int hold_task(struct tb_step *step, unsigned task, pid_t pid,
		     struct tb_error *err)
{
	struct tb_near near = tb_step_plan_constrained(&step->plan, task);
	struct tb_bitset *os_cpus, *os_nodes = NULL, *scope = NULL;
	bool soft = tb_step_is_soft(step);
	int rc;

	if (!binds_tasks(step))
		return 0;
	os_cpus = tb_step_preferred(step, task);
	if (near.threads != NULL)
		os_nodes = tb_step_node_os_nodes(&step->node, near);
	if (soft)
		scope = tb_step_scope(step, task);
	if (os_cpus == NULL || (near.threads != NULL && os_nodes == NULL) ||
	    (soft && scope == NULL))
		rc = tb_fail(err, "out of memory");
	else
		rc = tb_task_cpusets_hold(step->cpusets, task, pid,
					  &(struct tb_task_cpuset_sets){
						  os_cpus, os_nodes, scope },
					  err);
	tb_bitset_destroy(os_cpus);
	tb_bitset_destroy(os_nodes);
	tb_bitset_destroy(scope);
	return rc;
}

void tb_step_fail_task(struct tb_step *step, unsigned task,
		       const struct tb_error *err)
{
	if (task < step->plan.tasks)
		step->verdict[task] = *err;
}

int tb_step_hold(struct tb_step *step, unsigned task, pid_t pid,
		 struct tb_error *err)
{
	if (step->failed) {
		*err = step->error;
		return -1;
	}
	if (task >= step->plan.tasks)
		return tb_fail(err, "there is no task %u on this node", task);
	if (hold_task(step, task, pid, err) < 0) {
		tb_step_fail_task(step, task, err);
		return -1;
	}
	step->verdict[task].text[0] = '\0';
	return 0;
}

int tb_step_prefer(const struct tb_step *step, unsigned task,
		   struct tb_error *err)
{
	struct tb_bitset *os_nodes;
	int rc;

	if (step->membind == NULL)
		return 0;
	os_nodes = tb_step_node_os_nodes(&step->node,
					 tb_step_plan_near(&step->plan, task));
	if (os_nodes == NULL)
		return tb_fail(err, "out of memory");
	rc = tb_membind_prefer(step->membind, os_nodes, err);
	tb_bitset_destroy(os_nodes);
	return rc;
}

/* On a virtual node no task is held. */
static enum tb_instance choose_instance(const struct tb_step *step)
{
	if (step->plan.instance == TB_SET && !binds_tasks(step))
		return TB_ENV;
	return step->plan.instance;
}

int tb_step_variables(const struct tb_step *step, unsigned task,
		      struct tb_variables *variables, struct tb_error *err)
{
	tb_variables_plain(variables);
	if (step->failed) {
		*err = step->error;
		return -1;
	}
	if (task >= step->plan.tasks)
		return tb_fail(err, "there is no task %u on this node", task);
	if (step->verdict[task].text[0] != '\0') {
		*err = step->verdict[task];
		return -1;
	}
	if (tb_variables_bound(variables, &step->node, step->plan.task[task],
			       tb_step_plan_near(&step->plan, task),
			       step->plan.slot[task], choose_instance(step),
			       err) < 0 ||
	    tb_variables_parts(variables, &step->node, &step->plan, task, err) <
		    0)
		return -1;
	tb_variables_files(variables, step->files);
	return 0;
}

int tb_step_destroy(struct tb_step *step, struct tb_error *err)
{
	int rc;

	if (step == NULL)
		return 0;
	rc = tb_task_cpusets_destroy(step->cpusets, err);
	tb_membind_destroy(step->membind);
	tb_pe_files_destroy(step->files);
	tb_step_slots_give_back(step->slots);
	if (step->verdict != NULL)
		munmap(step->verdict, step->verdict_size);
	tb_step_plan_clear(&step->plan);
	tb_step_node_close(&step->node);
	free(step);
	return rc;
}
