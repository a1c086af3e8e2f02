/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * node_extra.h - topobind's tokens in a node's Extra field
 *
 * The field is a site's own text; topobind keeps "name=value" tokens in it,
 * separated from the rest by blanks: what the node publishes, m_topology= with
 * m_distances= (core/topology/distances.h), m_memory= and m_hugepages=
 * (core/topology/numa_memory.h), m_oscpus= (core/topology/os_cpus.h), m_gpu_memory= (a
 * list of OS nodes that are the memory of a GPU), m_isolates= (yes or no: can jobs have
 * CPUs for themselves alone there) and m_speed= (MHz) where they are known, while CPUs are
 * lost m_topology_lost= (task_topobind/daemon/lost_cpus.h; these in lower case), and
 * m_topology_inuse= and, where memory is counted, m_memory_inuse= (kept by the
 * controller; used units in lower case, used MiB of each NUMA node), and m_filter=,
 * where topobind.conf has a filter for the node (masked units in lower case), and
 * m_topology_reserved=, where reservations have some of it (these in lower case), and
 * m_devices= (core/topology/device_places.h), where some cores only are near a device.
 * The controller writes them again when somebody has overwritten them, and what
 * topobind.conf says instead of what the node says.  All other text in the field
 * stays (doc/design.md, "Display").  Where the field is a JSON object the tokens are
 * members of it (extra_json.h).
 */
#ifndef TB_COMMON_NODE_NODE_EXTRA_H
#define TB_COMMON_NODE_NODE_EXTRA_H

#include <stdbool.h>
#include <stddef.h>

#define TB_EXTRA_TOPOLOGY "m_topology"
#define TB_EXTRA_DISTANCES "m_distances"
#define TB_EXTRA_MEMORY "m_memory"
#define TB_EXTRA_HUGEPAGES "m_hugepages"
#define TB_EXTRA_OS_CPUS "m_oscpus"
#define TB_EXTRA_GPU_MEMORY "m_gpu_memory"
#define TB_EXTRA_ISOLATES "m_isolates"
#define TB_EXTRA_SPEED "m_speed"
#define TB_EXTRA_INUSE "m_topology_inuse"
#define TB_EXTRA_MEMORY_INUSE "m_memory_inuse"
#define TB_EXTRA_FILTER "m_filter"
#define TB_EXTRA_RESERVED "m_topology_reserved"
#define TB_EXTRA_DEVICES "m_devices"
#define TB_EXTRA_LOST "m_topology_lost"

/*
 * The value of a token and its length; NULL when extra (may be NULL) has none.
 * Points into extra.
 */
const char *tb_extra_find(const char *extra, const char *name, size_t *length);

/* Does extra hold exactly this value for the token? */
bool tb_extra_has(const char *extra, const char *name, const char *value);

/*
 * A copy of extra with the token set to value; a NULL value removes the token.
 * as_json: what is added makes a JSON object of the field, with its words as
 * members.  malloc()ed; NULL when out of memory.
 */
char *tb_extra_with(const char *extra, const char *name, const char *value,
		    bool as_json);

#endif
