/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * read_compact.h - the compact form of a topology string: NSXYCTTYCTTYEEYEE
 *
 * Private to lib/core.
 */
#ifndef TB_CORE_TOPOLOGY_READ_COMPACT_H
#define TB_CORE_TOPOLOGY_READ_COMPACT_H

#include "reader.h"

/*
 * Read a whole string.  Its letters must be valid ones.  Leaves every object
 * closed.  -1 with a sentence on error.
 */
int tb_read_compact(struct tb_reader *reader, const char *text,
		    struct tb_error *err);

#endif
