/* SPDX-License-Identifier: GPL-2.0-or-later */
/* conf_here.c - see conf_here.h */
#define _GNU_SOURCE /* asprintf */
#include "conf_here.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compat/slurm_compat.h"

#include "src/common/read_config.h"

#include "common/conf/conf.h"
#include "running_conf.h"

char *tb_beside_slurm_conf(const char *name)
{
	const char *slash = strrchr(slurm_conf.slurm_conf, '/');
	int length = slash ? (int)(slash - slurm_conf.slurm_conf) : 1;
	char *path;

	return asprintf(&path, "%.*s/%s", length,
			slash ? slurm_conf.slurm_conf : ".", name) < 0
		       ? NULL
		       : path;
}

static struct tb_conf *read_file_here(struct tb_error *err)
{
	char *path = tb_beside_slurm_conf(TB_CONF_FILE);
	struct tb_conf *loaded = NULL;

	if (path)
		loaded = tb_conf_read(path, err);
	else
		tb_fail(err, "out of memory");
	free(path);
	return loaded;
}

struct tb_conf *tb_conf_here(struct tb_error *err)
{
	struct tb_running_conf *running = tb_running_conf_load(NULL);
	struct tb_conf *loaded = running ? tb_running_conf_read(running, NULL)
					 : NULL;

	tb_running_conf_destroy(running);
	return loaded ? loaded : read_file_here(err);
}
