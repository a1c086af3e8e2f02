/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conf_lines.h - the lines of a machine for slurm.conf and topobind.conf
 */
#ifndef TB_TOOLS_CONF_CONF_LINES_H
#define TB_TOOLS_CONF_CONF_LINES_H

#include <jansson.h>
#include <stdbool.h>

#include "hwloc/machine.h"

/* What slurm.conf has to say of a node. */
struct tb_conf_numbers {
	unsigned sockets, cores, threads; /* of it, a socket, a core */
	bool by_thread; /* each hardware thread is a core for Slurm */
};

/*
 * Threads are counted as cores where the cores are not alike, or where by_thread
 * asks for it.  Slurm's sockets are the objects of this letter, S where slurm.conf
 * says nothing else; those that are not alike are one.
 */
struct tb_conf_numbers tb_conf_numbers_of(const struct tb_topology *topology,
					  char socket, bool by_thread);

struct tb_conf_lines {
	const char *node; /* its name */
	struct tb_conf_numbers numbers;
	unsigned long memory; /* MB; 0: not known */
	const char *topology;
	char *distances; /* NULL: none, or not worth a word */
	unsigned speed;	 /* MHz; 0: not known */
};

/* The machine must outlive the lines. */
void tb_conf_lines_make(struct tb_conf_lines *lines,
			const struct tb_machine *machine, bool by_thread);
void tb_conf_lines_clear(struct tb_conf_lines *lines);

void tb_conf_lines_print(const struct tb_conf_lines *lines);
json_t *tb_conf_lines_json(const struct tb_conf_lines *lines);

#endif
