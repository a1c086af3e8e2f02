/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conf_word.h - a value of topobind.conf as it is written there
 *
 * Private to conf*.c.
 */
#ifndef TB_COMMON_CONF_CONF_WORD_H
#define TB_COMMON_CONF_CONF_WORD_H

struct tb_conf_word {
	char *value; /* NULL: not there */
	char *again; /* given a second time; NULL: not so */
};

#endif
