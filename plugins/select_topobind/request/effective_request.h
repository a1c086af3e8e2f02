/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * effective_request.h - the request that counts for a job
 *
 * That is its own; a job without one has that of the site, where topobind.conf has
 * Implicit=yes for its partition (doc/design.md, "Configuration").  Options that go
 * with any units are added to that one.  A job with
 * --bamount=0 asks for no binding: that is a request of its own, so it does not
 * get the site's.  Nor does a job with options of Slurm that do not go with it.
 */
#ifndef TB_SELECT_TOPOBIND_REQUEST_EFFECTIVE_REQUEST_H
#define TB_SELECT_TOPOBIND_REQUEST_EFFECTIVE_REQUEST_H

#include "common/conf/conf.h"
#include "compat/select_compat.h"

#include "kept_request.h"

struct tb_effective_request {
	struct tb_held_request held; /* an amount of 0: the job is not bound */
	/*
	 * CPUs of a task of an implicitly bound job, 0 for others.  Such a job
	 * has type host and as many units as its tasks need; the amount is
	 * 1, for one task.
	 */
	uint16_t implicit_cpus;
};

/*
 * The request that would count if the job started now.  -1 with a sentence in err
 * (may be NULL): the job's own has an error, and counts as none.  The caller
 * clears.
 */
int tb_effective_request_find(struct tb_effective_request *effective,
			      const struct tb_conf *site,
			      const job_record_t *job, struct tb_error *err);
void tb_effective_request_clear(struct tb_effective_request *effective);

/* As the line binding= shows it; NULL when not bound.  The caller xfree()s. */
char *tb_effective_request_print(const struct tb_effective_request *effective);

/* What the site binds the job by where it does not ask for units itself; or NULL. */
const struct tb_request *tb_site_binding(const struct tb_conf *site,
					 const job_record_t *job);

/* Can the job's partition bind?  Not where Slurm allocates whole sockets. */
bool tb_partition_can_bind(const job_record_t *job);

#endif
