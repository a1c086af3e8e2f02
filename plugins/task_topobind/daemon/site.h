/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * site.h - topobind.conf as a node reads it
 *
 * slurmctld keeps its configuration when the file becomes wrong; so does a
 * node, for which each step is a new process: the last file that was right is
 * kept as a copy in slurmd's spool directory.
 */
#ifndef TB_TASK_TOPOBIND_DAEMON_SITE_H
#define TB_TASK_TOPOBIND_DAEMON_SITE_H

#include "common/conf/conf.h"

/*
 * The configuration; copy is the path of the copy, in a directory that only
 * root can write to.  NULL with a sentence in err when the file is wrong and
 * there is no copy.  The caller destroys.
 */
struct tb_conf *tb_site_load(const char *copy, struct tb_error *err);

/*
 * For who runs on: the file may change.  Of files that it includes a change is not
 * seen.  NULL: out of memory.
 */
struct tb_site_watch;
struct tb_site_watch *tb_site_watch_create(const char *copy);
void tb_site_watch_destroy(struct tb_site_watch *watch); /* NULL is fine */
/*
 * The configuration, as tb_site_load() says, when the file has changed since the last
 * call, and at the first one; NULL: it has not, or nothing can be read.  The caller
 * destroys.
 */
struct tb_conf *tb_site_watch_load(struct tb_site_watch *watch);

#endif
