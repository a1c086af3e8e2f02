/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "variables.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/request/request_key.h"
#include "step_plan.h"

enum what {
	INSTANCE,
	TOPOLOGY,
	CPUSET,
	CPUS,
	MEMS,
	SLOT,
	NCPUS,
	NCORES,
	PART1,
	PART2 = PART1 + TB_PARTS_MAX - 1,
	PART1_CPUS,
	PART2_CPUS = PART1_CPUS + TB_PARTS_MAX - 1,
	HOSTS,
	RANKS,
	WHATS
};

static const struct {
	const char *name;
	enum what what;
} table[TB_VARIABLES] = {
	{ "TOPOBIND_INSTANCE", INSTANCE },
	{ "TOPOBIND_TOPOLOGY", TOPOLOGY },
	{ "TOPOBIND_CPUSET", CPUSET },
	{ "TOPOBIND_CPUS", CPUS },
	{ "TOPOBIND_MEMS", MEMS },
	{ "TOPOBIND_SLOT", SLOT },
	{ "TOPOBIND_NCPUS", NCPUS },
	{ "TOPOBIND_NCORES", NCORES },
	{ "TOPOBIND_PART1", PART1 },
	{ "TOPOBIND_PART1_CPUS", PART1_CPUS },
	{ "TOPOBIND_PART2", PART2 },
	{ "TOPOBIND_PART2_CPUS", PART2_CPUS },
	{ "TOPOBIND_PE_HOSTFILE", HOSTS },
	{ "TOPOBIND_RANKFILE", RANKS },
	{ "SGE_BINDING_INSTANCE", INSTANCE },
	{ "SGE_BINDING_TOPOLOGY", TOPOLOGY },
	{ "SGE_BINDING_CPUSET", CPUSET },
};

static void set_values(struct tb_variables *variables,
		       const char *const value[WHATS])
{
	for (int i = 0; i < TB_VARIABLES; i++) {
		variables->name[i] = table[i].name;
		variables->value[i] = value[table[i].what];
	}
}

void tb_variables_plain(struct tb_variables *variables)
{
	const char *const value[WHATS] = {
		[INSTANCE] = "NONE",
		[TOPOLOGY] = "NONE",
		[CPUSET] = "0x0",
	};

	memset(variables, 0, sizeof(*variables));
	set_values(variables, value);
}

static char *print_number(unsigned number)
{
	char *text;

	return asprintf(&text, "%u", number) < 0 ? NULL : text;
}

static char *print_slot(int slot)
{
	return slot == TB_NO_SLOT ? strdup("NONE")
				  : print_number((unsigned)slot);
}

/* Of which it has a thread at least. */
static char *print_cores(const struct tb_topology *topology,
			 const struct tb_bitset *threads)
{
	struct tb_bitset *cores = tb_bitset_create(tb_topology_cores(topology));
	char *text = NULL;

	if (cores != NULL) {
		tb_cores_of_threads(topology, threads, cores);
		text = print_number(tb_bitset_count(cores));
	}
	tb_bitset_destroy(cores);
	return text;
}

int tb_variables_bound(struct tb_variables *variables,
		       const struct tb_step_node *node,
		       const struct tb_bitset *threads, struct tb_near near,
		       int slot, enum tb_instance instance,
		       struct tb_error *err)
{
	struct tb_bitset *os_cpus = tb_step_node_os_cpus(node, threads);
	struct tb_bitset *os_nodes = tb_step_node_os_nodes(node, near);
	char **text = variables->text;
	int rc = -1;

	memset(variables, 0, sizeof(*variables));
	if (os_cpus == NULL || os_nodes == NULL)
		goto out;
	text[INSTANCE] = strdup(tb_instance_name(instance));
	text[TOPOLOGY] = tb_topology_print(tb_step_node_topology(node),
					   threads);
	text[CPUSET] = tb_bitset_print_mask(os_cpus);
	text[CPUS] = tb_bitset_print_list(os_cpus);
	text[MEMS] = tb_bitset_print_list(os_nodes);
	text[SLOT] = print_slot(slot);
	text[NCPUS] = print_number(tb_bitset_count(threads));
	text[NCORES] = print_cores(tb_step_node_topology(node), threads);
	set_values(variables, (const char *const *)text);
	rc = 0;
	for (int i = 0; i < PART1; i++) {
		if (text[i] == NULL)
			rc = -1;
	}
out:
	tb_bitset_destroy(os_cpus);
	tb_bitset_destroy(os_nodes);
	return rc < 0 ? tb_fail(err, "out of memory") : 0;
}

/* A step can have none of a part. */
static char *print_part(const struct tb_step_node *node,
			const struct tb_bitset *part,
			const struct tb_bitset *threads)
{
	struct tb_bitset *own = tb_bitset_copy(part), *os_cpus = NULL;
	char *text = NULL;

	if (own != NULL) {
		tb_bitset_and(own, threads);
		os_cpus = tb_step_node_os_cpus(node, own);
		if (tb_bitset_is_empty(own))
			text = strdup("NONE");
		else if (os_cpus != NULL)
			text = tb_bitset_print_list(os_cpus);
	}
	tb_bitset_destroy(own);
	tb_bitset_destroy(os_cpus);
	return text;
}

int tb_variables_parts(struct tb_variables *variables,
		       const struct tb_step_node *node,
		       const struct tb_step_plan *plan, unsigned task,
		       struct tb_error *err)
{
	char **text = variables->text;

	for (unsigned i = 0; i < plan->nparts; i++) {
		text[PART1 + i] = strdup(plan->part_name[i]);
		text[PART1_CPUS + i] = print_part(node, plan->part[i],
						  plan->task[task]);
		if (text[PART1 + i] == NULL || text[PART1_CPUS + i] == NULL)
			return tb_fail(err, "out of memory");
	}
	set_values(variables, (const char *const *)text);
	return 0;
}

void tb_variables_files(struct tb_variables *variables,
			const struct tb_pe_files *files)
{
	for (int i = 0; files != NULL && i < TB_VARIABLES; i++) {
		if (table[i].what == HOSTS)
			variables->value[i] = tb_pe_files_hosts(files);
		else if (table[i].what == RANKS)
			variables->value[i] = tb_pe_files_ranks(files);
	}
}

void tb_variables_clear(struct tb_variables *variables)
{
	for (int i = 0; i < TB_VARIABLES; i++)
		free(variables->text[i]);
	memset(variables, 0, sizeof(*variables));
}
