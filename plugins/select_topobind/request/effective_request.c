/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "effective_request.h"

#include <stdlib.h>
#include <string.h>

#include "src/common/macros.h"
#include "src/common/read_config.h"
#include "src/common/xmalloc.h"
#include "src/common/xstring.h"

#include "select_topobind/nodes/nodes.h"

#include "granted_request.h"
#include "job_combinations.h"

bool tb_partition_can_bind(const job_record_t *job)
{
	uint16_t type = job->part_ptr && job->part_ptr->cr_type
				? job->part_ptr->cr_type
				: slurm_conf.select_type_param;

	return !(type & SELECT_SOCKET);
}

const struct tb_request *tb_site_binding(const struct tb_conf *site,
					 const job_record_t *job)
{
	return tb_partition_can_bind(job)
		       ? tb_conf_implicit(site, tb_job_partition(job))
		       : NULL;
}

static uint16_t count_cpus_of_task(const job_record_t *job)
{
	uint16_t cpus = job->details ? job->details->cpus_per_task : 0;

	return cpus == NO_VAL16 ? 1 : MAX(cpus, 1);
}

/* What a job asked for counts more than what its site would like. */
static bool goes_with(const job_record_t *job,
		      const struct tb_request *implicit)
{
	return !job->details || !tb_job_comes_first(job, implicit);
}

/* There is no binding to which an open request could be added. */
static int check_alone(struct tb_held_request *held, struct tb_error *err)
{
	struct tb_request alone = held->request;

	if (!tb_request_is_open(&alone) || !tb_request_has_binding(&alone) ||
	    !tb_request_complete(&alone, err))
		return 0;
	tb_held_request_release(held);
	return -1;
}

int tb_effective_request_find(struct tb_effective_request *effective,
			      const struct tb_conf *site,
			      const job_record_t *job, struct tb_error *err)
{
	const struct tb_request *implicit = tb_site_binding(site, job);
	struct tb_held_request *held = &effective->held;
	struct tb_env_texts texts;

	effective->implicit_cpus = 0;
	tb_held_request_init(held);
	/* A job without a number: Slurm looks for the nodes of a reservation. */
	if (!job->job_id || !tb_conf_enabled(site, tb_job_partition(job)))
		return 0;
	tb_env_texts_find(&texts, job->spank_job_env, job->spank_job_env_size);
	if (tb_held_request_find(held, &texts, err))
		return -1;
	if (!implicit || !tb_request_is_open(&held->request))
		return check_alone(held, err);
	tb_held_request_release(held);
	if (tb_held_request_find_bound(held, &texts, implicit, err))
		return -1;
	if (goes_with(job, &held->request)) {
		effective->implicit_cpus = count_cpus_of_task(job);
		return 0;
	}
	tb_held_request_release(held);
	return tb_held_request_find(held, &texts, err) || check_alone(held, err)
		       ? -1
		       : 0;
}

void tb_effective_request_clear(struct tb_effective_request *effective)
{
	tb_held_request_release(&effective->held);
}

/* Of a request that was settled for one of its alternatives, too. */
static char *print_line(const struct tb_effective_request *effective)
{
	return effective->implicit_cpus
		       ? tb_request_print_open(&effective->held.request)
		       : tb_request_print(&effective->held.request);
}

char *tb_effective_request_print(const struct tb_effective_request *effective)
{
	const char *line = tb_held_request_line(&effective->held);
	char *printed = NULL, *shown = NULL;

	if (!tb_request_binds(&effective->held.request))
		return NULL;
	if (!line)
		line = printed = print_line(effective);
	if (effective->implicit_cpus)
		xstrcat(shown, TB_GRANTED_IMPLICIT);
	xstrcat(shown, line ? line : "");
	free(printed);
	return shown;
}
