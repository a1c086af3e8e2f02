/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * record.h - counters of soft binding go into the job's record
 */
#ifndef TB_TASK_RECORD_H
#define TB_TASK_RECORD_H

#include <stdint.h>

#include "common/soft_registry.h"
#include "core/error.h"
#include "core/soft.h"

/*
 * In slurmstepd: add them to those in the record (common/soft_record.h), by two
 * messages to slurmctld.  Steps of the job that do so on this node wait for each
 * other.  A job that was cancelled keeps what it has.  -1 with a sentence.
 */
int tb_record_add(struct tb_registry *registry, uint32_t job,
		  const struct tb_soft_counts *more, struct tb_error *err);

#endif
