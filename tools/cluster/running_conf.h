/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * running_conf.h - the settings of topobind.conf that slurmctld runs with
 *
 * It tells them with its own configuration (common/conf/conf_pairs.h), up to Slurm
 * 24.11.  The file may have changed since it was read.
 */
#ifndef TB_TOOLS_CLUSTER_RUNNING_CONF_H
#define TB_TOOLS_CLUSTER_RUNNING_CONF_H

#include <stdbool.h>

#include "core/base/error.h"

struct tb_conf;

struct tb_running_setting {
	char *text;		 /* what the others point into */
	const char *list, *name; /* NULL: of the site */
	const char *key, *value, *from;
};

struct tb_running_conf {
	struct tb_running_setting *settings;
	unsigned count;
	bool has_more; /* than slurmctld tells */
};

/*
 * One question to slurmctld; slurm_init() comes before.  NULL with a sentence: it
 * does not answer, or does not tell.
 */
struct tb_running_conf *tb_running_conf_load(struct tb_error *err);
void tb_running_conf_destroy(struct tb_running_conf *running); /* NULL is fine */

/*
 * As if the file had been read that slurmctld has read.  NULL with a sentence, also
 * where there is more than slurmctld tells.
 */
struct tb_conf *tb_running_conf_read(const struct tb_running_conf *running,
				     struct tb_error *err);

#endif
