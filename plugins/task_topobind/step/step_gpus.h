/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * step_gpus.h - the memory of the GPUs that a step has been granted
 *
 * Slurm grants GPUs to steps: a batch script and the like have those of their job.
 * --gpu-bind and --gpus-per-task deal them to tasks, but programs of a step reach each
 * other's GPUs and keep data there, so the memory of all of them is all tasks'.
 *
 * No Slurm in here.
 */
#ifndef TB_TASK_TOPOBIND_STEP_STEP_GPUS_H
#define TB_TASK_TOPOBIND_STEP_STEP_GPUS_H

#include <stdbool.h>

#include "core/base/bitset.h"
#include "core/base/error.h"
#include "hwloc/device_address.h"
#include "hwloc/machine.h"

/* A device file of gres.conf. */
struct tb_step_gpu {
	char *path;
	bool has_number; /* it is a device file */
	struct tb_device_number number;
	bool is_granted; /* to the step */
};

struct tb_step_gpus {
	unsigned count; /* of all GPUs of the node, and perhaps of other devices */
	struct tb_step_gpu *list; /* malloc()ed, as are the paths */
	bool any;		  /* the step has GPUs, with files or without */
};

void tb_step_gpus_clear(struct tb_step_gpus *gpus);

/* What is an error when a step gets memory of its GPUs. */
enum tb_gpu_memory_wish {
	TB_GPU_MEMORY_IF_KNOWN, /* the site's: nothing is */
	TB_GPU_MEMORY_OF_ANY, /* its job's: GPUs of which the memory is not known */
	TB_GPU_MEMORY_OF_SOME, /* its own: to have no GPUs, too */
};

/*
 * The OS nodes with that memory, as a new set; root is that of tb_device_address().  NULL
 * with a sentence.
 */
struct tb_bitset *tb_step_gpus_memory(const struct tb_step_gpus *gpus,
				      const char *root,
				      const struct tb_machine *machine,
				      enum tb_gpu_memory_wish wish,
				      struct tb_error *err);

#endif
