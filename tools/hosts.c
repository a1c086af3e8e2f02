/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hosts.c - see hosts.h */
#include <stdlib.h>

#include "hosts.h"

#include "compat/slurm_types.h"

struct tb_hosts {
	tb_hostlist_t list;
};

struct tb_hosts *tb_hosts_create(const char *list)
{
	struct tb_hosts *hosts = calloc(1, sizeof(*hosts));

	if (!hosts)
		return NULL;
	hosts->list = slurm_hostlist_create(list);
	if (!hosts->list) {
		free(hosts);
		return NULL;
	}
	slurm_hostlist_uniq(hosts->list);
	return hosts;
}

void tb_hosts_destroy(struct tb_hosts *hosts)
{
	if (hosts)
		slurm_hostlist_destroy(hosts->list);
	free(hosts);
}

char *tb_hosts_next(struct tb_hosts *hosts)
{
	return slurm_hostlist_shift(hosts->list);
}
