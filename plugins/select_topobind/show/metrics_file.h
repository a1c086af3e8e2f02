/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * metrics_file.h - writes what metrics.h counts into a file for Prometheus
 *
 * A thread without any of slurmctld's locks replaces the file, so that readers
 * always find a complete one.  It does so at the start, and when something was
 * counted since, but only once in so many seconds.
 */
#ifndef TB_SELECT_TOPOBIND_SHOW_METRICS_FILE_H
#define TB_SELECT_TOPOBIND_SHOW_METRICS_FILE_H

/* The file, NULL for none, and how often.  Does not wait. */
void tb_metrics_file_set(const char *path, unsigned seconds);

/* slurmctld was about to end, and does not: write the file again. */
void tb_metrics_file_go_on(void);

/* Write what is new and end the thread.  Called without locks. */
void tb_metrics_file_end(void);

#endif
