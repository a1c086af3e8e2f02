/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * number_rows.h - rows of numbers as text: "10,21;21,10", or one row: "64214,64508"
 *
 * Private to lib/core: distances.h and numa_memory.h say what the numbers are.  ';'
 * separates rows, ',' the decimal numbers in them.
 */
#ifndef TB_CORE_TOPOLOGY_NUMBER_ROWS_H
#define TB_CORE_TOPOLOGY_NUMBER_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/error.h"

/* What such a text is like. */
struct tb_number_rows {
	size_t rows, columns; /* none is 0 */
	uint64_t most;	      /* that a number can be */
	size_t text_max;      /* of a text that is printed, in bytes */
};

/*
 * The numbers, row by row, which the caller frees.  NULL: the text is anything else,
 * and err is as it was; or with a sentence: out of memory, and then *failed is true.
 */
uint64_t *tb_number_rows_parse(const char *text,
			       const struct tb_number_rows *rows, bool *failed,
			       struct tb_error *err);

/*
 * The text, which the caller frees.  NULL: it would be too long, or a number is too
 * large, and err is as it was; or with a sentence: out of memory, and then *failed is
 * true.
 */
char *tb_number_rows_print(const uint64_t *numbers,
			   const struct tb_number_rows *rows, bool *failed,
			   struct tb_error *err);

#endif
