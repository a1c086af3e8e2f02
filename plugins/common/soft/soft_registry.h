/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * soft_registry.h - what the slurmstepds of a node tell each other of its CPUs
 *
 * Soft-bound tasks spread to CPUs that nobody has claimed, and other jobs start
 * at any time.  So each step that has CPUs for itself says so here before its tasks
 * run, and each soft one says what it is about to use.  A directory in slurmd's
 * spool directory, which only root can look into, with a file for each:
 *
 *	JOB.STEP.PID.hold	a claim: CPUs that soft-bound tasks of others
 *				keep off
 *	system.hold		those that Slurm leaves to the system
 *	JOB.STEP.PID.soft	state of a soft-bound step (soft_state.h)
 *	off, JOB.off		soft binding is switched off, here or for a job
 *	confined, JOB.confined	tasks are kept on their preferred CPUs, likewise
 *	settings, JOB.settings	what was set at run time, likewise (soft_settings.h)
 *	JOB.record		locked by who changes the job's record
 *
 * Whoever reads and changes sets of CPUs has the directory locked, so that
 * nobody spreads to CPUs while another takes them.  A step's slurmstepd keeps a
 * lock on its file (files/locked_dir.h).  The claim of a slurmstepd that was
 * killed counts as long as there are processes in the job's cgroup; then who asks
 * next removes it.
 *
 * No Slurm in here.
 */
#ifndef TB_COMMON_SOFT_SOFT_REGISTRY_H
#define TB_COMMON_SOFT_SOFT_REGISTRY_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "core/base/bitset.h"
#include "core/base/error.h"
#include "files/locked_dir.h"

/* OS CPU numbers are below this. */
#define TB_REGISTRY_CPUS 65536

/* Of slurmd's spool directory. */
#define TB_REGISTRY_DIRECTORY "topobind_soft"

struct tb_registry;

struct tb_registry_id {
	uint32_t job, step;
};

/* NULL with a sentence; the directory is made if need be. */
struct tb_registry *tb_registry_open(const char *spool_dir,
				     struct tb_error *err);
/* The same for reading and switching: NULL when there is no such directory. */
struct tb_registry *tb_registry_find(const char *spool_dir,
				     struct tb_error *err);
void tb_registry_close(struct tb_registry *registry); /* NULL is fine */

/* Wait for the directory's lock; not twice.  -1 with a sentence. */
int tb_registry_lock(struct tb_registry *registry, struct tb_error *err);
void tb_registry_unlock(struct tb_registry *registry);

/* ---- claims; the registry is locked ---- */

struct tb_registry_claim_input {
	struct tb_registry_id id;
	const char *cpus;   /* list of OS CPUs; "": none */
	const char *own;    /* likewise: soft steps of the same job keep off */
	const char *cgroup; /* directory of the job's cgroups; "": unknown */
};

/*
 * A claim counts until it is released or its process dies.  NULL with a
 * sentence.
 */
struct tb_registry_claim;
struct tb_registry_claim *
tb_registry_claim_create(struct tb_registry *registry,
			 const struct tb_registry_claim_input *input,
			 struct tb_error *err);
/* Without the lock, it does not matter when.  NULL is fine. */
void tb_registry_claim_release(struct tb_registry_claim *claim);

/* What is left to the system: a list, "" for nothing. */
int tb_registry_claim_system(struct tb_registry *registry, const char *cpus,
			     struct tb_error *err);

/*
 * The CPUs that soft-bound tasks of a job keep off, as a new set of
 * TB_REGISTRY_CPUS bits.  NULL with a sentence, also when a file cannot be
 * understood: it may claim any CPU.
 */
struct tb_bitset *tb_registry_claimed(struct tb_registry *registry,
				      uint32_t job, struct tb_error *err);

/*
 * Remove the claims of dead processes that do not count any more.  True when none
 * of a dead one is left.
 */
bool tb_registry_sweep(struct tb_registry *registry);

/* ---- switches ---- */

enum tb_soft_mode {
	TB_SOFT_ON,
	TB_SOFT_OFF, /* tasks have all allowed CPUs, as without a preference */
	TB_SOFT_CONFINED, /* they stay on the preferred ones */
};

/* job 0: the node. */
int tb_registry_switch(struct tb_registry *registry, uint32_t job,
		       enum tb_soft_mode mode, struct tb_error *err);
/* Forget switches, settings and locks of jobs that have no step here any more. */
void tb_registry_forget(struct tb_registry *registry);
/* A job has its own mode only while that of its node is "on". */
enum tb_soft_mode tb_registry_mode(struct tb_registry *registry, uint32_t job);
const char *
tb_soft_mode_name(enum tb_soft_mode mode); /* "on", "off", "confined" */

/*
 * Wait for the lock with which steps of a job read and then write the job's
 * record; closing the descriptor gives it up.  -1 with a sentence.
 */
int tb_registry_lock_record(struct tb_registry *registry, uint32_t job,
			    struct tb_error *err);

/*
 * Has a file come or gone since *seen?  Sets *seen.  It may say true too often,
 * never too seldom.
 */
bool tb_registry_has_changed(struct tb_registry *registry,
			     struct timespec *seen);

/* ---- files, for soft_state.c ---- */

const struct tb_locked_dir *tb_registry_dir(const struct tb_registry *registry);
/* "JOB.STEP.PID.soft"; malloc()ed. */
char *tb_registry_name(const struct tb_registry_id *id, const char *suffix);

#endif
