/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * survey.h - what is gathered from hwloc's tree before there is a topology string
 *
 * Private to lib/hwloc.
 */
#ifndef TB_HWLOC_SURVEY_H
#define TB_HWLOC_SURVEY_H

#include <hwloc.h>

#include "core/base/error.h"

struct tb_survey_object {
	char letter;
	unsigned rank; /* N S X Y C T: who is outside when the ranges are equal */
	unsigned first, count; /* threads */
	unsigned os_node;      /* of an N */
};

struct tb_survey {
	hwloc_topology_t hwloc;
	unsigned *thread_of_os_cpu; /* UINT_MAX where not allowed */
	unsigned os_cpu_limit;
	unsigned *os_cpus; /* per thread */
	unsigned threads;
	hwloc_bitmap_t efficient; /* OS CPUs of efficiency cores */
	struct tb_survey_object *objects;
	unsigned nobjects;
	unsigned *numa_os_nodes; /* per N in string order */
	unsigned numa_nodes;
};

/* hwloc must outlive it.  -1 with a sentence.  tb_survey_clear() is right after both. */
int tb_survey_make(struct tb_survey *survey, hwloc_topology_t hwloc,
		   struct tb_error *err);
void tb_survey_clear(struct tb_survey *survey);

/*
 * The topology string, malloc()ed, and the NUMA nodes in its order.  NULL when out of
 * memory.
 */
char *tb_survey_string(struct tb_survey *survey);

#endif
