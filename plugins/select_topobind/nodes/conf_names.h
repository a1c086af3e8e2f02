/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conf_names.h - are the partitions and nodes of topobind.conf those of the cluster?
 *
 * Both come and go while slurmctld runs (scontrol create, scontrol delete), and
 * its saved state brings back nodes that slurm.conf does not have.  So a line for
 * an unknown one is no error: it has an effect as soon as there is one.  But it
 * may be a typing error, so the log says so (doc/design.md, "Configuration").
 */
#ifndef TB_SELECT_TOPOBIND_NODES_CONF_NAMES_H
#define TB_SELECT_TOPOBIND_NODES_CONF_NAMES_H

#include "common/conf/conf.h"

/* Log each line that names an unknown partition or node, with its file and number. */
void tb_conf_names_check(const struct tb_conf *site);

#endif
