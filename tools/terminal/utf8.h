/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * utf8.h - words of users, which may be any bytes, for JSON and pages
 */
#ifndef TB_TOOLS_TERMINAL_UTF8_H
#define TB_TOOLS_TERMINAL_UTF8_H

/*
 * The text where it is UTF-8; else with "?" for each of its bytes that is not
 * ASCII.  malloc()ed; NULL when out of memory.
 */
char *tb_utf8_copy(const char *text);

#endif
