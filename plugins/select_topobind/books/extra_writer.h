/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * extra_writer.h - a node's topology, and what of it is in use, in its Extra field
 *
 * It writes the tokens m_topology=, m_distances= and m_speed= (where known) and
 * m_topology_inuse= and so on (common/node/node_extra.h), and keeps what others wrote
 * there.  Called with slurmctld's write lock on nodes.
 */
#ifndef TB_SELECT_TOPOBIND_BOOKS_EXTRA_WRITER_H
#define TB_SELECT_TOPOBIND_BOOKS_EXTRA_WRITER_H

#include <stdbool.h>
#include <stdint.h>

#include "common/conf/conf.h"
#include "compat/select_compat.h"

/* Nothing is written yet; sized for the present node table. */
void tb_extra_writer_reset(const struct tb_conf *conf);
void tb_extra_writer_fini(void);

void tb_extra_write(uint32_t node);
/* What reservations have of all nodes, when any of these has changed. */
void tb_extra_write_reserved(void);
/* Of all nodes of the job's allocation. */
void tb_extra_write_nodes_of(const job_record_t *job);
/*
 * Write again where somebody has changed the tokens, or a node its topology, of a
 * thousand such nodes at most: when all come up at once, slurmctld is not locked for as
 * long as all of them take.  False: there can be more; call it again soon.
 */
bool tb_extra_restore_some(void);
/* For it, what is written of the job's nodes is not true any more.  Writes no node. */
void tb_extra_is_outdated(const job_record_t *job);

#endif
