/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * job_comment.h - what a job's SystemComment says of its binding
 *
 * The controller keeps a line "binding=REQUEST" there for a bound job that has
 * started and, for every distinct grant, a line "grant=NODES:STRING"; the other
 * lines belong to others (select_topobind/show.h writes them).
 */
#ifndef TB_PLUGINS_JOB_COMMENT_H
#define TB_PLUGINS_JOB_COMMENT_H

#include "core/error.h"

/*
 * Take the next of these lines off the text at *rest, which is changed: what
 * follows the key.  NULL at the end.
 */
enum tb_comment_line { TB_COMMENT_BINDING, TB_COMMENT_GRANT };
char *tb_comment_next(char **rest, enum tb_comment_line *line);

/*
 * Cut the value of a grant into its node list and its topology string, both
 * inside value.  -1 with a sentence.
 */
int tb_comment_cut_grant(char *value, const char **nodes, const char **string,
			 struct tb_error *err);

#endif
