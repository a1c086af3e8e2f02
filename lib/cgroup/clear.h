/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * clear.h - end what is in a cgroup and below, and remove it
 *
 * Works on directories, of v1 and v2, and goes from one to the next by descriptors,
 * so that nobody can lead it elsewhere.  Users may have made what is to go: any
 * number of directories, at any depth, each of which is root's before it is looked
 * at.  Processes are ended where they are; none is moved.
 */
#ifndef TB_CGROUP_CLEAR_H
#define TB_CGROUP_CLEAR_H

#include <stdbool.h>
#include <time.h>

#include "core/base/error.h"

/* A time of CLOCK_MONOTONIC, so many milliseconds from now. */
struct timespec tb_clear_until(unsigned milliseconds);
bool tb_clear_is_over(const struct timespec *until);
/* A millisecond, before what did not work is tried again. */
void tb_clear_pause(void);

/*
 * Kill every process but the caller in the cgroup, a directory, and below, and
 * remove it with all below, trying again until the time has come.  What has the
 * caller in it stays, without the others.  0, also when nothing is there; -1 with
 * a sentence when something else is left.
 */
int tb_clear(const char *directory, const struct timespec *until,
	     struct tb_error *err);

/*
 * The same for what is below an open directory: for all, or only for cgroups that
 * others than root have made.  True when nothing of it is left.
 */
bool tb_clear_below(int directory, bool all, const struct timespec *until);

/* Has somebody else than root made this cgroup? */
bool tb_is_foreign(int parent, const char *name);

/* Give a cgroup to root, with its files if those are another's.  -1 with errno. */
int tb_give_to_root(int directory);

#endif
