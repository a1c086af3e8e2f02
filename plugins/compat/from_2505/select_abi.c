/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * select_abi.c - what is different in a select plugin since Slurm 25.05
 *
 * Only slurmctld loads it.  It is not asked about steps any more: a switch plugin
 * is (switch_handover.h).  Nor is it told to save its state: the switch plugin is, when
 * slurmctld ends, gives control back or goes on in another one that reads the
 * configuration anew, which restores before this one ends.
 */
#include "compat/select_ops.h"
#include "compat/select_steps.h"

#include "src/common/read_config.h"
#include "src/common/xstring.h"

#include "compat/from_2505/switch_handover.h"

#include "select_topobind/hooks.h"

EXPORT extern const uint32_t plugin_id;

/* That of select/cons_tres: with another one Slurm refuses SelectTypeParameters. */
const uint32_t plugin_id = SELECT_PLUGIN_CONS_TRES;

EXPORT extern struct tb_switch_handover topobind_switch_handover;
struct tb_switch_handover topobind_switch_handover = {
	.step_start = tb_hook_step_start,
	.step_counted = tb_hook_step_counted,
	.control_ends = tb_hook_control_ends,
};

/* Slurm loads switch plugins next; theirs frees neither of the two strings. */
void tb_steps_begin(void)
{
	topobind_switch_handover.site_type = slurm_conf.switch_type;
	slurm_conf.switch_type = xstrdup(TB_SWITCH_TYPE);
}

/* It does so after it has asked switch plugins. */
bool tb_step_is_counted(void)
{
	return false;
}
