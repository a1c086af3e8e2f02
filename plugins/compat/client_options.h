/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * client_options.h - what sbatch, srun and salloc were told by the user
 *
 * SPANK does not tell of Slurm's own options.  The clients keep them where
 * their plugins can ask for each by its name.
 */
#ifndef TB_COMPAT_CLIENT_OPTIONS_H
#define TB_COMPAT_CLIENT_OPTIONS_H

/*
 * The value of an option, given without dashes, in this part of a heterogeneous
 * job, as Slurm prints it; NULL when nobody gave it, and when the client does not
 * tell.  The caller frees with tb_client_option_free().
 */
char *tb_client_option(const char *name);
void tb_client_option_free(char *value);

#endif
