/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * text_digest.h - has a text changed since it was last looked at?
 *
 * Its length and address cannot tell: a new text can have both.
 */
#ifndef TB_SELECT_TOPOBIND_NODES_TEXT_DIGEST_H
#define TB_SELECT_TOPOBIND_NODES_TEXT_DIGEST_H

#include <stdint.h>

/* NULL counts as an empty text. */
uint64_t tb_text_digest(const char *text);

#endif
