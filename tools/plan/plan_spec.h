/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plan_spec.h - a job description of sbatch's as a job whose plan is asked for
 */
#ifndef TB_TOOLS_PLAN_PLAN_SPEC_H
#define TB_TOOLS_PLAN_PLAN_SPEC_H

#include "plan_options.h"

/* Set options->spec, but for its devices and its request, by the job description. */
void tb_plan_spec_make(struct tb_plan_options *options);

/* And its devices, by the lists of GRES.  -1 with a sentence. */
int tb_plan_spec_find_devices(struct tb_plan_options *options,
			      struct tb_error *err);

#endif
