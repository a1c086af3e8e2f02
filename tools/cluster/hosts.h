/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hosts.h - Slurm's node lists, "n[1-3,5]"
 */
#ifndef TB_TOOLS_CLUSTER_HOSTS_H
#define TB_TOOLS_CLUSTER_HOSTS_H

#include <jansson.h>

#include "compat/slurm_types.h"
#include "core/base/error.h"

struct tb_hosts;

/* Of Slurm's own kind, as text; malloc()ed.  NULL: out of memory. */
char *tb_hostlist_print(tb_hostlist_t nodes);

/*
 * The names of an option's value behind those of *nodes (NULL: none).  -1 with a
 * sentence.
 */
int tb_hostlist_take(tb_hostlist_t *nodes, const char *value,
		     struct tb_error *err);

/* Every name once, sorted.  NULL when the list cannot be read. */
struct tb_hosts *tb_hosts_create(const char *list);
void tb_hosts_destroy(struct tb_hosts *hosts); /* NULL is fine */

/* Take the next name off the list; malloc()ed, NULL at the end. */
char *tb_hosts_next(struct tb_hosts *hosts);

/* One name more, and all of them as a list; malloc()ed, NULL: no memory. */
void tb_hosts_add(struct tb_hosts *hosts, const char *name);
char *tb_hosts_print(struct tb_hosts *hosts);

/*
 * The names of a list as an array; what cannot be read is one name.  NULL: there is
 * no list.
 */
json_t *tb_hosts_to_json(const char *list);

#endif
