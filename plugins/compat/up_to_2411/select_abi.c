/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * select_abi.c - up to Slurm 24.11 a select plugin is told when slurmctld saves
 * its state, takes part in steps, and shows its configuration
 */
#include "compat/select_ops.h"
#include "compat/select_steps.h"

#include "src/common/read_config.h"

#include "select_topobind/hooks.h"
#include "select_topobind/show/running_conf.h"

EXPORT extern const uint32_t plugin_id;

/*
 * Commands load all select plugins, so no other plugin may have this number.  Up
 * to 23.11 it is that of a wrapper of cons_tres, and Slurm's checks accept it.
 */
const uint32_t plugin_id = 110;

/* Slurm calls select_p_step_start(). */
void tb_steps_begin(void)
{
}

/* Regularly, and at last when slurmctld ends or gives control to another. */
int select_p_state_save(char *directory)
{
	int rc = tb_ops.state_save(directory);

	if (slurmctld_config.shutdown_time)
		tb_hook_control_ends();
	return rc;
}

bool tb_step_is_counted(void)
{
	return true;
}

int select_p_step_start(step_record_t *step)
{
	int rc = tb_ops.step_start(step);

	if (rc == SLURM_SUCCESS)
		tb_hook_step_start(step);
	return rc;
}

/* For "scontrol show config", where select/cons_tres has nothing to show. */
int select_p_get_info_from_plugin(enum select_plugindata_info what,
				  job_record_t *job, void *data)
{
	int rc = tb_ops.get_info_from_plugin(what, job, data);

	if (rc == SLURM_SUCCESS && what == SELECT_CONFIG_INFO)
		*(list_t **)data = tb_running_conf_list();
	return rc;
}
