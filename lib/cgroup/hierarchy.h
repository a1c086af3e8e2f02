/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hierarchy.h - the hierarchies of cgroups, and the files of cgroups in them
 *
 * One of two is compiled: hierarchy_libcgroup.c, or, for distributions that have
 * dropped libcgroup, hierarchy_files.c, which writes the kernel's files itself
 * (configure --without-libcgroup).  The same tests are for both.
 *
 * path is that of a cgroup from the root of the controller's hierarchy.  What can
 * fail returns NULL when it is done, or why not: words that stay until the next call.
 *
 * Not thread safe.
 */
#ifndef TB_CGROUP_HIERARCHY_H
#define TB_CGROUP_HIERARCHY_H

#include <stddef.h>

/* Read which hierarchies there are.  Before all others, and again at will. */
const char *tb_hierarchy_begin(void);

/* Where a controller is mounted, with v1 or v2; the caller frees. */
const char *tb_hierarchy_mount(const char *controller, char **mount);

/* The mount of each controller; some are the same.  Until the function returns < 0. */
void tb_hierarchy_each(int (*visit)(void *data, const char *mount), void *data);

/*
 * Make a cgroup of root's, whose parent is there; it may be there, too.  With v2
 * the parents give it the controller.
 */
const char *tb_hierarchy_make(const char *controller, const char *path);

const char *tb_hierarchy_write(const char *controller, const char *path,
			       const char *file, const char *text);
/* The first line, with its end or cut off, of a file that may be empty. */
const char *tb_hierarchy_read(const char *controller, const char *path,
			      const char *file, char *text, size_t size);

#endif
