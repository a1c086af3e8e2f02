/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * metrics_file.h - what is counted (metrics.h), in a file for Prometheus
 *
 * Written by a thread without any of slurmctld's locks, under another name and
 * renamed, so that readers find it whole: at the start, and when something was
 * counted since, but not more often than every so many seconds.
 */
#ifndef TB_SELECT_METRICS_FILE_H
#define TB_SELECT_METRICS_FILE_H

/* Where to, NULL: nowhere.  Does not wait. */
void tb_metrics_file_set(const char *path, unsigned seconds);

/* Write what is new and end the thread.  Called without locks. */
void tb_metrics_file_end(void);

#endif
