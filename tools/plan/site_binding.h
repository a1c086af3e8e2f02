/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * site_binding.h - the binding that a site gives to jobs without one (Implicit=yes)
 */
#ifndef TB_TOOLS_PLAN_SITE_BINDING_H
#define TB_TOOLS_PLAN_SITE_BINDING_H

#include "compat/slurm_types.h"

#include "cluster/cluster.h"
#include "job_spec.h"

/*
 * Add it to the request of a spec whose job would be submitted so, into a partition
 * (NULL: unknown), as slurmctld does; if it does, the request becomes the caller's to
 * clear, and the spec implicit.  *line becomes what is shown of it, malloc()ed; NULL:
 * nothing was added.  -1 with a sentence.
 */
int tb_site_binding_add(struct tb_job_spec *spec, const job_desc_msg_t *job,
			const struct tb_cluster *cluster,
			const partition_info_t *partition, char **line,
			struct tb_error *err);

#endif
