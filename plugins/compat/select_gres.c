/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * select_gres.c - reads and changes Slurm's lists of GRES, whose data differ for
 * jobs and nodes
 */
#include "select_gres.h"

#include "src/common/job_resources.h"
#include "src/common/macros.h"
#include "src/common/xmalloc.h"
#include "src/common/xstring.h"

#include "slurm_gres.h"

/* The devices of one name that jobs gave back on a node. */
struct given {
	uint32_t plugin_id;
	bitstr_t *devices;
	struct given *next;
};

struct tb_gres_back {
	uint32_t node_count;
	struct given **nodes;
};

/* --- what jobs ask for ------------------------------------------------------- */

struct nth {
	uint32_t left;
	gres_state_t *found;
};

static int count_down(void *item, void *arg)
{
	struct nth *nth = arg;

	if (nth->left--)
		return 0;
	nth->found = item;
	return -1;
}

static gres_state_t *find_entry(const job_record_t *job, uint32_t entry)
{
	struct nth nth = { .left = entry };

	list_for_each(job->gres_list_req, count_down, &nth);
	return nth.found;
}

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
	const gres_job_state_t *asked = find_entry(job, entry)->gres_data;

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
	gres_job_state_t *asked = find_entry(job, entry)->gres_data;

	FREE_NULL_LIST(job->gres_list_req_accum);

	asked->gres_per_task = ask->per_task;
	asked->gres_per_node = ask->per_node;
	asked->gres_per_job = ask->per_job;
	asked->ntasks_per_gres = ask->tasks_each;
}

/* --- what nodes have --------------------------------------------------------- */

static int has_plugin_id(void *item, void *key)
{
	const gres_state_t *state = item;

	return state->plugin_id == *(uint32_t *)key;
}

static bool is_set(const bitstr_t *bits, bitoff_t bit)
{
	return bits && bit < bit_size((bitstr_t *)bits) &&
	       bit_test((bitstr_t *)bits, bit);
}

/*
 * Of devices without Cores= some releases keep no places: of these are all devices of
 * one, without a type.
 */
static bool is_one_place(const gres_node_state_t *there)
{
	return !there->topo_core_bitmap;
}

static uint32_t count_places(const gres_node_state_t *there)
{
	return is_one_place(there) ? 1 : there->topo_cnt;
}

static bool is_in_place(const gres_node_state_t *there, uint32_t place,
			bitoff_t device)
{
	return is_one_place(there) ||
	       is_set(there->topo_gres_bitmap[place], device);
}

/* Devices of their own, not a number of them. */
static bool has_places(const gres_node_state_t *there,
		       const gres_job_state_t *asked)
{
	if (is_one_place(there))
		return there->gres_bit_alloc && !asked->type_name;
	return there->topo_gres_bitmap;
}

/* NULL: the node has no devices with places for this entry. */
static gres_node_state_t *find_places(const gres_state_t *entry, uint32_t node)
{
	list_t *list = node_record_table_ptr[node]->gres_list;
	uint32_t id = entry->plugin_id;
	gres_state_t *state = list ? list_find_first(list, has_plugin_id, &id)
				   : NULL;
	gres_node_state_t *there = state ? state->gres_data : NULL;

	if (!there || there->no_consume ||
	    !has_places(there, entry->gres_data) ||
	    gres_id_shared(state->config_flags))
		return NULL;
	return there;
}

static int is_missing(void *item, void *arg)
{
	gres_state_t *entry = item;
	list_t *list = node_record_table_ptr[*(uint32_t *)arg]->gres_list;
	uint32_t id = entry->plugin_id;
	gres_state_t *state = list ? list_find_first(list, has_plugin_id, &id)
				   : NULL;
	gres_node_state_t *there = state ? state->gres_data : NULL;

	return !there || !(there->gres_cnt_avail || there->gres_cnt_config);
}

bool tb_gres_node_has_all(const job_record_t *job, uint32_t node)
{
	return !job->gres_list_req ||
	       !list_find_first(job->gres_list_req, is_missing, &node);
}

static const bitstr_t *find_given_back(const struct tb_gres_back *back,
				       uint32_t node, uint32_t plugin_id)
{
	const struct given *given = back ? back->nodes[node] : NULL;

	while (given && given->plugin_id != plugin_id)
		given = given->next;
	return given ? given->devices : NULL;
}

/* find_parts(): the shared GRES that are parts of these devices, or NULL */
#if SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(23, 11, 4)
static int has_data(void *item, void *key)
{
	const gres_state_t *state = item;

	return state->gres_data == key;
}

static const gres_state_t *find_parts(const gres_node_state_t *there,
				      uint32_t node)
{
	return there->alt_gres_ns
		       ? list_find_first(node_record_table_ptr[node]->gres_list,
					 has_data, there->alt_gres_ns)
		       : NULL;
}
#else
static const gres_state_t *find_parts(const gres_node_state_t *there,
				      uint32_t node)
{
	(void)node;
	return there->alt_gres;
}
#endif

/* is_reserved(): do reservations keep this device of a node from the test's job? */
#if SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(23, 11, 0)
static bool is_reserved(const struct tb_test *test, uint32_t node,
			uint32_t plugin_id, bitoff_t device)
{
	(void)test;
	(void)node;
	(void)plugin_id;
	(void)device;
	return false;
}
#else
/* A device of a node, and what a list says of devices of its name. */
struct in_list {
	uint32_t node;
	uint32_t plugin_id;
	bitoff_t device;
	bool has_name, has_device;
};

static int look_into_entry(void *item, void *arg)
{
	const gres_state_t *state = item;
	const gres_job_state_t *kept = state->gres_data;
	struct in_list *in_list = arg;

	if (state->plugin_id != in_list->plugin_id)
		return 0;
	in_list->has_name = true;
	if (kept->gres_bit_alloc && in_list->node < kept->node_cnt &&
	    is_set(kept->gres_bit_alloc[in_list->node], in_list->device))
		in_list->has_device = true;
	return 0;
}

/* A job outside must not have what is listed, a job inside nothing else. */
static bool is_reserved(const struct tb_test *test, uint32_t node,
			uint32_t plugin_id, bitoff_t device)
{
	const resv_exc_t *excluded = test ? test->excluded : NULL;
	struct in_list in_list = { .node = node,
				   .plugin_id = plugin_id,
				   .device = device };

	if (!excluded)
		return false;
	if (excluded->gres_list_exc) {
		list_for_each(excluded->gres_list_exc, look_into_entry,
			      &in_list);
		return in_list.has_device;
	}
	if (excluded->gres_list_inc)
		list_for_each(excluded->gres_list_inc, look_into_entry,
			      &in_list);
	return in_list.has_name && !in_list.has_device;
}
#endif

/* Devices that jobs have, whole or in parts, and those that jobs gave back. */
struct in_use {
	const bitstr_t *whole, *whole_back;
	const bitstr_t *parts, *parts_back;
	/* For those that are reserved. */
	const struct tb_test *test;
	uint32_t node;
	uint32_t plugin_id;
};

static struct in_use find_in_use(const gres_node_state_t *there, uint32_t node,
				 uint32_t plugin_id,
				 const struct tb_gres_view *view)
{
	const gres_state_t *parts = find_parts(there, node);
	struct in_use in_use = {
		.whole = there->gres_bit_alloc,
		.whole_back = find_given_back(view->back, node, plugin_id),
		.test = view->test,
		.node = node,
		.plugin_id = plugin_id,
	};

	if (parts) {
		const gres_node_state_t *shared = parts->gres_data;

		in_use.parts = shared->gres_bit_alloc;
		in_use.parts_back = find_given_back(view->back, node,
						    parts->plugin_id);
	}
	return in_use;
}

static bool is_in_use(const struct in_use *in_use, bitoff_t bit)
{
	return (is_set(in_use->whole, bit) &&
		!is_set(in_use->whole_back, bit)) ||
	       (is_set(in_use->parts, bit) &&
		!is_set(in_use->parts_back, bit)) ||
	       is_reserved(in_use->test, in_use->node, in_use->plugin_id, bit);
}

static uint32_t free_devices(const gres_node_state_t *there, uint32_t place,
			     const struct in_use *in_use, bool idle)
{
	bitstr_t *all = is_one_place(there) ? there->gres_bit_alloc
					    : there->topo_gres_bitmap[place];
	uint32_t free = 0;

	for (bitoff_t bit = 0; all && bit < bit_size(all); bit++)
		if (is_in_place(there, place, bit) &&
		    (idle || !is_in_use(in_use, bit)))
			free++;
	return free;
}

static bool is_of_type(const gres_node_state_t *there, uint32_t place,
		       const gres_job_state_t *asked)
{
	return !asked->type_name || is_one_place(there) ||
	       asked->type_id == there->topo_type_id[place];
}

uint32_t tb_gres_places(const job_record_t *job, uint32_t entry, uint32_t node)
{
	gres_node_state_t *there = find_places(find_entry(job, entry), node);

	return there ? count_places(there) : 0;
}

void tb_gres_visit(const job_record_t *job, uint32_t entry, uint32_t node,
		   const struct tb_gres_view *view, tb_gres_visitor visit,
		   void *arg)
{
	const gres_state_t *state = find_entry(job, entry);
	const gres_node_state_t *there = find_places(state, node);
	struct in_use in_use;

	if (!there)
		return;
	in_use = find_in_use(there, node, state->plugin_id, view);
	for (uint32_t place = 0; place < count_places(there); place++)
		if (is_of_type(there, place, state->gres_data))
			visit(place,
			      is_one_place(there)
				      ? NULL
				      : there->topo_core_bitmap[place],
			      free_devices(there, place, &in_use, view->idle),
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
	if (is_one_place(there)) {
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

/* --- what jobs give back ----------------------------------------------------- */

struct giving {
	struct tb_gres_back *back;
	uint32_t node;
	uint32_t index; /* of the node among the job's */
	bool back_again;
};

static bitstr_t *get_given_devices(struct tb_gres_back *back, uint32_t node,
				   uint32_t plugin_id, bitoff_t count)
{
	struct given *given = back->nodes[node];

	while (given && given->plugin_id != plugin_id)
		given = given->next;
	if (!given) {
		given = xmalloc(sizeof(*given));
		given->plugin_id = plugin_id;
		given->devices = bit_alloc(count);
		given->next = back->nodes[node];
		back->nodes[node] = given;
	}
	return given->devices;
}

static int give_devices(void *item, void *arg)
{
	const gres_state_t *state = item;
	const gres_job_state_t *held = state->gres_data;
	struct giving *giving = arg;
	bitstr_t *devices, *given;

	if (!held->gres_bit_alloc || giving->index >= held->node_cnt)
		return 0;
	devices = held->gres_bit_alloc[giving->index];
	if (!devices)
		return 0;
	given = get_given_devices(giving->back, giving->node, state->plugin_id,
				  bit_size(devices));
	if (bit_size(given) != bit_size(devices))
		return 0;
	if (giving->back_again)
		bit_and_not(given, devices);
	else
		bit_or(given, devices);
	return 0;
}

static void move_devices(struct tb_gres_back **back, const job_record_t *job,
			 bool back_again)
{
	const bitstr_t *nodes = job->job_resrcs ? job->job_resrcs->node_bitmap
						: NULL;
	struct giving giving = { .back_again = back_again };

	if (!job->gres_list_alloc || !nodes)
		return;
	if (!*back) {
		*back = xmalloc(sizeof(**back));
		(*back)->node_count = tb_node_count();
		(*back)->nodes = xcalloc((*back)->node_count + 1,
					 sizeof(*(*back)->nodes));
	}
	giving.back = *back;
	for (; giving.node < (*back)->node_count; giving.node++) {
		if (!is_set(nodes, giving.node))
			continue;
		list_for_each(job->gres_list_alloc, give_devices, &giving);
		giving.index++;
	}
}

void tb_gres_give_back(struct tb_gres_back **back, const job_record_t *job)
{
	move_devices(back, job, false);
}

void tb_gres_take_back(struct tb_gres_back **back, const job_record_t *job)
{
	move_devices(back, job, true);
}

void tb_gres_back_destroy(struct tb_gres_back *back)
{
	if (!back)
		return;
	for (uint32_t node = 0; node < back->node_count; node++)
		while (back->nodes[node]) {
			struct given *given = back->nodes[node];

			back->nodes[node] = given->next;
			FREE_NULL_BITMAP(given->devices);
			xfree(given);
		}
	xfree(back->nodes);
	xfree(back);
}

/* --- what is selected for a job ---------------------------------------------- */

uint32_t tb_gres_selected(const job_record_t *job, uint32_t entry,
			  uint32_t node)
{
	const gres_job_state_t *asked = find_entry(job, entry)->gres_data;

	if (!asked->gres_cnt_node_select || node >= asked->total_node_cnt)
		return 0;
	return asked->gres_cnt_node_select[node];
}

struct selecting {
	const gres_state_t *state; /* whose selection is changed */
	uint32_t node;
	bitstr_t *others; /* what the job's other entries of this name have */
	struct in_use in_use;
};

static bitstr_t *get_selection(const gres_state_t *state, uint32_t node)
{
	const gres_job_state_t *asked = state->gres_data;

	return asked->gres_bit_select && node < asked->total_node_cnt
		       ? asked->gres_bit_select[node]
		       : NULL;
}

static int add_others(void *item, void *arg)
{
	struct selecting *selecting = arg;
	bitstr_t *selected = get_selection(item, selecting->node);

	if (item != selecting->state && selected &&
	    ((gres_state_t *)item)->plugin_id == selecting->state->plugin_id &&
	    bit_size(selected) == bit_size(selecting->others))
		bit_or(selecting->others, selected);
	return 0;
}

static uint32_t find_place(const gres_node_state_t *there,
			   const gres_job_state_t *asked, bitoff_t device)
{
	uint32_t place = 0;

	while (place < count_places(there) &&
	       !(is_in_place(there, place, device) &&
		 is_of_type(there, place, asked)))
		place++;
	return place;
}

/* Those that were selected before come first. */
static void take_devices(const struct selecting *selecting,
			 const gres_node_state_t *there, bool selected_ones,
			 const uint32_t *pool_of, uint32_t *of_pool,
			 uint32_t pools, bitstr_t *taken)
{
	const gres_job_state_t *asked = selecting->state->gres_data;
	bitstr_t *before = get_selection(selecting->state, selecting->node);

	for (bitoff_t bit = 0; bit < bit_size(taken); bit++) {
		uint32_t place = find_place(there, asked, bit), pool;

		if (place == count_places(there) ||
		    is_set(before, bit) != selected_ones ||
		    is_set(selecting->others, bit) ||
		    is_in_use(&selecting->in_use, bit))
			continue;
		pool = pool_of[place];
		if (pool >= pools || !of_pool[pool])
			continue;
		of_pool[pool]--;
		bit_set(taken, bit);
	}
}

static void set_number(gres_job_state_t *asked, uint32_t node, uint32_t number)
{
	asked->total_gres += number;
	asked->total_gres -= asked->gres_cnt_node_select[node];
	asked->gres_cnt_node_select[node] = number;
}

/* Of devices without places Slurm selects a number, and which ones when the job begins. */
static bool select_number(const struct selecting *selecting,
			  const gres_node_state_t *there, uint32_t number)
{
	gres_job_state_t *asked = selecting->state->gres_data;
	uint32_t node = selecting->node;

	if (!is_one_place(there) || !asked->gres_cnt_node_select ||
	    node >= asked->total_node_cnt ||
	    free_devices(there, 0, &selecting->in_use, false) < number)
		return false;
	set_number(asked, node, number);
	return true;
}

bool tb_gres_select(const struct tb_test *test, uint32_t entry, uint32_t node,
		    const uint32_t *pool_of, uint32_t *of_pool, uint32_t pools,
		    uint32_t number)
{
	const struct tb_gres_view now = { .test = test };
	struct selecting selecting = { .state = find_entry(test->job, entry),
				       .node = node };
	const gres_node_state_t *there = find_places(selecting.state, node);
	bitstr_t *before = get_selection(selecting.state, node), *taken;
	bool possible;

	if (!there)
		return false;
	selecting.in_use = find_in_use(there, node, selecting.state->plugin_id,
				       &now);
	if (!before)
		return select_number(&selecting, there, number);
	selecting.others = bit_alloc(bit_size(before));
	list_for_each(test->job->gres_list_req, add_others, &selecting);
	taken = bit_alloc(bit_size(before));
	take_devices(&selecting, there, true, pool_of, of_pool, pools, taken);
	take_devices(&selecting, there, false, pool_of, of_pool, pools, taken);
	possible = bit_set_count(taken) == (int)number;
	if (possible) {
		bit_copybits(before, taken);
		set_number(selecting.state->gres_data, node, number);
	}
	FREE_NULL_BITMAP(taken);
	FREE_NULL_BITMAP(selecting.others);
	return possible;
}
