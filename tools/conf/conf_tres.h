/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conf_tres.h - "topobind conf --tres": what UnitTRES=yes needs in Slurm's files
 */
#ifndef TB_TOOLS_CONF_CONF_TRES_H
#define TB_TOOLS_CONF_CONF_TRES_H

#include <jansson.h>

#include "core/topology/whole_units.h"

#include "conf_site.h"

/*
 * What a node has of each, by its topology; where none is known it has what Slurm takes
 * for sockets.  None at all where its topology cannot be read.
 */
struct tb_unit_counts tb_conf_units_of(const struct tb_conf_site *site,
				       const struct tb_site_node *node);

/* Print the lines, or make an object of them.  Not 0, or NULL: out of memory. */
int tb_conf_tres_print(const struct tb_conf_site *site);
json_t *tb_conf_tres_json(const struct tb_conf_site *site);

#endif
