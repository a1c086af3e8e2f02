/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * names.h - are the partitions and nodes of topobind.conf those of the cluster?
 *
 * Both come and go while slurmctld runs (scontrol create, scontrol delete), and
 * its state brings back what slurm.conf does not have.  So a line for one that
 * is not there is no error: it counts from the moment there is one.  As it may
 * as well be a mistake in writing, it is told (DESIGN.md, section 9).
 */
#ifndef TB_SELECT_NAMES_H
#define TB_SELECT_NAMES_H

#include "common/conf.h"

/* Tell in the log about each line with such a name, with file and line. */
void tb_names_check(const struct tb_conf *site);

#endif
