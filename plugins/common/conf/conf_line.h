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
struct tb_conf_bad_line {
	struct tb_error place;
	char *line; /* without its comment, free()d by the caller; NULL: not found */
	const char
		*list; /* NodeName or PartitionName; NULL: a line of the site */
};
void tb_conf_bad_line(struct tb_conf_bad_line *bad, const char *path,
		      s_p_options_t *options);
/*
 * The first key behind that of the list which is none of these, malloc()ed; NULL: all
 * of them are.
 */
char *tb_conf_unknown_key(const char *line, const char *const *keys);

#endif
