/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * publish_nodes.c - what the slurmds of many nodes ask slurmctld for when they start with
 * topobind: a client of libslurm
 *
 *	publish_nodes THREADS
 *
 * A line of stdin is "NODE TEXT".  As task_topobind/daemon/publish.c does, each node reads
 * its record, and writes the text into its Extra field, unless it is there.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>

#define THREADS_MAX 64

static pthread_mutex_t reading = PTHREAD_MUTEX_INITIALIZER;

static int write_text(char *name, char *text)
{
	update_node_msg_t update;

	slurm_init_update_node_msg(&update);
	update.node_names = name;
	update.extra = text;
	return slurm_update_node(&update);
}

static int publish(char *name, char *text)
{
	node_info_msg_t *nodes = NULL;
	const char *extra;
	int rc = SLURM_SUCCESS;

	if (slurm_load_node_single(&nodes, name, SHOW_DETAIL))
		return SLURM_ERROR;
	extra = nodes->record_count ? nodes->node_array[0].extra : NULL;
	if (!extra || !strstr(extra, text))
		rc = write_text(name, text);
	slurm_free_node_info_msg(nodes);
	return rc;
}

static bool read_line(char **line, size_t *size)
{
	ssize_t length;

	pthread_mutex_lock(&reading);
	length = getline(line, size, stdin);
	pthread_mutex_unlock(&reading);
	if (length > 0 && (*line)[length - 1] == '\n')
		(*line)[length - 1] = '\0';
	return length > 0;
}

static void *publish_lines(void *unused)
{
	char *line = NULL;
	size_t size = 0;

	(void)unused;
	while (read_line(&line, &size)) {
		char *text = strchr(line, ' ');

		if (!text)
			continue;
		*text++ = '\0';
		if (publish(line, text)) {
			slurm_perror(line);
			exit(1);
		}
	}
	free(line);
	return NULL;
}

int main(int argc, char **argv)
{
	int count = argc == 2 ? atoi(argv[1]) : 0;
	pthread_t threads[THREADS_MAX];

	if (count < 1 || count > THREADS_MAX) {
		fprintf(stderr, "usage: publish_nodes THREADS <LINES\n");
		return 2;
	}
	slurm_init(NULL);
	for (int i = 0; i < count; i++)
		if (pthread_create(&threads[i], NULL, publish_lines, NULL))
			return 1;
	for (int i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	slurm_fini();
	return 0;
}
