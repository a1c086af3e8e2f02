/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * begun.h - the jobs of a node by when they began, for the policy CPULOAD
 *
 * A node tells of its load now and then.  Jobs that began since are no part of it,
 * so each of their CPUs counts as a load of 1.
 */
#ifndef TB_CORE_POLICY_BEGUN_H
#define TB_CORE_POLICY_BEGUN_H

#include <stdint.h>

/* A job on one node.  The caller's memory, at the same place while it is in a list. */
struct tb_begun {
	int64_t at; /* s */
	uint64_t cpus;
	struct tb_begun *newer, *older; /* the list's */
};

/* All of a node; zeroed: none. */
struct tb_begun_jobs {
	struct tb_begun *newest;
};

/* In any order; one that began after all others is added at once. */
void tb_begun_add(struct tb_begun_jobs *jobs, struct tb_begun *job);
/* Only one that is in the list. */
void tb_begun_remove(struct tb_begun_jobs *jobs, struct tb_begun *job);

/* CPUs of the jobs that began then or later.  It looks at no others. */
uint64_t tb_begun_since(const struct tb_begun_jobs *jobs, int64_t since);

#endif
