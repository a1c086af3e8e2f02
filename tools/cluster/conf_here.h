/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conf_here.h - topobind.conf as this host knows it
 */
#ifndef TB_TOOLS_CLUSTER_CONF_HERE_H
#define TB_TOOLS_CLUSTER_CONF_HERE_H

#include "core/base/error.h"

struct tb_conf;

/*
 * A file beside the slurm.conf that slurm_init() has read; malloc()ed, NULL: out of
 * memory.
 */
char *tb_beside_slurm_conf(const char *name);

/*
 * The settings that slurmctld runs with (running_conf.h), or, where it does not tell,
 * those of the file beside slurm.conf; without such a file all is as by default.
 * NULL with a sentence.
 */
struct tb_conf *tb_conf_here(struct tb_error *err);

#endif
