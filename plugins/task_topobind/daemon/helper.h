/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * helper.h - a process beside slurmd, which ends when slurmd does
 *
 * A thread would be gone when slurmd becomes a daemon, which it does after it
 * has started its plugins.
 */
#ifndef TB_TASK_TOPOBIND_DAEMON_HELPER_H
#define TB_TASK_TOPOBIND_DAEMON_HELPER_H

#include <stdbool.h>

#include "core/base/error.h"

/* Both in the helper: slurmd is a descriptor that shows when slurmd is gone. */
typedef void tb_helper_run_t(int slurmd, const void *what);
/*
 * Wait for input, of another descriptor if any (-1), so many milliseconds (-1:
 * for ever).  True when slurmd is gone.
 */
bool tb_helper_wait(int slurmd, int other, int milliseconds);

/*
 * Run it in a process of its own; what is the caller's.  slurmd's end of a
 * pipe, which it closes to end the helper; -1 with a sentence.
 */
int tb_helper_start(tb_helper_run_t *run, const void *what,
		    struct tb_error *err);

#endif
