/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * variables.h - what a task is told about its binding
 *
 * The environment variables of DESIGN.md, section 8, under topobind's names
 * and, for scripts that come from there, under those of Open Cluster Scheduler.
 */
#ifndef TB_TASK_VARIABLES_H
#define TB_TASK_VARIABLES_H

#include <stdbool.h>

#include "core/bitset.h"
#include "core/error.h"
#include "task_topobind/node.h"

#define TB_VARIABLES 9

struct tb_variables {
	const char *name[TB_VARIABLES];
	const char *value[TB_VARIABLES]; /* NULL: to be unset */
	char *text[TB_VARIABLES];	 /* private, owns values */
};

/* Of a task that nobody binds. */
void tb_variables_plain(struct tb_variables *variables);

/*
 * Of a task with some threads of the node, held there or only told so; near are
 * the threads near which its memory is, NULL: anywhere; slot is TB_NO_SLOT for
 * a batch script and the like.  0, or -1 with a sentence in err.
 */
int tb_variables_bound(struct tb_variables *variables,
		       const struct tb_node *node,
		       const struct tb_bitset *threads,
		       const struct tb_bitset *near, int slot, bool held,
		       struct tb_error *err);

/* Right after both, whatever the second returned. */
void tb_variables_clear(struct tb_variables *variables);

#endif
