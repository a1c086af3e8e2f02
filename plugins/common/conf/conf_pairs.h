/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conf_pairs.h - how settings of topobind.conf look in "scontrol show config"
 *
 * A setting is a pair, with the name and value
 *
 *   KEY                       VALUE # FROM       of the site
 *   PartitionName=NAME KEY    VALUE # FROM
 *   NodeName=NODES KEY        VALUE # FROM
 *
 *   PolicyPlugin=NAME State   on # slurmctld, or  off: WHY # slurmctld
 *
 * where FROM is as in struct tb_conf_setting.  Neither keys, values nor names have
 * a "#", which begins a comment in the file.  After so many settings the name of the
 * last pair says that there are more.
 */
#ifndef TB_COMMON_CONF_CONF_PAIRS_H
#define TB_COMMON_CONF_CONF_PAIRS_H

#define TB_CONF_PAIRS_MAX 2000
#define TB_CONF_PAIR_FROM " # "
#define TB_CONF_PAIR_PLUGIN "PolicyPlugin"
#define TB_CONF_PAIR_MORE "topobind.conf has more"

#endif
