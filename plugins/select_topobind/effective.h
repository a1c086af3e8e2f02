/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * effective.h - the request that counts for a job
 *
 * Its own, or, where topobind.conf has Implicit=yes for its partition and it
 * has none, the site's (DESIGN.md, section 9).  A job that asks for no binding,
 * --bamount=0, has an own request and so none of the site's.
 */
#ifndef TB_SELECT_EFFECTIVE_H
#define TB_SELECT_EFFECTIVE_H

#include "common/conf.h"
#include "compat/select_compat.h"
#include "core/request.h"

struct tb_effective {
	struct tb_request request; /* the amount of 0: the job is not bound */
	/*
	 * CPUs of a task of an implicitly bound job, 0 for others.  Type host
	 * with as many units as its tasks need; request.amount stands for one
	 * task and is 1.
	 */
	uint16_t implicit_cpus;
};

/*
 * What would count if the job started now.  -1 with a sentence in err (may be
 * NULL): the job's request is nonsense; it counts as none.  The caller clears.
 */
int tb_effective_find(struct tb_effective *effective,
		      const struct tb_conf *site, const job_record_t *job,
		      struct tb_error *err);
void tb_effective_clear(struct tb_effective *effective);

/* As the line binding= shows it; NULL when not bound.  The caller xfree()s. */
char *tb_effective_print(const struct tb_effective *effective,
			 const struct tb_conf *site, const job_record_t *job);

/*
 * A started batch job carries its implicit binding to its nodes, so that steps
 * find it there whatever becomes of topobind.conf.
 */
void tb_effective_record(const struct tb_effective *effective,
			 const struct tb_conf *site, job_record_t *job);

/* Can the job's partition bind at all?  Not where whole sockets are taken. */
bool tb_partition_can_bind(const job_record_t *job);

#endif
