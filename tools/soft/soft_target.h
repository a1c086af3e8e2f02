/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * soft_target.h - what a command of soft binding is about: "31", "31.0", "31.batch.0"
 */
#ifndef TB_TOOLS_SOFT_SOFT_TARGET_H
#define TB_TOOLS_SOFT_SOFT_TARGET_H

#include "common/soft/soft_settings.h"
#include "soft_node.h"

struct tb_soft_job {
	uint32_t job;		    /* 0: the node */
	struct tb_soft_target part; /* TB_SOFT_EACH: all of it */
};

/* -1 with a sentence. */
int tb_soft_job_read(const char *text, struct tb_soft_job *target,
		     struct tb_error *err);

/* Is a step, or a task of it, among them? */
bool tb_soft_job_has_step(const struct tb_soft_job *target,
			  const struct tb_soft_state *state);
bool tb_soft_job_has_task(const struct tb_soft_job *target,
			  const struct tb_soft_state *state,
			  const struct tb_soft_task *task);

/* The CPUs of one task now. */
struct tb_soft_cpus {
	struct tb_bitset *preferred, *allowed;
};

/*
 * What one thread of the task prefers, where somebody said so, and else what the task
 * does: into preferred, a set of TB_REGISTRY_CPUS bits.
 */
void tb_soft_find_thread_cpus(const struct tb_soft_settings *settings,
			      const struct tb_soft_state *state,
			      const struct tb_soft_cpus *cpus,
			      const struct tb_thread_id *thread,
			      struct tb_bitset *preferred);
/* Of which CPUs a thread of the task can prefer some. */
const struct tb_bitset *tb_soft_thread_limit(const struct tb_soft_state *state,
					     const struct tb_soft_cpus *cpus);

/*
 * As the step's controller finds them (core/soft/soft.h), with the registry locked;
 * task: its place in the state.  The caller clears, whatever comes.  False for want of
 * memory, and when the step or a file is gone meanwhile.
 */
bool tb_soft_find_cpus(struct tb_registry *registry,
		       const struct tb_soft_state *state, unsigned task,
		       struct tb_soft_cpus *cpus);
void tb_soft_cpus_clear(struct tb_soft_cpus *cpus);

#endif
