/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * publish.h - slurmd tells the controller the topology of its node
 *
 * As the token m_topology= in the node's Extra field (common/node_extra.h).
 */
#ifndef TB_TASK_PUBLISH_H
#define TB_TASK_PUBLISH_H

/*
 * Start a helper process that publishes, and tries again for some minutes while
 * the controller is not there.  It ends by itself, or with slurmd.
 *
 * A process and not a thread, because Slurm calls a task plugin's init() before
 * slurmd becomes a daemon, and threads do not survive that.  It also keeps
 * slurmd's start from waiting.
 */
void tb_publish_start(const char *node_name, const char *topology);

/* slurmd is about to end: so does the helper, if it still runs. */
void tb_publish_stop(void);

#endif
