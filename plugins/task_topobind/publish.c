/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "task_topobind/publish.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/common/slurm_xlator.h"

#include "slurm/slurm.h"
#include "src/common/log.h"

#include "common/node_extra.h"

/* 1, 2, 4, ... seconds apart, at most 30: about twelve minutes in all. */
#define TRIES 28
#define LONGEST_PAUSE_S 30

/* slurmd's end of a pipe; when slurmd is gone the helper sees it closed. */
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

	extra = set_token(extra, TB_EXTRA_TOPOLOGY, published->topology);
	extra = set_token(extra, TB_EXTRA_DISTANCES, published->distances);
	extra = set_token(extra, TB_EXTRA_SPEED, published->speed);
	if (extra != NULL)
		rc = old_extra != NULL && strcmp(extra, old_extra) == 0 ? 0 :
			update_extra(node_name, extra);
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

/* True when slurmd has gone during the pause. */
static bool pause_or_end(int slurmd, int seconds)
{
	struct pollfd fd = { .fd = slurmd };

	return poll(&fd, 1, seconds * 1000) > 0;
}

static void publish(int slurmd, const char *node_name,
		    const struct tb_published *published)
{
	int seconds = 1;

	for (int i = 0; i < TRIES; i++) {
		if (publish_once(node_name, published) == 0) {
			info("topobind: node %s publishes %s", node_name,
			     published->topology);
			return;
		}
		if (pause_or_end(slurmd, seconds))
			return;
		if (seconds * 2 <= LONGEST_PAUSE_S)
			seconds *= 2;
		else
			seconds = LONGEST_PAUSE_S;
	}
	error("topobind: the topology of node %s could not be published: "
	      "slurmctld did not answer or refused; restart slurmd when it "
	      "does", node_name);
}

/* Who started slurmd may wait for its output to end. */
static void close_output(void)
{
	int null = open("/dev/null", O_RDWR);

	if (null < 0)
		return;
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		dup2(null, fd);
	if (null > STDERR_FILENO)
		close(null);
}

static void become_helper(void)
{
	sigset_t none;

	close_output();
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGTERM, SIG_DFL);
	signal(SIGINT, SIG_DFL);
	signal(SIGHUP, SIG_DFL);
	prctl(PR_SET_NAME, "topobind");
	setsid();
}

void tb_publish_start(const char *node_name,
		      const struct tb_published *published)
{
	int ends[2];
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC) < 0) {
		error("topobind: no pipe for the publishing process: %s",
		      strerror(errno));
		return;
	}
	pid = fork();
	if (pid == 0) {
		close(ends[1]);
		/* A child of init needs nobody to wait for it. */
		if (fork() == 0) {
			become_helper();
			publish(ends[0], node_name, published);
		}
		_exit(0);
	}
	close(ends[0]);
	if (pid < 0)
		error("topobind: no process for publishing: %s",
		      strerror(errno));
	else
		waitpid(pid, NULL, 0);
	tb_publish_stop();
	slurmds_end = ends[1];
}

void tb_publish_stop(void)
{
	if (slurmds_end >= 0)
		close(slurmds_end);
	slurmds_end = -1;
}
