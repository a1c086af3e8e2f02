/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * whatif_svg.h - a picture over time: how full the cluster is, and how many jobs wait
 *
 * A line for each configuration.  Lines differ in colour and in their dashes.
 */
#ifndef TB_TOOLS_WHATIF_WHATIF_SVG_H
#define TB_TOOLS_WHATIF_WHATIF_SVG_H

#include <stdio.h>

#include "whatif_output.h"

/* -1: no memory. */
int tb_whatif_svg(const struct tb_history *history,
		  const struct tb_whatif_result *list, unsigned count,
		  FILE *out);

#endif
