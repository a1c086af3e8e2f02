/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tree.h - what is in a cgroup and below, without libcgroup
 *
 * For questions that are asked often: libcgroup reads the mount table first, which
 * takes a millisecond.
 */
#ifndef TB_CGROUP_TREE_H
#define TB_CGROUP_TREE_H

#include <stdbool.h>

/*
 * Is there a process in the cgroup, a directory, or in one below it?  False when
 * there is no such directory.
 */
bool tb_cgroup_tree_is_busy(const char *directory);

#endif
