/* SPDX-License-Identifier: GPL-2.0-or-later */
/* site_binding.c - see site_binding.h */
#define _GNU_SOURCE /* asprintf */
#include "site_binding.h"

#include <stdio.h>
#include <stdlib.h>

#include "common/conf/conf.h"
#include "common/job/option_numbers.h"
#include "common/job/request_env.h"

#include "candidate_rules.h"

/* As slurmctld finds them in the record that it makes of the job. */
static struct tb_job_options get_options(const job_desc_msg_t *job,
					 const slurm_conf_t *slurm)
{
	uint16_t spec = slurm->conf_flags & CONF_FLAG_ASRU ? job->core_spec
							   : NO_VAL16;

	return (struct tb_job_options){
		.tasks_per_core = TB_OPTION_NOT_SAID,
		.tasks_per_socket = tb_option_number(job->ntasks_per_socket),
		.threads_per_core = tb_option_number(job->threads_per_core),
		.spec_cores = tb_option_spec(spec, false),
		.spec_threads = tb_option_spec(spec, true),
		.cpus_per_gpu = job->cpus_per_tres,
		.gpus_per_socket = job->tres_per_socket,
		.near_devices = job->bitflags & GRES_ENFORCE_BIND,
		.node_cpus = tb_option_count(job->pn_min_cpus),
		.task_cpus = tb_option_count(job->cpus_per_task),
		.tasks_of_node = tb_option_count(job->ntasks_per_node),
	};
}

/* NULL: there is none. */
static const struct tb_request *find_site(const struct tb_cluster *cluster,
					  const partition_info_t *partition)
{
	const struct tb_conf *conf = cluster->conf;
	const char *name = partition ? partition->name : NULL;

	if (!conf || !tb_conf_enabled(conf, name) ||
	    tb_consumed_resources(cluster, partition) & SELECT_SOCKET)
		return NULL;
	return tb_conf_implicit(conf, name);
}

static int print_line(const struct tb_request *request, char **line,
		      struct tb_error *err)
{
	char *open = tb_request_print_open(request);

	if (!open || asprintf(line, "%s%s%s", TB_IMPLICIT_WORD,
			      *open ? "," : "", open) < 0)
		*line = NULL;
	free(open);
	return *line ? 0 : tb_fail(err, "out of memory");
}

int tb_site_binding_add(struct tb_job_spec *spec, const job_desc_msg_t *job,
			const struct tb_cluster *cluster,
			const partition_info_t *partition, char **line,
			struct tb_error *err)
{
	const struct tb_request *site = find_site(cluster, partition);
	const struct tb_job_options options = get_options(job, cluster->slurm);
	struct tb_request bound;

	*line = NULL;
	if (!site || !tb_request_is_open(&spec->request))
		return 0;
	tb_request_init(&bound);
	if (tb_request_inherit(&bound, &spec->request, err) ||
	    tb_request_bind_implicitly(&bound, site, err)) {
		tb_request_clear(&bound);
		return -1;
	}
	if (tb_job_options_come_first(&options, &bound)) {
		tb_request_clear(&bound);
		return 0;
	}
	spec->request = bound;
	spec->implicit = true;
	return print_line(&bound, line, err);
}
