/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * slurm_library.h - Slurm's library, from its start to its end
 */
#ifndef TB_TOOLS_CLUSTER_SLURM_LIBRARY_H
#define TB_TOOLS_CLUSTER_SLURM_LIBRARY_H

/*
 * slurm_init() for a subcommand by its name; slurm_fini() comes with the end of
 * the process.  Where it finds no usable configuration or plugin, the library says
 * so and ends the process; between these two that is a failure as any other: a
 * sentence of this command follows, and the exit code is TB_EXIT_BAD.
 */
void tb_slurm_begin(const char *command);
void tb_slurm_end(void);

#endif
