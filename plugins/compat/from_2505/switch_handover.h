/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * switch_handover.h - how slurmctld's steps come back to the select plugin
 *
 * Since Slurm 25.05 no select plugin is asked about steps.  A switch plugin is: when
 * a step has nodes and tasks and no cores yet.  So in slurmctld, which loads
 * switch plugins after the select plugin, select/topobind puts switch/topobind in
 * the place of the site's SwitchType.  That plugin gives the site's its place in the
 * configuration back, passes every call on to it, asks select/topobind about
 * steps, and tells it when control ends.  slurm.conf and all other daemons know
 * nothing of it.
 */
#ifndef TB_COMPAT_FROM_2505_SWITCH_HANDOVER_H
#define TB_COMPAT_FROM_2505_SWITCH_HANDOVER_H

#include "compat/select_compat.h"

#define TB_SWITCH_TYPE "switch/topobind"

/* The name of the one symbol that the select plugin exports for it. */
#define TB_SWITCH_HANDOVER "topobind_switch_handover"

struct tb_switch_handover {
	/* What slurm.conf says; NULL: nothing.  Owned by the select plugin. */
	char *site_type;
	/* A step has its tasks, and no cores yet. */
	void (*step_start)(step_record_t *step);
	/* Slurm has counted what the last of these steps uses. */
	void (*step_counted)(void);
	/* The last call before a controller ends, or gives control to another. */
	void (*control_ends)(void);
};

#endif
