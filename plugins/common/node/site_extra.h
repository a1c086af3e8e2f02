/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * site_extra.h - does Slurm demand that nodes' Extra fields are JSON objects?
 */
#ifndef TB_COMMON_NODE_SITE_EXTRA_H
#define TB_COMMON_NODE_SITE_EXTRA_H

#include <stdbool.h>

#include "src/common/read_config.h"
#include "src/common/xstring.h"

/* By the word that Slurm looks for, which releases before 23.11 do not know. */
static inline bool tb_site_extra_is_json(void)
{
	return xstrcasestr(slurm_conf.sched_params, "extra_constraints");
}

#endif
