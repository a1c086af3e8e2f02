/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "membind.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <hwloc.h>

struct tb_membind {
	hwloc_topology_t hwloc;
};

/* hwloc wants a topology to bind in: only its NUMA nodes are needed. */
static int load_nodes(hwloc_topology_t hwloc)
{
	if (hwloc_topology_set_all_types_filter(hwloc,
						HWLOC_TYPE_FILTER_KEEP_NONE) ||
	    hwloc_topology_set_flags(hwloc,
				     HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED))
		return -1;
	return hwloc_topology_load(hwloc);
}

struct tb_membind *tb_membind_create(struct tb_error *err)
{
	struct tb_membind *membind = calloc(1, sizeof(*membind));

	if (!membind || hwloc_topology_init(&membind->hwloc)) {
		free(membind);
		tb_fail(err, "out of memory while starting hwloc");
		return NULL;
	}
	if (load_nodes(membind->hwloc)) {
		tb_fail(err, "hwloc cannot read the NUMA nodes of this machine: %s",
			strerror(errno));
		tb_membind_destroy(membind);
		return NULL;
	}
	return membind;
}

void tb_membind_destroy(struct tb_membind *membind)
{
	if (!membind)
		return;
	hwloc_topology_destroy(membind->hwloc);
	free(membind);
}

static hwloc_bitmap_t nodeset_of(const struct tb_bitset *os_nodes)
{
	hwloc_bitmap_t nodes = hwloc_bitmap_alloc();

	for (unsigned i = tb_bitset_next(os_nodes, 0);
	     nodes && i < os_nodes->nbits; i = tb_bitset_next(os_nodes, i + 1))
		if (hwloc_bitmap_set(nodes, i)) {
			hwloc_bitmap_free(nodes);
			nodes = NULL;
		}
	return nodes;
}

#define FLAGS (HWLOC_MEMBIND_THREAD | HWLOC_MEMBIND_BYNODESET)

/* Without HWLOC_MEMBIND_STRICT to bind is to prefer. */
static int prefer(hwloc_topology_t hwloc, hwloc_const_bitmap_t wanted,
		  hwloc_bitmap_t seen, struct tb_error *err)
{
	hwloc_membind_policy_t policy;

	if (hwloc_set_membind(hwloc, wanted, HWLOC_MEMBIND_BIND, FLAGS) ||
	    hwloc_get_membind(hwloc, seen, &policy, FLAGS))
		return tb_fail(err, "the memory policy cannot be set: %s",
			       strerror(errno));
	if (policy != HWLOC_MEMBIND_BIND || hwloc_bitmap_iszero(seen) ||
	    !hwloc_bitmap_isincluded(seen, wanted))
		return tb_fail(err, "the kernel has another memory policy than the one that was set");
	return 0;
}

int tb_membind_prefer(const struct tb_membind *membind,
		      const struct tb_bitset *os_nodes, struct tb_error *err)
{
	hwloc_bitmap_t wanted = nodeset_of(os_nodes);
	hwloc_bitmap_t seen = hwloc_bitmap_alloc();
	int rc;

	if (wanted && seen)
		rc = prefer(membind->hwloc, wanted, seen, err);
	else
		rc = tb_fail(err, "out of memory");
	hwloc_bitmap_free(wanted);
	hwloc_bitmap_free(seen);
	return rc;
}
