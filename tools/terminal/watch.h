/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * watch.h - something that is drawn again and again over the whole terminal
 *
 * As top does: on the terminal's other screen, with keys that scroll, until the
 * user presses q or Control-C.  Then the terminal is as it was.
 */
#ifndef TB_TOOLS_TERMINAL_WATCH_H
#define TB_TOOLS_TERMINAL_WATCH_H

#include <stdio.h>

#include "core/base/error.h"

struct tb_watch {
	unsigned seconds; /* between two drawings */
	const char *title;
	/*
	 * Print the lines of now; those longer than width are cut.  -1 with a
	 * sentence, which is shown above the lines of before.
	 */
	int (*draw)(void *data, unsigned width, FILE *out,
		    struct tb_error *err);
	void *data;
};

/*
 * 0 when the user has seen enough; -1 with a sentence when stdout is no terminal
 * or memory is short.  Control-C ends the process, with exit code 0.  Meanwhile
 * nothing goes to stderr.
 */
int tb_watch_run(const struct tb_watch *watch, struct tb_error *err);

#endif
