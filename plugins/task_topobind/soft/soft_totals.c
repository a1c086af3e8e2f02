/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "soft_totals.h"

#include "common/soft/soft_record.h"
#include "task_topobind/step/admin_comment.h"

static char *add_counts(const char *comment, const void *more)
{
	return tb_soft_record_add(comment, more);
}

int tb_soft_totals_add(struct tb_registry *registry, uint32_t job,
		       const struct tb_soft_counts *more, struct tb_error *err)
{
	return tb_admin_comment_change(registry, job, add_counts, more, err);
}
