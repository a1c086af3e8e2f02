/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * oracle.h - placement a second time, written from doc/design.md, "Placement"
 *
 * It is slow and simple, for machines of up to 32 threads, and shares no code with
 * lib/core.
 */
#ifndef TB_TEST_ORACLE_H
#define TB_TEST_ORACLE_H

#include <stdint.h>

#include "random_case.h"

#define ORACLE_GROUPS 32
#define ORACLE_MISMATCH (-1)
#define ORACLE_OTHER_TOPOLOGY (-2)

struct oracle_result {
	int slots; /* as tb_place() */
	unsigned ngroups;
	uint32_t groups[ORACLE_GROUPS]; /* sets of threads, in order */
};

/* distances as in tb_topology_set_distances(), or NULL. */
void oracle_place(const struct random_case *random_case,
		  const unsigned *distances, struct oracle_result *result);

#endif
