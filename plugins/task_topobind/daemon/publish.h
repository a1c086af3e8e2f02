/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * publish.h - slurmd tells the controller what its node has
 *
 * In tokens of the node's Extra field (common/node/node_extra.h).
 */
#ifndef TB_TASK_TOPOBIND_DAEMON_PUBLISH_H
#define TB_TASK_TOPOBIND_DAEMON_PUBLISH_H

#include "hwloc/machine.h"

struct tb_published {
	const char *topology;  /* NULL: only the numbers, the rest stays */
	const char *distances; /* between its NUMA nodes; NULL: none to tell */
	const char *memory;    /* of its NUMA nodes; NULL: not known */
	/* Free MiB of huge pages, likewise, as it starts; NULL: none set aside. */
	const char *hugepages;
	const char *os_cpus; /* the OS number of each thread; NULL: not told */
	const char *gpu_memory; /* OS nodes that are that of a GPU; NULL: none */
	const char *isolates;	/* of the helper: yes or no; NULL: not known */
	const char *speed;	/* in MHz; NULL: not known */
	char *lost; /* of the helper: CPUs that it lost (lost_cpus.h); NULL: none */
};

/*
 * Start a helper process that publishes, and tries again for some minutes while
 * the controller is not there.  From then on it looks whether the machine loses CPUs,
 * or gets them back, and publishes that.  It ends with slurmd.
 *
 * A process and not a thread, because Slurm calls a task plugin's init() before
 * slurmd becomes a daemon, and threads do not survive that.  It also keeps
 * slurmd's start from waiting.
 */
void tb_publish_start(const char *node_name, const struct tb_machine *machine,
		      const struct tb_published *published);

/* slurmd is about to end: so does the helper. */
void tb_publish_stop(void);

#endif
