/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * job_devices.h - the GPUs and other GRES of a job and of nodes, counted
 *
 * Slurm tells them as text: "gres:gpu:a100:2" of a job, "gpu:a100:4(S:0-1)" of a node,
 * "gpu:a100:2(IDX:0-1)" of what is held there.
 */
#ifndef TB_TOOLS_PLAN_JOB_DEVICES_H
#define TB_TOOLS_PLAN_JOB_DEVICES_H

#include "core/base/bitset.h"
#include "core/base/error.h"
#include "core/plan/device_counts.h"

#define TB_JOB_DEVICES_MAX 8

struct tb_job_devices {
	unsigned count; /* of kinds */
	struct tb_devices_asked asked[TB_JOB_DEVICES_MAX];
	char *names[TB_JOB_DEVICES_MAX]; /* "gpu", or with a type "gpu:a100" */
	bool more; /* than these is asked for, and not counted */
	bool parts; /* some are parts of GPUs: of these one GPU must have enough */
};

/* For whom each number of a list is. */
enum tb_devices_for {
	TB_DEVICES_FOR_JOB,
	TB_DEVICES_FOR_NODE,
	TB_DEVICES_FOR_TASK,
	TB_DEVICES_FOR_SOCKET, /* these are not counted */
};

/* Those of a list as Slurm has it with jobs; NULL: none.  -1 with a sentence. */
int tb_job_devices_add(struct tb_job_devices *devices, const char *list,
		       enum tb_devices_for who, struct tb_error *err);

/* GPUs for all nodes together; 0: there is another number of them, or none. */
uint32_t tb_job_devices_of_job(struct tb_job_devices *devices);

/* --ntasks-per-gpu of a job, behind the lists. */
int tb_job_devices_add_shares(struct tb_job_devices *devices, uint32_t each,
			      const struct tb_asked *asked,
			      struct tb_error *err);

/* MB that go with each GPU, of such a list; 0: none. */
uint64_t tb_job_devices_gpu_memory(const char *list);
void tb_job_devices_set_memory(struct tb_job_devices *devices,
			       uint64_t megabytes);
bool tb_job_devices_have_memory(const struct tb_job_devices *devices);

void tb_job_devices_clear(struct tb_job_devices *devices);

/* So many a node must have for the job to be there. */
uint32_t tb_job_devices_needed(const struct tb_job_devices *devices,
			       unsigned kind);

/*
 * How many there are in the list of a node, or of what is held there: of the name and
 * its type, and in *untyped those of the name of which no type is told.
 */
uint32_t tb_devices_in_list(const char *list, const char *name,
			    uint32_t *untyped);

/* Add the numbers of those of the name, whatever their type, where they are told. */
void tb_devices_add_numbers(const char *list, const char *name,
			    struct tb_bitset *numbers);

/* Likewise those of GPUs of which it has parts: shards, MPS. */
void tb_devices_add_parts(const char *list, struct tb_bitset *numbers);

#endif
