/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conf_items.h - the keys of topobind.conf and their defaults, each once
 *
 * The parser, slurmctld's log and "topobind conf --show" are made of these lists.
 * ITEM(NAME, KEY, USUAL): the name for constants, the key, its default as text.
 * A new key needs a row here and code that reads its value.
 */
#ifndef TB_COMMON_CONF_CONF_ITEMS_H
#define TB_COMMON_CONF_CONF_ITEMS_H

#include "conf_metrics.h"
#include "conf_soft.h"
#include "core/soft/soft.h"

#define TB_TEXT_OF_(number) #number
#define TB_TEXT_OF(number) TB_TEXT_OF_(number)

/* clang-format off */

/* Of soft binding; a PartitionName= line can override them, and a NodeName= line both. */
#define TB_SOFT_ITEMS(ITEM) \
	ITEM(SOFT, "Soft", "yes") \
	ITEM(SOFT_LOW, "SoftUtilLowPct", TB_TEXT_OF(TB_SOFT_LOW_PCT)) \
	ITEM(SOFT_COUNT, "SoftCount", "job") \
	ITEM(SOFT_INTERVAL, "SoftIntervalMs", TB_TEXT_OF(TB_SOFT_INTERVAL_MS)) \
	ITEM(MODE, "Mode", "hard")

/* Of the site; a PartitionName= line can override them. */
#define TB_POLICY_ITEMS(ITEM) \
	ITEM(ENABLED, "Enabled", "yes") \
	ITEM(IMPLICIT, "Implicit", "no") \
	ITEM(ANY_HOST, "OnAnyHost", "yes") \
	ITEM(UNIT, "DefaultUnit", "C") \
	ITEM(STRATEGY, "DefaultStrategy", "packed") \
	ITEM(FILTER, "Filter", "NONE") \
	ITEM(MEMORY, "MemoryBinding", "none") \
	ITEM(SPARE_DEVICES, "SpareDevices", "no") \
	ITEM(ISOLATE, "Isolate", "no") \
	ITEM(NODES, "NodeAllocationPolicy", "DEFAULT") \
	ITEM(PRIORITY, "PriorityFunction", "PRIORITY") \
	TB_SOFT_ITEMS(ITEM)

/* Of the site alone. */
#define TB_SITE_ITEMS(ITEM) \
	ITEM(NODE_RECORD, "NodeRecord", "yes") \
	ITEM(JOB_RECORD, "JobRecord", "yes") \
	ITEM(USAGE_RECORD, "UsageRecord", "no") \
	ITEM(COUNT_MEMORY, "CountMemory", "all") \
	ITEM(UNIT_TRES, "UnitTRES", "no") \
	ITEM(METRICS_FILE, "MetricsFile", "NONE") \
	ITEM(METRICS_INTERVAL, "MetricsInterval", TB_TEXT_OF(TB_METRICS_INTERVAL))

/* Of a NodeName= line: first texts, then numbers; and TB_SOFT_ITEMS. */
#define TB_NODE_TEXT_ITEMS(ITEM) \
	ITEM(TOPOLOGY, "Topology", "") \
	ITEM(DISTANCES, "Distances", "") \
	ITEM(NODE_MEMORY, "Memory", "") \
	ITEM(NODE_FILTER, "Filter", "") \
	ITEM(NODE_FUNCTION, "PriorityFunction", "")
#define TB_NODE_NUMBER_ITEMS(ITEM) \
	ITEM(SPEED, "Speed", "0") \
	ITEM(COST, "Cost", "1") \
	ITEM(NODE_PRIORITY, "Priority", "0") \
	ITEM(SWAP, "Swap", "0") \
	ITEM(MAX_LOAD, "MaxLoad", "0")

/* For Slurm's parser: all are arrays, so that it keeps a key's second value. */
#define TB_PARSED_ITEM(name, text, usual) {.key = text, .type = S_P_ARRAY},

/* clang-format on */

#endif
