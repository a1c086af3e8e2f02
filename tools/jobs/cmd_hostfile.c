/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd_hostfile.c - topobind hostfile */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compat/slurm_types.h"

#include "common/conf/conf.h"
#include "common/job/job_hostfile.h"

#include "command.h"
#include "cluster/job_id.h"
#include "cluster/conf_here.h"
#include "cluster/slurm_library.h"

struct options {
	struct tb_command common;
	enum tb_hostfile_format format;
	struct tb_job_argument job;
};

/* The number of an option is that of its format. */
static const struct tb_command_option own_options[] = {
	{ NULL, "pe", NULL, TB_OPTION_OWN + TB_HOSTFILE_PE,
	  "\"host slots partition socket:core,...\" for each node [default]" },
	{ NULL, "rankfile", NULL, TB_OPTION_OWN + TB_HOSTFILE_RANKS,
	  "\"rank I=host slot=socket:core-core\": Open MPI's --rankfile" },
	{ NULL, "openmpi", NULL, TB_OPTION_OWN + TB_HOSTFILE_OPENMPI,
	  "\"host slots=N\": Open MPI's --hostfile" },
	{ NULL, "mpich", NULL, TB_OPTION_OWN + TB_HOSTFILE_MPICH,
	  "\"host:N\": the host file of MPICH and Intel MPI" },
	{ 0 },
};

static int take_hostfile_option(void *data, int option, struct tb_error *err)
{
	struct options *options = data;

	(void)err;
	options->format = (enum tb_hostfile_format)(option - TB_OPTION_OWN);
	return 0;
}

static int take_hostfile_arguments(void *data, int count, char **words,
				   struct tb_error *err)
{
	struct options *options = data;

	return tb_job_argument_take(&options->job, count, words, err);
}

static const struct tb_command_line usage = {
	.arguments = "JOB",
	.purpose =
		"Print the slots of a running job with a binding as a file for mpirun. JOB is 123, 123_4 for a task of an array, 123+1 for a part of a heterogeneous job.",
	.exit_codes =
		"Exit codes: 0 printed, 2 bad option, no such job, a job that is not running or has no binding, or Slurm does not answer.",
	.own = own_options,
	.take = take_hostfile_option,
	.finish = take_hostfile_arguments,
};

static void warn_of_lookalikes(const struct options *options,
			       const struct tb_hostfile *file)
{
	if (options->format == TB_HOSTFILE_RANKS &&
	    tb_hostfile_has_lookalikes(file))
		tb_command_fail(
			options->common.name,
			"warning: the job has as many cores on several nodes, but other ones; Open MPI 4 binds by a rank file as if they were the same, so use --map-by slot:PE=N --bind-to core there");
}

static int print_file(const struct options *options, struct tb_hostfile *file)
{
	struct tb_error err;
	char *text = tb_hostfile_print(file, options->format, &err);

	if (!text)
		return tb_job_argument_fail(&options->job, options->common.name,
					    &err);
	warn_of_lookalikes(options, file);
	fputs(text, stdout);
	free(text);
	return TB_EXIT_OK;
}

static int run_hostfile(const struct options *options)
{
	struct tb_conf *conf;
	struct tb_job_hostfile *job;
	struct tb_error err;
	int rc;

	tb_slurm_begin(options->common.name);
	/* Without it there are no filters. */
	conf = tb_conf_here(&err);
	job = tb_job_hostfile_load(&options->job.id, conf, &err);
	if (job)
		rc = print_file(options, tb_job_hostfile_file(job));
	else
		rc = tb_job_argument_fail(&options->job, options->common.name,
					  &err);
	tb_job_hostfile_destroy(job);
	tb_conf_destroy(conf);
	tb_slurm_end();
	return rc;
}

int tb_command_hostfile(int argc, char **argv)
{
	struct options options = { .common.name = argv[0] };

	if (tb_command_read(&options.common, &usage, argc, argv, &options))
		return TB_EXIT_BAD;
	return options.common.done ? TB_EXIT_OK : run_hostfile(&options);
}
