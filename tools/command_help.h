/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * command_help.h - what --help and the completion of shells say of a subcommand
 *
 * Both are made of the table of options that is read, see command.h.
 */
#ifndef TB_TOOLS_COMMAND_HELP_H
#define TB_TOOLS_COMMAND_HELP_H

#include "command.h"

/* The columns of help: those of a line, and no more than can well be read. */
unsigned tb_command_help_width(void);

/* name: "topobind map".  options: all that it has, the nameless one ends them. */
void tb_command_print_help(const char *name, const struct tb_command_line *line,
			   const struct tb_command_option *options);

/*
 * For tools/bash/completions/topobind: each option on a line, as --name or as
 * --name=ARGUMENT where a value must follow; then the arguments, each on a line.
 */
void tb_command_print_completion(const struct tb_command_line *line,
				 const struct tb_command_option *options);

#endif
