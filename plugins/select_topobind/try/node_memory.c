/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "node_memory.h"

#include <string.h>

#include "src/common/job_resources.h"
#include "src/common/macros.h"
#include "src/common/xmalloc.h"

#include "compat/select_gres.h"
#include "core/plan/device_counts.h"
#include "core/topology/numa_memory.h"

#include "select_topobind/books/memory_books.h"
#include "select_topobind/nodes/job_nodes.h"
#include "select_topobind/request/job_asked.h"

struct tb_node_memory {
	const struct tb_test *test;
	const struct tb_view *view;
	struct tb_memory_need need; /* per_core: per CPU */
	struct tb_bitset state;	    /* the last tb_node_memory_state() */
	uint32_t room;		    /* in words */
};

/* --- what the job needs ------------------------------------------------------ */

static bool slurm_counts_memory(const job_record_t *job)
{
	uint16_t counted = job->part_ptr && job->part_ptr->cr_type
				   ? job->part_ptr->cr_type
				   : slurm_conf.select_type_param;

	return counted & SELECT_MEMORY;
}

static void add_devices(const struct tb_test *test, struct tb_memory_need *need)
{
	uint32_t nodes = tb_job_most_nodes(test->job, test->max_nodes);

	for (uint32_t i = 0; i < tb_gres_entries(test->job); i++) {
		const struct tb_gres_ask ask = tb_gres_asked(test->job, i);
		const struct tb_devices_asked asked = {
			.per_node = ask.per_node,
			.per_task = ask.per_task,
			.per_job = ask.per_job,
			.megabytes = ask.megabytes,
		};

		tb_devices_add_memory(&asked, nodes, &need->per_node,
				      &need->per_slot);
	}
}

/* What goes with devices counts before DefMemPerCPU and DefMemPerNode. */
static bool has_memory_of_devices(const job_record_t *job)
{
	uint32_t entries = tb_gres_entries(job);

	for (uint32_t i = 0; i < entries && !(job->bit_flags & JOB_MEM_SET);
	     i++)
		if (tb_gres_asked(job, i).megabytes)
			return true;
	return false;
}

/* A job that does not say how much gets all of a node: nobody is beside it. */
static struct tb_memory_need find_need(const struct tb_test *test)
{
	uint64_t asked = test->job->details->pn_min_memory;
	struct tb_memory_need need = { 0 };

	if (!asked || has_memory_of_devices(test->job))
		add_devices(test, &need);
	else if (asked & MEM_PER_CPU)
		need.per_core = asked & ~MEM_PER_CPU;
	else
		need.per_node = asked;
	need.per_core = MIN(need.per_core, TB_NUMA_MEMORY_MAX);
	need.per_slot = MIN(need.per_slot, TB_NUMA_MEMORY_MAX);
	need.per_node = MIN(need.per_node, TB_NUMA_MEMORY_MAX);
	return need;
}

struct tb_node_memory *tb_node_memory_create(const struct tb_test *test,
					     const struct tb_request *request,
					     const struct tb_view *view)
{
	struct tb_memory_need need;
	struct tb_node_memory *memory;

	if (tb_counted_memory() == TB_COUNT_NONE ||
	    !tb_job_is_local(test->job, request) ||
	    !slurm_counts_memory(test->job))
		return NULL;
	need = find_need(test);
	if (!tb_memory_is_needed(&need))
		return NULL;
	memory = xmalloc(sizeof(*memory));
	memory->test = test;
	memory->view = view;
	memory->need = need;
	return memory;
}

void tb_node_memory_destroy(struct tb_node_memory *memory)
{
	if (!memory)
		return;
	xfree(memory->state.words);
	xfree(memory);
}

/* --- on a node --------------------------------------------------------------- */

bool tb_node_memory_find(const struct tb_node_memory *memory, uint32_t node,
			 const struct tb_shape *shape,
			 struct tb_scratch *scratch,
			 struct tb_local_memory *local)
{
	if (!memory ||
	    !tb_memory_books_free(node, shape, tb_view_number(memory->view),
				  scratch, scratch->available))
		return false;
	*local = (struct tb_local_memory){ .numa = shape->numa,
					   .need = memory->need,
					   .available = scratch->available,
					   .blocked = scratch->blocked,
					   .placed = scratch->tried };
	local->need.per_core *= tb_cpus_per_core(memory->test->job, node);
	return true;
}

/* Nodes that have plenty are alike, however much it is. */
const struct tb_bitset *
tb_node_memory_state(struct tb_node_memory *memory,
		     const struct tb_local_memory *local, uint32_t slots,
		     const struct tb_bitset *words)
{
	uint32_t before = (words->nbits + 63) / 64;
	uint32_t needed = before + local->numa->count;

	if (needed > memory->room) {
		xrecalloc(memory->state.words, needed,
			  sizeof(*memory->state.words));
		memory->room = needed;
	}
	memcpy(memory->state.words, words->words,
	       before * sizeof(*words->words));
	for (uint32_t i = 0; i < local->numa->count; i++)
		memory->state.words[before + i] =
			MIN(local->available[i],
			    tb_memory_need_most(local->numa, &local->need,
						slots, i));
	memory->state.nbits = 64 * needed;
	return &memory->state;
}

/* --- as granted -------------------------------------------------------------- */

static bool node_has_memory(const struct tb_node_memory *memory,
			    const struct tb_allocated_node *at)
{
	const job_resources_t *allocated = memory->test->job->job_resrcs;
	struct tb_shape *shape = tb_node_shape(at->node);
	struct tb_local_memory local;
	struct tb_bitset *cores;

	if (!shape || !tb_node_memory_find(memory, at->node, shape,
					   shape->scratch, &local))
		return true;
	cores = shape->scratch->cores;
	tb_bitset_clear_all(cores);
	for (uint32_t core = 0; core < cores->nbits; core++)
		if (bit_test(allocated->core_bitmap, at->first_core + core))
			tb_bitset_set(cores, core);
	return tb_memory_fits(local.numa,
			      MIN(allocated->memory_allocated[at->index],
				  TB_NUMA_MEMORY_MAX),
			      local.available, cores);
}

bool tb_node_memory_is_there(const struct tb_node_memory *memory)
{
	const job_resources_t *allocated =
		memory ? memory->test->job->job_resrcs : NULL;
	struct tb_allocated_node at = { 0 };
	bool fits = true;

	if (!allocated || !allocated->memory_allocated)
		return true;
	while (fits && tb_allocated_node_next(allocated, &at))
		fits = node_has_memory(memory, &at);
	return fits;
}
