/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * select_abi.c - what is different in a select plugin since Slurm 25.05
 *
 * Only slurmctld loads it.  It is not asked about steps any more: a switch plugin
 * does that (switch_handover.h).  Nor is it told to save its state: a thread does that
 * regularly, and the switch plugin tells when slurmctld ends, gives control back or
 * goes on in another one that reads the configuration anew.
 */
#include "compat/select_ops.h"
#include "compat/select_steps.h"

#include "src/common/read_config.h"
#include "src/common/xstring.h"

#include "compat/from_2505/switch_handover.h"

#include "select_topobind/hooks.h"
#include "select_topobind/periodic_thread.h"

EXPORT extern const uint32_t plugin_id;

/* That of select/cons_tres: with another one Slurm refuses SelectTypeParameters. */
const uint32_t plugin_id = SELECT_PLUGIN_CONS_TRES;

enum { LOOK_MS = 200, SAVE_S = 60 };

static time_t saved_at;

static void save_state(void)
{
	saved_at = time(NULL);
	tb_hook_state_saved(slurm_conf.state_save_location);
}

static void save_when_due(void)
{
	if (time(NULL) - saved_at >= SAVE_S)
		save_state();
}

static struct tb_periodic_thread saver = TB_PERIODIC_THREAD(save_when_due,
							    LOOK_MS, NULL);

void tb_state_begin(void)
{
	if (slurmctld_config.shutdown_time || tb_periodic_thread_runs(&saver))
		return;
	tb_hook_state_restored(slurm_conf.state_save_location);
	saved_at = time(NULL);
	tb_periodic_thread_begin(&saver);
}

/* The next slurmctld restores before this one ends.  The thread saves no more. */
static void save_at_end(void)
{
	tb_periodic_thread_end(&saver);
	save_state();
}

/* slurmctld ends without a call of fini(). */
__attribute__((destructor)) static void end_saver(void)
{
	tb_periodic_thread_end(&saver);
}

EXPORT extern struct tb_switch_handover topobind_switch_handover;
struct tb_switch_handover topobind_switch_handover = {
	.step_start = tb_hook_step_start,
	.step_counted = tb_hook_step_counted,
	.state_save = save_at_end,
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
