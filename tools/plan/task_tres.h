/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * task_tres.h - what --tres-per-task of sbatch (Slurm 23.11 and later) asks for
 */
#ifndef TB_TOOLS_PLAN_TASK_TRES_H
#define TB_TOOLS_PLAN_TASK_TRES_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/error.h"

struct tb_task_tres {
	uint16_t cpus; /* 0: not told */
	char *gres;    /* "gpu:a:1,nic:2", as in --gres; NULL: none */
	bool gpus;     /* gpu is among them */
};

/*
 * Read "cpu=2,gres/gpu:a=1"; ":" stands for "=", too.  Licences and others that are
 * of no node are passed over.  -1 with a sentence; tb_task_tres_clear() is right
 * after both.
 */
int tb_task_tres_read(struct tb_task_tres *tres, const char *text,
		      struct tb_error *err);
void tb_task_tres_clear(struct tb_task_tres *tres);

#endif
