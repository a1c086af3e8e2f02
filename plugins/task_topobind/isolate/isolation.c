/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "isolation.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cgroup/outside.h"
#include "cgroup/partition.h"
#include "cgroup/system_cpus.h"
#include "core/isolate/isolate.h"
#include "files/locked_dir.h"
#include "isolation_record.h"
#include "isolation_state.h"

#define DIRECTORY "topobind_isolated"

struct tb_isolated_job {
	char *spool_dir;
	struct tb_locked_file file;
	char *cgroup;
};

/* The node at a moment; its directory is locked. */
struct scene {
	const char *spool_dir;
	struct tb_locked_dir dir;
	struct tb_bitset *online;
	struct tb_bitset *isolated; /* by those that live */
	struct tb_isolation_record *records;
	struct tb_isolation_state state;
};

static void leave(struct scene *scene)
{
	tb_isolation_records_destroy(scene->records);
	tb_isolation_state_clear(&scene->state);
	tb_bitset_destroy(scene->online);
	tb_bitset_destroy(scene->isolated);
	tb_locked_dir_close(&scene->dir);
}

/* Its job may have other steps: they have it again at once. */
static bool end_record(int fd, const char *name)
{
	struct tb_isolation_record *record = tb_isolation_record_read(fd, name);

	if (record != NULL)
		tb_partition_end(record->cgroup);
	tb_isolation_records_destroy(record);
	return true;
}

/* What the files say now, without those of dead ones. */
static int look(struct scene *scene, struct tb_error *err)
{
	tb_isolation_records_destroy(scene->records);
	scene->records = NULL;
	tb_locked_dir_sweep(&scene->dir, end_record);
	if (tb_isolation_records_read(&scene->dir, &scene->records) < 0)
		return tb_fail(err, "out of memory");
	tb_bitset_clear_all(scene->isolated);
	for (const struct tb_isolation_record *record = scene->records;
	     record != NULL; record = record->next)
		tb_bitset_or(scene->isolated, record->cpus);
	return 0;
}

/* -1 also when there is no such directory, and none is made. */
static int enter(struct scene *scene, const char *spool_dir, bool make,
		 struct tb_error *err)
{
	*scene = (struct scene){ .spool_dir = spool_dir };
	if (tb_locked_dir_enter(&scene->dir, spool_dir, DIRECTORY,
				TB_DIR_PRIVATE, make, err) < 0)
		return -1;
	scene->online = tb_system_cpus(TB_CPUS_ONLINE, TB_ISOLATION_CPUS);
	scene->isolated = tb_bitset_create(TB_ISOLATION_CPUS);
	if (scene->online == NULL || scene->isolated == NULL)
		tb_fail(err, "the list of online CPUs cannot be read");
	else if (tb_isolation_state_read(&scene->state, spool_dir, err) == 0 &&
		 look(scene, err) == 0)
		return 0;
	leave(scene);
	return -1;
}

/* ---- as the files say ---- */

static int keep(const char *taken, void *data, struct tb_error *err)
{
	struct scene *scene = data;

	return tb_isolation_state_keep(&scene->state, taken, err);
}

/* Of others, whose jobs may just end, nobody is told. */
static int make_partitions(const struct scene *scene, const char *own,
			   struct tb_error *err)
{
	int rc = 0;

	for (const struct tb_isolation_record *record = scene->records;
	     record != NULL; record = record->next) {
		bool is_own = own != NULL && strcmp(record->cgroup, own) == 0;

		if (tb_partition_make(record->cgroup, record->cpus,
				      is_own ? err : NULL) < 0 &&
		    is_own)
			rc = -1;
	}
	return rc;
}

static const char *find_top(const struct scene *scene)
{
	return scene->records != NULL ? scene->records->top : scene->state.top;
}

/*
 * First it is written down, then done; what is undone is forgotten last.  own is the
 * cgroup of the job that is to be isolated; NULL: none.
 */
static int settle(struct scene *scene, const char *own, struct tb_error *err)
{
	struct tb_isolation_state *state = &scene->state;
	const char *top = find_top(scene);
	struct tb_bitset *before;
	int rc = 0;

	/* Nobody is isolated, or was. */
	if (top == NULL)
		return 0;
	before = tb_bitset_copy(state->cpus);
	if (before == NULL)
		return tb_fail(err, "out of memory");
	tb_bitset_or(state->cpus, scene->isolated);
	if (tb_isolation_state_begin(state, top, err) < 0 ||
	    tb_partition_share(top, before, scene->isolated, err) < 0 ||
	    make_partitions(scene, own, err) < 0)
		rc = -1;
	if (rc == 0 || tb_bitset_is_empty(scene->isolated))
		rc = tb_outside_apply(&tb_outside_places, state->taken,
				      scene->isolated, scene->online, keep,
				      scene, err) < 0
			     ? -1
			     : rc;
	if (rc == 0) {
		tb_bitset_assign(state->cpus, scene->isolated);
		rc = tb_isolation_state_end(state, err);
	}
	tb_bitset_destroy(before);
	return rc;
}

/* ---- slurmstepd ---- */

static int add_record(struct scene *scene,
		      const struct tb_isolation_input *input,
		      struct tb_locked_file *file, struct tb_error *err)
{
	char *text = tb_isolation_record_print(input->top, input->cgroup,
					       input->job, input->cpus);
	int rc = text != NULL ? tb_locked_file_create(file, &scene->dir,
						      input->name, text, err)
			      : tb_fail(err, "out of memory");

	free(text);
	return rc;
}

/* Other steps of the job count it already. */
static int check_room(const struct scene *scene,
		      const struct tb_isolation_input *input,
		      struct tb_error *err)
{
	struct tb_bitset *wanted = tb_bitset_parse_list(input->cpus,
							TB_ISOLATION_CPUS, err);
	int rc = wanted == NULL ? -1
				: tb_isolate_check(wanted, scene->isolated,
						   scene->online, err);

	tb_bitset_destroy(wanted);
	return rc;
}

static bool has_cgroup(const struct scene *scene, const char *cgroup)
{
	const struct tb_isolation_record *record = scene->records;

	while (record != NULL && strcmp(record->cgroup, cgroup) != 0)
		record = record->next;
	return record != NULL;
}

/* The directory is locked. */
static void drop_record(struct scene *scene, struct tb_locked_file *file,
			const char *cgroup)
{
	tb_locked_file_remove(file);
	if (look(scene, NULL) == 0 && !has_cgroup(scene, cgroup))
		tb_partition_end(cgroup);
	settle(scene, NULL, NULL);
}

static int begin(struct scene *scene, const struct tb_isolation_input *input,
		 struct tb_locked_file *file, struct tb_error *err)
{
	if (tb_partition_check(input->cgroup, err) < 0 ||
	    check_room(scene, input, err) < 0)
		return -1;
	tb_locked_dir_replace(&scene->dir, input->name, 0);
	if (add_record(scene, input, file, err) == 0 && look(scene, err) == 0 &&
	    settle(scene, input->cgroup, err) == 0)
		return 0;
	drop_record(scene, file, input->cgroup);
	return -1;
}

struct tb_isolated_job *
tb_isolation_begin(const struct tb_isolation_input *input, struct tb_error *err)
{
	struct tb_isolated_job *isolation = calloc(1, sizeof(*isolation));
	struct scene scene;
	int rc = -1;

	if (isolation != NULL) {
		isolation->file.fd = -1;
		isolation->spool_dir = strdup(input->spool_dir);
		isolation->cgroup = strdup(input->cgroup);
	}
	if (isolation == NULL || isolation->spool_dir == NULL ||
	    isolation->cgroup == NULL) {
		tb_fail(err, "out of memory");
	} else if (enter(&scene, input->spool_dir, true, err) == 0) {
		rc = begin(&scene, input, &isolation->file, err);
		leave(&scene);
	}
	if (rc == 0)
		return isolation;
	if (isolation != NULL) {
		free(isolation->spool_dir);
		free(isolation->cgroup);
	}
	free(isolation);
	return NULL;
}

void tb_isolation_end(struct tb_isolated_job *isolation)
{
	struct scene scene;

	if (isolation == NULL)
		return;
	if (enter(&scene, isolation->spool_dir, false, NULL) == 0) {
		drop_record(&scene, &isolation->file, isolation->cgroup);
		leave(&scene);
	} else {
		tb_locked_file_remove(&isolation->file);
	}
	free(isolation->spool_dir);
	free(isolation->cgroup);
	free(isolation);
}

void tb_isolation_leave(struct tb_isolated_job *isolation)
{
	if (isolation == NULL)
		return;
	tb_locked_file_leave(&isolation->file);
	free(isolation->spool_dir);
	free(isolation->cgroup);
	free(isolation);
}

/* ---- others ---- */

static bool exists(const char *spool_dir)
{
	char *path;
	bool there;

	if (asprintf(&path, "%s/" DIRECTORY, spool_dir) < 0)
		return false;
	there = access(path, F_OK) == 0;
	free(path);
	return there;
}

void tb_isolation_yield(const char *spool_dir, uint32_t job, const char *list)
{
	struct tb_bitset *cpus;
	struct scene scene;
	bool gave = false;

	if (!exists(spool_dir) || enter(&scene, spool_dir, false, NULL) < 0)
		return;
	cpus = tb_bitset_parse_list(list, TB_ISOLATION_CPUS, NULL);
	for (const struct tb_isolation_record *record = scene.records;
	     cpus != NULL && record != NULL; record = record->next) {
		if (record->job == job ||
		    !tb_bitset_intersects(record->cpus, cpus))
			continue;
		unlinkat(scene.dir.fd, record->name, 0);
		tb_partition_end(record->cgroup);
		gave = true;
	}
	if (gave && look(&scene, NULL) == 0)
		settle(&scene, NULL, NULL);
	tb_bitset_destroy(cpus);
	leave(&scene);
}

bool tb_isolation_tidy(const char *spool_dir)
{
	struct scene scene;
	bool done;

	if (!exists(spool_dir))
		return true;
	if (enter(&scene, spool_dir, false, NULL) < 0)
		return false;
	done = settle(&scene, NULL, NULL) == 0;
	leave(&scene);
	return done;
}

/* Of those that are online. */
static void add_cpus(const char *spool_dir, struct tb_bitset *cpus)
{
	struct tb_bitset *online = tb_system_cpus(TB_CPUS_ONLINE,
						  TB_ISOLATION_CPUS);
	struct tb_isolation_state state;

	if (online != NULL &&
	    tb_isolation_state_read(&state, spool_dir, NULL) == 0) {
		tb_bitset_and(state.cpus, online);
		tb_bitset_or(cpus, state.cpus);
		tb_isolation_state_clear(&state);
	}
	tb_bitset_destroy(online);
}

struct tb_bitset *tb_isolation_read_cpus(const char *spool_dir,
					 tb_isolation_reader_t *reader,
					 const char *path, struct tb_error *err)
{
	struct tb_bitset *isolated = tb_bitset_create(TB_ISOLATION_CPUS);
	struct tb_bitset *cpus = NULL;

	if (isolated == NULL) {
		tb_fail(err, "out of memory");
		return NULL;
	}
	/* They come before the kernel takes them, and go when it has given them back. */
	add_cpus(spool_dir, isolated);
	cpus = reader(path, err);
	add_cpus(spool_dir, isolated);
	if (cpus != NULL)
		tb_bitset_or(cpus, isolated);
	tb_bitset_destroy(isolated);
	return cpus;
}
