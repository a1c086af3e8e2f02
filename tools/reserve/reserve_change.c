/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reserve_change.c - another time or other users for a reservation, and its end
 *
 * Slurm compares the new time of a reservation of cores with no other such one, and
 * refuses it where any job runs on its nodes.  So the cores are compared here, and Slurm
 * is told to ignore jobs.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/node_walk.h"
#include "cluster/reserved.h"
#include "common/job/job_cores.h"
#include "terminal/wrap.h"

#include "reservation_show.h"
#include "reserve.h"

/* So long cores are waited for. */
#define PATIENCE_S 10
#define LOOK_MS 100

/* What the reservation would have, and when. */
struct change {
	struct tb_cluster *cluster;
	const reserve_info_t *own;
	time_t start, end;
};

static void find_times(struct change *change,
		       const struct tb_reserve_options *options)
{
	const reserve_info_t *own = change->own;
	time_t length = own->end_time - own->start_time;

	change->start = options->start ? options->start : own->start_time;
	if (options->minutes == INFINITE)
		length = 365 * 86400;
	else if (options->minutes != NO_VAL)
		length = (time_t)options->minutes * 60;
	change->end = options->end ? options->end : change->start + length;
}

/* ---- who is in the way on one node ---- */

static bool others_have_any(const node_info_t *node,
			    const struct tb_topology *topology,
			    const struct tb_bitset *units,
			    const reserve_info_t *other)
{
	struct tb_bitset *theirs = tb_reserved_threads(other, node, topology);
	bool any;

	if (!theirs)
		return false;
	any = theirs->nbits == units->nbits &&
	      tb_bitset_intersects(theirs, units);
	tb_bitset_destroy(theirs);
	return any;
}

static int check_reservations(const struct change *change,
			      const node_info_t *node,
			      const struct tb_topology *topology,
			      const struct tb_bitset *units,
			      struct tb_error *err)
{
	const reserve_info_msg_t *all = change->cluster->reservations;

	for (uint32_t i = 0; i < all->record_count; i++) {
		const reserve_info_t *other = &all->reservation_array[i];

		if (other != change->own && other->start_time < change->end &&
		    other->end_time > change->start &&
		    others_have_any(node, topology, units, other))
			return tb_fail(
				err,
				"reservation %.60s has some of its units of node %.60s in that time",
				other->name, node->name);
	}
	return 0;
}

static bool is_outside(const struct change *change, const job_info_t *job)
{
	return tb_cluster_job_holds(job) &&
	       !(job->resv_name &&
		 !strcmp(job->resv_name, change->own->name)) &&
	       tb_cluster_job_end(job) > change->start;
}

static int fail_for_job(const job_info_t *job, const node_info_t *node,
			struct tb_error *err)
{
	char *id = tb_cluster_job_id(job);

	tb_fail(err,
		"job %s holds some of its units of node %.60s longer than until that start",
		id ? id : "?", node->name);
	free(id);
	return -1;
}

static int check_jobs(const struct change *change, const node_info_t *node,
		      const struct tb_topology *topology,
		      const struct tb_bitset *units, struct tb_error *err)
{
	const job_info_msg_t *all = change->cluster->jobs;
	struct tb_bitset *theirs = tb_bitset_create(units->nbits);
	int rc = theirs ? 0 : tb_fail(err, "out of memory");

	for (uint32_t i = 0; !rc && i < all->record_count; i++) {
		const job_info_t *job = &all->job_array[i];

		if (is_outside(change, job) &&
		    !tb_job_cores_threads(job, node, topology, theirs, NULL) &&
		    tb_bitset_intersects(theirs, units))
			rc = fail_for_job(job, node, err);
	}
	tb_bitset_destroy(theirs);
	return rc;
}

static int check_node(const struct change *change, const node_info_t *node,
		      struct tb_error *err)
{
	struct tb_bitset *inuse = NULL, *units = NULL;
	struct tb_topology *topology = tb_cluster_topology(node, &inuse, NULL);
	int rc = 0;

	if (topology)
		units = tb_reserved_threads(change->own, node, topology);
	if (units && units->nbits == tb_topology_threads(topology))
		rc = check_reservations(change, node, topology, units, err) ||
				     check_jobs(change, node, topology, units,
						err)
			     ? -1
			     : 0;
	tb_bitset_destroy(units);
	tb_bitset_destroy(inuse);
	tb_topology_destroy(topology);
	return rc;
}

static int check_change(const struct change *change, struct tb_error *err)
{
	struct tb_node_walk walk =
		tb_node_walk_begin(change->own->node_inx,
				   change->cluster->nodes->record_count);
	unsigned node;
	int rc = 0;

	while (!rc && tb_node_walk_next(&walk, &node))
		rc = check_node(change,
				&change->cluster->nodes->node_array[node], err);
	return rc;
}

/* ---- asking Slurm ---- */

static int ask(const struct tb_reserve_options *options, struct tb_error *err)
{
	resv_desc_msg_t desc;

	tb_reserve_describe(options, &desc);
	if (options->start || options->end || options->minutes != NO_VAL)
		desc.flags = RESERVE_FLAG_IGN_JOBS;
	errno = 0;
	if (!slurm_update_reservation(&desc))
		return 0;
	return tb_reserve_refused(options, errno, err);
}

static int show(const struct tb_reserve_options *options, struct tb_error *err)
{
	struct tb_cluster *cluster = tb_reservations_load(false, err);
	const reserve_info_t *own = cluster ? tb_reservation_find(cluster,
								  options->name)
					    : NULL;
	int rc = TB_EXIT_OK;

	if (own)
		rc = tb_reservation_print(options->common.name,
					  options->common.json, cluster, own);
	tb_cluster_destroy(cluster);
	return rc;
}

/* Slurm 22.05 does not say which cores it has reserved before it has saved that. */
static bool shows_cores(const struct tb_cluster *cluster)
{
	const reserve_info_msg_t *all = cluster->reservations;

	for (uint32_t i = 0; i < all->record_count; i++) {
		const reserve_info_t *info = &all->reservation_array[i];

		if (info->node_cnt && info->TB_RESERVATION_TEXT &&
		    !info->core_spec_cnt)
			return false;
	}
	return true;
}

static struct tb_cluster *load_with_cores(struct tb_error *err)
{
	const struct timespec pause = { .tv_nsec = LOOK_MS * 1000000L };
	time_t end = time(NULL) + PATIENCE_S;
	struct tb_cluster *cluster;

	while ((cluster = tb_reservations_load(true, err)) &&
	       !shows_cores(cluster) && time(NULL) <= end) {
		tb_cluster_destroy(cluster);
		nanosleep(&pause, NULL);
	}
	return cluster;
}

int tb_reserve_update(const struct tb_reserve_options *options)
{
	struct tb_error err;
	struct change change = { .cluster = load_with_cores(&err) };
	int rc = -1;

	if (change.cluster) {
		change.own = tb_reservation_find(change.cluster, options->name);
		if (!change.own)
			tb_reserve_refused(options, ESLURM_RESERVATION_INVALID,
					   &err);
	}
	if (change.own) {
		find_times(&change, options);
		rc = check_change(&change, &err) ? -1 : ask(options, &err);
	}
	tb_cluster_destroy(change.cluster);
	return rc ? tb_command_fail(options->common.name, "%s", err.text)
		  : show(options, &err);
}

int tb_reserve_delete(const struct tb_reserve_options *options)
{
	reservation_name_msg_t which = { .name = (char *)options->name };
	struct tb_error err;

	errno = 0;
	if (!slurm_delete_reservation(&which))
		return TB_EXIT_OK;
	tb_reserve_refused(options, errno, &err);
	return tb_command_fail(options->common.name, "%s", err.text);
}

int tb_reserve_list(const struct tb_reserve_options *options)
{
	struct tb_error err;
	struct tb_cluster *cluster = tb_reservations_load(false, &err);
	int rc;

	if (!cluster)
		return tb_command_fail(options->common.name, "%s", err.text);
	rc = tb_reservations_print(options->common.name, options->common.json,
				   cluster);
	tb_cluster_destroy(cluster);
	return rc;
}
