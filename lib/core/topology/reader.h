/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reader.h - a topology while its string is read
 *
 * Private to lib/core.  The compact and the structured form differ in how they
 * say where an object ends.  Both open, close and number objects in the same
 * way, which is here.
 */
#ifndef TB_CORE_TOPOLOGY_READER_H
#define TB_CORE_TOPOLOGY_READER_H

#include "tree.h"

struct tb_reader {
	struct tb_topology *topology;
	struct tb_bitset *lower;	 /* threads; as many bits as letters */
	uint32_t open[TB_DEPTH_MAX + 1]; /* tree nodes; open[0] is the root */
	bool open_lower[TB_DEPTH_MAX + 1];
	uint32_t depth;		    /* how many are open besides the root */
	uint32_t begun[TB_CLASSES]; /* objects so far */
};

/* The letter of the innermost open object; '\0' for the root. */
char tb_reader_letter(const struct tb_reader *reader);

/*
 * Open an object, other than a thread, in the innermost open one.  column is
 * the position of its letter, for the message when it is nested too deeply.
 */
int tb_reader_open(struct tb_reader *reader, char letter, size_t column,
		   struct tb_error *err);
void tb_reader_add_thread(struct tb_reader *reader, bool lower);
void tb_reader_close(struct tb_reader *reader);
/* Does the innermost open object, a core, have a thread? */
bool tb_reader_has_thread(const struct tb_reader *reader);

/*
 * After the last object: make the tables of the topology.  -1 when out of
 * memory.
 */
int tb_reader_finish(struct tb_reader *reader, struct tb_error *err);

#endif
