/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hosts.c - see hosts.h */
#include <stdlib.h>

#include "hosts.h"

struct tb_hosts {
	tb_hostlist_t list;
};

char *tb_hostlist_print(tb_hostlist_t nodes)
{
	size_t size = 128;
	char *text = NULL, *larger;

	do {
		size *= 2;
		larger = realloc(text, size);
		if (!larger) {
			free(text);
			return NULL;
		}
		text = larger;
	} while (slurm_hostlist_ranged_string(nodes, size, text) < 0);
	return text;
}

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

void tb_hosts_add(struct tb_hosts *hosts, const char *name)
{
	slurm_hostlist_push_host(hosts->list, name);
}

char *tb_hosts_print(struct tb_hosts *hosts)
{
	slurm_hostlist_uniq(hosts->list);
	return tb_hostlist_print(hosts->list);
}

int tb_hostlist_take(tb_hostlist_t *nodes, const char *value,
		     struct tb_error *err)
{
	struct tb_hosts *hosts = tb_hosts_create(value);
	char *name;

	if (!*nodes)
		*nodes = slurm_hostlist_create("");
	if (!hosts || !*nodes) {
		tb_hosts_destroy(hosts);
		return tb_fail(
			err,
			"\"%.100s\" is not a list of nodes, write for example n1,n[3-5]",
			value);
	}
	while ((name = tb_hosts_next(hosts))) {
		slurm_hostlist_push_host(*nodes, name);
		free(name);
	}
	tb_hosts_destroy(hosts);
	return 0;
}

json_t *tb_hosts_to_json(const char *list)
{
	struct tb_hosts *hosts = list ? tb_hosts_create(list) : NULL;
	json_t *names = list ? json_array() : NULL;
	char *name;

	while (hosts && (name = tb_hosts_next(hosts))) {
		json_array_append_new(names, json_string(name));
		free(name);
	}
	if (list && !json_array_size(names))
		json_array_append_new(names, json_string(list));
	tb_hosts_destroy(hosts);
	return names;
}
