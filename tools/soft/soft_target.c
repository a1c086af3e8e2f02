/* SPDX-License-Identifier: GPL-2.0-or-later */
/* soft_target.c - see soft_target.h */
#include <string.h>

#include "compat/slurm_types.h"

#include "core/base/text.h"
#include "soft_target.h"

static int read_number(const char **at, uint32_t *number)
{
	uint64_t value;

	if (tb_text_read_number(at, NO_VAL - 1, &value))
		return -1;
	*number = (uint32_t)value;
	return 0;
}

static int read_step(const char **at, uint32_t *step)
{
	static const struct {
		const char *word;
		uint32_t step;
	} words[] = {
		{ "batch", SLURM_BATCH_SCRIPT },
		{ "interactive", SLURM_INTERACTIVE_STEP },
	};

	for (unsigned i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		size_t length = strlen(words[i].word);

		if (!strncmp(*at, words[i].word, length)) {
			*at += length;
			*step = words[i].step;
			return 0;
		}
	}
	return read_number(at, step);
}

int tb_soft_job_read(const char *text, struct tb_soft_job *target,
		     struct tb_error *err)
{
	const char *at = text;
	int rc;

	*target = (struct tb_soft_job){
		.part = { .step = TB_SOFT_EACH, .task = TB_SOFT_EACH },
	};
	rc = read_number(&at, &target->job);
	if (!rc && *at == '.') {
		at++;
		rc = read_step(&at, &target->part.step);
	}
	if (!rc && *at == '.' && target->part.step != TB_SOFT_EACH) {
		at++;
		rc = read_number(&at, &target->part.task);
	}
	if (rc || *at || !target->job)
		return tb_fail(
			err,
			"\"%.60s\" is not a job id; write its number, such as 123, or 123.0 for a step and 123.0.1 for a task",
			text);
	return 0;
}

bool tb_soft_job_has_step(const struct tb_soft_job *target,
			  const struct tb_soft_state *state)
{
	return (!target->job || target->job == state->job) &&
	       (target->part.step == TB_SOFT_EACH ||
		target->part.step == state->step);
}

bool tb_soft_job_has_task(const struct tb_soft_job *target,
			  const struct tb_soft_state *state,
			  const struct tb_soft_task *task)
{
	return tb_soft_job_has_step(target, state) &&
	       (target->part.task == TB_SOFT_EACH ||
		target->part.task == task->id);
}

/* ---- CPUs ---- */

static int find_preferred(struct tb_registry *registry,
			  const struct tb_soft_state *state, unsigned task,
			  const struct tb_soft_cgroup *cgroup,
			  struct tb_soft_cpus *cpus)
{
	struct tb_soft_settings settings;

	if (tb_soft_settings_read(registry, state->job, &settings, NULL))
		return -1;
	tb_soft_preferred(tb_soft_settings_preferred(&settings, state->step,
						     state->task[task].id),
			  cgroup->base, cpus->allowed, cpus->preferred);
	tb_soft_settings_clear(&settings);
	return 0;
}

bool tb_soft_find_cpus(struct tb_registry *registry,
		       const struct tb_soft_state *state, unsigned task,
		       struct tb_soft_cpus *cpus)
{
	struct tb_bitset *claimed = tb_registry_claimed(registry, state->job,
							NULL);
	struct tb_soft_cgroup cgroup;
	int rc = -1;

	cpus->preferred = tb_bitset_create(TB_REGISTRY_CPUS);
	cpus->allowed = tb_bitset_create(TB_REGISTRY_CPUS);
	if (tb_soft_task_cgroup(state, task, &cgroup) && claimed &&
	    cpus->preferred && cpus->allowed) {
		tb_soft_allowed(cgroup.scope, cgroup.base, claimed,
				cpus->allowed);
		rc = find_preferred(registry, state, task, &cgroup, cpus);
	}
	tb_soft_cgroup_clear(&cgroup);
	tb_bitset_destroy(claimed);
	return !rc;
}

/* A kernel that does it itself takes any that the task may have. */
const struct tb_bitset *tb_soft_thread_limit(const struct tb_soft_state *state,
					     const struct tb_soft_cpus *cpus)
{
	return state->native ? cpus->allowed : cpus->preferred;
}

void tb_soft_find_thread_cpus(const struct tb_soft_settings *settings,
			      const struct tb_soft_state *state,
			      const struct tb_soft_cpus *cpus,
			      const struct tb_thread_id *thread,
			      struct tb_bitset *preferred)
{
	tb_soft_preferred(tb_soft_settings_of_thread(settings, thread),
			  cpus->preferred, tb_soft_thread_limit(state, cpus),
			  preferred);
}

void tb_soft_cpus_clear(struct tb_soft_cpus *cpus)
{
	tb_bitset_destroy(cpus->preferred);
	tb_bitset_destroy(cpus->allowed);
}
