/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * select_gres.c - reads and changes Slurm's lists of GRES, whose data differ for
 * jobs and nodes
 */
#include "select_gres_devices.h"

#include "src/common/macros.h"
#include "src/common/xstring.h"

/* --- what jobs ask for ------------------------------------------------------- */

uint32_t tb_gres_entries(const job_record_t *job)
{
	return job->gres_list_req ? list_count(job->gres_list_req) : 0;
}

static int has_name(void *item, void *name)
{
	return xstrcmp(((gres_state_t *)item)->gres_name, name) == 0;
}

bool tb_gres_are_asked(const job_record_t *job, const char *name)
{
	return job->gres_list_req &&
	       list_find_first(job->gres_list_req, has_name, (void *)name);
}

struct tb_gres_ask tb_gres_asked(const job_record_t *job, uint32_t entry)
{
	const gres_job_state_t *asked =
		tb_gres_find_entry(job, entry)->gres_data;

	return (struct tb_gres_ask){
		.per_task = asked->gres_per_task,
		.per_node = asked->gres_per_node,
		.per_job = asked->gres_per_job,
		.tasks_each = asked->ntasks_per_gres,
		.megabytes = asked->mem_per_gres ? asked->mem_per_gres
						 : asked->def_mem_per_gres,
	};
}

struct tb_gres_ask tb_gres_ask_per_node(job_record_t *job, uint32_t entry,
					uint64_t number)
{
	struct tb_gres_ask before = tb_gres_asked(job, entry);
	const struct tb_gres_ask per_node = { .per_node = number,
					      .tasks_each = NO_VAL16 };

	tb_gres_ask_again(job, entry, &per_node);
	return before;
}

/* Slurm's sums of the entries are made once, and would stay those of a changed one. */
void tb_gres_ask_again(job_record_t *job, uint32_t entry,
		       const struct tb_gres_ask *ask)
{
	gres_job_state_t *asked = tb_gres_find_entry(job, entry)->gres_data;

	FREE_NULL_LIST(job->gres_list_req_accum);

	asked->gres_per_task = ask->per_task;
	asked->gres_per_node = ask->per_node;
	asked->gres_per_job = ask->per_job;
	asked->ntasks_per_gres = ask->tasks_each;
}

/* --- what nodes have --------------------------------------------------------- */

static int is_missing(void *item, void *arg)
{
	const gres_state_t *entry = item;
	gres_state_t *state = tb_gres_find_on_node(entry->plugin_id,
						   *(uint32_t *)arg);
	gres_node_state_t *there = state ? state->gres_data : NULL;

	return !there || !(there->gres_cnt_avail || there->gres_cnt_config);
}

bool tb_gres_node_has_all(const job_record_t *job, uint32_t node)
{
	return !job->gres_list_req ||
	       !list_find_first(job->gres_list_req, is_missing, &node);
}

uint32_t tb_gres_places(const job_record_t *job, uint32_t entry, uint32_t node)
{
	gres_node_state_t *there =
		tb_gres_find_places(tb_gres_find_entry(job, entry), node);

	return there ? tb_gres_count_places(there) : 0;
}

void tb_gres_visit(const job_record_t *job, uint32_t entry, uint32_t node,
		   const struct tb_gres_view *view, tb_gres_visitor visit,
		   void *arg)
{
	const gres_state_t *state = tb_gres_find_entry(job, entry);
	const gres_node_state_t *there = tb_gres_find_places(state, node);
	struct tb_gres_in_use in_use;

	if (!there)
		return;
	in_use = tb_gres_find_in_use(there, node, state->plugin_id, view);
	for (uint32_t place = 0; place < tb_gres_count_places(there); place++)
		if (tb_gres_is_of_type(there, place, state->gres_data))
			visit(place,
			      tb_gres_is_one_place(there)
				      ? NULL
				      : there->topo_core_bitmap[place],
			      tb_gres_count_free(there, place, &in_use,
						 view->idle),
			      arg);
}

struct near {
	tb_gres_visitor visit;
	void *arg;
};

static int visit_near_entry(void *item, void *arg)
{
	const gres_state_t *state = item;
	const gres_node_state_t *there = state->gres_data;
	const struct near *near = arg;

	for (uint32_t place = 0; place < there->topo_cnt; place++)
		if (there->topo_core_bitmap && there->topo_core_bitmap[place])
			near->visit(place, there->topo_core_bitmap[place],
				    there->topo_gres_cnt_avail[place],
				    near->arg);
	return 0;
}

void tb_gres_visit_near(uint32_t node, tb_gres_visitor visit, void *arg)
{
	struct near near = { visit, arg };
	list_t *list = node_record_table_ptr[node]->gres_list;

	if (list)
		list_for_each(list, visit_near_entry, &near);
}

struct all_places {
	tb_gres_place_visitor visit;
	void *arg;
};

/* All of its devices, whoever has them. */
static void visit_one_place(const gres_state_t *state,
			    const struct all_places *places)
{
	const gres_node_state_t *there = state->gres_data;
	bitstr_t *devices;

	if (!there->gres_bit_alloc)
		return;
	devices = bit_alloc(bit_size(there->gres_bit_alloc));
	bit_set_all(devices);
	places->visit(state->gres_name, NULL, devices, NULL, places->arg);
	FREE_NULL_BITMAP(devices);
}

static int visit_places_of(void *item, void *arg)
{
	const gres_state_t *state = item;
	const gres_node_state_t *there = state->gres_data;
	const struct all_places *places = arg;

	if (there->no_consume || gres_id_shared(state->config_flags))
		return 0;
	if (tb_gres_is_one_place(there)) {
		visit_one_place(state, places);
		return 0;
	}
	for (uint32_t place = 0;
	     there->topo_gres_bitmap && place < there->topo_cnt; place++)
		if (there->topo_gres_bitmap[place])
			places->visit(state->gres_name,
				      there->topo_type_name[place],
				      there->topo_gres_bitmap[place],
				      there->topo_core_bitmap[place],
				      places->arg);
	return 0;
}

void tb_gres_visit_places(uint32_t node, tb_gres_place_visitor visit, void *arg)
{
	struct all_places places = { visit, arg };
	list_t *list = node_record_table_ptr[node]->gres_list;

	if (list)
		list_for_each(list, visit_places_of, &places);
}
