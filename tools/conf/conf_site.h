/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conf_site.h - all that "topobind conf --check" compares
 *
 * What slurmctld answers, and the files on this host.  Without slurmctld, or the
 * plugin that commands need, nodes and partitions are those of slurm.conf, and
 * nothing is known of what nodes have published.
 */
#ifndef TB_TOOLS_CONF_CONF_SITE_H
#define TB_TOOLS_CONF_CONF_SITE_H

#include <stdbool.h>
#include <stdint.h>

#include "compat/slurm_types.h"

#include "core/base/error.h"

struct tb_conf;
struct tb_running_conf;

/* Of no NodeName= line. */
#define TB_NO_LINE UINT32_MAX

struct tb_site_node {
	char *name;
	unsigned sockets, cores, threads; /* of it, a socket, a core */
	char socket;   /* the letter of what Slurm takes for one: S, X or N */
	unsigned line; /* of slurm.conf, or TB_NO_LINE */
	char *topology, *distances; /* in its Extra field; NULL: none */
	char *gres;		    /* "gpu:2"; NULL: none */
	bool responds;
};

struct tb_site_partition {
	char *name;
	char *nodes;		    /* NULL: not known */
	unsigned select_type_param; /* 0: as the cluster's */
	bool is_exclusive;	    /* OverSubscribe=EXCLUSIVE */
	bool has_default_memory;    /* DefMemPerCPU, DefMemPerNode */
};

struct tb_conf_site {
	const slurm_conf_t *file;
	slurm_conf_t *running;	  /* NULL: slurmctld does not answer */
	struct tb_conf *topobind; /* NULL: topobind.conf is wrong, */
	struct tb_error why;	  /* for this reason */
	/* What slurmctld runs with; NULL: it does not tell, or not all of it. */
	struct tb_running_conf *in_force;
	struct tb_site_node *nodes; /* by name */
	unsigned node_count;
	struct tb_site_partition *partitions;
	unsigned partition_count;
};

/* slurm_init() comes before.  NULL with a sentence. */
struct tb_conf_site *tb_conf_site_load(struct tb_error *err);
void tb_conf_site_destroy(struct tb_conf_site *site); /* NULL is fine */

/* slurmctld's configuration, or without it that of the file. */
const slurm_conf_t *tb_conf_site_slurm(const struct tb_conf_site *site);
/* NULL: Slurm has none of this name. */
const struct tb_site_node *tb_conf_site_node(const struct tb_conf_site *site,
					     const char *name);
/*
 * What is known of its shape: what its line in topobind.conf says counts before what
 * it has published.  NULL: nothing.
 */
const char *tb_conf_site_topology(const struct tb_conf_site *site,
				  const struct tb_site_node *node);
bool tb_conf_site_has_partition(const struct tb_conf_site *site,
				const char *name);

#endif
