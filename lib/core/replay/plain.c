/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plain.c - see plain.h */
#include <stdlib.h>

#include "plain.h"

/* ---- nodes ---- */

struct choosing {
	const struct tb_rooms *rooms;
	const uint32_t *room;
	uint32_t task_cpus;
	int64_t cpus, nodes; /* still to be found */
	struct tb_node_set *sets;
	unsigned nsets;
	struct tb_plain_node *chosen;
	unsigned nchosen;
};

static int64_t get_cpus_per_core(const struct choosing *choosing, unsigned node)
{
	const struct tb_rooms *rooms = choosing->rooms;

	return rooms->shapes[rooms->shape[node]].books.cpus_per_core;
}

/* Of whole tasks. */
static int64_t count_free(const struct choosing *choosing, unsigned node)
{
	return (int64_t)choosing->room[node] * choosing->task_cpus;
}

static void find_sets(struct choosing *choosing)
{
	unsigned nnodes = choosing->rooms->cluster->nnodes;
	struct tb_node_set *set = NULL;

	for (unsigned node = 0; node < nnodes; node++) {
		if (!choosing->room[node]) {
			set = NULL;
			continue;
		}
		if (!set) {
			set = &choosing->sets[choosing->nsets++];
			*set = (struct tb_node_set){ .first = node };
		}
		set->end = node + 1;
		set->cpus += count_free(choosing, node);
		set->nodes++;
	}
}

static bool is_better(const struct tb_node_set *set, bool suffices,
		      const struct tb_node_set *best, bool best_suffices)
{
	if (suffices != best_suffices)
		return suffices;
	return suffices ? set->cpus < best->cpus : set->cpus > best->cpus;
}

/* NULL: none is left. */
static struct tb_node_set *find_best_set(const struct choosing *choosing)
{
	struct tb_node_set *best = NULL;
	bool best_suffices = false;

	for (unsigned i = 0; i < choosing->nsets; i++) {
		struct tb_node_set *set = &choosing->sets[i];
		bool suffices = set->cpus >= choosing->cpus &&
				set->nodes >= choosing->nodes;

		if (!set->nodes)
			continue;
		if (best && !is_better(set, suffices, best, best_suffices))
			continue;
		best = set;
		best_suffices = suffices;
	}
	return best;
}

/* Each of the other nodes gets a core at least, and this one a task. */
static void take_node(struct choosing *choosing, unsigned node)
{
	int64_t cpus = count_free(choosing, node), most = choosing->cpus;

	if (choosing->nodes > 1)
		most -= (choosing->nodes - 1) *
			get_cpus_per_core(choosing, node);
	if (most < choosing->task_cpus)
		most = choosing->task_cpus;
	if (cpus > most)
		cpus = most;
	choosing->chosen[choosing->nchosen++] = (struct tb_plain_node){
		node, (uint32_t)(cpus / choosing->task_cpus)
	};
	choosing->cpus -= cpus;
	choosing->nodes--;
}

/* The one with the fewest CPUs that holds the rest; the end of the set: none does. */
static unsigned find_tightest(const struct choosing *choosing,
			      const struct tb_node_set *set)
{
	unsigned best = set->end;

	for (unsigned node = set->first; node < set->end; node++) {
		int64_t cpus = count_free(choosing, node);

		if (cpus >= choosing->cpus &&
		    (best == set->end || cpus < count_free(choosing, best)))
			best = node;
	}
	return best;
}

static void take_set(struct choosing *choosing, struct tb_node_set *set)
{
	unsigned best = choosing->nodes <= 1 ? find_tightest(choosing, set)
					     : set->end;

	set->nodes = 0;
	if (best < set->end) {
		take_node(choosing, best);
		return;
	}
	for (unsigned node = set->first;
	     node < set->end && (choosing->nodes > 0 || choosing->cpus > 0);
	     node++)
		take_node(choosing, node);
}

/* Of one task.  False: there is none. */
static bool take_first_node(struct choosing *choosing)
{
	unsigned nnodes = choosing->rooms->cluster->nnodes, node = 0;

	while (node < nnodes && !choosing->room[node])
		node++;
	if (node == nnodes)
		return false;
	take_node(choosing, node);
	return true;
}

static int compare_nodes(const void *a, const void *b)
{
	const struct tb_plain_node *x = a, *y = b;

	return x->node < y->node ? -1 : x->node > y->node;
}

unsigned tb_plain_nodes(const struct tb_rooms *rooms, const uint32_t *room,
			const struct tb_replay_job *job,
			struct tb_node_set *sets, struct tb_plain_node *nodes)
{
	struct choosing choosing = {
		.rooms = rooms,
		.room = room,
		.task_cpus = job->task_cpus,
		.cpus = (int64_t)job->tasks * job->task_cpus,
		.nodes = job->nodes,
		.sets = sets,
		.chosen = nodes,
	};

	if (rooms->first_node && job->tasks == 1)
		return take_first_node(&choosing);
	find_sets(&choosing);
	while (choosing.cpus > 0 || choosing.nodes > 0) {
		struct tb_node_set *set = find_best_set(&choosing);

		if (!set)
			return 0;
		take_set(&choosing, set);
	}
	qsort(nodes, choosing.nchosen, sizeof(*nodes), compare_nodes);
	return choosing.nchosen;
}

/* ---- cores ---- */

struct dealing {
	const struct tb_topology *topology;
	const struct tb_bitset *used;
	struct tb_bitset *threads;
	unsigned sockets, per_socket; /* cores of a socket */
	unsigned end;		      /* of the cores that may be taken */
	uint32_t cpus_per_core;
	int64_t cpus; /* still to be found */
};

/* The first free core of a socket that is not taken yet.  False: there is none. */
static bool find_core(const struct dealing *dealing, unsigned socket,
		      unsigned *core)
{
	unsigned end = (socket + 1) * dealing->per_socket;

	for (*core = socket * dealing->per_socket;
	     *core < end && *core < dealing->end; ++*core) {
		unsigned first = tb_core_first_thread(dealing->topology, *core);

		if (!tb_bitset_test(dealing->used, first) &&
		    !tb_bitset_test(dealing->threads, first))
			return true;
	}
	return false;
}

static bool take_core(struct dealing *dealing, unsigned socket)
{
	unsigned core;

	if (!find_core(dealing, socket, &core))
		return false;
	tb_bitset_set_range(dealing->threads,
			    tb_core_first_thread(dealing->topology, core),
			    tb_core_threads(dealing->topology, core));
	dealing->cpus -= dealing->cpus_per_core;
	return true;
}

static int64_t count_free_cpus(const struct dealing *dealing, unsigned socket)
{
	unsigned end = (socket + 1) * dealing->per_socket;
	int64_t cpus = 0;

	for (unsigned core = socket * dealing->per_socket;
	     core < end && core < dealing->end; core++)
		if (!tb_bitset_test(dealing->used,
				    tb_core_first_thread(dealing->topology,
							 core)))
			cpus += dealing->cpus_per_core;
	return cpus;
}

/* Of tasks of several CPUs only the first cores count, as many as whole tasks need. */
static void limit_cores(struct dealing *dealing, uint32_t task_cpus)
{
	unsigned all = tb_topology_cores(dealing->topology);
	int64_t room = 0;

	for (unsigned socket = 0; socket < dealing->sockets; socket++)
		room += count_free_cpus(dealing, socket);
	room -= room % task_cpus;
	for (dealing->end = 0; dealing->end < all && room > 0; dealing->end++)
		if (!tb_bitset_test(dealing->used,
				    tb_core_first_thread(dealing->topology,
							 dealing->end)))
			room -= dealing->cpus_per_core;
}

/* As many whole tasks as each socket has room for. */
static void deal_tasks(struct dealing *dealing, uint32_t task_cpus)
{
	for (unsigned socket = 0;
	     socket < dealing->sockets && dealing->cpus > 0; socket++) {
		int64_t room = count_free_cpus(dealing, socket);

		for (room -= room % task_cpus; room > 0 && dealing->cpus > 0;
		     room -= dealing->cpus_per_core)
			take_core(dealing, socket);
	}
}

/* One of each socket, again and again. */
static bool deal_cores(struct dealing *dealing)
{
	bool more = true;

	while (dealing->cpus > 0 && more) {
		more = false;
		for (unsigned socket = 0;
		     socket < dealing->sockets && dealing->cpus > 0; socket++)
			more = take_core(dealing, socket) || more;
	}
	return dealing->cpus <= 0;
}

bool tb_plain_cores(const struct tb_topology *topology, uint32_t cpus_per_core,
		    const struct tb_bitset *used,
		    const struct tb_plain_tasks *tasks,
		    struct tb_bitset *threads)
{
	unsigned sockets = tb_topology_count(topology, 'S');
	struct dealing dealing = {
		.topology = topology,
		.used = used,
		.threads = threads,
		.sockets = sockets ? sockets : 1,
		.end = tb_topology_cores(topology),
		.cpus_per_core = cpus_per_core,
		.cpus = (int64_t)tasks->tasks * tasks->task_cpus,
	};

	dealing.per_socket = (dealing.end + dealing.sockets - 1) /
			     dealing.sockets;
	tb_bitset_clear_all(threads);
	if (tasks->task_cpus > 1 && tasks->whole)
		limit_cores(&dealing, tasks->task_cpus);
	if (tasks->task_cpus > 1)
		deal_tasks(&dealing, tasks->task_cpus);
	return deal_cores(&dealing);
}
