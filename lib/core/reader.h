/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reader.h - a topology while its string is read
 *
 * Private to lib/core.  The two forms differ in how they say where an object
 * ends; opening, closing and numbering are the same.
 */
#ifndef TB_CORE_READER_H
#define TB_CORE_READER_H

#include "tree.h"

struct tb_reader {
	struct tb_topology *topology;
	struct tb_bitset *lower; /* threads; as many bits as letters */
	uint32_t open[TB_DEPTH_MAX + 1]; /* nodes, open[0] is the root */
	bool open_lower[TB_DEPTH_MAX + 1];
	uint32_t depth;          /* how many are open besides the root */
	uint32_t begun[TB_CLASSES]; /* objects so far */
};

static inline bool tb_is_lower(char c)
{
	return c >= 'a' && c <= 'z';
}

static inline char tb_upper(char c)
{
	return tb_is_lower(c) ? (char)(c - 'a' + 'A') : c;
}

/* The innermost open object; the root has no letter. */
static inline char tb_reader_letter(const struct tb_reader *reader)
{
	return reader->topology->nodes[reader->open[reader->depth]].letter;
}

/*
 * Open an object below the innermost open one: not for threads.  column is
 * that of the letter, for the message when it is nested too deeply.
 */
int tb_reader_open(struct tb_reader *reader, char letter, size_t column,
		   struct tb_error *err);
void tb_reader_thread(struct tb_reader *reader, bool lower);
void tb_reader_close(struct tb_reader *reader);
/* Does the innermost open object, a core, have a thread? */
bool tb_reader_has_thread(const struct tb_reader *reader);

/*
 * Read a whole string.  The letters are known to be valid ones; leaves every
 * object closed.
 */
int tb_read_compact(struct tb_reader *reader, const char *text,
		    struct tb_error *err);
int tb_read_structured(struct tb_reader *reader, const char *text,
		       struct tb_error *err);

#endif
