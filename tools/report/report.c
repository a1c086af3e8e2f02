/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report.c - see report.h */
#define _GNU_SOURCE /* reallocarray */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cluster/hosts.h"
#include "common/job/job_cores.h"
#include "core/topology/fragmentation.h"
#include "report.h"

const struct tb_report_kind tb_report_kinds[TB_REPORT_KINDS] = {
	[TB_REPORT_X] = { 'X', "X", "L3 cache", "L3 caches" },
	[TB_REPORT_N] = { 'N', "N", "NUMA node", "NUMA nodes" },
	[TB_REPORT_S] = { 'S', "S", "socket", "sockets" },
};

#define NO_JOB UINT_MAX

/* Why the topologies of some nodes cannot be theirs. */
struct complaint {
	struct tb_error why;
	struct tb_hosts *nodes;
};

/* What one load needs everywhere. */
struct load {
	struct tb_report *report;
	struct tb_known_topologies *known;
	unsigned *index; /* in the report, by Slurm's record; NO_JOB */
	struct complaint *complaints;
	unsigned ncomplaints;
};

/* What one node needs everywhere; the sets are the tenants'. */
struct node {
	struct tb_report_node *reported;
	const struct tb_topology *topology;
	struct tb_bitset *kept, *used, *cores;
	struct tb_tenant *tenants;
	unsigned *jobs; /* of the tenants */
	unsigned ntenants;
};

/* ---- jobs ---- */

static bool has_cores(const job_info_t *job)
{
	return tb_cluster_job_holds(job) && !tb_cluster_job_gave_back(job);
}

static int add_jobs(struct load *load)
{
	const job_info_msg_t *jobs = load->report->views->cluster->jobs;
	struct tb_report *report = load->report;

	load->index = calloc(jobs->record_count + 1, sizeof(*load->index));
	report->jobs = calloc(jobs->record_count + 1, sizeof(*report->jobs));
	if (!load->index || !report->jobs)
		return -1;
	for (uint32_t i = 0; i < jobs->record_count; i++) {
		const job_info_t *job = &jobs->job_array[i];

		load->index[i] = has_cores(job) ? report->njobs : NO_JOB;
		if (has_cores(job))
			report->jobs[report->njobs++] = (struct tb_report_job){
				.info = job,
				.scored = job->job_resrcs != NULL,
			};
	}
	return 0;
}

static unsigned find_job(const struct load *load, const job_info_t *job)
{
	return load->index[job - load->report->views->cluster->jobs->job_array];
}

/* Components of a heterogeneous job are no strangers to each other. */
static uint64_t get_owner(const job_info_t *job)
{
	return job->het_job_id ? job->het_job_id : job->job_id;
}

/* ---- who has what of a node ---- */

static int add_tenant(const struct load *load, struct node *node,
		      unsigned index, const job_info_t *job)
{
	struct tb_bitset *threads = tb_bitset_create(
		tb_topology_threads(node->topology));

	if (!threads)
		return -1;
	if (tb_job_cores_threads(job, node->reported->view->info,
				 node->topology, threads, NULL)) {
		/* One that ends may have left the node by now. */
		if (!(job->job_state & JOB_COMPLETING))
			load->report->jobs[index].scored = false;
		tb_bitset_destroy(threads);
		return 0;
	}
	tb_bitset_or(node->used, threads);
	node->jobs[node->ntenants] = index;
	node->tenants[node->ntenants++] = (struct tb_tenant){ threads,
							      get_owner(job) };
	return 0;
}

static int add_tenants(const struct load *load, struct node *node)
{
	const struct tb_node_view *view = node->reported->view;

	for (unsigned i = 0; i < view->njobs; i++) {
		unsigned index = find_job(load, view->jobs[i]);

		if (index != NO_JOB && view->jobs[i]->job_resrcs &&
		    add_tenant(load, node, index, view->jobs[i]))
			return -1;
	}
	return 0;
}

static int open_node(struct node *node)
{
	unsigned threads = tb_topology_threads(node->topology);

	node->kept = tb_bitset_create(threads);
	node->used = tb_bitset_create(threads);
	node->cores = tb_bitset_create(tb_topology_cores(node->topology));
	node->tenants = calloc(node->reported->view->njobs + 1,
			       sizeof(*node->tenants));
	node->jobs = calloc(node->reported->view->njobs + 1,
			    sizeof(*node->jobs));
	if (!node->kept || !node->used || !node->cores || !node->tenants ||
	    !node->jobs)
		return -1;
	tb_cluster_add_system(node->reported->view->info, node->topology,
			      node->kept);
	return 0;
}

static void close_node(struct node *node)
{
	for (unsigned i = 0; i < node->ntenants; i++)
		tb_bitset_destroy((struct tb_bitset *)node->tenants[i].threads);
	free(node->tenants);
	free(node->jobs);
	tb_bitset_destroy(node->kept);
	tb_bitset_destroy(node->used);
	tb_bitset_destroy(node->cores);
}

/* ---- measuring ---- */

static int measure_share(const struct node *node, unsigned tenant,
			 struct tb_report_share *share)
{
	tb_cores_of_threads(node->topology, node->tenants[tenant].threads,
			    node->cores);
	share->cores = tb_bitset_count(node->cores);
	for (unsigned kind = 0; kind < TB_REPORT_KINDS; kind++)
		if (tb_locality_measure(node->topology,
					tb_report_kinds[kind].letter,
					node->kept, node->tenants,
					node->ntenants, tenant,
					&share->of[kind]))
			return -1;
	return 0;
}

static void add_share(struct tb_report_job *job,
		      const struct tb_report_share *share)
{
	job->nnodes++;
	job->all.cores += share->cores;
	for (unsigned kind = 0; kind < TB_REPORT_KINDS; kind++)
		tb_locality_add(&job->all.of[kind], &share->of[kind]);
}

/* The next one of the list, which has room for a power of two. */
static struct tb_report_part *append_part(struct tb_report *report)
{
	unsigned count = report->nparts;
	struct tb_report_part *longer = report->parts;

	if (!(count & (count - 1))) {
		longer = reallocarray(longer, count ? 2 * (size_t)count : 1,
				      sizeof(*longer));
		if (!longer)
			return NULL;
		report->parts = longer;
	}
	report->nparts++;
	return &longer[count];
}

static int measure_tenants(struct tb_report *report, const struct node *node)
{
	for (unsigned i = 0; i < node->ntenants; i++) {
		struct tb_report_part *part = append_part(report);

		if (!part)
			return -1;
		*part = (struct tb_report_part){
			.job = node->jobs[i],
			.node = (unsigned)(node->reported - report->nodes),
		};
		if (measure_share(node, i, &part->has))
			return -1;
		add_share(&report->jobs[part->job], &part->has);
	}
	return 0;
}

static int count_broken(struct node *node)
{
	struct tb_bitset *not_free = tb_bitset_copy(node->used);

	if (!not_free)
		return -1;
	tb_bitset_or(not_free, node->kept);
	node->reported->containers = tb_locality_containers(node->topology);
	node->reported->broken = tb_broken_containers(node->topology,
						      node->used, not_free);
	node->reported->topology = tb_topology_print(node->topology,
						     node->used);
	tb_bitset_destroy(not_free);
	return node->reported->topology ? 0 : -1;
}

static int measure_known(const struct load *load, struct node *node)
{
	int rc = -1;

	if (!open_node(node) && !add_tenants(load, node) &&
	    !measure_tenants(load->report, node) && !count_broken(node))
		rc = 0;
	close_node(node);
	return rc;
}

/* ---- nodes ---- */

/* What jobs have there nobody can tell. */
static void leave_out_jobs(const struct load *load,
			   const struct tb_node_view *view)
{
	for (unsigned i = 0; i < view->njobs; i++) {
		unsigned index = find_job(load, view->jobs[i]);

		if (index != NO_JOB)
			load->report->jobs[index].scored = false;
	}
}

static struct complaint *find_complaint(struct load *load,
					const struct tb_error *why)
{
	struct complaint *list = load->complaints;

	for (unsigned i = 0; i < load->ncomplaints; i++)
		if (!strcmp(list[i].why.text, why->text))
			return &list[i];
	list = reallocarray(list, load->ncomplaints + 1, sizeof(*list));
	if (!list)
		return NULL;
	load->complaints = list;
	list += load->ncomplaints++;
	*list = (struct complaint){ *why, tb_hosts_create("") };
	return list;
}

static void complain(struct load *load, const node_info_t *info,
		     const struct tb_error *why)
{
	struct complaint *complaint = find_complaint(load, why);

	if (complaint && complaint->nodes)
		tb_hosts_add(complaint->nodes, info->name);
}

/* A sentence for all nodes of which the same is wrong. */
static void warn_of(const struct complaint *complaint,
		    void (*warn)(const char *sentence))
{
	char *nodes = complaint->nodes ? tb_hosts_print(complaint->nodes)
				       : NULL;
	struct tb_error sentence;

	tb_fail(&sentence, "%.200s: %s", nodes ? nodes : "?",
		complaint->why.text);
	warn(sentence.text);
	free(nodes);
}

static void end_complaints(struct load *load, void (*warn)(const char *))
{
	for (unsigned i = 0; i < load->ncomplaints; i++) {
		warn_of(&load->complaints[i], warn);
		tb_hosts_destroy(load->complaints[i].nodes);
	}
	free(load->complaints);
}

static int measure_node(struct load *load, struct tb_report_node *reported)
{
	struct node node = { .reported = reported };
	struct tb_topology *own;
	struct tb_error why;
	int rc = 0;

	node.topology = tb_known_topologies_find(load->known,
						 reported->view->info, &own,
						 &why);
	if (node.topology) {
		load->report->known++;
		rc = measure_known(load, &node);
	} else {
		leave_out_jobs(load, reported->view);
	}
	if (*why.text)
		complain(load, reported->view->info, &why);
	tb_topology_destroy(own);
	return rc;
}

static int add_nodes(struct load *load)
{
	struct tb_report *report = load->report;
	const struct tb_node_views *views = report->views;

	report->nodes = calloc(views->nnodes + 1, sizeof(*report->nodes));
	if (!report->nodes)
		return -1;
	for (unsigned i = 0; i < views->nnodes; i++) {
		struct tb_report_node *node = &report->nodes[report->nnodes];

		if (!views->nodes[i].info->name)
			continue;
		node->view = &views->nodes[i];
		report->nnodes++;
		if (measure_node(load, node))
			return -1;
		report->containers += node->containers;
		report->broken += node->broken;
	}
	return 0;
}

static int compare_parts(const void *a, const void *b)
{
	const struct tb_report_part *x = a, *y = b;

	if (x->job != y->job)
		return x->job < y->job ? -1 : 1;
	return x->node < y->node ? -1 : x->node > y->node;
}

/* ---- totals ---- */

static void add_to_total(const struct tb_report *report, unsigned index,
			 unsigned kind, struct tb_report_total *total)
{
	const struct tb_locality *of = &report->jobs[index].all.of[kind];
	double score = tb_locality_score(of);
	bool spans = of->touched > of->fewest;

	total->spanning += spans;
	total->sharing += of->shared > 0;
	total->touched += of->touched;
	total->fewest += of->fewest;
	total->scores += score;
	if (spans &&
	    (total->worst < 0 ||
	     score < tb_locality_score(
			     &report->jobs[total->worst].all.of[kind])))
		total->worst = (int)index;
}

/* One that has left all of its nodes meanwhile has no score. */
static void take_totals(struct tb_report *report)
{
	for (unsigned kind = 0; kind < TB_REPORT_KINDS; kind++)
		report->totals[kind].worst = -1;
	for (unsigned i = 0; i < report->njobs; i++) {
		struct tb_report_job *job = &report->jobs[i];

		job->scored = job->scored && job->nnodes;
		report->scored += job->scored;
		for (unsigned kind = 0; job->scored && kind < TB_REPORT_KINDS;
		     kind++)
			add_to_total(report, i, kind, &report->totals[kind]);
	}
}

/* ---- all of it ---- */

/* What is wrong with topologies is told where they are looked for. */
static void say_nothing(const char *sentence)
{
	(void)sentence;
}

static int fill_report(struct load *load, struct tb_error *err)
{
	struct tb_report *report = load->report;

	report->time = time(NULL);
	report->views = tb_node_views_load(TB_CLUSTER_CORES, NULL, say_nothing,
					   err);
	if (!report->views ||
	    tb_known_topologies_check(load->known, report->views->cluster, err))
		return -1;
	if (add_jobs(load) || add_nodes(load))
		return tb_fail(err, "out of memory");
	if (report->nparts)
		qsort(report->parts, report->nparts, sizeof(*report->parts),
		      compare_parts);
	take_totals(report);
	return 0;
}

struct tb_report *tb_report_load(struct tb_known_topologies *known,
				 void (*warn)(const char *sentence),
				 struct tb_error *err)
{
	struct load load = { .report = calloc(1, sizeof(struct tb_report)),
			     .known = known };

	if (!load.report) {
		tb_fail(err, "out of memory");
		return NULL;
	}
	if (fill_report(&load, err)) {
		tb_report_destroy(load.report);
		load.report = NULL;
	}
	end_complaints(&load, warn);
	free(load.index);
	return load.report;
}

void tb_report_destroy(struct tb_report *report)
{
	if (!report)
		return;
	for (unsigned i = 0; i < report->nnodes; i++)
		free(report->nodes[i].topology);
	free(report->nodes);
	free(report->jobs);
	free(report->parts);
	tb_node_views_destroy(report->views);
	free(report);
}

double tb_report_locality(const struct tb_report *report, unsigned kind)
{
	return report->scored ? report->totals[kind].scores / report->scored
			      : 1;
}

char *tb_report_unknown_nodes(const struct tb_report *report)
{
	struct tb_hosts *hosts = tb_hosts_create("");
	char *text;

	for (unsigned i = 0; hosts && i < report->nnodes; i++)
		if (!report->nodes[i].topology)
			tb_hosts_add(hosts, report->nodes[i].view->info->name);
	text = hosts ? tb_hosts_print(hosts) : NULL;
	tb_hosts_destroy(hosts);
	return text;
}
