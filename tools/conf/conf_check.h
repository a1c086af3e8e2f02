/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conf_check.h - the checks of "topobind conf --check"
 *
 * Each looks at one thing, with the same results for the same site; what it
 * cannot know without slurmctld it leaves out.  Memory that is short is told by
 * the findings.
 */
#ifndef TB_TOOLS_CONF_CONF_CHECK_H
#define TB_TOOLS_CONF_CONF_CHECK_H

#include "conf_findings.h"
#include "conf_site.h"

/*
 * SelectType, SelectTypeParameters, TaskPlugin, ProctrackType; what slurmctld has of
 * them.
 */
void tb_check_slurm_conf(const struct tb_conf_site *site,
			 struct tb_findings *findings);
/* The plugins in PluginDir, and for which Slurm they were built. */
void tb_check_plugins(const struct tb_conf_site *site,
		      struct tb_findings *findings);
void tb_check_plugstack(const struct tb_conf_site *site,
			struct tb_findings *findings);
void tb_check_cgroup(const struct tb_conf_site *site,
		     struct tb_findings *findings);
/* topobind.conf, and the partitions and nodes that it names. */
void tb_check_topobind_conf(const struct tb_conf_site *site,
			    struct tb_findings *findings);
/* Are its settings those that slurmctld tells? */
void tb_check_in_force(const struct tb_conf_site *site,
		       struct tb_findings *findings);
/* The cores that gres.conf says are near devices, beside the units of nodes. */
void tb_check_gres(const struct tb_conf_site *site,
		   struct tb_findings *findings);
/* What UnitTRES=yes needs in slurm.conf and gres.conf. */
void tb_check_tres(const struct tb_conf_site *site,
		   struct tb_findings *findings);
/* Their topologies beside slurm.conf and topobind.conf. */
void tb_check_nodes(const struct tb_conf_site *site,
		    struct tb_findings *findings);

/* TaskPlugin as slurm.conf would have it: later Slurms know none as no string. */
const char *tb_task_plugins(const slurm_conf_t *conf);
/* Where a plugin is in a list such as "task/cgroup,topobind"; -1: nowhere. */
int tb_task_plugin_position(const char *list, const char *name);

#endif
