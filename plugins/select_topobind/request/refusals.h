/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * refusals.h - why jobs were refused, in slurmctld's log
 *
 * Users cause these lines, as many as they like.  So of each minute there are only the
 * first few, and then one that says how many more there were.  All of them are there
 * with SlurmctldDebug=debug.
 */
#ifndef TB_SELECT_TOPOBIND_REQUEST_REFUSALS_H
#define TB_SELECT_TOPOBIND_REQUEST_REFUSALS_H

#include <stdbool.h>

/* So many in a minute. */
#define TB_REFUSALS_TOLD 20

/* May one more line be written?  Otherwise it is for debug only. */
bool tb_refusals_tell(void);

/* Like info(), with "topobind: " before it in the format. */
#define tb_refusals_info(...) \
	do { \
		if (tb_refusals_tell()) \
			info(__VA_ARGS__); \
		else \
			debug(__VA_ARGS__); \
	} while (0)

#endif
