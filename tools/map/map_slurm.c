/* SPDX-License-Identifier: GPL-2.0-or-later */
/* map_slurm.c - see map_slurm.h; the only file of the map that asks Slurm */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cluster/cluster.h"
#include "cluster/node_walk.h"
#include "common/conf/conf.h"
#include "common/job/job_comment.h"
#include "common/job/job_cores.h"
#include "common/node/node_extra.h"
#include "cluster/conf_here.h"
#include "cluster/hosts.h"
#include "compat/job_reason.h"
#include "map_slurm.h"
#include "map_tasks.h"
#include "nodes/node_table.h"
#include "cluster/slurm_library.h"

/* What one load needs everywhere. */
struct load {
	struct tb_map *map;
	struct tb_cluster *cluster;
	void (*warn)(const char *sentence);
	unsigned *index;      /* in the map, by Slurm's record; NO_NODE */
	struct tb_conf *conf; /* NULL: it cannot be read here */
};

#define NO_NODE UINT_MAX

static void warn_about(const struct load *load, const char *kind,
		       const char *name, const struct tb_error *why)
{
	struct tb_error sentence;

	tb_fail(&sentence, "%s %.100s: %s", kind, name, why->text);
	load->warn(sentence.text);
}

/* ---- nodes ---- */

/* The node of Slurm's record; NULL: it is not in the map. */
static struct tb_map_node *find_map_node(const struct load *load,
					 unsigned record)
{
	unsigned index = load->index[record];

	return index == NO_NODE ? NULL : &load->map->nodes[index];
}

static const struct tb_filter *find_site_filter(const struct tb_conf *conf,
						const char *name)
{
	if (!conf)
		return NULL;
	return tb_conf_filter(conf, name, NULL);
}

/* What topobind.conf keeps from jobs with a binding, whatever partition. */
static void add_site_filter(const struct load *load, const char *name,
			    const struct tb_topology *topology,
			    struct tb_bitset *kept)
{
	const struct tb_filter *filter = find_site_filter(load->conf, name);

	if (filter && tb_filter_matches(filter, topology))
		tb_filter_add(filter, topology, kept);
}

static int add_kept(const struct load *load, const node_info_t *node,
		    struct tb_error *why)
{
	const struct tb_map_node *added =
		&load->map->nodes[load->map->nnodes - 1];
	struct tb_bitset *kept;
	char *string = NULL;
	int rc = 0;

	if (!added->topology)
		return 0;
	kept = tb_bitset_create(tb_topology_threads(added->topology));
	if (!kept)
		return tb_fail(why, "out of memory");
	tb_cluster_add_system(node, added->topology, kept);
	tb_cluster_add_lost(node, added->topology, kept);
	add_site_filter(load, node->name, added->topology, kept);
	if (!tb_bitset_is_empty(kept))
		string = tb_topology_print(added->topology, kept);
	if (string)
		rc = tb_map_add_filter(load->map, string, why);
	free(string);
	tb_bitset_destroy(kept);
	return rc;
}

/* What backfill plans changes by the second: "mixed-" is mixed, "planned" idle. */
static void drop_plan(char *state)
{
	size_t length = strlen(state);

	if (length && state[length - 1] == '-')
		state[length - 1] = '\0';
	if (!strcmp(state, "planned"))
		strcpy(state, "idle");
}

static int add_reserved(const struct load *load, const node_info_t *node,
			struct tb_error *why)
{
	char *reserved = tb_cluster_token(node, TB_EXTRA_RESERVED);
	int rc = reserved ? tb_map_add_reserved(load->map, reserved, why) : 0;

	free(reserved);
	return rc;
}

static int add_state(const struct load *load, const node_info_t *node,
		     struct tb_error *why)
{
	char *state = tb_node_state(node);
	int rc;

	if (state)
		drop_plan(state);
	rc = state ? tb_map_set_state(load->map, state, node->reason, why)
		   : tb_fail(why, "out of memory");

	free(state);
	return rc;
}

static void add_node(const struct load *load, const node_info_t *node)
{
	char *topology = tb_cluster_token(node, TB_EXTRA_TOPOLOGY);
	char *inuse = tb_cluster_token(node, TB_EXTRA_INUSE);
	unsigned before = load->map->nnodes;
	struct tb_error why;

	/* The string in use has the shape too, should it stand alone. */
	if (tb_map_add_node(load->map, node->name, topology ? topology : inuse,
			    inuse, &why)) {
		warn_about(load, "node", node->name, &why);
		if (tb_map_add_node(load->map, node->name, NULL, NULL, &why))
			warn_about(load, "node", node->name, &why);
	}
	free(topology);
	free(inuse);
	if (load->map->nnodes == before)
		return;
	load->index[node - load->cluster->nodes->node_array] = before;
	if (add_state(load, node, &why))
		warn_about(load, "node", node->name, &why);
	tb_node_memory_load(node, &load->map->nodes[before].memory);
	if (add_kept(load, node, &why) || add_reserved(load, node, &why))
		warn_about(load, "node", node->name, &why);
}

static void add_all_nodes(const struct load *load)
{
	const node_info_msg_t *nodes = load->cluster->nodes;

	for (uint32_t i = 0; i < nodes->record_count; i++)
		if (nodes->node_array[i].name)
			add_node(load, &nodes->node_array[i]);
}

static int add_listed_nodes(const struct load *load, const char *list,
			    struct tb_error *err)
{
	struct tb_hosts *hosts = tb_hosts_create(list);
	char *name;
	int rc = 0;

	if (!hosts)
		return tb_fail(err, "\"%.100s\" is not a list of nodes", list);
	while (!rc && (name = tb_hosts_next(hosts))) {
		const node_info_t *node = tb_cluster_node(load->cluster, name);

		if (node)
			add_node(load, node);
		else
			rc = tb_fail(err, "Slurm knows no node \"%.100s\"",
				     name);
		free(name);
	}
	tb_hosts_destroy(hosts);
	return rc;
}

static int add_nodes(const struct load *load, const char *list,
		     struct tb_error *err)
{
	if (list)
		return add_listed_nodes(load, list, err);
	add_all_nodes(load);
	return 0;
}

/* ---- jobs ---- */

/* As its SystemComment says, else as a plain job.  Its index, or -1. */
static int add_named(const struct load *load, const job_info_t *job,
		     const char *id, const char *user, struct tb_error *why)
{
	const char *name = job->name ? job->name : "";
	unsigned before = load->map->njobs;

	if (tb_map_add_comment(load->map, id, user, name, job->system_comment,
			       why))
		return -1;
	if (load->map->njobs > before)
		return before;
	return tb_map_add_job(load->map, id, user, name, "", why);
}

/* What Slurm has booked for a job on a node of the map. */
static int add_booked(const struct load *load, unsigned index,
		      const job_info_t *job, unsigned record,
		      struct tb_error *why)
{
	struct tb_map_node *node = find_map_node(load, record);
	struct tb_bitset *threads;
	int rc = 0;

	if (!node || !node->topology)
		return 0;
	threads = tb_bitset_create(tb_topology_threads(node->topology));
	if (!threads)
		return tb_fail(why, "out of memory");
	/* It may have left the node since the nodes were asked for. */
	if (!tb_job_cores_threads(job,
				  &load->cluster->nodes->node_array[record],
				  node->topology, threads, NULL))
		rc = tb_map_note_job_threads(node, index, threads, why);
	tb_bitset_destroy(threads);
	return rc;
}

static struct tb_node_walk walk_nodes(const struct load *load,
				      const job_info_t *job)
{
	return tb_node_walk_begin(job->node_inx,
				  load->cluster->nodes->record_count);
}

static int add_all_booked(const struct load *load, unsigned index,
			  const job_info_t *job, struct tb_error *why)
{
	struct tb_node_walk walk = walk_nodes(load, job);
	unsigned record;
	int rc = 0;

	while (!rc && tb_node_walk_next(&walk, &record))
		rc = add_booked(load, index, job, record, why);
	return rc;
}

/* Is a node of the job in the map? */
static bool is_in_map(const struct load *load, const job_info_t *job)
{
	struct tb_node_walk walk = walk_nodes(load, job);
	unsigned record;

	while (tb_node_walk_next(&walk, &record))
		if (find_map_node(load, record))
			return true;
	return false;
}

static int add_job(const struct load *load, const job_info_t *job,
		   const char *id, const char *user, struct tb_error *why)
{
	int index = add_named(load, job, id, user, why);

	if (index < 0)
		return -1;
	load->map->jobs[index].end = tb_cluster_job_end(job);
	return job->job_resrcs ? add_all_booked(load, index, job, why) : 0;
}

/* Why it waits: in topobind's words if it says so, else in Slurm's. */
static int add_waiting(const struct load *load, const job_info_t *job,
		       const char *id, const char *user, struct tb_error *why)
{
	struct tb_comment comment;
	int rc = tb_comment_read(&comment, job->system_comment, why);

	if (!rc)
		rc = tb_map_add_waiting(load->map, id, user,
					job->name ? job->name : "",
					comment.request ? comment.request : "",
					comment.waiting	  ? comment.waiting
					: job->state_desc ? job->state_desc
							  : tb_job_reason(job),
					why);
	tb_comment_clear(&comment);
	return rc;
}

/* As a job that holds nodes, or one that waits for them. */
static void add_or_warn(const struct load *load, const job_info_t *job,
			int (*add)(const struct load *load,
				   const job_info_t *job, const char *id,
				   const char *user, struct tb_error *why))
{
	char *id = tb_job_id_print(job);
	char *user = tb_cluster_job_user(job);
	struct tb_error why = { "out of memory" };

	if (!id || !user || add(load, job, id, user, &why))
		warn_about(load, "job", id ? id : "?", &why);
	free(id);
	free(user);
}

static void add_jobs(const struct load *load, bool all_nodes)
{
	const job_info_msg_t *jobs = load->cluster->jobs;

	for (uint32_t i = 0; i < jobs->record_count; i++) {
		const job_info_t *job = &jobs->job_array[i];

		if (tb_cluster_job_holds(job) &&
		    !tb_cluster_job_gave_back(job) && is_in_map(load, job))
			add_or_warn(load, job, add_job);
		/* Which of named nodes it waits for nobody knows. */
		if (all_nodes && tb_job_waits(job))
			add_or_warn(load, job, add_waiting);
	}
}

static int load_nodes(struct load *load, const char *nodes,
		      struct tb_error *err)
{
	unsigned count = load->cluster->nodes->record_count;
	struct tb_error why;

	load->map->time = time(NULL);
	load->index = calloc(count + 1, sizeof(*load->index));
	if (!load->index)
		return tb_fail(err, "out of memory while making the map");
	for (unsigned i = 0; i < count; i++)
		load->index[i] = NO_NODE;
	load->conf = tb_conf_here(&why);
	if (!load->conf)
		load->warn(why.text);
	return add_nodes(load, nodes, err);
}

static int load_with_jobs(struct load *load, const char *nodes,
			  struct tb_error *err)
{
	load->cluster = tb_cluster_load(TB_CLUSTER_JOBS | TB_CLUSTER_CORES,
					err);
	if (!load->cluster || load_nodes(load, nodes, err))
		return -1;
	add_jobs(load, !nodes);
	return 0;
}

static int load_with_tasks(struct load *load, const struct tb_job_id *id,
			   struct tb_error *err)
{
	struct tb_job_views *views = tb_job_views_load(id, err);
	char *nodes = views ? tb_map_tasks_nodes(views, err) : NULL;
	int rc = -1;

	if (nodes)
		load->cluster = tb_cluster_load(0, err);
	if (load->cluster && !load_nodes(load, nodes, err))
		rc = tb_map_add_tasks(load->map, views, err);
	free(nodes);
	tb_job_views_destroy(views);
	return rc;
}

/* With id the nodes and tasks of that job. */
static struct tb_map *load_map(const char *nodes, const struct tb_job_id *id,
			       void (*warn)(const char *sentence),
			       struct tb_error *err)
{
	struct load load = { .map = tb_map_create(), .warn = warn };
	int rc;

	if (!load.map) {
		tb_fail(err, "out of memory while making the map");
		return NULL;
	}
	tb_slurm_begin("topobind map");
	rc = id ? load_with_tasks(&load, id, err)
		: load_with_jobs(&load, nodes, err);
	free(load.index);
	tb_conf_destroy(load.conf);
	tb_cluster_destroy(load.cluster);
	tb_slurm_end();
	if (!rc)
		return load.map;
	tb_map_destroy(load.map);
	return NULL;
}

struct tb_map *tb_map_load_slurm(const char *nodes,
				 void (*warn)(const char *sentence),
				 struct tb_error *err)
{
	return load_map(nodes, NULL, warn, err);
}

struct tb_map *tb_map_load_tasks(const struct tb_job_id *id,
				 void (*warn)(const char *sentence),
				 struct tb_error *err)
{
	return load_map(NULL, id, warn, err);
}
