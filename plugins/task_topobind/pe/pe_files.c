/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "pe_files.h"

#include <stdio.h>
#include <stdlib.h>

#include "files/locked_dir.h"

#define DIRECTORY "topobind_pe"

struct tb_pe_files {
	struct tb_locked_file hosts, ranks;
};

void tb_pe_files_sweep(const char *spool_dir)
{
	struct tb_locked_dir dir;

	if (tb_locked_dir_enter(&dir, spool_dir, DIRECTORY, TB_DIR_SEARCHABLE,
				false, NULL) < 0)
		return;
	tb_locked_dir_sweep(&dir, NULL);
	tb_locked_dir_close(&dir);
}

struct owner {
	uid_t uid;
	gid_t gid;
};

static int create_file(struct tb_locked_file *file,
		       const struct tb_locked_dir *dir, const char *step,
		       const char *kind, const struct owner *owner,
		       const char *text, struct tb_error *err)
{
	char *name;
	int rc;

	if (asprintf(&name, "%s.%s", step, kind) < 0)
		return tb_fail(err, "out of memory");
	rc = tb_locked_file_create(file, dir, name, text, err);
	if (rc == 0)
		rc = tb_locked_file_give(file, owner->uid, owner->gid, err);
	free(name);
	return rc;
}

static int create_files(struct tb_pe_files *files, const char *spool_dir,
			const char *step, const struct owner *owner,
			const struct tb_pe_texts *texts, struct tb_error *err)
{
	struct tb_locked_dir dir;
	int rc;

	if (tb_locked_dir_enter(&dir, spool_dir, DIRECTORY, TB_DIR_SEARCHABLE,
				true, err) < 0)
		return -1;
	tb_locked_dir_sweep(&dir, NULL);
	rc = create_file(&files->hosts, &dir, step, "hosts", owner,
			 texts->hosts, err);
	if (rc == 0 && texts->ranks != NULL)
		rc = create_file(&files->ranks, &dir, step, "ranks", owner,
				 texts->ranks, err);
	tb_locked_dir_close(&dir);
	return rc;
}

struct tb_pe_files *tb_pe_files_create(const char *spool_dir, const char *step,
				       uid_t uid, gid_t gid,
				       const struct tb_pe_texts *texts,
				       struct tb_error *err)
{
	struct tb_pe_files *files = calloc(1, sizeof(*files));
	const struct owner owner = { uid, gid };

	if (files == NULL) {
		tb_fail(err, "out of memory");
		return NULL;
	}
	files->hosts.fd = files->ranks.fd = -1;
	if (create_files(files, spool_dir, step, &owner, texts, err) == 0)
		return files;
	tb_pe_files_destroy(files);
	return NULL;
}

void tb_pe_files_destroy(struct tb_pe_files *files)
{
	if (files == NULL)
		return;
	tb_locked_file_remove(&files->hosts);
	tb_locked_file_remove(&files->ranks);
	free(files);
}

const char *tb_pe_files_hosts(const struct tb_pe_files *files)
{
	return files->hosts.path;
}

const char *tb_pe_files_ranks(const struct tb_pe_files *files)
{
	return files->ranks.path;
}
