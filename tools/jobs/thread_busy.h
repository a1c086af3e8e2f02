/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * thread_busy.h - how busy each thread of this machine is, whoever uses it
 */
#ifndef TB_TOOLS_JOBS_THREAD_BUSY_H
#define TB_TOOLS_JOBS_THREAD_BUSY_H

#include "hwloc/machine.h"

/*
 * Look so many seconds: by thread of the machine 0 never, 1 always.  The caller frees;
 * NULL with a sentence.
 */
double *tb_thread_busy_measure(const struct tb_machine *machine,
			       unsigned seconds, struct tb_error *err);

#endif
