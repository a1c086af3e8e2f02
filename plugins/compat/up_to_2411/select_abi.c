/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * select_abi.c - up to Slurm 24.11 a select plugin keeps its state when it is
 * told to, and takes part in steps
 */
#include "compat/select_ops.h"

#include "src/common/read_config.h"

#include "select_topobind/hooks.h"

EXPORT extern const uint32_t plugin_id;

/*
 * Commands load all select plugins, so no other plugin may have this number.  Up
 * to 23.11 it is that of a wrapper of cons_tres, and Slurm's checks accept it.
 */
const uint32_t plugin_id = 110;

/* Slurm calls select_p_state_save() and select_p_state_restore(). */
void tb_state_begin(void)
{
}

int select_p_state_save(char *directory)
{
	int rc = tb_ops.state_save(directory);

	tb_hook_state_saved(directory);
	return rc;
}

int select_p_state_restore(char *directory)
{
	int rc = tb_ops.state_restore(directory);

	tb_hook_state_restored(directory);
	return rc;
}

int select_p_step_start(step_record_t *step)
{
	int rc = tb_ops.step_start(step);

	if (rc == SLURM_SUCCESS)
		tb_hook_step_start(step);
	return rc;
}
