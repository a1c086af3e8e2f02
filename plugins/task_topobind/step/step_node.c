/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "step_node.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The string that the controller makes of a node record, too. */
static char *describe_record(const struct tb_step_node_input *input)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (out == NULL)
		return NULL;
	for (unsigned s = 0; s < input->sockets; s++) {
		fputs("(S", out);
		for (unsigned c = 0; c < input->cores; c++) {
			fputs("(C", out);
			for (unsigned t = 0; t < input->threads; t++)
				fputs("(T)", out);
			fputc(')', out);
		}
		fputc(')', out);
	}
	if (fclose(out) != 0) {
		free(text);
		return NULL;
	}
	return text;
}

static struct tb_topology *parse_record(const struct tb_step_node_input *input,
					struct tb_error *err)
{
	struct tb_topology *topology;
	char *text = describe_record(input);

	if (text == NULL) {
		tb_fail(err, "out of memory");
		return NULL;
	}
	topology = tb_topology_parse(text, NULL, err);
	free(text);
	return topology;
}

/*
 * What the site says; none where it says nothing, or another count of cores
 * than the node has: then the controller goes on without it, too.
 */
static int read_configured(struct tb_step_node *node,
			   const struct tb_step_node_input *input,
			   struct tb_error *err)
{
	if (input->configured == NULL)
		return 0;
	node->described = tb_topology_parse(input->configured, NULL, err);
	if (node->described == NULL)
		return -1;
	if (!tb_step_plan_fits(node->described, node->cores)) {
		tb_topology_destroy(node->described);
		node->described = NULL;
	}
	return 0;
}

static bool machine_is_node(const struct tb_step_node *node)
{
	const struct tb_topology *real;

	if (node->machine == NULL)
		return false;
	real = tb_machine_topology(node->machine);
	if (!tb_step_plan_fits(real, node->cores))
		return false;
	return node->described == NULL ||
	       tb_topology_same_shape(real, node->described);
}

static int fail_mismatch(const struct tb_step_node *node,
			 const struct tb_step_node_input *input,
			 struct tb_error *err)
{
	const char *seen = tb_machine_string(node->machine);

	if (node->described != NULL)
		return tb_fail(err,
			       "topobind.conf gives this node Topology="
			       "%.150s but the machine is %.150s; correct it, "
			       "or leave it out",
			       input->configured, seen);
	return tb_fail(err,
		       "slurm.conf gives this node %u cores but the "
		       "machine is %.200s; configure as many cores as it has "
		       "cores, or threads",
		       node->cores, seen);
}

int tb_step_node_open(struct tb_step_node *node,
		      const struct tb_step_node_input *input,
		      struct tb_error *err)
{
	memset(node, 0, sizeof(*node));
	node->cores = input->sockets * input->cores;
	node->machine = tb_machine_read(input->machine_file, err);
	/* Not even a virtual node: who tells it from one with real CPUs? */
	if (node->machine == NULL)
		return -1;
	if (read_configured(node, input, err) < 0)
		return -1;
	if (machine_is_node(node))
		return 0;
	if (!input->overrides)
		return fail_mismatch(node, input, err);
	if (node->described == NULL)
		node->described = parse_record(input, err);
	if (node->described == NULL)
		return -1;
	tb_machine_destroy(node->machine);
	node->machine = NULL;
	return 0;
}

void tb_step_node_close(struct tb_step_node *node)
{
	tb_machine_destroy(node->machine);
	tb_topology_destroy(node->described);
	tb_bitset_destroy(node->gpu_memory);
	memset(node, 0, sizeof(*node));
}

bool tb_step_node_is_virtual(const struct tb_step_node *node)
{
	return node->machine == NULL;
}

const struct tb_topology *tb_step_node_topology(const struct tb_step_node *node)
{
	if (node->machine != NULL)
		return tb_machine_topology(node->machine);
	return node->described;
}

struct tb_bitset *tb_step_node_os_cpus(const struct tb_step_node *node,
				       const struct tb_bitset *threads)
{
	if (node->machine != NULL)
		return tb_machine_os_cpus_of_threads(node->machine, threads);
	return tb_bitset_copy(threads);
}

/* The N objects with one of the threads; all when there are none such. */
static struct tb_bitset *described_nodes(const struct tb_topology *topology,
					 const struct tb_bitset *threads)
{
	unsigned count = tb_topology_count(topology, 'N');
	struct tb_bitset *nodes = tb_bitset_create(count > 0 ? count : 1);

	for (unsigned i = 0; nodes != NULL && threads != NULL && i < count;
	     i++) {
		unsigned first, inside;

		tb_topology_object(topology, 'N', i, &first, &inside);
		if (tb_bitset_any_in_range(threads, first, inside))
			tb_bitset_set(nodes, i);
	}
	if (nodes != NULL && tb_bitset_is_empty(nodes))
		tb_bitset_set_range(nodes, 0, nodes->nbits);
	return nodes;
}

struct tb_bitset *tb_step_node_os_nodes(const struct tb_step_node *node,
					struct tb_near near)
{
	const unsigned gpu = TB_MEMORY_BIT(TB_MEMORY_GPU);
	struct tb_bitset *os_nodes;

	if (node->machine == NULL)
		return described_nodes(node->described, near.threads);
	if (near.threads == NULL)
		return tb_machine_memory(node->machine, TB_MEMORY_ALL);
	os_nodes = tb_machine_memory_of_threads(node->machine, near.threads,
						near.kinds & ~gpu);
	if (os_nodes != NULL && near.kinds & gpu && node->gpu_memory != NULL)
		tb_bitset_or(os_nodes, node->gpu_memory);
	return os_nodes;
}
