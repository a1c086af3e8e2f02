/* SPDX-License-Identifier: GPL-2.0-or-later */
/* soft_node.c - see soft_node.h */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compat/slurm_types.h"

#include "command.h"
#include "cluster/slurm_library.h"
#include "soft_node.h"
#include "terminal/text_stream.h"

/* What libslurm has read of slurm.conf. */
extern slurm_conf_t slurm_conf;

/* As slurmd does: %n is the node, %h the host, nothing else means more. */
static void expand_names(FILE *out, const char *text, const char *node,
			 const char *host)
{
	while (*text)
		if (!strncmp(text, "%n", 2)) {
			fputs(node, out);
			text += 2;
		} else if (!strncmp(text, "%h", 2)) {
			fputs(host, out);
			text += 2;
		} else {
			fputc(*text++, out);
		}
}

static char *find_spool_directory(const char *node)
{
	char host[256], *path = NULL;
	size_t size;
	FILE *out;

	if (gethostname(host, sizeof(host)) < 0)
		return NULL;
	host[sizeof(host) - 1] = '\0';
	host[strcspn(host, ".")] = '\0';
	out = open_memstream(&path, &size);
	if (!out)
		return NULL;
	expand_names(out, slurm_conf.slurmd_spooldir, node ? node : host, host);
	return tb_text_stream_close(out, &path);
}

char *tb_soft_node_spool(const char *command, const char *node)
{
	char *spool;

	tb_slurm_begin(command);
	spool = find_spool_directory(node);
	tb_slurm_end();
	if (!spool)
		tb_command_fail(command, "out of memory");
	return spool;
}

char *tb_soft_cpus_now(pid_t pid)
{
	static const char key[] = "Cpus_allowed_list:\t";
	char path[40], *line = NULL, *list = NULL;
	size_t size = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	file = fopen(path, "re");
	while (!list && file && getline(&line, &size, file) > 0)
		if (!strncmp(line, key, strlen(key)))
			list = strndup(line + strlen(key),
				       strcspn(line + strlen(key), "\n"));
	free(line);
	if (file)
		fclose(file);
	return list;
}

struct tb_registry *tb_soft_node_open(const char *command, const char *node)
{
	char *spool = tb_soft_node_spool(command, node);
	struct tb_registry *registry;
	struct tb_error err;

	if (!spool)
		return NULL;
	registry = tb_registry_find(spool, &err);
	if (!registry)
		tb_command_fail(
			command,
			"%s; is this the node (--node), and are you root?  A user can say \"topobind soft status JOB\" anywhere",
			err.text);
	free(spool);
	return registry;
}

int tb_soft_node_each(struct tb_registry *registry, enum tb_soft_access access,
		      int (*visit)(struct tb_soft_state *state, bool alive,
				   void *data),
		      void *data)
{
	int rc;

	if (tb_registry_lock(registry, NULL))
		return -1;
	rc = tb_soft_each(registry, access, visit, data);
	tb_registry_unlock(registry);
	return rc;
}

void tb_soft_step_name(const struct tb_soft_state *state,
		       char name[TB_STEP_NAME_SIZE])
{
	if (state->step == SLURM_BATCH_SCRIPT)
		snprintf(name, TB_STEP_NAME_SIZE, "%u.batch", state->job);
	else if (state->step == SLURM_INTERACTIVE_STEP)
		snprintf(name, TB_STEP_NAME_SIZE, "%u.interactive", state->job);
	else
		snprintf(name, TB_STEP_NAME_SIZE, "%u.%u", state->job,
			 state->step);
}
