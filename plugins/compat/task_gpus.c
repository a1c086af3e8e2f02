/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * task_gpus.c - which GPUs Slurm has granted to a step, as device files
 *
 * slurmstepd has the devices of gres.conf from slurmd.  Which of them are granted Slurm
 * marks in its own list, for task/cgroup, too, which asks anew each time that it looks.
 */
#include "task_compat.h"

#include <stdlib.h>
#include <string.h>

#include "src/common/list.h"
#include "src/common/xstring.h"

#include "slurm_gres.h"
#include "slurm_types.h"

#if SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(23, 2, 0)
#define OF_NO_TASK 0, 0
#else
#define OF_NO_TASK 0, NULL
#endif

static int add_if_gpu(void *item, void *arg)
{
	const gres_state_t *entry = item;

	if (xstrcmp(entry->gres_name, "gpu") == 0)
		list_append(arg, item);
	return 0;
}

/* Of GPUs only: parts of them, such as shards, leave the rest to others. */
static list_t *find_gpus(list_t *granted)
{
	list_t *gpus = list_create(NULL);

	if (granted != NULL)
		list_for_each(granted, add_if_gpu, gpus);
	return gpus;
}

static void copy_device(const gres_device_t *device, struct tb_step_gpu *gpu)
{
	const gres_device_id_t *id = &device->dev_desc;

	*gpu = (struct tb_step_gpu){
		.path = strdup(device->path != NULL ? device->path : ""),
		.has_number = id->type == DEV_TYPE_CHAR ||
			      id->type == DEV_TYPE_BLOCK,
		.number = { id->type == DEV_TYPE_BLOCK, id->major, id->minor },
		.is_granted = device->alloc,
	};
}

static int add_device(void *item, void *arg)
{
	struct tb_step_gpus *gpus = arg;

	copy_device(item, &gpus->list[gpus->count]);
	return gpus->list[gpus->count++].path != NULL ? 0 : -1;
}

static int copy_devices(list_t *devices, struct tb_step_gpus *gpus)
{
	gpus->list = calloc((size_t)list_count(devices) + 1,
			    sizeof(*gpus->list));
	if (gpus->list == NULL)
		return -1;
	return list_for_each(devices, add_device, gpus) < 0 ? -1 : 0;
}

int tb_slurm_step_gpus(void *slurm_step, struct tb_step_gpus *gpus)
{
	tb_slurm_step_t *step = slurm_step;
	uint32_t id = step->step_id.step_id;
	bool of_job = step->batch || id == SLURM_INTERACTIVE_STEP ||
		      tb_slurm_step_is_extern(step);
	list_t *granted = find_gpus(of_job ? step->job_gres_list
					   : step->step_gres_list);
	list_t *devices = gres_g_get_devices(granted, of_job, 0, NULL,
					     OF_NO_TASK);
	int rc = 0;

	*gpus = (struct tb_step_gpus){ .any = list_count(granted) > 0 };
	if (devices != NULL)
		rc = copy_devices(devices, gpus);
	FREE_NULL_LIST(devices);
	FREE_NULL_LIST(granted);
	return rc;
}
