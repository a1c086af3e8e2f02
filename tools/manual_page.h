/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * manual_page.h - open a page of the manual
 */
#ifndef TB_TOOLS_MANUAL_PAGE_H
#define TB_TOOLS_MANUAL_PAGE_H

/*
 * Where stdout is a terminal and man has the page, of section 1, this process
 * becomes man, which shows it.  Otherwise the call returns, and nothing was printed.
 */
void tb_manual_page_open(const char *page);

#endif
