/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * running_conf.h - the configuration that slurmctld runs with, for everybody to see
 *
 * What of it differs from the defaults goes into the log.  All of it is part of what
 * "scontrol show config" shows, up to Slurm 24.11: there "topobind conf --show" and
 * the tools find it (tools/cluster/running_conf.h), without files of slurmctld.
 *
 * The functions are called with slurmctld's lock on its configuration.
 */
#ifndef TB_SELECT_TOPOBIND_SHOW_RUNNING_CONF_H
#define TB_SELECT_TOPOBIND_SHOW_RUNNING_CONF_H

#include "common/conf/conf.h"
#include "compat/select_compat.h"

/* It was read just now: log what differs, and keep what is shown.  Reads files. */
void tb_running_conf_set(const struct tb_conf *site);
void tb_running_conf_fini(void);

/* A new list of config_key_pair_t, common/conf/conf_pairs.h; NULL: nothing is known. */
list_t *tb_running_conf_list(void);

#endif
