/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * record_word.h - one word of a comment that belongs to many
 *
 * A job's AdminComment has words of the site and of ours, with blanks between.  Ours
 * begin with a key, such as "soft=preferred:"; all others stay as they are.
 *
 * No Slurm in here.
 */
#ifndef TB_COMMON_JOB_RECORD_WORD_H
#define TB_COMMON_JOB_RECORD_WORD_H

/* Where the word begins that begins with key; NULL: there is none.  comment: or NULL. */
const char *tb_record_word_find(const char *comment, const char *key);

/*
 * The comment with this word in place of the one that begins with key, or at its end;
 * comment may be NULL.  malloc()ed; NULL: no memory.
 */
char *tb_record_word_set(const char *comment, const char *key,
			 const char *word);

/* The comment without that word; malloc()ed.  NULL: there is none, or no memory. */
char *tb_record_word_drop(const char *comment, const char *key);

#endif
