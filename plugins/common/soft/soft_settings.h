/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * soft_settings.h - what an administrator has set of soft binding at run time
 *
 * Files of the registry (soft_registry.h): "settings" is for the node, "JOB.settings"
 * for a job, as long as it has steps there.  Running steps read them again when
 * the registry changes.  Text, a setting in each line:
 *
 *	threshold PERCENT
 *	count job|all
 *	prefer STEP TASK LIST	the OS CPUs that this task prefers; "*": each
 *	thread STEP TASK TID STARTED LIST
 *				those that one thread of it prefers (cgroup/thread.h)
 *
 * What is not there is as topobind.conf and the grant say.
 */
#ifndef TB_COMMON_SOFT_SOFT_SETTINGS_H
#define TB_COMMON_SOFT_SOFT_SETTINGS_H

#include <stdint.h>

#include "cgroup/thread.h"
#include "core/soft/soft.h"
#include "soft_registry.h"

#define TB_SOFT_EACH UINT32_MAX /* step or task */
#define TB_SOFT_UNSET -1

struct tb_soft_target {
	uint32_t step, task;	    /* of a job */
	struct tb_thread_id thread; /* of a task; tid 0: of each */
};

/* Its tasks, or its thread, prefer the CPUs, a set of TB_REGISTRY_CPUS bits. */
struct tb_soft_preference {
	struct tb_soft_target target;
	struct tb_bitset *cpus;
};

struct tb_soft_settings {
	int threshold; /* percent, TB_SOFT_UNSET */
	int count;     /* enum tb_soft_count, TB_SOFT_UNSET */
	unsigned count_of_preferences;
	struct tb_soft_preference *preference;
};

/* job 0: the node.  Without a file nothing is set.  -1 with a sentence. */
int tb_soft_settings_read(struct tb_registry *registry, uint32_t job,
			  struct tb_soft_settings *settings,
			  struct tb_error *err);
/* Nothing set: the file goes. */
int tb_soft_settings_write(struct tb_registry *registry, uint32_t job,
			   const struct tb_soft_settings *settings,
			   struct tb_error *err);
void tb_soft_settings_clear(struct tb_soft_settings *settings);

/*
 * From now on the target prefers the list; what was said of its parts is forgotten.
 * NULL: what it was granted.  -1 with a sentence.
 */
int tb_soft_settings_prefer(struct tb_soft_settings *settings,
			    const struct tb_soft_target *target,
			    const char *list, struct tb_error *err);

/* What a task prefers, as was said of the smallest target with it; NULL: nothing was. */
const struct tb_bitset *
tb_soft_settings_preferred(const struct tb_soft_settings *settings,
			   uint32_t step, uint32_t task);
/* The same of one thread, of which somebody said so; NULL: only of its task. */
const struct tb_bitset *
tb_soft_settings_of_thread(const struct tb_soft_settings *settings,
			   const struct tb_thread_id *thread);
/* Forget what was said of threads that have ended. */
void tb_soft_settings_drop_ended(struct tb_soft_settings *settings);

/* Both are the site's; what is set takes their place. */
void tb_soft_settings_apply(const struct tb_soft_settings *settings,
			    unsigned *low_pct, enum tb_soft_count *count);

#endif
