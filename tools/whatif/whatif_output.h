/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * whatif_output.h - what configurations make of a history, for people and programs
 */
#ifndef TB_TOOLS_WHATIF_WHATIF_OUTPUT_H
#define TB_TOOLS_WHATIF_WHATIF_OUTPUT_H

#include "later.h"

struct tb_whatif_result {
	struct tb_whatif whatif;
	struct tb_later later; /* than under the first of the list */
};

/* -1: no memory. */
int tb_whatif_print_table(const struct tb_history *history,
			  const struct tb_past_clusters *clusters,
			  const struct tb_whatif_result *list, unsigned count);

/* An exit code. */
int tb_whatif_print_json(const char *command, const struct tb_history *history,
			 const struct tb_whatif_result *list, unsigned count);

#endif
