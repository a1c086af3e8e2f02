/* SPDX-License-Identifier: GPL-2.0-or-later */
/* select_ops.h - operations that only Slurm 22.05 requires; see ../select_ops.h */
#ifndef TB_COMPAT_UP_TO_2205_SELECT_OPS_H
#define TB_COMPAT_UP_TO_2205_SELECT_OPS_H

/* clang-format off */
#define SELECT_OPS_UP_TO_2205(OWN, PASS) \
	PASS(int, job_signal, (job_record_t *job, int signal), (job, signal)) \
	PASS(char *, select_jobinfo_sprint, \
	     (select_jobinfo_t *info, char *text, size_t size, int mode), \
	     (info, text, size, mode)) \
	PASS(char *, select_jobinfo_xstrdup, \
	     (select_jobinfo_t *info, int mode), \
	     (info, mode)) \
	PASS(int, update_node_config, (int index), (index))
/* clang-format on */

#endif
