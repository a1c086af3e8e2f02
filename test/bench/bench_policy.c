/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bench_policy - some days of a virtual cluster under each node allocation policy
 *
 * Jobs of many sizes come by chance (always the same chance) and start in their
 * order, later ones before earlier ones where these do not fit.  Nodes, units and
 * policies are those of lib/core; time is virtual.  Each group of nodes is
 * reserved for maintenance now and then, and no job starts that would run into
 * it.  A faster node does the same work in less time.
 *
 * Prints for each policy how much of the cores' time was used until the last job
 * ended, how long jobs waited on average, how many units were broken up on
 * average (partly in use, so that nobody can have them whole), when the last job
 * ended, and how long it took to choose.  All but the last depend on nothing but
 * this program.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/policy/allocation.h"
#include "core/topology/fragmentation.h"
#include "core/place/place.h"
#include "core/policy/priority_function.h"

#define NODES 32
#define JOBS 4000
#define MEAN_GAP 90 /* s, between the arrivals of two jobs */
#define NODES_OF_A_JOB 4
#define QUEUE_DEPTH 60 /* how far the scheduler looks */
#define HOUR 3600
#define MAINTENANCE_EVERY (60 * HOUR)
#define MAINTENANCE_TIME (3 * HOUR)
#define GROUPS 4
#define SEED 20

struct kind {
	const char *topology;
	double speed;
	double memory;
	unsigned threads;
	struct tb_topology *shape;
	struct tb_placer *placer;
};

static struct kind kinds[] = {
	{ "NSXCCCCXCCCCXCCCCXCCCCNSXCCCCXCCCCXCCCCXCCCC", 2000, 256, 0, NULL,
	  NULL },
	{ "NSXCCCCCCCCXCCCCCCCC", 2600, 128, 0, NULL, NULL },
	{ "NSXCCCCXCCCC", 1800, 64, 0, NULL, NULL },
};

struct node {
	struct kind *kind;
	struct tb_bitset *used;
	unsigned jobs;
};

struct job {
	double arrival, work; /* s; work: on a node of speed 2000 */
	struct tb_request request;
	unsigned nodes;
	double start, end; /* end 0: not started */
	unsigned node[NODES_OF_A_JOB];
	struct tb_bitset *threads[NODES_OF_A_JOB];
};

struct result {
	double used, wait, broken, end, choosing;
	unsigned long decisions;
};

struct cluster {
	enum tb_allocation policy;
	struct tb_priority_function *function;
	struct node nodes[NODES];
	struct job jobs[JOBS];
	double now;
	unsigned first; /* of the queue: all before have started */
	unsigned arrived, running[JOBS], nrunning;
	struct result result;
};

static void die(const char *what)
{
	fprintf(stderr, "bench_policy: %s\n", what);
	exit(1);
}

static double chance(uint32_t *drawn)
{
	return tb_allocation_chance(SEED, (*drawn)++);
}

/* --- the cluster and its jobs --------------------------------------------------- */

static void make_kinds(void)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		kinds[i].shape = tb_topology_parse(kinds[i].topology, NULL,
						   NULL);
		if (!kinds[i].shape)
			die("out of memory");
		kinds[i].placer = tb_placer_create(kinds[i].shape);
		kinds[i].threads = tb_topology_threads(kinds[i].shape);
	}
}

static void make_nodes(struct cluster *cluster)
{
	for (unsigned i = 0; i < NODES; i++) {
		struct node *node = &cluster->nodes[i];

		/* Large ones, and every fourth another. */
		node->kind = &kinds[i % 4 != 3 ? 0 : i % 8 == 3 ? 1 : 2];
		node->used = tb_bitset_create(node->kind->threads);
		node->jobs = 0;
	}
}

static const char *const lines[] = {
	"bunit=C,bamount=1", "bunit=C,bamount=2", "bunit=C,bamount=3",
	"bunit=X,bamount=1", "bunit=C,bamount=6", "bunit=X,bamount=2",
	"bunit=S,bamount=1", "bunit=S,bamount=2",
};
/* How often, of 100. */
static const unsigned shares[] = { 22, 16, 14, 20, 10, 8, 7, 3 };

static const char *choose_line(uint32_t *drawn)
{
	unsigned at = (unsigned)(100 * chance(drawn)), line = 0;

	while (at >= shares[line])
		at -= shares[line++];
	return lines[line];
}

static void make_jobs(struct cluster *cluster)
{
	double arrival = 0;
	uint32_t drawn = 0;

	for (unsigned i = 0; i < JOBS; i++) {
		struct job *job = &cluster->jobs[i];

		memset(job, 0, sizeof(*job));
		arrival += 2 * MEAN_GAP * chance(&drawn);
		job->arrival = arrival;
		job->work = HOUR *
			    (0.2 + 11.8 * chance(&drawn) * chance(&drawn) *
					   chance(&drawn) * 2);
		tb_request_init(&job->request);
		if (tb_request_parse(&job->request, choose_line(&drawn), NULL))
			die("a bad request");
		job->nodes = chance(&drawn) < 0.12
				     ? 2 + (unsigned)(3 * chance(&drawn))
				     : 1;
	}
}

/* --- time ------------------------------------------------------------------------- */

/* When the next maintenance of the node's group begins, or its present one. */
static double next_maintenance(unsigned node, double now)
{
	double first = MAINTENANCE_EVERY * (1 + node % GROUPS) / GROUPS;
	double past = now - MAINTENANCE_TIME - first;
	unsigned turns = past < 0 ? 0
				  : 1 + (unsigned)(past / MAINTENANCE_EVERY);

	return first + turns * (double)MAINTENANCE_EVERY;
}

/* A job says how long it will run on the slowest node. */
static double gap(unsigned node, const struct job *job, double now)
{
	return next_maintenance(node, now) - (now + job->work);
}

static double next_event(const struct cluster *cluster)
{
	double next = 1e18;

	if (cluster->arrived < JOBS)
		next = cluster->jobs[cluster->arrived].arrival;
	for (unsigned i = 0; i < cluster->nrunning; i++)
		if (cluster->jobs[cluster->running[i]].end < next)
			next = cluster->jobs[cluster->running[i]].end;
	/* Maintenance ends. */
	for (unsigned group = 0; group < GROUPS; group++) {
		double end = next_maintenance(group, cluster->now) +
			     MAINTENANCE_TIME;

		if (end > cluster->now && end < next)
			next = end;
	}
	return next;
}

static void advance(struct cluster *cluster, double to)
{
	double passed = to - cluster->now;

	for (unsigned i = 0; i < NODES; i++) {
		const struct node *node = &cluster->nodes[i];

		cluster->result.used += passed * tb_bitset_count(node->used);
		cluster->result.broken +=
			passed * tb_broken_containers(node->kind->shape,
						      node->used, node->used);
	}
	cluster->now = to;
}

/* --- choosing ----------------------------------------------------------------------- */

static const struct tb_bitset *place(const struct node *node,
				     const struct job *job)
{
	if (tb_place(node->kind->placer, &job->request, node->used, 1) < 1)
		return NULL;
	return tb_placed_threads(node->kind->placer);
}

static double value(const struct cluster *cluster, const struct node *node)
{
	const struct tb_priority_term *terms;
	double values[8];
	unsigned count;

	terms = tb_priority_terms(cluster->function, &count);
	for (unsigned i = 0; i < count; i++)
		values[i] = terms[i].component == TB_COMPONENT_SPEED
				    ? node->kind->speed
			    : terms[i].component == TB_COMPONENT_JOBCOUNT
				    ? node->jobs
				    : node->kind->threads -
					      tb_bitset_count(node->used);
	return tb_priority_value(cluster->function, values);
}

static void describe(const struct cluster *cluster, const struct job *job,
		     unsigned index, struct tb_candidate *candidate)
{
	const struct node *node = &cluster->nodes[index];
	const struct kind *kind = node->kind;
	const struct tb_bitset *placed = tb_placed_threads(kind->placer);
	struct tb_bitset *after = tb_bitset_copy(node->used);

	tb_bitset_or(after, placed);
	*candidate = (struct tb_candidate){
		.node = index,
		.holds = 1,
		.gap = (int64_t)gap(index, job, cluster->now),
		.idle = kind->threads - tb_bitset_count(node->used),
		.size = kind->threads / 32.0 + kind->memory / 256,
		.speed = kind->speed,
		.chance = tb_allocation_chance(SEED, index),
		.priority = value(cluster, node),
		.broken = (int32_t)tb_broken_containers(kind->shape, after,
							after) -
			  (int32_t)tb_broken_containers(kind->shape, node->used,
							node->used),
		.left = kind->threads - tb_bitset_count(after),
		.diameter = tb_diameter(kind->shape, placed),
	};
	tb_bitset_destroy(after);
}

static unsigned find_candidates(const struct cluster *cluster,
				const struct job *job,
				struct tb_candidate *list)
{
	unsigned count = 0;

	for (unsigned i = 0; i < NODES; i++)
		if (gap(i, job, cluster->now) >= 0 &&
		    place(&cluster->nodes[i], job))
			describe(cluster, job, i, &list[count++]);
	return count;
}

static void start_on(struct cluster *cluster, struct job *job,
		     const struct tb_candidate *list)
{
	double speed = 1e9;

	for (unsigned i = 0; i < job->nodes; i++) {
		struct node *node = &cluster->nodes[list[i].node];

		job->node[i] = list[i].node;
		job->threads[i] = tb_bitset_copy(place(node, job));
		tb_bitset_or(node->used, job->threads[i]);
		node->jobs++;
		if (node->kind->speed < speed)
			speed = node->kind->speed;
	}
	job->start = cluster->now;
	job->end = cluster->now + job->work * 2000 / speed;
	cluster->running[cluster->nrunning++] = (unsigned)(job - cluster->jobs);
	cluster->result.wait += job->start - job->arrival;
}

static bool try_start(struct cluster *cluster, struct job *job)
{
	const struct tb_node_need need = { .amount = job->nodes,
					   .nodes = job->nodes };
	struct tb_candidate list[NODES];
	unsigned count = find_candidates(cluster, job, list);

	cluster->result.decisions++;
	if (count < job->nodes)
		return false;
	tb_allocation_order(cluster->policy, list, count, &need);
	start_on(cluster, job, list);
	return true;
}

static void schedule(struct cluster *cluster)
{
	unsigned looked = 0;
	clock_t before = clock();

	for (unsigned i = cluster->first;
	     i < cluster->arrived && looked < QUEUE_DEPTH; i++) {
		if (cluster->jobs[i].end > 0)
			continue;
		looked++;
		try_start(cluster, &cluster->jobs[i]);
	}
	cluster->result.choosing += (double)(clock() - before) / CLOCKS_PER_SEC;
	while (cluster->first < cluster->arrived &&
	       cluster->jobs[cluster->first].end > 0)
		cluster->first++;
}

/* --- from the first job to the last --------------------------------------------------- */

static void end_job(struct cluster *cluster, struct job *job)
{
	for (unsigned i = 0; i < job->nodes; i++) {
		struct node *node = &cluster->nodes[job->node[i]];

		tb_bitset_andnot(node->used, job->threads[i]);
		tb_bitset_destroy(job->threads[i]);
		node->jobs--;
	}
}

static void happen(struct cluster *cluster)
{
	unsigned kept = 0;

	while (cluster->arrived < JOBS &&
	       cluster->jobs[cluster->arrived].arrival <= cluster->now)
		cluster->arrived++;
	for (unsigned i = 0; i < cluster->nrunning; i++) {
		struct job *job = &cluster->jobs[cluster->running[i]];

		if (job->end <= cluster->now)
			end_job(cluster, job);
		else
			cluster->running[kept++] = cluster->running[i];
	}
	cluster->nrunning = kept;
}

static void print_result(const struct cluster *cluster)
{
	const struct result *result = &cluster->result;
	double cores = 0;

	for (unsigned i = 0; i < NODES; i++)
		cores += cluster->nodes[i].kind->threads;
	printf("%-15s %8.1f %8.1f %8.1f %8.1f %8.1f\n",
	       tb_allocation_names[cluster->policy],
	       100 * result->used / (cores * cluster->now),
	       result->wait / JOBS / 60, result->broken / cluster->now,
	       cluster->now / HOUR,
	       1e6 * result->choosing / (double)result->decisions);
}

static void run(enum tb_allocation policy)
{
	struct cluster *cluster = calloc(1, sizeof(*cluster));

	if (!cluster)
		die("out of memory");
	cluster->policy = policy;
	cluster->function =
		tb_priority_parse(".01 * SPEED - APROCS - 10 * JOBCOUNT", NULL);
	make_nodes(cluster);
	make_jobs(cluster);
	while (cluster->first < JOBS || cluster->nrunning) {
		advance(cluster, next_event(cluster));
		happen(cluster);
		schedule(cluster);
	}
	print_result(cluster);
	for (unsigned i = 0; i < NODES; i++)
		tb_bitset_destroy(cluster->nodes[i].used);
	for (unsigned i = 0; i < JOBS; i++)
		tb_request_clear(&cluster->jobs[i].request);
	tb_priority_destroy(cluster->function);
	free(cluster);
}

int main(void)
{
	make_kinds();
	printf("%-15s %8s %8s %8s %8s %8s\n", "policy", "used", "wait",
	       "broken", "end", "choose");
	printf("%-15s %8s %8s %8s %8s %8s\n", "", "%", "min", "units", "h",
	       "us");
	for (int i = TB_ALLOCATE_FIRSTAVAILABLE; i < TB_ALLOCATIONS; i++)
		run((enum tb_allocation)i);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		tb_placer_destroy(kinds[i].placer);
		tb_topology_destroy(kinds[i].shape);
	}
	return 0;
}
