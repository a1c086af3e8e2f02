/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * client_options.h - Slurm's own options of sbatch, srun and salloc
 *
 * SPANK does not give these to plugins.
 */
#ifndef TB_COMPAT_CLIENT_OPTIONS_H
#define TB_COMPAT_CLIENT_OPTIONS_H

/*
 * The value of an option (its name without dashes) in this component of a
 * heterogeneous job, as Slurm prints it.  NULL when the user did not give it, or
 * this process has no options.  The caller frees with tb_client_option_free().
 */
char *tb_client_option(const char *name);
void tb_client_option_free(char *value);

#endif
