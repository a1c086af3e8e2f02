/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * soft_totals.h - counters of soft binding go into the job's record
 */
#ifndef TB_TASK_TOPOBIND_SOFT_SOFT_TOTALS_H
#define TB_TASK_TOPOBIND_SOFT_SOFT_TOTALS_H

#include <stdint.h>

#include "common/soft/soft_registry.h"
#include "core/base/error.h"
#include "core/soft/soft.h"

/*
 * In slurmstepd: add them to those in the record (common/soft/soft_record.h), by
 * two messages to slurmctld.  Steps of the job that do so on this node wait for
 * each other.  A job that was cancelled keeps what it has.  -1 with a sentence.
 */
int tb_soft_totals_add(struct tb_registry *registry, uint32_t job,
		       const struct tb_soft_counts *more, struct tb_error *err);

#endif
