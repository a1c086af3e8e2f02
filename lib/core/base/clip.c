/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "clip.h"

#include <string.h>

/*
 * Only printable ASCII passes: the text comes from users and goes to terminals, job
 * records and logs.
 */
struct tb_clipped tb_clip(const char *text, size_t length)
{
	struct tb_clipped clipped;
	size_t keep = length > TB_CLIP_MAX ? TB_CLIP_MAX : length;
	size_t i;

	for (i = 0; i < keep; i++)
		clipped.text[i] = (text[i] >= ' ' && text[i] <= '~') ? text[i]
								     : '?';
	if (length > keep) {
		memcpy(clipped.text + i, "...", 3);
		i += 3;
	}
	clipped.text[i] = '\0';
	return clipped;
}
