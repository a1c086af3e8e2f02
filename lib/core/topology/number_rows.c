/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "number_rows.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"

/* What follows the i-th number. */
static char get_separator(const struct tb_number_rows *rows, size_t i)
{
	if (i + 1 == rows->rows * rows->columns)
		return '\0';
	return (i + 1) % rows->columns != 0 ? ',' : ';';
}

static int read_numbers(const char *text, const struct tb_number_rows *rows,
			uint64_t *numbers)
{
	const char *at = text;

	for (size_t i = 0; i < rows->rows * rows->columns; i++)
		if (tb_text_read_number(&at, rows->most, &numbers[i]) < 0 ||
		    *at++ != get_separator(rows, i))
			return -1;
	return 0;
}

uint64_t *tb_number_rows_parse(const char *text,
			       const struct tb_number_rows *rows, bool *failed,
			       struct tb_error *err)
{
	size_t total = rows->rows * rows->columns;
	uint64_t *numbers;

	*failed = false;
	/* Each number needs a digit and a separator: allocate no more than that. */
	if ((strlen(text) + 1) / 2 < total)
		return NULL;
	numbers = calloc(total, sizeof(*numbers));
	if (!numbers) {
		*failed = true;
		tb_fail(err, "out of memory");
		return NULL;
	}
	if (read_numbers(text, rows, numbers) == 0)
		return numbers;
	free(numbers);
	return NULL;
}

char *tb_number_rows_print(const uint64_t *numbers,
			   const struct tb_number_rows *rows, bool *failed,
			   struct tb_error *err)
{
	struct tb_text text = TB_TEXT_EMPTY;
	bool fits = true;
	char *printed;

	tb_text_add(&text, "");
	for (size_t i = 0; i < rows->rows * rows->columns && fits; i++) {
		tb_text_add_number(&text, numbers[i]);
		if (get_separator(rows, i))
			tb_text_add_char(&text, get_separator(rows, i));
		fits = text.length <= rows->text_max &&
		       numbers[i] <= rows->most;
	}
	printed = tb_text_take(&text);
	*failed = !printed;
	if (!printed)
		tb_fail(err, "out of memory");
	if (fits)
		return printed;
	free(printed);
	return NULL;
}
