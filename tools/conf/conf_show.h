/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conf_show.h - "topobind conf --show"
 */
#ifndef TB_TOOLS_CONF_CONF_SHOW_H
#define TB_TOOLS_CONF_CONF_SHOW_H

#include <jansson.h>
#include <stdbool.h>

struct tb_running_conf;

/* Print what slurmctld runs with; an exit code.  tb_slurm_begin() comes before. */
int tb_conf_show(const char *command, bool as_json);

/* Its settings, an array of objects. */
json_t *tb_conf_show_json(const struct tb_running_conf *conf);

#endif
