/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * soft_status.h - topobind soft status: the soft-bound steps of this node, or each of
 * their tasks, as a table or as JSON
 */
#ifndef TB_TOOLS_SOFT_SOFT_STATUS_H
#define TB_TOOLS_SOFT_SOFT_STATUS_H

#include "soft_target.h"

struct tb_soft_status {
	const char *command;
	struct tb_soft_job target; /* what to show */
	bool tasks;		   /* a row for each */
	bool threads;		   /* likewise */
	bool json;
};

/* The same of a job from anywhere, for its user (soft_afar.h). */
int tb_soft_status_print_afar(const struct tb_soft_status *status);

/* Print it; an exit code. */
int tb_soft_status_print(const struct tb_soft_status *status,
			 struct tb_registry *registry);

#endif
