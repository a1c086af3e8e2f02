/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * select_ops.h - the operations of a select plugin: those that slurmctld calls
 * here, and those of the loaded select/cons_tres
 *
 * Private to this directory.
 */
#ifndef TB_COMPAT_SELECT_OPS_H
#define TB_COMPAT_SELECT_OPS_H

#include "select_compat.h"

#define EXPORT __attribute__((visibility("default")))

/* What differs in the parameters of job_test. */
#if SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(23, 11, 0)
typedef bitstr_t tb_excluded_t;
#else
typedef resv_exc_t tb_excluded_t;
#endif
#if SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(24, 11, 0)
#define WILL_RUN_PARAMETER
#else
#define WILL_RUN_PARAMETER , will_run_data_t *will_run
#endif

/*
 * The operations: all that Slurm requires of a select plugin, each written once.
 *
 *   OWN(type, name, parameters)
 *	topobind takes part: a file of this directory defines select_p_NAME.
 *   PASS(type, name, parameters, arguments)
 *	topobind takes no part: the call is passed on to select/cons_tres.
 *
 * Operations that not all releases have are in the folders of those that do.
 */
/* clang-format off */
#define SELECT_OPS_OF_ALL(OWN, PASS) \
	OWN(int, node_init, (void)) \
	OWN(int, job_test, \
	    (job_record_t *job, bitstr_t *nodes, uint32_t min_nodes, \
	     uint32_t max_nodes, uint32_t req_nodes, uint16_t mode, \
	     list_t *preemptees, list_t **preempted, \
	     tb_excluded_t *excluded WILL_RUN_PARAMETER)) \
	OWN(int, job_begin, (job_record_t *job)) \
	PASS(int, job_ready, (job_record_t *job), (job)) \
	OWN(int, job_expand, (job_record_t *from, job_record_t *to)) \
	OWN(int, job_resized, (job_record_t *job, node_record_t *node)) \
	OWN(int, job_fini, (job_record_t *job)) \
	OWN(int, job_suspend, (job_record_t *job, bool indefinite)) \
	OWN(int, job_resume, (job_record_t *job, bool indefinite)) \
	OWN(int, select_nodeinfo_set_all, (void)) \
	OWN(int, select_nodeinfo_set, (job_record_t *job)) \
	OWN(int, reconfigure, (void))
/* clang-format on */

#if SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(23, 2, 0)
#include "compat/up_to_2205/select_ops.h"
#else
#define SELECT_OPS_UP_TO_2205(OWN, PASS)
#endif
#if SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(23, 11, 0)
#include "compat/up_to_2302/select_ops.h"
#else
#define SELECT_OPS_UP_TO_2302(OWN, PASS)
#endif
#if SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(25, 5, 0)
#include "compat/up_to_2411/select_ops.h"
#else
#define SELECT_OPS_UP_TO_2411(OWN, PASS)
#endif
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(26, 5, 0)
#include "compat/from_2605/select_ops.h"
#else
#define SELECT_OPS_FROM_2605(OWN, PASS)
#endif

#define SELECT_OPS(OWN, PASS) \
	SELECT_OPS_OF_ALL(OWN, PASS) \
	SELECT_OPS_UP_TO_2205(OWN, PASS) \
	SELECT_OPS_UP_TO_2302(OWN, PASS) \
	SELECT_OPS_UP_TO_2411(OWN, PASS) \
	SELECT_OPS_FROM_2605(OWN, PASS)

/* The symbols that slurmctld looks for. */
#define DECLARE_OP(type, name, parameters, ...) \
	EXPORT extern type select_p_##name parameters;
SELECT_OPS(DECLARE_OP, DECLARE_OP)
#undef DECLARE_OP

/* Those of select/cons_tres, by the same names. */
#define POINT_TO_OP(type, name, parameters, ...) type(*name) parameters;
struct tb_select_ops {
	SELECT_OPS(POINT_TO_OP, POINT_TO_OP)
};
#undef POINT_TO_OP

extern struct tb_select_ops tb_ops;

/* Load select/cons_tres.  SLURM_SUCCESS or SLURM_ERROR; again is fine. */
int tb_ops_load(void);
void tb_ops_unload(void);

/*
 * slurmctld has just loaded the plugin.  Where it does not ask select plugins about
 * steps (since Slurm 25.05) this sees to it that it does.
 */
void tb_steps_begin(void);

/*
 * Does slurmctld hold the write lock on nodes when it shows them?  From Slurm 26.05 on
 * it has the read lock, and another on what select plugins count of nodes.
 */
bool tb_nodes_are_locked(void);

/* The answer to job_test; since 23.11 reservations ask as jobs do. */
int tb_answer(struct tb_test *test);

#endif
