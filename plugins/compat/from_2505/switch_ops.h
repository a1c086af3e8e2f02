/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * switch_ops.h - all that Slurm requires of a switch plugin since 25.05, each
 * written once
 *
 *   OWN(type, name, parameters)
 *	topobind takes part: switch_abi.c defines switch_p_NAME.
 *   PASS(type, otherwise, name, parameters, arguments)
 *	The call is passed on to the site's plugin; without one the answer is
 *	otherwise.
 */
#ifndef TB_COMPAT_FROM_2505_SWITCH_OPS_H
#define TB_COMPAT_FROM_2505_SWITCH_OPS_H

#include "compat/select_compat.h"

#include "src/interfaces/switch.h"

/* What a site's plugin keeps of a job or step is its own. */
typedef void tb_switch_info_t;

/* Slurm changed most of the names once. */
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(25, 11, 0)
#define OF_JOB(verb) jobinfo_##verb
#define OF_STEP(verb) stepinfo_##verb
#else
#define OF_JOB(verb) verb##_jobinfo
#define OF_STEP(verb) verb##_stepinfo
#endif

/* clang-format off */
#define SWITCH_OPS_OF_ALL(OWN, PASS) \
	OWN(int, save, (void)) \
	PASS(int, SLURM_SUCCESS, restore, (bool recover), (recover)) \
	PASS(void, , OF_JOB(pack), \
	   (void *info, buf_t *buffer, uint16_t version), \
	   (info, buffer, version)) \
	PASS(int, SLURM_SUCCESS, OF_JOB(unpack), \
	   (void **info, buf_t *buffer, uint16_t version), \
	   (info, buffer, version)) \
	PASS(void, , OF_JOB(free), (void *job), (job)) \
	OWN(int, OF_STEP(build), \
	    (tb_switch_info_t **info, void *of_job, step_record_t *step)) \
	OWN(void, OF_STEP(duplicate), \
	    (tb_switch_info_t *from, tb_switch_info_t **to)) \
	PASS(void, , OF_STEP(free), (tb_switch_info_t *info), (info)) \
	PASS(void, , OF_STEP(pack), \
	   (tb_switch_info_t *info, buf_t *buffer, uint16_t version), \
	   (info, buffer, version)) \
	PASS(int, SLURM_SUCCESS, OF_STEP(unpack), \
	   (tb_switch_info_t **info, buf_t *buffer, uint16_t version), \
	   (info, buffer, version)) \
	PASS(int, SLURM_SUCCESS, job_preinit, (stepd_step_rec_t *step), (step)) \
	PASS(int, SLURM_SUCCESS, job_init, (stepd_step_rec_t *step), (step)) \
	PASS(int, SLURM_SUCCESS, job_postfini, (stepd_step_rec_t *step), (step)) \
	PASS(int, SLURM_SUCCESS, job_attach, \
	   (tb_switch_info_t *info, char ***env, uint32_t node, \
	    uint32_t process, uint32_t nodes, uint32_t processes, \
	    uint32_t rank), \
	   (info, env, node, process, nodes, processes, rank)) \
	PASS(int, SLURM_SUCCESS, job_step_complete, \
	   (tb_switch_info_t *info, char *nodes), (info, nodes)) \
	PASS(void, , job_complete, (job_record_t *job), (job)) \
	PASS(int, SLURM_SUCCESS, fs_init, (stepd_step_rec_t *step), (step))

#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(25, 11, 0)
#define SWITCH_OPS_FROM_2511(PASS) \
	PASS(bool, false, setup_special_steps, (void), ()) \
	PASS(int, SLURM_SUCCESS, job_start, (job_record_t *job, bool test_only), \
	   (job, test_only)) \
	PASS(uint32_t, NO_VAL, job_channel, (job_record_t *job, char *node), \
	   (job, node))
#else
#define SWITCH_OPS_FROM_2511(PASS) \
	PASS(void, , job_start, (job_record_t *job), (job)) \
	PASS(void, , extern_stepinfo, \
	   (tb_switch_info_t **info, job_record_t *job), (info, job))
#endif

#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(26, 5, 0)
#define SWITCH_OPS_FROM_2605(PASS) \
	PASS(void, , stepmgr_init, (void), ()) \
	PASS(void, , stepmgr_fini, (uint32_t job), (job))
#else
#define SWITCH_OPS_FROM_2605(PASS) \
	PASS(void, , extern_step_fini, (uint32_t job), (job))
#endif
/* clang-format on */

#define SWITCH_OPS(OWN, PASS) \
	SWITCH_OPS_OF_ALL(OWN, PASS) \
	SWITCH_OPS_FROM_2511(PASS) \
	SWITCH_OPS_FROM_2605(PASS)

#endif
