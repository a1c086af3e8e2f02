/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whose end would suffice in random clusters, compared with trying all sets of holders
 * and of nodes.
 */
#include "unit_test.h"

#include "holder_cluster.h"
#include "random_case.h"

/* The slots of a node without some holders, by a placement of its own. */
static unsigned slots_without(const struct cluster *cluster, unsigned node,
			      const struct tb_need *need, unsigned gone)
{
	struct tb_bitset *used = tb_bitset_copy(cluster->reserved[node]);
	int slots;

	for (unsigned h = 0; h < cluster->nholders; h++)
		if (!(gone & 1u << h))
			tb_bitset_or(used, cluster->used[node][h]);
	slots = tb_place(cluster->nodes[node].placer, need->request, used,
			 tb_asked_slots_of_node(&need->asked));
	tb_bitset_destroy(used);
	return slots > 0 ? (unsigned)slots : 0;
}

/* Of one kind that are free on a node without some holders. */
static uint32_t free_without(const struct cluster *cluster, unsigned node,
			     unsigned kind, unsigned gone)
{
	const struct tb_used_node *of = &cluster->nodes[node];
	uint32_t held = 0;

	for (unsigned i = 0; i < of->nholders; i++)
		if (!(gone & 1u << of->holders[i].holder))
			held += of->holders[i].devices[kind];
	return cluster->devices[node][kind] - held;
}

/* That is free there without some holders. */
static uint64_t memory_without(const struct cluster *cluster, unsigned node,
			       unsigned gone)
{
	const struct tb_used_node *of = &cluster->nodes[node];
	uint64_t memory = of->memory;

	for (unsigned i = 0; i < of->nholders; i++)
		if (!(gone & 1u << of->holders[i].holder))
			memory -= of->holders[i].memory;
	return memory;
}

static unsigned threads_of_slot(const struct cluster *cluster, unsigned node,
				const struct tb_need *need)
{
	const struct tb_used_node *of = &cluster->nodes[node];
	struct tb_bitset *used = tb_bitset_create(
		tb_topology_threads(of->topology));
	unsigned threads = 0;

	if (tb_place(of->placer, need->request, used, 1) == 1)
		threads = tb_bitset_count(tb_placed_threads(of->placer));
	tb_bitset_destroy(used);
	return threads;
}

/* Of so many slots, all of as many threads, those that have their memory. */
static unsigned slots_with_memory(const struct cluster *cluster, unsigned node,
				  const struct tb_need *need, unsigned gone,
				  unsigned slots)
{
	uint64_t memory = need->memory_is_held
				  ? memory_without(cluster, node, gone)
				  : cluster->nodes[node].memory;
	uint64_t each = need->cpu_memory * threads_of_slot(cluster, node, need);

	if (need->memory_is_held && memory < cluster->nodes[node].least_memory)
		return 0;
	while (slots * each > memory)
		slots--;
	return slots;
}

/* As reach.h has them with devices, of a job that says how many tasks it has. */
static unsigned least_of_each(const struct tb_need *need)
{
	if (need->ndevices == 1)
		return tb_asked_exact_slots(&need->asked)
			       ? 0
			       : need->asked.tasks_per_node;
	return tb_asked_slots_of_each(&need->asked);
}

/* Of so many slots those that have their devices. */
static unsigned slots_with_devices(const struct cluster *cluster, unsigned node,
				   const struct tb_need *need, unsigned gone,
				   unsigned slots)
{
	for (unsigned k = 0; k < need->ndevices; k++) {
		uint32_t free = free_without(cluster, node, k, gone);

		while (slots && slots * need->devices[k].per_task > free)
			slots--;
		if (free < need->devices[k].per_node ||
		    (need->devices[k].per_job && !free))
			slots = 0;
	}
	return slots >= least_of_each(need) ? slots : 0;
}

/* Those for all nodes; none of the nodes is without them. */
static bool devices_of_set(const struct cluster *cluster,
			   const struct tb_need *need, unsigned gone,
			   unsigned set)
{
	unsigned exact = tb_asked_exact_slots(&need->asked);

	for (unsigned k = 0; k < need->ndevices; k++) {
		uint32_t sum = 0, count = 0;

		for (unsigned i = 0; i < cluster->nnodes; i++)
			if (set & 1u << i) {
				sum += free_without(cluster, i, k, gone);
				count++;
			}
		if (need->devices[k].per_job &&
		    (sum < need->devices[k].per_job ||
		     (exact && count > exact)))
			return false;
	}
	return true;
}

/* By trying all sets of nodes. */
static bool fits_without(const struct cluster *cluster,
			 const struct tb_need *need, unsigned gone)
{
	unsigned slots[NODES_MAX];

	for (unsigned i = 0; i < cluster->nnodes; i++)
		slots[i] = slots_with_devices(
			cluster, i, need, gone,
			slots_with_memory(cluster, i, need, gone,
					  slots_without(cluster, i, need,
							gone)));
	for (unsigned set = 1; set < 1u << cluster->nnodes; set++) {
		unsigned count = 0, sum = 0;
		bool all = true;

		for (unsigned i = 0; i < cluster->nnodes; i++) {
			bool chosen = set & 1u << i;

			count += chosen;
			sum += chosen ? slots[i] : 0;
			all = all && (!chosen || slots[i]) &&
			      (chosen || !cluster->nodes[i].required);
		}
		if (all && devices_of_set(cluster, need, gone, set) &&
		    count >= need->asked.min_nodes &&
		    count <= need->asked.max_nodes &&
		    sum >= tb_asked_slots(&need->asked))
			return true;
	}
	return false;
}

static unsigned ended_until(const struct cluster *cluster, int64_t when)
{
	unsigned gone = 0;

	for (unsigned h = 0; h < cluster->nholders; h++)
		if (cluster->ends[h] <= when)
			gone |= 1u << h;
	return gone;
}

static unsigned mask_of(const struct tb_bitset *ended)
{
	unsigned mask = 0;

	for (unsigned h = 0; h < ended->nbits; h++)
		mask |= (unsigned)tb_bitset_test(ended, h) << h;
	return mask;
}

static void random_cluster(struct random *random, struct cluster *cluster)
{
	static const char *const shapes[] = { "SXCCXCC", "NSXCTTCTTXCTTCTT",
					      "SCCCC" };
	const char *shape = shapes[random_below(random, 3)];
	unsigned nnodes = 1 + random_below(random, 3);

	memset(cluster, 0, sizeof(*cluster));
	cluster->nholders = HOLDERS_MAX;
	for (unsigned h = 0; h < HOLDERS_MAX; h++)
		cluster->ends[h] = random_percent(random, 15)
					   ? NEVER
					   : 10 + random_below(random, 5);
	for (unsigned i = 0; i < nnodes; i++) {
		char holders[9] = "";
		unsigned threads = shape[0] == 'N' ? 8 : 4;

		for (unsigned t = 0; t < threads; t++)
			holders[t] = random_percent(random, 40) ? '.'
				     : random_percent(random, 8)
					     ? '#'
					     : (char)('a' +
						      random_below(random,
								   HOLDERS_MAX));
		add_node(cluster, shape, holders, random_percent(random, 15));
	}
}

static void random_devices(struct random *random, struct cluster *cluster,
			   struct tb_devices_asked *asked)
{
	for (unsigned i = 0; i < cluster->nnodes; i++)
		for (unsigned k = 0; k < KINDS_MAX; k++) {
			cluster->devices[i][k] = random_below(random, 3);
			for (unsigned h = 0; h < cluster->nodes[i].nholders;
			     h++) {
				unsigned holder =
					cluster->nodes[i].holders[h].holder;
				unsigned held = random_below(random, 2);

				cluster->held[i][holder][k] = held;
				cluster->devices[i][k] += held;
			}
		}
	for (unsigned k = 0; k < KINDS_MAX; k++)
		/* Of two kinds for all nodes each is looked at by itself. */
		switch (random_below(random, k ? 2 : 3)) {
		case 0:
			asked[k].per_node = 1 + random_below(random, 3);
			break;
		case 1:
			asked[k].per_task = 1 + random_below(random, 2);
			break;
		default:
			asked[k].per_job = 1 + random_below(random, 5);
		}
}

/* As much as all holders have, and some. */
static void random_memory(struct random *random, struct cluster *cluster,
			  struct tb_need *need)
{
	need->memory_is_held = random_percent(random, 80);
	need->cpu_memory = random_percent(random, 50)
				   ? 1 + random_below(random, 3)
				   : 0;
	for (unsigned i = 0; i < cluster->nnodes; i++) {
		struct tb_used_node *node = &cluster->nodes[i];

		node->memory = random_below(random, 12);
		node->least_memory = random_percent(random, 50)
					     ? random_below(random, 12)
					     : 0;
		for (unsigned h = 0; h < node->nholders; h++) {
			struct tb_holder_job *job = &cluster->holder_jobs[i][h];

			job->memory = random_below(random, 4);
			node->memory += job->memory;
		}
	}
}

/* -1: found as it should be, and had to wait for somebody. */
static void check_found(const struct cluster *cluster,
			const struct tb_need *need, unsigned ended,
			int64_t when)
{
	assert_true(fits_without(cluster, need, ended));
	for (unsigned h = 0; h < cluster->nholders; h++)
		if (ended & 1u << h)
			assert_false(fits_without(cluster, need,
						  ended & ~(1u << h)));
	if (when == -1) {
		assert_int_equal(ended, 0);
		return;
	}
	/* Not earlier: with all who end before, it does not fit. */
	assert_true(ended != 0);
	assert_int_equal(ended & ~ended_until(cluster, when), 0);
	assert_false(
		fits_without(cluster, need, ended_until(cluster, when - 1)));
}

static unsigned random_run(struct random *random, bool memory)
{
	static const char *const requests[] = {
		"bunit=X,bamount=1", "bunit=C,bamount=1", "bunit=C,bamount=2",
		"bunit=S,bamount=1", "bunit=X,bamount=2"
	};
	struct tb_bitset *ended = tb_bitset_create(HOLDERS_MAX);
	struct tb_request request;
	struct cluster cluster;
	struct tb_need need = { .request = &request,
				.asked = { .task_cpus = 1,
					   .tasks_are_given = true } };
	struct tb_devices_asked devices[KINDS_MAX] = { 0 };
	struct tb_blockers *blockers;
	int64_t when;
	bool found;

	tb_request_init(&request);
	tb_request_parse(&request, requests[random_below(random, 5)], NULL);
	random_cluster(random, &cluster);
	random_devices(random, &cluster, devices);
	need.devices = devices;
	need.ndevices = random_below(random, KINDS_MAX + 1);
	if (memory)
		random_memory(random, &cluster, &need);
	need.asked.tasks = 1 + random_below(random, 4);
	need.asked.tasks_per_node = random_below(random, need.asked.tasks);
	need.asked.may_be_fewer = random_percent(random, 50);
	need.asked.min_nodes = 1 + random_below(random, 2);
	need.asked.max_nodes = need.asked.min_nodes + random_below(random, 2);
	blockers = tb_blockers_create(&need, cluster.nodes, cluster.nnodes,
				      cluster.ends, cluster.nholders);
	assert_int_equal(tb_blockers_fits(blockers),
			 fits_without(&cluster, &need, 0));
	found = tb_blockers_find(blockers, ended, &when);
	assert_int_equal(found, fits_without(&cluster, &need, ~0u));
	if (found)
		check_found(&cluster, &need, mask_of(ended), when);
	/* It is as it was. */
	assert_int_equal(tb_blockers_fits(blockers),
			 fits_without(&cluster, &need, 0));
	tb_blockers_destroy(blockers);
	clear_cluster(&cluster);
	tb_request_clear(&request);
	tb_bitset_destroy(ended);
	return found && when != -1;
}

#define RUNS 4000

static void test_any_cluster(void **state)
{
	struct random random = { 7 };
	unsigned waited = 0;

	(void)state;
	for (unsigned i = 0; i < RUNS; i++)
		waited += random_run(&random, false);
	print_message("%u of %u had to wait and could\n", waited, RUNS);
	assert_true(waited > RUNS / 6);
}

static void test_any_memory(void **state)
{
	struct random random = { 11 };
	unsigned waited = 0;

	(void)state;
	for (unsigned i = 0; i < RUNS; i++)
		waited += random_run(&random, true);
	print_message("%u of %u had to wait and could\n", waited, RUNS);
	assert_true(waited > RUNS / 6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_any_cluster),
		cmocka_unit_test(test_any_memory),
	};

	return cmocka_run_group_tests_name("blockers_random", tests, NULL,
					   NULL);
}
