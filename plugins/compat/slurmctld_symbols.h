/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * slurmctld_symbols.h - variables of slurmctld that the plugin uses
 *
 * Clients and slurmd load the plugin too, and do not have these variables.  They
 * are weak, so that the plugin loads everywhere; a definition in the plugin could
 * replace the real ones.
 */
#ifndef TB_COMPAT_SLURMCTLD_SYMBOLS_H
#define TB_COMPAT_SLURMCTLD_SYMBOLS_H

#include "src/common/list.h"
#include "src/common/node_conf.h"
#include "src/slurmctld/slurmctld.h"

extern list_t *job_list __attribute__((weak));
extern list_t *active_feature_list __attribute__((weak));
extern list_t *avail_feature_list __attribute__((weak));
extern list_t *resv_list __attribute__((weak));
extern list_t *part_list __attribute__((weak));
extern node_record_t **node_record_table_ptr __attribute__((weak));
extern int node_record_count __attribute__((weak));
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(26, 5, 0)
extern node_select_stats_t **node_select_stats_array __attribute__((weak));
#endif
extern bitstr_t *avail_node_bitmap __attribute__((weak));
extern time_t last_node_update __attribute__((weak));
extern time_t last_job_update __attribute__((weak));
extern time_t last_resv_update __attribute__((weak));
extern bool node_features_updated __attribute__((weak));
extern void *acct_db_conn __attribute__((weak));
extern slurmctld_config_t slurmctld_config __attribute__((weak));

#endif
