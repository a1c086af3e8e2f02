/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * learning_file.h - what was learned of nodes (learning.h) outlives slurmctld
 *
 * A file in StateSaveLocation has it.  A thread writes it soon after something was
 * learned, so that a slurmctld that is killed loses little.
 */
#ifndef TB_SELECT_TOPOBIND_ORDER_LEARNING_FILE_H
#define TB_SELECT_TOPOBIND_ORDER_LEARNING_FILE_H

/*
 * slurmctld has control: read the file, and begin to write it.  The log says when it
 * cannot be read.  Does nothing when it has begun already.
 */
void tb_learning_file_begin(void);
/*
 * It ends, or gives control to another, which reads the file and writes it from now
 * on.  Called without locks.
 */
void tb_learning_file_end(void);

#endif
