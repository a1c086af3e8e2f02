/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cpu_kinds.h"

#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* A core slower than this share of the fastest is an efficiency core. */
#define EFFICIENCY_PERCENT 85

/* The value of a number among a kind's infos; 0 when it is not there. */
static unsigned long kind_number(hwloc_topology_t hwloc, unsigned kind,
				 hwloc_bitmap_t os_cpus, const char *name)
{
	struct hwloc_info_s *infos;
	unsigned ninfos;

	if (hwloc_cpukinds_get_info(hwloc, kind, os_cpus, NULL, &ninfos, &infos,
				    0))
		return 0;
	for (unsigned i = 0; i < ninfos; i++)
		if (!strcmp(infos[i].name, name))
			return strtoul(infos[i].value, NULL, 10);
	return 0;
}

static bool kind_is_atom(hwloc_topology_t hwloc, unsigned kind,
			 hwloc_bitmap_t os_cpus)
{
	struct hwloc_info_s *infos;
	unsigned ninfos;

	if (hwloc_cpukinds_get_info(hwloc, kind, os_cpus, NULL, &ninfos, &infos,
				    0))
		return false;
	for (unsigned i = 0; i < ninfos; i++)
		if (!strcmp(infos[i].name, "CoreType") &&
		    !strcmp(infos[i].value, "IntelAtom"))
			return true;
	return false;
}

static unsigned long largest_number(hwloc_topology_t hwloc, unsigned nkinds,
				    const char *name)
{
	unsigned long largest = 0;

	for (unsigned i = 0; i < nkinds; i++) {
		unsigned long number = kind_number(hwloc, i, NULL, name);

		if (number > largest)
			largest = number;
	}
	return largest;
}

/*
 * Add the kinds whose number is clearly below the largest.  False when no kind
 * has such a number.
 */
static bool add_slow_kinds(hwloc_topology_t hwloc, unsigned nkinds,
			   hwloc_bitmap_t os_cpus, const char *name,
			   hwloc_bitmap_t efficient)
{
	unsigned long largest = largest_number(hwloc, nkinds, name);

	for (unsigned i = 0; i < nkinds; i++) {
		unsigned long number = kind_number(hwloc, i, os_cpus, name);

		if (number &&
		    (double)number * 100 < (double)largest * EFFICIENCY_PERCENT)
			hwloc_bitmap_or(efficient, efficient, os_cpus);
	}
	return largest > 0;
}

hwloc_bitmap_t tb_cpu_kinds_efficient(hwloc_topology_t hwloc)
{
	int nkinds = hwloc_cpukinds_get_nr(hwloc, 0);
	hwloc_bitmap_t os_cpus = hwloc_bitmap_alloc();
	hwloc_bitmap_t efficient = hwloc_bitmap_alloc();
	bool found = false;

	if (!os_cpus || !efficient) {
		hwloc_bitmap_free(os_cpus);
		hwloc_bitmap_free(efficient);
		return NULL;
	}
	for (int i = 0; i < nkinds; i++) {
		if (!kind_is_atom(hwloc, i, os_cpus))
			continue;
		hwloc_bitmap_or(efficient, efficient, os_cpus);
		found = true;
	}
	if (nkinds > 0 && !found &&
	    !add_slow_kinds(hwloc, nkinds, os_cpus, "LinuxCapacity", efficient))
		add_slow_kinds(hwloc, nkinds, os_cpus, "FrequencyBaseMHz",
			       efficient);
	hwloc_bitmap_free(os_cpus);
	return efficient;
}

unsigned tb_cpu_kinds_speed(hwloc_topology_t hwloc)
{
	int nkinds = hwloc_cpukinds_get_nr(hwloc, 0);
	unsigned long speed;

	if (nkinds <= 0)
		return 0;
	speed = largest_number(hwloc, nkinds, "FrequencyBaseMHz");
	if (!speed)
		speed = largest_number(hwloc, nkinds, "FrequencyMaxMHz");
	return speed < UINT_MAX ? speed : UINT_MAX;
}
