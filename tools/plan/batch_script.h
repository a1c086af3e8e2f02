/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * batch_script.h - the options that a job script has in its #SBATCH lines
 *
 * They are read as sbatch reads them: up to the first line that is a command, with
 * quotation marks, backslashes and comments.  A script is user input.
 */
#ifndef TB_TOOLS_PLAN_BATCH_SCRIPT_H
#define TB_TOOLS_PLAN_BATCH_SCRIPT_H

#include <stddef.h>

#include "core/base/error.h"

/* As many bytes as slurmctld takes where nothing else is configured. */
#define TB_SCRIPT_MAX (4 << 20)

struct tb_batch_script {
	char **words; /* as of a command line: NULL ends them, [0] is empty */
	unsigned *lines; /* on which each stands; the first one is 1 */
	unsigned nwords;
};

/*
 * Of a file; "-" is the standard input.  -1 with a sentence;
 * tb_batch_script_clear() is right after both.
 */
int tb_batch_script_read(struct tb_batch_script *script, const char *path,
			 struct tb_error *err);
/* The same of what is in a file: size bytes, and a NUL behind them. */
int tb_batch_script_parse(struct tb_batch_script *script, char *text,
			  size_t size, struct tb_error *err);
void tb_batch_script_clear(struct tb_batch_script *script);

#endif
