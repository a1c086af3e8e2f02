/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "memory_nodes.h"

#include <string.h>

/* Some sources tell no sizes; then every node is taken to have memory. */
static bool memory_sizes_are_known(hwloc_topology_t hwloc)
{
	hwloc_obj_t node = NULL;

	while ((node = hwloc_get_next_obj_by_type(hwloc, HWLOC_OBJ_NUMANODE,
						  node)))
		if (node->attr->numanode.local_memory)
			return true;
	return false;
}

/* What hwloc calls memory that is not, or not only, the main memory. */
static const struct {
	const char *subtype;
	enum tb_memory_kind kind;
} memory_subtypes[] = {
	{ "DRAM", TB_MEMORY_MAIN },   { "HBM", TB_MEMORY_HBM },
	{ "MCDRAM", TB_MEMORY_HBM },  { "CXL-DRAM", TB_MEMORY_CXL },
	{ "CXL-NVM", TB_MEMORY_CXL }, { "GPUMemory", TB_MEMORY_GPU },
};

static enum tb_memory_kind kind_of_node(hwloc_obj_t node)
{
	const size_t count = sizeof(memory_subtypes) /
			     sizeof(memory_subtypes[0]);

	if (!node->subtype)
		return TB_MEMORY_MAIN;
	for (size_t i = 0; i < count; i++)
		if (!strcmp(node->subtype, memory_subtypes[i].subtype))
			return memory_subtypes[i].kind;
	return TB_MEMORY_OTHER;
}

/*
 * Where no node has main memory, that of the first one is it: a processor with HBM
 * only.  hwloc 2.12 can say which nodes the kernel takes first; the subtypes are
 * what older ones know, too, so that a node does not change with its hwloc.
 */
static void choose_main_memory(struct tb_machine *machine)
{
	struct tb_memory_node *first = NULL;
	enum tb_memory_kind kind;

	for (unsigned i = 0; i < machine->memory_nodes; i++) {
		struct tb_memory_node *memory = &machine->memory[i];

		if (memory->kind == TB_MEMORY_MAIN)
			return;
		if (!tb_bitset_is_empty(memory->threads) &&
		    (!first || memory->os_node < first->os_node))
			first = memory;
	}
	if (!first)
		return;
	kind = first->kind;
	for (unsigned i = 0; i < machine->memory_nodes; i++)
		if (machine->memory[i].kind == kind) {
			machine->memory[i].kind = TB_MEMORY_MAIN;
			machine->memory[i].has_address = false;
		}
}

/* What hwloc tells of a node beside its threads and its kind. */
static void set_details(struct tb_memory_node *memory, hwloc_obj_t node)
{
	const char *address = hwloc_obj_get_info_by_name(node, "PCIBusID");

	memory->size = node->attr->numanode.local_memory >> 20;
	memory->has_address = memory->kind == TB_MEMORY_GPU && address &&
			      tb_pci_address_parse(address, strlen(address),
						   &memory->address);
}

int tb_memory_nodes_add(struct tb_machine *machine,
			const struct tb_survey *survey, struct tb_error *err)
{
	bool sizes_known = memory_sizes_are_known(survey->hwloc);
	struct tb_bitset *threads = tb_bitset_create(survey->threads);
	hwloc_obj_t node = NULL;
	int rc = 0;

	if (!threads)
		return tb_fail(err, "out of memory while reading the topology");
	while (!rc &&
	       (node = hwloc_get_next_obj_by_type(survey->hwloc,
						  HWLOC_OBJ_NUMANODE, node))) {
		if (sizes_known && !node->attr->numanode.local_memory)
			continue;
		tb_bitset_clear_all(threads);
		for (unsigned i = 0; i < survey->threads; i++)
			if (hwloc_bitmap_isset(node->cpuset,
					       survey->os_cpus[i]))
				tb_bitset_set(threads, i);
		rc = tb_machine_add_memory(machine, node->os_index,
					   kind_of_node(node), threads, err);
		if (!rc)
			set_details(&machine->memory[machine->memory_nodes - 1],
				    node);
	}
	tb_bitset_destroy(threads);
	choose_main_memory(machine);
	return rc;
}
