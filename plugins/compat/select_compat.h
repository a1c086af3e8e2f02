/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * select_compat.h - select/cons_tres as topobind sees it, whatever its version
 *
 * The files select_abi.c export what slurmctld requires of a select plugin of
 * their version (select_ops.h lists it), pass all of it on to select/cons_tres
 * and call the hooks of select_topobind/hooks.h.  The rest of the plugin uses only
 * what is here.
 */
#ifndef TB_COMPAT_SELECT_H
#define TB_COMPAT_SELECT_H

#include <stdbool.h>
#include <stdint.h>

/* First: programs that link the public libslurm have prefixed names only. */
#include "src/common/slurm_xlator.h"

#include "slurm/slurm.h"
#include "src/common/bitstring.h"
#include "src/common/list.h"
#include "src/slurmctld/slurmctld.h"

#include "reservation_text.h"
#include "slurm_types.h"

#if SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(23, 2, 0)
#include "src/common/select.h"
#include "src/slurmctld/preempt.h"
#else
#include "src/common/job_features.h"
#include "src/interfaces/preempt.h"
#include "src/interfaces/select.h"
#endif
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(24, 11, 0)
#include "src/common/node_features.h"
#endif

#include "slurmctld_symbols.h"

struct tb_node_choice;
struct tb_memo;

/* One call of select_p_job_test: may, does, or when will this job run? */
struct tb_test {
	job_record_t *job;
	bitstr_t *nodes; /* candidates; on success the chosen nodes */
	uint32_t min_nodes;
	uint32_t max_nodes;
	uint32_t req_nodes;
	uint16_t mode;
	list_t *preemptees; /* jobs that may be preempted, or NULL */
	list_t **preempted; /* receives those that are */
	void *excluded;	    /* tb_excluded_t: cores reserved for others */
	void *will_run;	    /* more for TB_WILL_RUN, since Slurm 24.11 */
	/*
	 * Set by topobind for an implicitly bound job: CPUs that each of its
	 * tasks must have.  0 for all other jobs.
	 */
	uint16_t implicit_cpus;
	/*
	 * Likewise, in a partition that shares: only units that fewer jobs than
	 * this hold are tried.  0: units are not shared.
	 */
	uint16_t share;
	/* Likewise, for a job with nodes of its own: these nodes. */
	uint16_t share_nodes;
	/* Likewise: only nodes that topobind finds for slots and devices are tried. */
	bool dealt_only;
	/* Likewise: how nodes are chosen; NULL: as select/cons_tres does. */
	const struct tb_node_choice *choice;
	/*
	 * Likewise: when the units that are looked at are free; 0: not known.  No
	 * earlier start is looked for.
	 */
	time_t units_free;
	/* Likewise: the placements for this job so far (try/offers.h), or NULL. */
	struct tb_memo *memo;
	/*
	 * Likewise: what counts instead of excluded, with cores that the job leaves to
	 * others; NULL: nothing does.
	 */
	const struct tb_mask *spared;
};

enum tb_mode { TB_RUN_NOW, TB_WILL_RUN, TB_TEST_ONLY };
enum tb_mode tb_test_mode(const struct tb_test *test);
void tb_test_set_will_run(struct tb_test *test);
/* A start is tried: nodes are weighed as slurmctld does before one. */
void tb_test_set_run_now(struct tb_test *test);
/*
 * Slurm's weight of the node; the lowest are the first.  The lowest TB_TRIED_GPUS_BITS
 * are select/cons_tres's own: what it finds of GPUs when it tries the node.
 */
#define TB_TRIED_GPUS_BITS 8
uint64_t tb_node_own_weight(uint32_t node);
/*
 * The question when can be about a start at this time or later; 0: it is not.
 * select/cons_tres then answers "now" where it means this time.
 */
time_t tb_test_asked_start(const struct tb_test *test);

/*
 * Since 26.05 a job that does not say on how many nodes it can be at most has as many as
 * its tasks for that.  It is started on as few nodes as it can be, but Slurm asks for its
 * start as if it had wished for the most: told is what is then done.
 */
static inline void tb_test_wish_as_started(struct tb_test *test)
{
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(26, 5, 0)
	if (tb_test_mode(test) == TB_WILL_RUN &&
	    test->job->bit_flags & JOB_IMPLICIT_MAX_NODES)
		test->req_nodes = test->min_nodes;
#else
	(void)test;
#endif
}

struct tb_bitset;

/* Add the cores of the node that are reserved for others than the job, or left to them. */
void tb_test_add_excluded(const struct tb_test *test, uint32_t node,
			  struct tb_bitset *cores);
/* Could it be true of any? */
static inline bool tb_test_excludes_cores(const struct tb_test *test)
{
	return test->excluded || test->spared;
}

/*
 * The cores that select/cons_tres may use, for one call.  A closed mask allows no
 * core of these nodes; the call must be about no other nodes, as each node in a
 * mask costs select/cons_tres time.  An open one allows all that the caller
 * allows.
 */
struct tb_mask;
struct tb_mask *tb_mask_closed(const bitstr_t *nodes);
struct tb_mask *tb_mask_open(const struct tb_test *test);
/* Cores [first, first + count) of a node. */
void tb_mask_allow(struct tb_mask *mask, uint32_t node, uint32_t first,
		   uint32_t count);
void tb_mask_forbid(struct tb_mask *mask, uint32_t node, uint32_t first,
		    uint32_t count);
/* Any core of a node? */
bool tb_mask_leaves_some(const struct tb_mask *mask, uint32_t node);
void tb_mask_destroy(struct tb_mask *mask); /* NULL is fine */

/* Does the job run on one of these nodes? */
bool tb_job_runs_on(job_record_t *job, bitstr_t *nodes);

/*
 * The answer of select/cons_tres.  mask NULL: with what the caller excluded.  The
 * return value is Slurm's.
 */
int tb_cons_tres_job_test(const struct tb_test *test, struct tb_mask *mask);

/* What is said with a reservation about its units, or NULL (reservation_text.h). */
static inline const char *
tb_reservation_text(const slurmctld_resv_t *reservation)
{
	return reservation->TB_RESERVATION_TEXT;
}

/*
 * The size of the node table, in which some indices may be unused; and where the
 * cores of a node begin among the cores of all nodes.
 */
uint32_t tb_node_count(void);
/* MB of a node that jobs have; call tb_nodes_look_at_memory() before, once. */
uint64_t tb_node_memory_in_use(uint32_t node);
void tb_nodes_look_at_memory(void);
uint32_t tb_node_first_core(uint32_t node);
uint32_t tb_all_cores(void);
/*
 * Where the node is in the network, the same word for all nodes of a switch, or block.
 * The caller xfrees.
 */
char *tb_node_place_in_network(uint32_t node);

/* MaxCPUsPerSocket of a partition; INFINITE: none. */
static inline uint32_t tb_partition_socket_limit(const part_record_t *partition)
{
#if SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(23, 2, 0)
	(void)partition;
	return INFINITE;
#else
	return partition->max_cpus_per_socket;
#endif
}

#endif
