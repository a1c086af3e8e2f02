/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "membind.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hwloc.h>

struct tb_membind {
	hwloc_topology_t hwloc;
};

/* "numa:2(indexes=0,8) pu:1": the NUMA nodes in hwloc's synthetic language. */
static char *describe_nodes(const struct tb_bitset *os_nodes)
{
	const char *separator = "";
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	fprintf(out, "numa:%u(indexes=", tb_bitset_count(os_nodes));
	TB_BITSET_EACH(i, os_nodes) {
		fprintf(out, "%s%u", separator, i);
		separator = ",";
	}
	fputs(") pu:1", out);
	if (fclose(out)) {
		free(text);
		return NULL;
	}
	return text;
}

/*
 * hwloc wants a topology to bind in, of which only the NUMA nodes matter.
 * Reading this machine's would take longer than starting a task may, and they
 * are known: it is told that these are this machine's.
 */
static int load_nodes(hwloc_topology_t hwloc, const struct tb_bitset *os_nodes)
{
	char *text = describe_nodes(os_nodes);
	int rc = -1;

	if (text && !hwloc_topology_set_synthetic(hwloc, text) &&
	    !hwloc_topology_set_flags(hwloc, HWLOC_TOPOLOGY_FLAG_IS_THISSYSTEM))
		rc = hwloc_topology_load(hwloc);
	free(text);
	return rc;
}

struct tb_membind *tb_membind_create(const struct tb_bitset *os_nodes,
				     struct tb_error *err)
{
	struct tb_membind *membind = calloc(1, sizeof(*membind));

	if (!membind || hwloc_topology_init(&membind->hwloc)) {
		free(membind);
		tb_fail(err, "out of memory while starting hwloc");
		return NULL;
	}
	if (load_nodes(membind->hwloc, os_nodes)) {
		tb_fail(err,
			"hwloc cannot take over the NUMA nodes of this machine: %s",
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
static int prefer_nodes(hwloc_topology_t hwloc, hwloc_const_bitmap_t wanted,
			hwloc_bitmap_t seen, struct tb_error *err)
{
	hwloc_membind_policy_t policy;

	if (hwloc_set_membind(hwloc, wanted, HWLOC_MEMBIND_BIND, FLAGS) ||
	    hwloc_get_membind(hwloc, seen, &policy, FLAGS))
		return tb_fail(err, "the memory policy cannot be set: %s",
			       strerror(errno));
	if (policy != HWLOC_MEMBIND_BIND || hwloc_bitmap_iszero(seen) ||
	    !hwloc_bitmap_isincluded(seen, wanted))
		return tb_fail(
			err,
			"the kernel has another memory policy than the one that was set");
	return 0;
}

int tb_membind_prefer(const struct tb_membind *membind,
		      const struct tb_bitset *os_nodes, struct tb_error *err)
{
	hwloc_bitmap_t wanted = nodeset_of(os_nodes);
	hwloc_bitmap_t seen = hwloc_bitmap_alloc();
	int rc;

	if (wanted && seen)
		rc = prefer_nodes(membind->hwloc, wanted, seen, err);
	else
		rc = tb_fail(err, "out of memory");
	hwloc_bitmap_free(wanted);
	hwloc_bitmap_free(seen);
	return rc;
}
