/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * variables.h - what a task is told about its binding
 *
 * The environment variables of doc/design.md, "Node", under topobind's names
 * and, for scripts that come from there, under those of Open Cluster Scheduler.
 */
#ifndef TB_TASK_TOPOBIND_STEP_VARIABLES_H
#define TB_TASK_TOPOBIND_STEP_VARIABLES_H

#include <stdbool.h>

#include "core/base/bitset.h"
#include "core/base/error.h"
#include "core/request/request.h"
#include "step_node.h"
#include "step_plan.h"
#include "task_topobind/pe/pe_files.h"

#define TB_VARIABLES 17

struct tb_variables {
	const char *name[TB_VARIABLES];
	const char *value[TB_VARIABLES]; /* NULL: to be unset */
	char *text[TB_VARIABLES];	 /* private, owns values */
};

/* Of a task that nobody binds. */
void tb_variables_plain(struct tb_variables *variables);

/*
 * Of a task with some threads of the node, and who binds it there; near says where
 * its memory is; slot is TB_NO_SLOT for a batch script and the like.  0, or -1 with
 * a sentence in err.
 */
int tb_variables_bound(struct tb_variables *variables,
		       const struct tb_step_node *node,
		       const struct tb_bitset *threads, struct tb_near near,
		       int slot, enum tb_instance instance,
		       struct tb_error *err);

/* The parts of bunit=X:1+C:2, as far as the task has them; else nothing changes. */
int tb_variables_parts(struct tb_variables *variables,
		       const struct tb_step_node *node,
		       const struct tb_step_plan *plan, unsigned task,
		       struct tb_error *err);

/* With these files (NULL: none), which outlive the variables. */
void tb_variables_files(struct tb_variables *variables,
			const struct tb_pe_files *files);

/* Right after both, whatever the second returned. */
void tb_variables_clear(struct tb_variables *variables);

#endif
