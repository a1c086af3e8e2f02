/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * comment_lines.h - one line of ours among those of others in a comment
 *
 * Slurm's comments belong to several: of all lines but ours every byte stays.
 */
#ifndef TB_COMMON_JOB_COMMENT_LINES_H
#define TB_COMMON_JOB_COMMENT_LINES_H

#include <stdbool.h>

/* The first line (up to "\n" or the end) that is ours; NULL: none.  comment may be NULL. */
const char *tb_comment_find_line(const char *comment,
				 bool (*is_ours)(const char *line));

/*
 * The lines of others, and behind them this one, where it is neither NULL nor empty.
 * malloc()ed, "" when nothing is left, NULL when out of memory.
 */
char *tb_comment_replace_line(const char *comment,
			      bool (*is_ours)(const char *line),
			      const char *line);

/*
 * What asks the controller to change the binding of a job that waits, and what it
 * answers where it does not: one of these words at the begin of a line of the job's
 * Comment, and a text behind it (select_topobind/request/changed_request.h).  Slurm
 * lets the same users write there who may change the job.
 */
#define TB_UPDATE_WORD "topobind update "
#define TB_REFUSED_WORD "topobind refused "
/* Slurm takes no longer Comment. */
#define TB_COMMENT_MAX 1023

/* The text behind the word; malloc()ed.  NULL: there is no such line. */
char *tb_comment_find_word(const char *comment, const char *word);

/*
 * The comment with this line in place of those with one of the words; word NULL: with
 * none.  As tb_comment_replace_line().
 */
char *tb_comment_put_word(const char *comment, const char *word,
			  const char *text);

#endif
