/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plan_options.h - the options of sbatch that "topobind plan" takes, on its command
 * line and from a job script
 */
#ifndef TB_TOOLS_PLAN_PLAN_OPTIONS_H
#define TB_TOOLS_PLAN_PLAN_OPTIONS_H

#include "compat/slurm_types.h"

#include "batch_script.h"
#include "command.h"
#include "job_spec.h"

struct tb_plan_options {
	struct tb_command common;
	/* As sbatch would send it; its strings are the arguments or owned. */
	job_desc_msg_t job;
	struct tb_job_spec spec; /* the same, and the binding */
	char *line;	/* canonical request; NULL: no binding is asked for */
	char *variable; /* the line as Slurm keeps it with a job */
	char *gres_per_job, *gres_per_node, *gres_per_task, *gres_per_socket;
	char *cpus_per_gres, *memory_per_gres;
	struct tb_batch_script script; /* empty when there is none */
	/* Bits: options that the plan leaves out, see tb_sbatch_unplanned(). */
	uint32_t unplanned;
};

/*
 * Read the arguments, the script that they name, and the binding in the environment
 * variable TOPOBIND.  -1:
 * an error was printed.  tb_plan_options_clear() is right after both.
 */
int tb_plan_options_read(struct tb_plan_options *options, int argc,
			 char **argv);
void tb_plan_options_clear(struct tb_plan_options *options);

#endif
