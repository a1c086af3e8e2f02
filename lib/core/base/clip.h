/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * clip.h - what a user sent, short and printable for an error message
 */
#ifndef TB_CORE_BASE_CLIP_H
#define TB_CORE_BASE_CLIP_H

#include <stddef.h>

#define TB_CLIP_MAX 40 /* bytes shown of a longer value */

struct tb_clipped {
	char text[TB_CLIP_MAX + sizeof("...")];
};

/* By value, so that tb_clip(value, length).text can be an argument. */
struct tb_clipped tb_clip(const char *text, size_t length);

#endif
