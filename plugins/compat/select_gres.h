/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * select_gres.h - the GRES of jobs and nodes, whatever Slurm's version
 *
 * A job asks by a list; each entry, numbered from 0, has a name and perhaps a
 * type.  The devices of a node are in places: each line of its gres.conf with a
 * file (or a number) of devices is a place, and its Cores= says which cores are
 * near.  All devices of a name without Cores= can be one place.  Shared GRES (MPS,
 * shards), which are parts of devices, have no places here, and neither have GRES that
 * Slurm only counts.
 */
#ifndef TB_COMPAT_GRES_H
#define TB_COMPAT_GRES_H

#include "select_compat.h"

/* How many entries, and what one asks for; 0 where it does not. */
struct tb_gres_ask {
	uint64_t per_task, per_node, per_job;
	uint16_t tasks_each; /* of a device: --ntasks-per-gpu; or NO_VAL16 */
	uint64_t megabytes;  /* of memory that go with each device */
};
uint32_t tb_gres_entries(const job_record_t *job);
struct tb_gres_ask tb_gres_asked(const job_record_t *job, uint32_t entry);

/* Does it ask for some of this name, whatever their type? */
bool tb_gres_are_asked(const job_record_t *job, const char *name);

/*
 * For some calls an entry asks for so many on each node, whatever its tasks; and
 * then for what it had asked for.
 */
struct tb_gres_ask tb_gres_ask_per_node(job_record_t *job, uint32_t entry,
					uint64_t number);
void tb_gres_ask_again(job_record_t *job, uint32_t entry,
		       const struct tb_gres_ask *ask);

/* Does the node have some of all that the job asks for, idle or not? */
bool tb_gres_node_has_all(const job_record_t *job, uint32_t node);

/* Devices that jobs gave back in a view of the ledger; NULL: none has. */
struct tb_gres_back;
void tb_gres_give_back(struct tb_gres_back **back, const job_record_t *job);
void tb_gres_take_back(struct tb_gres_back **back, const job_record_t *job);
void tb_gres_back_destroy(struct tb_gres_back *back); /* NULL is fine */

/*
 * Call visit for each place of a node that has what the entry asks for, with its
 * number, the cores near it (NULL: any) and how many devices are free.
 */
struct tb_gres_view {
	const struct tb_gres_back *back;
	bool idle; /* as if no job ran */
	/*
	 * The test, if devices that reservations keep from its job are not free (since
	 * Slurm 23.11); NULL: they are.
	 */
	const struct tb_test *test;
};
typedef void (*tb_gres_visitor)(uint32_t place, const bitstr_t *cores,
				uint32_t free, void *arg);
void tb_gres_visit(const job_record_t *job, uint32_t entry, uint32_t node,
		   const struct tb_gres_view *view, tb_gres_visitor visit,
		   void *arg);

/*
 * Call visit for each place of the node, whatever is asked for, that has cores near it,
 * with how many devices it has.
 */
void tb_gres_visit_near(uint32_t node, tb_gres_visitor visit, void *arg);

/*
 * Call visit for each place of the node that can be near a job, whatever is asked for:
 * its name, its type (NULL: none), its devices and the cores near it (NULL: any).
 */
typedef void (*tb_gres_place_visitor)(const char *name, const char *type,
				      const bitstr_t *devices,
				      const bitstr_t *cores, void *arg);
void tb_gres_visit_places(uint32_t node, tb_gres_place_visitor visit,
			  void *arg);

/* How many places a node has for an entry, those of other types included. */
uint32_t tb_gres_places(const job_record_t *job, uint32_t entry, uint32_t node);

/*
 * Between select_p_job_test and select_p_job_begin: how many devices of a node
 * select/cons_tres has selected for the job; and select others for the test's,
 * of_pool[i] of pool i.  pool_of says which pool a place belongs to; it is in none when
 * that is not below pools.  Selects number devices; false, and the selection stays as
 * it is: that is not possible.
 */
uint32_t tb_gres_selected(const job_record_t *job, uint32_t entry,
			  uint32_t node);
bool tb_gres_select(const struct tb_test *test, uint32_t entry, uint32_t node,
		    const uint32_t *pool_of, uint32_t *of_pool, uint32_t pools,
		    uint32_t number);

#endif
