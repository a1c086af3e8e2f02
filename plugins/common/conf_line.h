/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conf_line.h - where in topobind.conf something is, for messages
 *
 * Slurm's parser keeps no line numbers, so the file is looked at again once
 * something is known to be wrong with it, and the files that it includes.  A
 * place is "FILE line N", or the file alone when nothing was found.
 */
#ifndef TB_PLUGINS_CONF_LINE_H
#define TB_PLUGINS_CONF_LINE_H

#include "compat/slurm_compat.h"
#include "core/error.h"

/* Whose keys are looked for. */
struct tb_conf_where {
	const char *path;
	const char *list, *name; /* of the line PartitionName=name or
				    NodeName=name; NULL: the site's keys */
};

/*
 * The first and the last line that say key=value there; the key in any case and
 * blanks around =.
 */
void tb_conf_first_line_of(const struct tb_conf_where *where, const char *key,
			   const char *value, struct tb_error *place);
void tb_conf_line_of(const struct tb_conf_where *where, const char *key,
		     const char *value, struct tb_error *place);

/* The first line that Slurm's parser cannot read. */
void tb_conf_bad_line(const char *path, s_p_options_t *options,
		      struct tb_error *place);

#endif
