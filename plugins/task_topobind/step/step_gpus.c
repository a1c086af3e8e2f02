/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "step_gpus.h"

#include <stdlib.h>

void tb_step_gpus_clear(struct tb_step_gpus *gpus)
{
	for (unsigned i = 0; i < gpus->count; i++)
		free(gpus->list[i].path);
	free(gpus->list);
	*gpus = (struct tb_step_gpus){ 0 };
}

static bool has_granted_file(const struct tb_step_gpus *gpus)
{
	for (unsigned i = 0; i < gpus->count; i++)
		if (gpus->list[i].is_granted)
			return true;
	return false;
}

static int check_files(const struct tb_step_gpus *gpus,
		       enum tb_gpu_memory_wish wish, struct tb_error *err)
{
	if (!gpus->any && wish == TB_GPU_MEMORY_OF_SOME)
		return tb_fail(
			err,
			"bmem with +gpu: this step has no GPUs whose memory it could have; ask for some with --gpus or --gres=gpu, or leave out +gpu");
	if (gpus->any && !has_granted_file(gpus))
		return tb_fail(
			err,
			"bmem with +gpu: gres.conf names no device file of this step's GPUs, so nobody knows which memory is theirs; leave out +gpu, or ask the administrator for File= in gres.conf");
	return 0;
}

static struct tb_gpu_file *find_addresses(const struct tb_step_gpus *gpus,
					  const char *root)
{
	struct tb_gpu_file *files = calloc(gpus->count + 1, sizeof(*files));

	for (unsigned i = 0; files != NULL && i < gpus->count; i++) {
		const struct tb_step_gpu *gpu = &gpus->list[i];

		files[i].path = gpu->path;
		files[i].is_granted = gpu->is_granted;
		files[i].is_found = gpu->has_number &&
				    tb_device_address(root, &gpu->number,
						      &files[i].address);
	}
	return files;
}

/* Into an empty set. */
static int choose(const struct tb_step_gpus *gpus, const char *root,
		  const struct tb_machine *machine, struct tb_bitset *os_nodes,
		  struct tb_error *err)
{
	struct tb_gpu_file *files = find_addresses(gpus, root);
	unsigned nnuma = 0;
	struct tb_gpu_numa *numa = tb_machine_gpu_memory(machine, &nnuma);
	int rc;

	if (files == NULL || numa == NULL)
		rc = tb_fail(err, "out of memory");
	else
		rc = tb_gpu_memory_choose(files, gpus->count, numa, nnuma,
					  os_nodes, err);
	free(files);
	free(numa);
	return rc;
}

struct tb_bitset *tb_step_gpus_memory(const struct tb_step_gpus *gpus,
				      const char *root,
				      const struct tb_machine *machine,
				      enum tb_gpu_memory_wish wish,
				      struct tb_error *err)
{
	struct tb_bitset *os_nodes = tb_machine_memory(machine, 0);
	bool may_fail = wish != TB_GPU_MEMORY_IF_KNOWN;

	if (os_nodes == NULL) {
		tb_fail(err, "out of memory");
		return NULL;
	}
	if ((may_fail && check_files(gpus, wish, err) < 0) ||
	    (choose(gpus, root, machine, os_nodes, err) < 0 && may_fail)) {
		tb_bitset_destroy(os_nodes);
		return NULL;
	}
	return os_nodes;
}
