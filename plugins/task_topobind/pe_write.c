/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "pe_write.h"

#include <stdio.h>
#include <stdlib.h>

#include "src/common/log.h"

#include "common/job/job_hostfile.h"

#include "task_topobind/pe/pe_files.h"

/* Slots of too many pieces have no rank file; the step runs all the same. */
static char *print_ranks(struct tb_hostfile *file)
{
	struct tb_error why;
	char *text = tb_hostfile_print(file, TB_HOSTFILE_RANKS, &why);

	if (text == NULL)
		info("topobind: no rank file: %s", why.text);
	return text;
}

static struct tb_pe_files *write_texts(const struct tb_slurm_shell *shell,
				       const struct tb_pe_texts *texts,
				       struct tb_error *err)
{
	struct tb_pe_files *files = NULL;
	char *name;

	if (asprintf(&name, "%u.%u", shell->job, shell->step) < 0) {
		tb_fail(err, "out of memory");
		return NULL;
	}
	files = tb_pe_files_create(tb_daemon_spool_dir(), name, shell->uid,
				   shell->gid, texts, err);
	free(name);
	return files;
}

static struct tb_pe_files *write_files(const struct tb_slurm_shell *shell,
				       struct tb_hostfile *file,
				       struct tb_error *err)
{
	char *hosts = tb_hostfile_print(file, TB_HOSTFILE_PE, err);
	char *ranks = hosts != NULL ? print_ranks(file) : NULL;
	const struct tb_pe_texts texts = { hosts, ranks };
	struct tb_pe_files *files = NULL;

	if (hosts != NULL)
		files = write_texts(shell, &texts, err);
	free(hosts);
	free(ranks);
	return files;
}

static struct tb_pe_files *make_files(const struct tb_slurm_shell *shell,
				      const struct tb_conf *site,
				      struct tb_error *err)
{
	const struct tb_job_id id = { shell->job, NO_VAL, NO_VAL };
	struct tb_job_hostfile *job;
	struct tb_pe_files *files;
	struct tb_error why;

	job = tb_job_hostfile_load(&id, site, &why);
	if (job == NULL) {
		tb_fail(err,
			"binstance=pe needs a host file, which cannot be "
			"made of job %u: %s",
			shell->job, why.text);
		return NULL;
	}
	files = write_files(shell, tb_job_hostfile_file(job), err);
	tb_job_hostfile_destroy(job);
	return files;
}

void tb_pe_write(tb_slurm_step_t *slurm_step, struct tb_step *step,
		 const struct tb_conf *site)
{
	struct tb_slurm_shell shell;
	struct tb_pe_files *files;
	struct tb_error err;

	if (!tb_step_has_instance(step, TB_PE) ||
	    !tb_slurm_step_shell(slurm_step, &shell))
		return;
	files = make_files(&shell, site, &err);
	if (files != NULL)
		tb_step_give_files(step, files);
	else
		tb_step_fail(step, &err);
}
