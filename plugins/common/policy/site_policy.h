/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * site_policy.h - node allocation policies of the site's own, as shared objects
 * (topobind/policy.h)
 *
 * A file is loaded from PluginDir only, when it is root's or SlurmUser's and nobody else
 * can write it.  What is checked is what is loaded: the file stays open.
 */
#ifndef TB_COMMON_POLICY_SITE_POLICY_H
#define TB_COMMON_POLICY_SITE_POLICY_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <topobind/policy.h>

#include "core/base/error.h"
#include "core/policy/priority_function.h"

struct tb_site_policy;

/* "topobind_policy_NAME.so" is what it is called in PluginDir. */
#define TB_SITE_POLICY_PREFIX "topobind_policy_"

/*
 * Load it, and let it begin.  plugin_dir: "DIR:DIR", the first one that has it counts;
 * name fits (core/policy/allocation.h).  NULL with a sentence.
 */
struct tb_site_policy *tb_site_policy_open(const char *plugin_dir,
					   const char *name, uid_t slurm_user,
					   struct tb_error *err);
void tb_site_policy_close(struct tb_site_policy *policy); /* NULL is fine */

const char *tb_site_policy_name(const struct tb_site_policy *policy);
/* Is the file in PluginDir that which is loaded? */
bool tb_site_policy_is_current(const struct tb_site_policy *policy,
			       const char *plugin_dir);

/* The plugin's answer, whatever it is. */
double tb_site_policy_score(const struct tb_site_policy *policy,
			    const struct topobind_policy_job *job,
			    const struct topobind_policy_node *node);

/*
 * Set what components of priority functions tell; NaN where there is no value.  All
 * other numbers become NaN, texts "".
 */
typedef bool (*tb_component_getter)(const void *arg, uint32_t node,
				    const struct tb_priority_term *term,
				    double *value);
void tb_site_policy_fill(struct topobind_policy_node *facts, uint32_t node,
			 tb_component_getter get, const void *arg);

#endif
