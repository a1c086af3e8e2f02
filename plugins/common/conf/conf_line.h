/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conf_line.h - the line of topobind.conf that a message is about
 *
 * Slurm's parser keeps no line numbers.  So a file with an error is read again,
 * with the files that it includes.  A place is "FILE line N", or the file alone
 * when no line was found.
 */
#ifndef TB_COMMON_CONF_CONF_LINE_H
#define TB_COMMON_CONF_CONF_LINE_H

#include "compat/slurm_compat.h"
#include "core/base/error.h"

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
