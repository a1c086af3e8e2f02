/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * admin_comment.h - a step changes its job's AdminComment
 */
#ifndef TB_TASK_TOPOBIND_STEP_ADMIN_COMMENT_H
#define TB_TASK_TOPOBIND_STEP_ADMIN_COMMENT_H

#include <stdint.h>

#include "common/soft/soft_registry.h"
#include "core/base/error.h"

/* The new comment for an old one, which may be NULL; malloc()ed, NULL: no memory. */
typedef char *tb_admin_comment_edit(const char *comment, const void *data);

/*
 * In slurmstepd, by two messages to slurmctld.  Steps of the job that do so on this
 * node wait for each other.  A job that was cancelled keeps what it has.  -1 with a
 * sentence.
 */
int tb_admin_comment_change(struct tb_registry *registry, uint32_t job,
			    tb_admin_comment_edit *edit, const void *data,
			    struct tb_error *err);

#endif
