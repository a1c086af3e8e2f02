/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * os_cpus.h - the OS CPU number of each thread as text: "0-62:2+1-63:2"
 *
 * The numbers of the first threads of all cores in string order, then those of
 * the second threads of the cores that have one, and so on: in this order most
 * machines count in a few steps.  '+' separates runs: a number, FIRST-LAST or
 * FIRST-LAST:STEP.  A node's Extra field (m_oscpus=) has this form
 * (doc/design.md, "Topology strings").
 */
#ifndef TB_CORE_TOPOLOGY_OS_CPUS_H
#define TB_CORE_TOPOLOGY_OS_CPUS_H

#include "core/base/error.h"
#include "topology.h"

/* OS CPU numbers are below this. */
#define TB_OS_CPUS_MAX 65536
/*
 * Longest text that is made, in bytes: enough for some thousand threads without
 * any order.  Every command that shows nodes receives a text for each node.
 */
#define TB_OS_CPUS_TEXT_MAX 8192

/*
 * Read the numbers of all threads of the topology: by thread, which the caller
 * frees.  NULL with a sentence when the text is anything else, has too few or too
 * many numbers, or one of them twice.
 */
unsigned *tb_os_cpus_parse(const char *text, const struct tb_topology *topology,
			   struct tb_error *err);

/*
 * The text of such numbers, which the caller frees.  NULL with a sentence when it
 * would be too long.
 */
char *tb_os_cpus_print(const unsigned *os_cpus,
		       const struct tb_topology *topology,
		       struct tb_error *err);

#endif
