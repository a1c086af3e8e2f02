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

struct tb_registry *tb_soft_node_open(const char *command, const char *node)
{
	struct tb_registry *registry;
	struct tb_error err;
	char *spool;

	tb_slurm_begin(command);
	spool = find_spool_directory(node);
	tb_slurm_end();
	if (!spool) {
		tb_command_fail(command, "out of memory");
		return NULL;
	}
	registry = tb_registry_find(spool, &err);
	if (!registry)
		tb_command_fail(command,
				"%s; is this the node (--node), and are you root?",
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
