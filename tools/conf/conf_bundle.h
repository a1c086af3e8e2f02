/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conf_bundle.h - "topobind conf --bundle": what a report of a fault needs
 *
 * Only what is listed here or in conf_bundle.c gets in: of Slurm's configuration no
 * setting that could have a password, a host, a user or a path of the site's programs,
 * and nothing of jobs.
 */
#ifndef TB_TOOLS_CONF_CONF_BUNDLE_H
#define TB_TOOLS_CONF_CONF_BUNDLE_H

#include <jansson.h>

#include "conf_findings.h"
#include "conf_site.h"

/* One object; NULL when out of memory. */
json_t *tb_conf_bundle(const struct tb_conf_site *site,
		       const struct tb_findings *findings);

#endif
