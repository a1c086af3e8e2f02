/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "publish.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/common/slurm_xlator.h"

#include "slurm/slurm.h"
#include "src/common/log.h"

#include "common/node/node_extra.h"
#include "helper.h"

/* 1, 2, 4, ... seconds apart, at most 30: about twelve minutes in all. */
#define TRIES 28
#define LONGEST_PAUSE_S 30

/* Of the pipe of the helper that publishes. */
static int slurmds_end = -1;

static int update_extra(const char *node_name, const char *extra)
{
	update_node_msg_t update;

	slurm_init_update_node_msg(&update);
	update.node_names = (char *)node_name;
	update.extra = (char *)extra;
	return slurm_update_node(&update) == SLURM_SUCCESS ? 0 : -1;
}

/* One token set, or without a value removed.  Takes over extra. */
static char *set_token(char *extra, const char *name, const char *value)
{
	char *with = extra != NULL ? tb_extra_with(extra, name, value) : NULL;

	free(extra);
	return with;
}

static int publish_into(const char *node_name, const char *old_extra,
			const struct tb_published *published)
{
	char *extra = strdup(old_extra != NULL ? old_extra : "");
	int rc = -1;

	extra = set_token(extra, TB_EXTRA_OS_CPUS, published->os_cpus);
	extra = set_token(extra, TB_EXTRA_GPU_MEMORY, published->gpu_memory);
	if (published->topology != NULL) {
		extra = set_token(extra, TB_EXTRA_TOPOLOGY,
				  published->topology);
		extra = set_token(extra, TB_EXTRA_DISTANCES,
				  published->distances);
		extra = set_token(extra, TB_EXTRA_MEMORY, published->memory);
		extra = set_token(extra, TB_EXTRA_HUGEPAGES,
				  published->hugepages);
		extra = set_token(extra, TB_EXTRA_SPEED, published->speed);
	}
	if (extra != NULL)
		rc = old_extra != NULL && strcmp(extra, old_extra) == 0
			     ? 0
			     : update_extra(node_name, extra);
	free(extra);
	return rc;
}

static int publish_once(const char *node_name,
			const struct tb_published *published)
{
	node_info_msg_t *nodes = NULL;
	int rc = -1;

	if (slurm_load_node_single(&nodes, (char *)node_name, SHOW_DETAIL) !=
	    SLURM_SUCCESS)
		return -1;
	/* An unknown node comes back as one without a name. */
	for (uint32_t i = 0; i < nodes->record_count; i++) {
		const node_info_t *node = &nodes->node_array[i];

		if (node->name != NULL && strcmp(node->name, node_name) == 0)
			rc = publish_into(node_name, node->extra, published);
	}
	slurm_free_node_info_msg(nodes);
	return rc;
}

static void publish_node(int slurmd, const char *node_name,
			 const struct tb_published *published)
{
	int seconds = 1;

	for (int i = 0; i < TRIES; i++) {
		if (publish_once(node_name, published) == 0) {
			info("topobind: node %s publishes %s", node_name,
			     published->topology != NULL ? published->topology
							 : published->os_cpus);
			return;
		}
		if (tb_helper_wait(slurmd, -1, seconds * 1000))
			return;
		if (seconds * 2 <= LONGEST_PAUSE_S)
			seconds *= 2;
		else
			seconds = LONGEST_PAUSE_S;
	}
	error("topobind: the topology of node %s could not be published: "
	      "slurmctld did not answer or refused; restart slurmd when it "
	      "does",
	      node_name);
}

struct task {
	const char *node_name;
	const struct tb_published *published;
};

static void publish_task(int slurmd, const void *what)
{
	const struct task *task = what;

	publish_node(slurmd, task->node_name, task->published);
}

void tb_publish_start(const char *node_name,
		      const struct tb_published *published)
{
	const struct task task = { node_name, published };
	struct tb_error err;

	tb_publish_stop();
	slurmds_end = tb_helper_start(publish_task, &task, &err);
	if (slurmds_end < 0)
		error("topobind: the topology of node %s is not published: %s",
		      node_name, err.text);
}

void tb_publish_stop(void)
{
	if (slurmds_end >= 0)
		close(slurmds_end);
	slurmds_end = -1;
}
