/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * node_table.h - rows and columns of topobind nodes
 */
#ifndef TB_TOOLS_NODES_NODE_TABLE_H
#define TB_TOOLS_NODES_NODE_TABLE_H

#include "node_view.h"
#include "table/table.h"

/* A node, or several of which the same is to be said. */
struct tb_node_row {
	const struct tb_node_view *node; /* the first of them */
	char *nodes;			 /* a node list */
	unsigned count;
	unsigned place; /* of the first in Slurm's order */
};

/* Its rows are struct tb_node_row. */
const struct tb_table_kind *tb_node_table(void);

/*
 * One row for each node; or, when together, for all that have the same in all
 * of the columns but their names and number.  They keep their order.  NULL
 * when out of memory.
 */
struct tb_node_row *tb_node_rows_make(const struct tb_node_view **nodes,
				      unsigned nnodes,
				      const struct tb_columns *columns,
				      bool together, unsigned *nrows);
void tb_node_rows_destroy(struct tb_node_row *rows, unsigned nrows);

/*
 * Names of the columns that are shown where none are asked for: those kinds of
 * units that the nodes have, each number once.  malloc()ed; NULL when out of
 * memory.
 */
char *tb_node_table_usual(const struct tb_node_view **nodes, unsigned nnodes,
			  bool together);

/* "mixed": Slurm's word, in small letters; malloc()ed. */
char *tb_node_state(const node_info_t *node);

#endif
