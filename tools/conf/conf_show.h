/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conf_show.h - "topobind conf --show"
 */
#ifndef TB_TOOLS_CONF_CONF_SHOW_H
#define TB_TOOLS_CONF_CONF_SHOW_H

#include <stdbool.h>

/* Print what slurmctld runs with; an exit code.  tb_slurm_begin() comes before. */
int tb_conf_show(const char *command, bool as_json);

#endif
