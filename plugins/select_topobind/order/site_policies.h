/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * site_policies.h - the plugins that NodeAllocationPolicy=plugin:NAME names
 *
 * They are loaded when topobind.conf is read.  One that gives no numbers, or is too slow
 * (core/policy/score_watch.h), is switched off until the next reconfigure: then DEFAULT is
 * in its place.
 */
#ifndef TB_SELECT_TOPOBIND_ORDER_SITE_POLICIES_H
#define TB_SELECT_TOPOBIND_ORDER_SITE_POLICIES_H

#include "common/conf/conf.h"
#include "common/policy/site_policy.h"

/*
 * Load those that the configuration names; files that are loaded already and have not
 * been replaced stay.  -1 with a sentence: all is as before.
 */
int tb_site_policies_load(const struct tb_conf *site, struct tb_error *err);
void tb_site_policies_fini(void);

/* Is it to be asked? */
bool tb_site_policy_works(const char *name);
/* False: it is not, or not any more. */
bool tb_site_policy_ask(const char *name, const struct topobind_policy_job *job,
			const struct topobind_policy_node *node, double *score);

/* By any thread. */
struct tb_site_policy_state {
	const char *name;
	const char *why; /* it is switched off; "": it works */
	uint64_t calls;
	double seconds;
};
typedef void (*tb_site_policy_visitor)(const struct tb_site_policy_state *state,
				       void *arg);
void tb_site_policies_visit(tb_site_policy_visitor visitor, void *arg);

#endif
