/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * scene.h - the nodes that a job may use, what is free there, and who holds
 * the rest until when
 *
 * Made of what Slurm's controller tells (cluster.h) and of what a job asks for
 * (wish.h), for lib/core/release.h to say what is missing.  It knows what this
 * user may see: what nobody who is shown holds is held by TB_HIDDEN.
 *
 * Units only: memory and GRES are looked at where they are known and told of,
 * but a node counts as one that may be used.
 */
#ifndef TB_TOOLS_SCENE_H
#define TB_TOOLS_SCENE_H

#include "cluster.h"
#include "core/release.h"
#include "wish.h"

/* Who holds something; the first one stands for all that are not shown. */
enum { TB_HIDDEN = 0 };
struct tb_owner {
	char *id, *user; /* NULL: hidden */
	const job_info_t *job; /* NULL: hidden */
};

struct tb_scene_node {
	const node_info_t *info;
	struct tb_topology *topology; /* NULL: not known */
	struct tb_placer *placer;
	struct tb_bitset *inuse;      /* of all jobs */
	struct tb_bitset *kept;       /* masked, reserved, for the system */
	struct tb_hold *holds;        /* their threads are owned, too */
	unsigned nholds;
	/*
	 * Units of the request (of a list of CPUs: threads) that it has, those
	 * that are free, and how many of them each hold takes.
	 */
	unsigned units, free_units;
	unsigned *held_units;
	bool required;
	char *closed; /* why the job cannot have it; NULL: it may */
	char *note;   /* what else is short there; NULL: nothing */
	unsigned open; /* index in release, when it is not closed */
};

struct tb_scene {
	struct tb_wish *wish;
	struct tb_scene_node *nodes;
	unsigned nnodes;
	struct tb_owner *owners;
	int64_t *ends; /* by owner */
	unsigned nowners;
	struct tb_need need;
	struct tb_held_node *open; /* nodes that are not closed */
	unsigned nopen;
	bool required_closed; /* a node that the job requires is */
	struct tb_release *release;
};

/*
 * cluster (with TB_CLUSTER_CORES and TB_CLUSTER_SITE) and wish must outlive the
 * scene.  Of an implicit wish the amount is set: as many units as hold a task.
 * NULL with a sentence.
 */
struct tb_scene *tb_scene_create(const struct tb_cluster *cluster,
				 struct tb_wish *wish, struct tb_error *err);
void tb_scene_destroy(struct tb_scene *scene); /* NULL is fine */

/* As many as one slot, or the host, needs. */
unsigned tb_scene_needed_units(const struct tb_scene *scene);

/* tb_release_room(), tb_release_fits() and tb_release_find() of its nodes. */
unsigned tb_scene_room(const struct tb_scene *scene,
		       const struct tb_scene_node *node);
bool tb_scene_fits(const struct tb_scene *scene);
bool tb_scene_find(struct tb_scene *scene, struct tb_bitset *ended,
		   int64_t *when);

#endif
