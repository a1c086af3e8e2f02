/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * options.h - what a user said to sbatch, srun or salloc, put together
 *
 * Options come from the command line and, with sbatch, from the #SBATCH lines
 * of the script; the command line is stronger.  In each of them the last of equal
 * options counts, and a single option is stronger than the line of --topobind.
 * Weakest is a line from elsewhere: the environment variable TOPOBIND, or the
 * request of the job in which a step starts.
 *
 * No Slurm in here.
 */
#ifndef TB_SPANK_OPTIONS_H
#define TB_SPANK_OPTIONS_H

#include <stdbool.h>

#include "core/base/error.h"
#include "core/request/request.h"

struct tb_option {
	const char *name; /* without dashes: a key of the core, or "topobind" */
	const char *arginfo;
	const char *usage;
};

/* All options; the one without a name ends the table. */
extern const struct tb_option tb_option_table[];

enum tb_source { TB_COMMAND_LINE, TB_SCRIPT, TB_SOURCES };

struct tb_options {
	struct tb_request single[TB_SOURCES]; /* --bunit, --bamount, ... */
	struct tb_request line[TB_SOURCES];   /* --topobind */
	bool has_line[TB_SOURCES];
};

void tb_options_init(struct tb_options *options);
void tb_options_clear(struct tb_options *options);

/* One option; -1 with a sentence in err when it is wrong. */
int tb_options_add(struct tb_options *options, enum tb_source source,
		   const char *name, const char *value, struct tb_error *err);

/* Was any option given? */
bool tb_options_given(const struct tb_options *options);

/*
 * The request of all options together and, weakest, of line (NULL: none),
 * which comes from the variable that the sentence in err then names.  request
 * is initialised here, whatever happens; the caller clears it.  An empty
 * request is no error, nor is one that only a binding of the site can complete
 * (tb_request_is_open()).
 */
int tb_options_merge(const struct tb_options *options, const char *line,
		     const char *variable, struct tb_request *request,
		     struct tb_error *err);

#endif
