/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * slurm_types.h - types of Slurm that have other names in other versions
 *
 * The code uses the newer names.  The command uses it too, so it needs only
 * Slurm's public header.
 */
#ifndef TB_COMPAT_SLURM_TYPES_H
#define TB_COMPAT_SLURM_TYPES_H

#include <stdbool.h>

#include "slurm/slurm.h"
#include "slurm/slurm_errno.h"

/* Errors of the connection are from here to ESLURM_AUTH_SKIP. */
#if SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(23, 2, 0)
#define TB_FIRST_PROTOCOL_ERROR SLURM_PROTOCOL_SOCKET_IMPL_ZERO_RECV_LENGTH
#else
#define TB_FIRST_PROTOCOL_ERROR ESLURM_PROTOCOL_INCOMPLETE_PACKET
#endif

#if SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(23, 2, 0)
typedef struct xlist list_t;
typedef struct listIterator list_itr_t;
typedef struct job_details job_details_t;
#endif
#if SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(23, 11, 0)
typedef hostlist_t tb_hostlist_t; /* a pointer there */
#else
typedef hostlist_t *tb_hostlist_t;
#endif

#ifndef CONF_FLAG_ASRU
#define CONF_FLAG_ASRU CTL_CONF_ASRU /* AllowSpecResourcesUsage */
#endif

/* slurm.conf has CR_Core and so on in all releases. */
#if SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(25, 11, 0)
#define SELECT_CPU CR_CPU
#define SELECT_SOCKET CR_SOCKET
#define SELECT_CORE CR_CORE
#define SELECT_MEMORY CR_MEMORY
#define SELECT_LLN CR_LLN
#define SELECT_ONE_TASK_PER_CORE CR_ONE_TASK_PER_CORE
#endif

/* MB that a node's jobs have, as slurmctld says. */
static inline uint64_t tb_allocated_memory(const node_info_t *node)
{
#if SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(25, 5, 0)
	uint64_t memory = 0;

	slurm_get_select_nodeinfo(node->select_nodeinfo,
				  SELECT_NODEDATA_MEM_ALLOC,
				  NODE_STATE_ALLOCATED, &memory);
	return memory;
#else
	return node->alloc_memory;
#endif
}

/* What is for this node beside SlurmdParameters; NULL: nothing. */
static inline const char *tb_node_parameters(const node_info_t *node)
{
#if SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(25, 11, 0)
	(void)node;
	return NULL;
#else
	return node->parameters;
#endif
}

/* A change of this job. */
static inline void tb_set_job(job_desc_msg_t *change, uint32_t job)
{
#if SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(25, 11, 0)
	change->job_id = job;
#else
	change->step_id.job_id = job;
#endif
}

#if SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(26, 5, 0)
static inline int tb_load_job(job_info_msg_t **jobs, uint32_t job,
			      uint16_t flags)
{
	return slurm_load_job(jobs, job, flags);
}

static inline void tb_free_slurm_conf(slurm_conf_t *site)
{
	slurm_free_ctl_conf(site);
}
#else
static inline int tb_load_job(job_info_msg_t **jobs, uint32_t job,
			      uint16_t flags)
{
	slurm_step_id_t id = SLURM_STEP_ID_INITIALIZER;

	id.job_id = job;
	return slurm_load_job(jobs, id, flags);
}

static inline void tb_free_slurm_conf(slurm_conf_t *site)
{
	slurm_free_conf(site);
}
#endif

/* What frees the answer of slurm_load_ctl_conf(). */
#if SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(26, 5, 0)
#define slurm_free_conf slurm_free_ctl_conf
#endif

/* Do --exclusive and --oversubscribe exclude each other? */
static inline bool tb_sharing_is_said_once(void)
{
	return SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(23, 2, 0);
}

/*
 * Does select/cons_tres want as many tasks on each node as --ntasks-per-node says,
 * also when --ntasks says that there are fewer?  There topobind asks for the tasks of
 * each node by its offers alone, and they can be fewer.
 */
static inline bool tb_nodes_have_all_tasks(void)
{
	return SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(25, 11, 0);
}

/*
 * Does a client ask for as many nodes as --ntasks and --ntasks-per-node make, when
 * --nodes says nothing of them?
 */
static inline bool tb_clients_count_nodes(void)
{
	return SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(23, 11, 2);
}

#endif
