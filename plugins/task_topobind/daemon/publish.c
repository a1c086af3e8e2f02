/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "publish.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/common/slurm_xlator.h"

#include "slurm/slurm.h"
#include "src/common/log.h"

#include "cgroup/partition.h"
#include "common/node/node_extra.h"
#include "common/node/site_extra.h"
#include "compat/task_compat.h"
#include "helper.h"
#include "lost_cpus.h"

/* 1, 2, 4, ... seconds apart, at most 30: about twelve minutes in all. */
#define TRIES 28
#define LONGEST_PAUSE_S 30

/* How soon it is seen that the node has lost CPUs, or has them again. */
#define LOOK_MS 5000

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
	char *with = extra != NULL ? tb_extra_with(extra, name, value,
						   tb_site_extra_is_json())
				   : NULL;

	free(extra);
	return with;
}

static bool says_lost(const char *extra, const char *lost)
{
	size_t length;

	return lost != NULL
		       ? tb_extra_has(extra, TB_EXTRA_LOST, lost)
		       : tb_extra_find(extra, TB_EXTRA_LOST, &length) == NULL;
}

/*
 * Jobs run, and what was read as in use can be so no more when it is written:
 * slurmctld writes what is not there.
 */
static char *drop_use(char *extra)
{
	return set_token(set_token(extra, TB_EXTRA_INUSE, NULL),
			 TB_EXTRA_MEMORY_INUSE, NULL);
}

static int publish_into(const char *node_name, const char *old_extra,
			const struct tb_published *published)
{
	char *extra = strdup(old_extra != NULL ? old_extra : "");
	int rc = -1;

	extra = set_token(extra, TB_EXTRA_OS_CPUS, published->os_cpus);
	extra = set_token(extra, TB_EXTRA_GPU_MEMORY, published->gpu_memory);
	extra = set_token(extra, TB_EXTRA_ISOLATES, published->isolates);
	extra = set_token(extra, TB_EXTRA_LOST, published->lost);
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
	if (extra != NULL && old_extra != NULL &&
	    strcmp(extra, old_extra) == 0) {
		free(extra);
		return 0;
	}
	if (!says_lost(old_extra, published->lost))
		extra = drop_use(extra);
	if (extra != NULL)
		rc = update_extra(node_name, extra);
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

/* False: slurmd is gone, or slurmctld did not answer for a long time. */
static bool publish_node(int slurmd, const char *node_name,
			 const struct tb_published *published)
{
	int seconds = 1;

	for (int i = 0; i < TRIES; i++) {
		if (publish_once(node_name, published) == 0) {
			info("topobind: node %s publishes %s", node_name,
			     published->topology != NULL ? published->topology
							 : published->os_cpus);
			return true;
		}
		if (tb_helper_wait(slurmd, -1, seconds * 1000))
			return false;
		if (seconds * 2 <= LONGEST_PAUSE_S)
			seconds *= 2;
		else
			seconds = LONGEST_PAUSE_S;
	}
	error("topobind: the topology of node %s could not be published: "
	      "slurmctld did not answer or refused; restart slurmd when it "
	      "does",
	      node_name);
	return false;
}

static bool is_same(const char *left, const char *right)
{
	if (left == NULL || right == NULL)
		return left == right;
	return strcmp(left, right) == 0;
}

/* What is published stays where nothing is known.  Takes over lost. */
static void publish_lost(const char *node_name, struct tb_published *published,
			 char *lost)
{
	char *before = published->lost;

	published->lost = lost;
	if (publish_once(node_name, published) < 0) {
		published->lost = before;
		free(lost);
		return;
	}
	free(before);
	if (lost != NULL)
		info("topobind: node %s has lost CPUs, in lower case, and offers no units with them: %s",
		     node_name, lost);
	else
		info("topobind: node %s has all its CPUs again", node_name);
}

/* A partition beside it takes CPUs from a cgroup without writing to it: look. */
static void watch_lost(int slurmd, const char *node_name,
		       const struct tb_machine *machine,
		       struct tb_published *published)
{
	struct tb_error err;
	char *lost;

	while (!tb_helper_wait(slurmd, -1, LOOK_MS)) {
		if (tb_lost_cpus_find(machine, &lost, &err) < 0)
			continue;
		if (is_same(lost, published->lost))
			free(lost);
		else
			publish_lost(node_name, published, lost);
	}
}

/* Can jobs have CPUs for themselves alone?  As the cgroup of Slurm's is, theirs are. */
static const char *find_isolates(void)
{
	char *cgroup = tb_daemon_cpuset();
	const char *isolates = NULL;

	if (cgroup != NULL)
		isolates = tb_partition_check(cgroup, NULL) == 0 ? "yes" : "no";
	free(cgroup);
	return isolates;
}

struct task {
	const char *node_name;
	const struct tb_machine *machine;
	const struct tb_published *published;
};

static void publish_task(int slurmd, const void *what)
{
	const struct task *task = what;
	struct tb_published published = *task->published;
	struct tb_error err;

	if (tb_lost_cpus_find(task->machine, &published.lost, &err) < 0)
		error("topobind: node %s does not see whether it loses CPUs: %s",
		      task->node_name, err.text);
	else
		published.isolates = find_isolates();
	if (publish_node(slurmd, task->node_name, &published))
		watch_lost(slurmd, task->node_name, task->machine, &published);
	free(published.lost);
}

void tb_publish_start(const char *node_name, const struct tb_machine *machine,
		      const struct tb_published *published)
{
	const struct task task = { node_name, machine, published };
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
