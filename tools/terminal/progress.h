/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * progress.h - a bar on the last line of stderr while something takes long
 *
 *	implicit=X           [##########          ]  50%
 *
 * Only where stderr is a terminal; elsewhere nothing is written.
 */
#ifndef TB_TOOLS_TERMINAL_PROGRESS_H
#define TB_TOOLS_TERMINAL_PROGRESS_H

/* Begin it, or go on.  What is printable ASCII. */
void tb_progress_show(const char *what, unsigned percent);

/* The line is empty again. */
void tb_progress_clear(void);

#endif
