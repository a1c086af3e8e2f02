/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * socket_cores.h - threads as the "socket:core" lists of host and rank files
 *
 * Sockets are numbered from 0 in the order of the string, cores from 0 inside
 * each socket, power and efficiency cores alike.  Of S objects inside each other
 * the outermost is the socket.  Neighbours outside every S, such as all cores of a
 * node without S, count as one socket.  A core is listed when it has one of the
 * threads: this form cannot name single threads.
 */
#ifndef TB_CORE_TOPOLOGY_SOCKET_CORES_H
#define TB_CORE_TOPOLOGY_SOCKET_CORES_H

#include "core/base/bitset.h"
#include "topology.h"

enum tb_socket_cores_form {
	TB_CORES_EACH, /* "0:0,0:1,1:0" */
	TB_CORES_RUNS, /* "0:0-1,1:0" */
};

/*
 * The list of some threads, as seen from a process that may use only the
 * threads in visible (NULL: all of the node): sockets and cores without any of
 * those do not count.  "" for no threads.  malloc()ed, NULL when out of memory.
 */
char *tb_socket_cores_print(const struct tb_topology *topology,
			    const struct tb_bitset *visible,
			    const struct tb_bitset *threads,
			    enum tb_socket_cores_form form);

#endif
