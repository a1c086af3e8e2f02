/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conf.h - topobind.conf, the site's configuration
 *
 * doc/design.md, "Configuration".  The file is beside slurm.conf and is read with
 * Slurm's own parser, so includes, comments, line continuation and node lists work
 * as in slurm.conf.  Without the file all settings have their defaults.
 *
 * Functions with a partition return what its PartitionName= line says, and the
 * site's setting for what that line leaves out; NULL: the site's settings.
 */
#ifndef TB_COMMON_CONF_CONF_H
#define TB_COMMON_CONF_CONF_H

#include <stdbool.h>

#include "core/base/error.h"
#include "core/request/filter.h"
#include "core/request/isolation.h"
#include "core/policy/priority_function.h"
#include "core/request/request.h"

#define TB_CONF_FILE "topobind.conf"

struct tb_conf;
struct tb_conf_metrics;
struct tb_conf_soft;

/*
 * Read a file.  NULL with a sentence that names file and line, or the key and
 * its value, on error.  The caller destroys.
 */
struct tb_conf *tb_conf_read(const char *path, struct tb_error *err);
/*
 * The same with the site's file, and the path of that file, which the caller
 * xfree()s.  In conf_file.c, for daemons: the public libslurm does not know it.
 */
struct tb_conf *tb_conf_load(struct tb_error *err);
char *tb_conf_path(void);
void tb_conf_destroy(struct tb_conf *conf); /* NULL is fine */

/*
 * The i-th PartitionName= and NodeName= line: the name, and the list of nodes as
 * written; NULL when there are no more.  Owned by conf.
 */
const char *tb_conf_partition_line(const struct tb_conf *conf, unsigned i);
const char *tb_conf_node_line(const struct tb_conf *conf, unsigned i);
/* Where such a line is: "FILE line N: PartitionName=NAME". */
void tb_conf_say_where(const struct tb_conf *conf, const char *key,
		       const char *name, struct tb_error *where);

/*
 * Every setting in force: the keys of the site, all that count for each partition
 * with a line, and what the lines of nodes say.  The texts are valid during a call.
 */
#define TB_CONF_DEFAULT "default"
struct tb_conf_setting {
	const char *list; /* "PartitionName" or "NodeName"; NULL: the site */
	const char *name; /* in that line */
	const char *key, *value;
	const char *from; /* "FILE line N", "default", "the site, ..." */
	bool is_own;	  /* it is written there, in this line */
	bool is_usual;	  /* it is the same as by default */
};
typedef void (*tb_conf_setting_visitor)(const struct tb_conf_setting *setting,
					void *arg);
/* Reads the file again, to find lines: right after the file was read. */
void tb_conf_visit_settings(const struct tb_conf *conf,
			    tb_conf_setting_visitor visitor, void *arg);

/* Is anything bound in this partition?  In any? */
bool tb_conf_enabled(const struct tb_conf *conf, const char *partition);
bool tb_conf_enabled_somewhere(const struct tb_conf *conf);
/* May bound jobs run on nodes of unknown topology? */
bool tb_conf_on_any_host(const struct tb_conf *conf, const char *partition);
/* Do jobs without devices leave units near devices to others? */
bool tb_conf_spares_devices(const struct tb_conf *conf, const char *partition);
/* Whose CPUs may be, or are, kept from everything else on their node. */
enum tb_isolation tb_conf_isolation(const struct tb_conf *conf,
				    const char *partition);
/*
 * The request of a job of this partition that has none, NULL where such jobs
 * are not bound: type host without an amount, because that depends on the job's
 * tasks.  Owned by conf.
 */
const struct tb_request *tb_conf_implicit(const struct tb_conf *conf,
					  const char *partition);
/* The memory policy of bound jobs, with a request or not, that name none. */
struct tb_memory_policy tb_conf_memory(const struct tb_conf *conf,
				       const char *partition);
/* Whose memory is counted by NUMA node, for jobs with bmem=local. */
enum tb_count_memory {
	TB_COUNT_ALL,	/* that of all jobs */
	TB_COUNT_LOCAL, /* that of jobs with bmem=local */
	TB_COUNT_NONE,
};
enum tb_count_memory tb_conf_count_memory(const struct tb_conf *conf);
/* Are whole units counted as TRES? */
bool tb_conf_unit_tres(const struct tb_conf *conf);
/* Where slurmctld's metrics are written; owned by conf. */
const struct tb_conf_metrics *tb_conf_metrics(const struct tb_conf *conf);
/*
 * How soft binding is done for jobs of a partition on a node (conf_soft.h): as the
 * node's line says, else the partition's, else the site.
 */
void tb_conf_soft_find(const struct tb_conf *conf, const char *node_name,
		       const char *partition, struct tb_conf_soft *soft);
/*
 * The filter for jobs of a partition on a node is that of the node's line, else
 * of the partition's, else of the site.  NULL for none.  Owned by conf.
 */
const struct tb_filter *tb_conf_node_filter(const struct tb_conf *conf,
					    const char *node_name);
/* Does the node's line have a Filter=, be it NONE? */
bool tb_conf_node_says_filter(const struct tb_conf *conf,
			      const char *node_name);
const struct tb_filter *tb_conf_partition_filter(const struct tb_conf *conf,
						 const char *partition);
/* All of that together. */
const struct tb_filter *tb_conf_filter(const struct tb_conf *conf,
				       const char *node_name,
				       const char *partition);
/*
 * How nodes are chosen for jobs of a partition that have no --bnodes, and the
 * priority function for that, which is never NULL.  Owned by conf.
 */
enum tb_allocation tb_conf_allocation(const struct tb_conf *conf,
				      const char *partition);
const struct tb_priority_function *tb_conf_priority(const struct tb_conf *conf,
						    const char *partition);
/* The plugin of TB_ALLOCATE_PLUGIN; NULL: none. */
const char *tb_conf_policy_plugin(const struct tb_conf *conf,
				  const char *partition);
/* That of the node's line, which counts more; NULL: it has none.  Does any have one? */
const struct tb_priority_function *
tb_conf_node_priority(const struct tb_conf *conf, const char *node_name);
bool tb_conf_has_node_priority(const struct tb_conf *conf);
/* May topobind write m_topology_inuse= into the nodes' Extra field? */
bool tb_conf_node_record(const struct tb_conf *conf);
/* Does accounting get the request and the grant of jobs that start? */
bool tb_conf_job_record(const struct tb_conf *conf);
/* Does a job's AdminComment get how busy its units were? */
bool tb_conf_usage_record(const struct tb_conf *conf);
/* The configured topology string of a node, NULL for none.  Owned by conf. */
const char *tb_conf_topology(const struct tb_conf *conf, const char *node_name);
/*
 * Its NUMA distances, which fit that topology (core/topology/distances.h); NULL
 * for none.  Owned by conf.
 */
const char *tb_conf_distances(const struct tb_conf *conf,
			      const char *node_name);

/*
 * The memory of its NUMA nodes, which fits that topology
 * (core/topology/numa_memory.h); NULL for none.  Owned by conf.
 */
const char *tb_conf_node_memory(const struct tb_conf *conf,
				const char *node_name);

/* The numbers of a node's line for the policies; without it 0, and a cost of 1. */
struct tb_node_numbers {
	double speed; /* MHz, or relative to other nodes */
	double cost;
	double priority;
	double swap;	 /* MB */
	double max_load; /* above it no bound job starts; 0: there is none */
};
struct tb_node_numbers tb_conf_node_numbers(const struct tb_conf *conf,
					    const char *node_name);

#endif
