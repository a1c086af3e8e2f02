/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "error.h"

#include <stdarg.h>
#include <stdio.h>

int tb_fail(struct tb_error *err, const char *format, ...)
{
	va_list args;

	if (err) {
		va_start(args, format);
		vsnprintf(err->text, sizeof(err->text), format, args);
		va_end(args);
	}
	return -1;
}
