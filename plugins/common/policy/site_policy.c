/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "site_policy.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/array.h"

#define PATH_ROOM 4096
#define WHY_ROOM 200

struct tb_site_policy {
	char *name;
	int file;
	struct stat status; /* of the file */
	void *object;
	const struct topobind_policy *own;
	bool began;
};

/* --- the file -------------------------------------------------------------------- */

/* The path in the next directory of a list; false: there are no more. */
static bool make_path(const char **dirs, const char *name, char *path)
{
	size_t length = strcspn(*dirs, ":");

	if (!**dirs)
		return false;
	snprintf(path, PATH_ROOM, "%.*s/" TB_SITE_POLICY_PREFIX "%s.so",
		 (int)(length < PATH_ROOM / 2 ? length : 0), *dirs, name);
	*dirs += length + ((*dirs)[length] == ':');
	return true;
}

/* -1: in no directory.  path is the last one that was tried. */
static int open_file(const char *dirs, const char *name, char *path)
{
	int file = -1;

	while (file < 0 && make_path(&dirs, name, path)) {
		file = open(path,
			    O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
		if (file < 0 && errno != ENOENT)
			break;
	}
	return file;
}

static int check_file(const char *path, const struct stat *status,
		      uid_t slurm_user, struct tb_error *err)
{
	if (!S_ISREG(status->st_mode))
		return tb_fail(err, "%.300s is not a file", path);
	if (status->st_uid && status->st_uid != slurm_user)
		return tb_fail(
			err,
			"%.300s is user %u's; it must be root's or SlurmUser's",
			path, (unsigned)status->st_uid);
	if (status->st_mode & (S_IWGRP | S_IWOTH))
		return tb_fail(
			err,
			"%.300s has mode %04o: others can write it; run \"chmod go-w\"",
			path, (unsigned)status->st_mode & 07777);
	return 0;
}

static int take_file(struct tb_site_policy *policy, const char *plugin_dir,
		     uid_t slurm_user, char *path, struct tb_error *err)
{
	policy->file = open_file(plugin_dir, policy->name, path);
	if (policy->file < 0)
		return tb_fail(err, "%.300s cannot be read: %s", path,
			       errno == ELOOP ? "it is a link, not a file"
					      : strerror(errno));
	if (fstat(policy->file, &policy->status))
		return tb_fail(err, "%.300s cannot be looked at: %s", path,
			       strerror(errno));
	return check_file(path, &policy->status, slurm_user, err);
}

/* --- what is in it ------------------------------------------------------------------ */

static int check_symbol(const char *path, const struct topobind_policy *own,
			struct tb_error *err)
{
	if (!own)
		return tb_fail(
			err,
			"%.300s has no symbol topobind_policy; see topobind_policy(7)",
			path);
	if (own->version != TOPOBIND_POLICY_VERSION)
		return tb_fail(
			err,
			"%.300s is of version %u of topobind/policy.h; allowed is %u: build it anew",
			path, own->version, TOPOBIND_POLICY_VERSION);
	if (!own->score)
		return tb_fail(err, "%.300s has no function score", path);
	return 0;
}

static int begin(struct tb_site_policy *policy, const char *path,
		 struct tb_error *err)
{
	char why[WHY_ROOM] = "";
	int rc = policy->own->init ? policy->own->init(why, sizeof(why)) : 0;

	if (rc)
		return tb_fail(err, "%.200s does not begin (%d): %.*s", path,
			       rc, WHY_ROOM - 1, why);
	policy->began = true;
	return 0;
}

/* By the number of the open file: its path may have another one by now. */
static void *load_object(const struct tb_site_policy *policy, int how)
{
	char name[sizeof("/proc/self/fd/2147483647")];

	snprintf(name, sizeof(name), "/proc/self/fd/%d", policy->file);
	return dlopen(name, how | RTLD_LOCAL);
}

/*
 * One that does not go, as some in C++, keeps its number: no other may have it.  Only of
 * what was loaded is asked, for even this question opens what the number stands for.
 */
static void unload(struct tb_site_policy *policy)
{
	bool stays = false;

	if (policy->object) {
		dlclose(policy->object);
		stays = load_object(policy, RTLD_LAZY | RTLD_NOLOAD);
	}
	if (policy->file >= 0 && !stays)
		close(policy->file);
}

static int load(struct tb_site_policy *policy, const char *path,
		struct tb_error *err)
{
	policy->object = load_object(policy, RTLD_NOW);
	if (!policy->object)
		return tb_fail(err, "%.250s cannot be loaded: %.200s", path,
			       dlerror());
	policy->own = dlsym(policy->object, "topobind_policy");
	if (check_symbol(path, policy->own, err))
		return -1;
	return begin(policy, path, err);
}

struct tb_site_policy *tb_site_policy_open(const char *plugin_dir,
					   const char *name, uid_t slurm_user,
					   struct tb_error *err)
{
	struct tb_site_policy *policy = tb_array_create(1, sizeof(*policy));
	char path[PATH_ROOM] = "PluginDir";
	struct tb_error why = { .text = "out of memory" };

	if (policy) {
		policy->file = -1;
		policy->name = strdup(name);
	}
	if (policy && policy->name &&
	    !take_file(policy, plugin_dir, slurm_user, path, &why) &&
	    !load(policy, path, &why))
		return policy;
	tb_fail(err, "NodeAllocationPolicy=plugin:%s: %.400s", name, why.text);
	tb_site_policy_close(policy);
	return NULL;
}

void tb_site_policy_close(struct tb_site_policy *policy)
{
	if (!policy)
		return;
	if (policy->began && policy->own->fini)
		policy->own->fini();
	unload(policy);
	free(policy->name);
	free(policy);
}

const char *tb_site_policy_name(const struct tb_site_policy *policy)
{
	return policy->name;
}

bool tb_site_policy_is_current(const struct tb_site_policy *policy,
			       const char *plugin_dir)
{
	char path[PATH_ROOM];
	int file = open_file(plugin_dir, policy->name, path);
	struct stat now;
	bool same = file >= 0 && !fstat(file, &now) &&
		    now.st_dev == policy->status.st_dev &&
		    now.st_ino == policy->status.st_ino &&
		    now.st_mode == policy->status.st_mode &&
		    now.st_uid == policy->status.st_uid;

	if (file >= 0)
		close(file);
	return same;
}

double tb_site_policy_score(const struct tb_site_policy *policy,
			    const struct topobind_policy_job *job,
			    const struct topobind_policy_node *node)
{
	return policy->own->score(job, node);
}

/* --- what it is told ------------------------------------------------------------- */

#define FACT(component, field) \
	{ \
		TB_COMPONENT_##component, \
			offsetof(struct topobind_policy_node, field) \
	}

static const struct {
	enum tb_component component;
	size_t offset;
} facts_of[] = {
	FACT(CPROCS, cpus),
	FACT(APROCS, free_cpus),
	FACT(CMEM, memory),
	FACT(AMEM, free_memory),
	FACT(CSWAP, swap_and_memory),
	FACT(ASWAP, free_swap_and_memory),
	FACT(CDISK, disk),
	FACT(ADISK, free_disk),
	FACT(LOAD, load),
	FACT(JOBCOUNT, running_jobs),
	FACT(SUSPENDEDJCOUNT, suspended_jobs),
	FACT(POWER, is_on),
	FACT(SPEED, speed),
	FACT(COST, cost),
	FACT(PRIORITY, priority),
	FACT(FREETIME, free_time),
	FACT(RESAFFINITY, reservation_affinity),
	FACT(USAGE, usage),
	FACT(MTBF, mtbf),
	FACT(APPLAFFINITY, application_affinity),
	FACT(APPLFAILURERATE, application_failure_rate),
	FACT(PREF, preferred),
	FACT(OS, has_asked_os),
	FACT(PARAPROCS, free_cpus_of_partition),
};

void tb_site_policy_fill(struct topobind_policy_node *facts, uint32_t node,
			 tb_component_getter get, const void *arg)
{
	*facts = (struct topobind_policy_node){
		.size = sizeof(*facts),
		.index = node,
		.name = "",
		.features = "",
		.gres = "",
		.extra = "",
		.weight = NAN,
		.gap = NAN,
		.holds = NAN,
		.broken = NAN,
		.left = NAN,
		.diameter = NAN,
	};
	for (size_t i = 0; i < sizeof(facts_of) / sizeof(facts_of[0]); i++) {
		const struct tb_priority_term term = { facts_of[i].component,
						       NULL };
		double value = NAN;

		if (!get(arg, node, &term, &value))
			value = NAN;
		memcpy((char *)facts + facts_of[i].offset, &value,
		       sizeof(value));
	}
}
