/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * soft_view.h - what a user may see of a soft-bound step on a node
 *
 * The registry (soft_registry.h) is for root.  So each soft-bound step also writes,
 * now and then, what is in it about itself, into a file of its user's: JOB.STEP in a
 * directory of slurmd's spool directory that nobody but root can list.  Whatever its
 * user does to the file, nobody but who asks as that user reads it.
 *
 * Text, between two lines with the same serial number:
 *
 *	view SERIAL
 *	step WORD COST	as "topobind soft" says it: on, off, ...; microseconds
 *	task NUMBER PID SPREAD PREFERRED ALLOWED SMOOTHED CPUS CPUS
 *			for each; counters, then the CPUs that it prefers and
 *			those that it may have
 *	end SERIAL
 *
 * No Slurm in here.
 */
#ifndef TB_COMMON_SOFT_SOFT_VIEW_H
#define TB_COMMON_SOFT_SOFT_VIEW_H

#include <stdio.h>
#include <sys/types.h>

#include "soft_registry.h"

#define TB_SOFT_VIEW_DIRECTORY "topobind_soft_view"

struct tb_soft_view;

/* In the step's slurmstepd.  NULL with a sentence. */
struct tb_soft_view *tb_soft_view_create(const char *spool_dir,
					 const struct tb_registry_id *id,
					 uid_t uid, struct tb_error *err);
void tb_soft_view_remove(struct tb_soft_view *view); /* NULL is fine */

/* All lines between the first and the last are printed by print. */
void tb_soft_view_write(struct tb_soft_view *view,
			void (*print)(FILE *out, const void *data),
			const void *data);

/*
 * Without its first and its last line; the caller frees.  NULL: there is none of this
 * step, or it is not the caller's.
 */
char *tb_soft_view_read(const char *spool_dir, const struct tb_registry_id *id);

/* Remove what killed slurmstepds have left.  The registry is locked. */
void tb_soft_view_sweep(const char *spool_dir, struct tb_registry *registry);

#endif
