/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * client_combinations.h - do the client's options go with the binding?
 */
#ifndef TB_SPANK_CLIENT_COMBINATIONS_H
#define TB_SPANK_CLIENT_COMBINATIONS_H

#include "core/request/combination.h"

/*
 * 0, or -1 with a sentence for the first of Slurm's options that this sbatch,
 * srun or salloc was given and that does not go with the request.
 */
int tb_client_combinations(const struct tb_request *request,
			   enum tb_asker asker, struct tb_error *err);

/* Has the user asked Slurm, by --cpu-bind, to bind the tasks of this srun? */
bool tb_client_lets_slurm_bind(void);

#endif
