/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "step_usage.h"

#include "src/common/log.h"

#include "cgroup/cpu_look.h"
#include "common/job/usage_record.h"
#include "admin_comment.h"

static struct tb_cpu_look begin; /* none taken: nothing will be recorded */

/* Two nodes could not write at the same time. */
static bool is_recorded(tb_slurm_step_t *slurm_step, const struct tb_step *step,
			const struct tb_conf *site)
{
	return step != NULL && tb_step_is_held(step) && site != NULL &&
	       tb_conf_usage_record(site) && slurm_step->nodeid == 0;
}

void tb_step_usage_start(tb_slurm_step_t *slurm_step,
			 const struct tb_step *step, const struct tb_conf *site)
{
	struct tb_error err;

	if (!is_recorded(slurm_step, step, site) ||
	    tb_cpu_look_take(&begin, &err) == 0)
		return;
	tb_cpu_look_clear(&begin);
	error("topobind: %s", err.text);
}

struct usage {
	struct tb_unit unit;
	struct tb_busy busy;
};

static char *edit(const char *comment, const void *data)
{
	const struct usage *usage = data;

	return tb_usage_record_set(comment, usage->unit, &usage->busy);
}

static int write_usage(uint32_t job, const struct usage *usage,
		       struct tb_error *err)
{
	struct tb_registry *registry = tb_registry_open(tb_daemon_spool_dir(),
							err);
	int rc = -1;

	if (registry != NULL)
		rc = tb_admin_comment_change(registry, job, edit, usage, err);
	tb_registry_close(registry);
	return rc;
}

static int record(uint32_t job, const struct tb_step *step,
		  struct tb_error *err)
{
	struct tb_cpu_look end = { 0 };
	struct usage usage;
	int rc = tb_cpu_look_take(&end, err);

	if (rc == 0)
		rc = tb_step_measure(step, &begin, &end, &usage.unit,
				     &usage.busy, err);
	tb_cpu_look_clear(&end);
	if (rc < 0)
		return -1;
	rc = write_usage(job, &usage, err);
	tb_busy_clear(&usage.busy);
	return rc;
}

void tb_step_usage_end(tb_slurm_step_t *slurm_step, const struct tb_step *step)
{
	struct tb_error err;

	if (begin.used_us != NULL && step != NULL &&
	    record(tb_slurm_step_id(slurm_step).job, step, &err) < 0)
		error("topobind: %s", err.text);
	tb_cpu_look_clear(&begin);
}
