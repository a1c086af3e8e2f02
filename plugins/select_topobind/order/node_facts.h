/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * node_facts.h - what node allocation policies know of nodes
 *
 * It comes from Slurm's records, topobind.conf and learning.h; no file is read.
 * What is the same for all nodes, or found faster for all at once, is looked up
 * once for a test.
 */
#ifndef TB_SELECT_TOPOBIND_ORDER_NODE_FACTS_H
#define TB_SELECT_TOPOBIND_ORDER_NODE_FACTS_H

#include "common/conf/conf.h"
#include "compat/select_compat.h"
#include "core/policy/history.h"
#include "core/policy/priority_function.h"
#include "core/request/prefer.h"

#include "select_topobind/request/node_choice.h"

#include "node_times.h"

struct tb_node_facts {
	const struct tb_node_choice *choice;
	const job_record_t *job;
	bool starts_now; /* the job is started, if it can: no question about when */
	time_t start, end; /* of the job, if it starts then */
	uint64_t seed;	   /* of random numbers */
	struct tb_node_times times;
	struct tb_application application;
	struct tb_known_preference {
		enum tb_preference_kind kind;
		bitstr_t *nodes;    /* with the feature; NULL: none */
		uint64_t megabytes; /* that must be free */
	} * preferred;		    /* choice->prefer */
	uint32_t preferences;
	struct tb_function_facts {
		const struct tb_priority_function *function;
		bitstr_t **features; /* by term; NULL: no such nodes */
		double *values;	     /* by term, of the last node */
	} * functions; /* the job's, then those of nodes that have their own */
	uint32_t nfunctions;
	bool nodes_differ; /* some nodes have their own */
	double partition_cpus;
	bool wants_os;
	struct tb_node_sizes {
		double cpus, memory, disk, swap;
	} largest; /* of the candidates */
};

/* For the test of a job that would start at this time.  The caller clears. */
void tb_node_facts_find(struct tb_node_facts *facts, const struct tb_test *test,
			time_t start);
void tb_node_facts_clear(struct tb_node_facts *facts);

/* As tb_node_own_weight(), with what GPUs the node was found to have for this start. */
uint64_t tb_node_weight(const struct tb_node_facts *facts, uint32_t node);
/* Which part of the job's preferences the node meets; what is free counts as it is now. */
double tb_node_preferred(const struct tb_node_facts *facts, uint32_t node);
/* Can any node have this feature?  For tb_request_check_features(). */
bool tb_feature_is_known(const char *name, void *unused);
/* The value of one without a name (core/policy/priority_function.h). */
double tb_node_component(const struct tb_node_facts *facts,
			 enum tb_component component, uint32_t node);
/* Its worth by the priority function. */
double tb_node_priority(const struct tb_node_facts *facts, uint32_t node);
/* How large it is, compared to the largest one. */
double tb_node_size(const struct tb_node_facts *facts, uint32_t node);
/* From topobind.conf, or else from the node's Extra field; 0: not known. */
double tb_node_speed(const struct tb_node_facts *facts, uint32_t node);
double tb_node_load(uint32_t node);
/* CPUs less its load and the jobs that began since it told of that. */
double tb_node_idle(uint32_t node);
/*
 * How much memory and local disk no running job has, each compared to the largest
 * candidate's.
 */
double tb_node_rest(const struct tb_node_facts *facts, uint32_t node);
/* CPUs and MB that no running job has. */
uint32_t tb_node_free_cpus(uint32_t node);
uint64_t tb_node_free_memory(uint32_t node);

#endif
