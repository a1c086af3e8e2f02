/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * read_structured.h - the structured form of a topology string: (S(C(T)(T)))
 *
 * Private to lib/core.
 */
#ifndef TB_CORE_TOPOLOGY_READ_STRUCTURED_H
#define TB_CORE_TOPOLOGY_READ_STRUCTURED_H

#include "reader.h"

/*
 * Read a whole string.  Its letters must be valid ones.  Leaves every object
 * closed.  -1 with a sentence on error.
 */
int tb_read_structured(struct tb_reader *reader, const char *text,
		       struct tb_error *err);

#endif
