/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "clip.h"

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

/*
 * Only printable ASCII goes out: the text ends up in terminals, in job records
 * and in logs, and comes from users.
 */
struct tb_clipped tb_clip(const char *text, size_t length)
{
	struct tb_clipped clipped;
	size_t keep = length > TB_CLIP_MAX ? TB_CLIP_MAX : length;
	size_t i;

	for (i = 0; i < keep; i++)
		clipped.text[i] = (text[i] >= ' ' && text[i] <= '~') ?
				  text[i] : '?';
	if (length > keep) {
		memcpy(clipped.text + i, "...", 3);
		i += 3;
	}
	clipped.text[i] = '\0';
	return clipped;
}
