/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * soft_set.h - topobind soft set: what steps that run heed from then on
 */
#ifndef TB_TOOLS_SOFT_SOFT_SET_H
#define TB_TOOLS_SOFT_SOFT_SET_H

#include "soft_target.h"

/* As options gave them; NULL: not given.  "default": as nobody had set it. */
struct tb_soft_set {
	const char *threshold;
	const char *count;
	const char *cpus;
	const char *thread; /* the number of the only one that is meant */
};

/* Do they go together, and with the target?  -1 with a sentence. */
int tb_soft_set_check(const struct tb_soft_set *set,
		      const struct tb_soft_job *target, struct tb_error *err);

/*
 * -1 with a sentence; then nothing is set.  note: a sentence about what has no effect
 * now, or "".
 */
int tb_soft_set_run(struct tb_registry *registry, const struct tb_soft_set *set,
		    const struct tb_soft_job *target, struct tb_error *note,
		    struct tb_error *err);

#endif
