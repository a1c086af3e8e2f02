/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kept_request.h - each request is read once, however often it is looked at
 *
 * slurmctld asks about a waiting job in each cycle, and about running ones too.  A
 * text of 64 KiB takes milliseconds to read.  So what was read is kept by its text:
 * jobs with the same text share it, and it is never that of another text, whatever
 * happens to jobs and their numbers.  One that the site binds is kept beside the one
 * that it was.  The least recently used go when they need too much memory.
 */
#ifndef TB_SELECT_TOPOBIND_REQUEST_KEPT_REQUEST_H
#define TB_SELECT_TOPOBIND_REQUEST_KEPT_REQUEST_H

#include <stdbool.h>
#include <stddef.h>

#include "common/job/request_env.h"

struct tb_kept_request {
	struct tb_request request; /* empty when it is wrong; not changed */
	char *line; /* it, printed; of one that the site binds as open; or NULL */
	bool is_wrong;
	struct tb_error why;
};

/*
 * The request of these variables, until it is released.  Unless site is NULL it is bound
 * by that, which stays as it is until tb_kept_requests_forget_site().  NULL: out of
 * memory.  Several threads may call these functions at once.
 */
const struct tb_kept_request *
tb_kept_request_hold(const struct tb_env_texts *texts,
		     const struct tb_request *site);
void tb_kept_request_release(const struct tb_kept_request *kept); /* or NULL */

/* A request of a job: one that is kept, or one that was made for the job. */
struct tb_held_request {
	struct tb_request
		request; /* its parts are borrowed from kept, or its own */
	const struct tb_kept_request *kept;
};

/*
 * 0, or -1 with a sentence in err (may be NULL), and an empty request.  In any case the
 * caller releases it.
 */
int tb_held_request_find(struct tb_held_request *held,
			 const struct tb_env_texts *texts,
			 struct tb_error *err);
/* The same, bound by the site's; both as tb_kept_request_hold() has them. */
int tb_held_request_find_bound(struct tb_held_request *held,
			       const struct tb_env_texts *texts,
			       const struct tb_request *site,
			       struct tb_error *err);
/*
 * Bind a request without a binding by another one of the site (common/job/request_env.h):
 * for this job only.
 */
int tb_held_request_bind_implicitly(struct tb_held_request *held,
				    const struct tb_request *site,
				    struct tb_error *err);
void tb_held_request_init(struct tb_held_request *held); /* empty */
void tb_held_request_release(struct tb_held_request *held);
/* What is printed of it; NULL: it has alternatives, or nothing was kept. */
const char *tb_held_request_line(const struct tb_held_request *held);

/* How many requests are kept, how many were read, and the memory they need. */
struct tb_kept_requests {
	unsigned count;
	unsigned long read;
	size_t size;
};
struct tb_kept_requests tb_kept_requests_count(void);

/* The most memory that requests which nobody holds may need, in bytes. */
#define TB_KEPT_SIZE_MAX (32u << 20)

/* The requests of the site will be others. */
void tb_kept_requests_forget_site(void);

void tb_kept_requests_fini(void);

#endif
