/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * history.h - the jobs of a cluster's past, as sacct -P prints them, or in the
 * Standard Workload Format
 */
#ifndef TB_TOOLS_WHATIF_HISTORY_H
#define TB_TOOLS_WHATIF_HISTORY_H

#include <stdint.h>
#include <stdio.h>

#include "core/base/error.h"

enum tb_history_format {
	TB_HISTORY_ANY, /* sacct's where the first line has a "|" */
	TB_HISTORY_SACCT,
	TB_HISTORY_SWF,
};

/* What is not known is 0. */
struct tb_past_job {
	uint64_t id;
	/*
	 * Of an array or a heterogeneous job: '_' or '+', and which of them; '\0':
	 * neither.
	 */
	char part_sign;
	uint32_t part;
	int64_t submit, run, limit; /* seconds */
	uint32_t nodes, tasks, cpus;
};

struct tb_history {
	struct tb_past_job *jobs; /* by submission */
	unsigned njobs;
	unsigned left_out; /* that never ran, or run yet */
};

/* "12", "12_3" or "12+1", as sacct has it. */
#define TB_PAST_ID_MAX 40
void tb_past_job_print(const struct tb_past_job *job,
		       char text[TB_PAST_ID_MAX]);

/* -1 with a sentence that names the line; tb_history_clear() is right then, too. */
int tb_history_read(FILE *in, enum tb_history_format format,
		    struct tb_history *history, struct tb_error *err);
void tb_history_clear(struct tb_history *history);

#endif
