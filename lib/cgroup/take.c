/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "take.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clear.h"

#define OPEN_FLAGS (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

/* Of cgroups below a step that root has made: Slurm's, one for each task. */
#define DEPTH_MAX 4

struct visit {
	unsigned depth;
	bool again;
	const struct timespec *until;
};

typedef bool visit_t(int dir, const struct visit *visit);

static bool visit_child(int dir, const char *name, visit_t *function,
			const struct visit *visit)
{
	int child = openat(dir, name, OPEN_FLAGS);
	bool done;

	if (child < 0)
		return errno == ENOENT;
	done = function(child, visit);
	close(child);
	return done;
}

static bool is_wanted(const struct dirent *entry, const char *prefix)
{
	return entry->d_type == DT_DIR && entry->d_name[0] != '.' &&
	       strncmp(entry->d_name, prefix, strlen(prefix)) == 0;
}

/*
 * Each child whose name begins so, until the time has come: users may have made any
 * number of them.  True when there was time for all, and all visits were.
 */
static bool visit_children(int dir, const char *prefix, visit_t *function,
			   const struct visit *visit)
{
	int copy = openat(dir, ".", OPEN_FLAGS);
	DIR *entries = copy >= 0 ? fdopendir(copy) : NULL;
	struct dirent *entry;
	bool done = true;

	if (entries == NULL) {
		if (copy >= 0)
			close(copy);
		return false;
	}
	while ((entry = readdir(entries)) != NULL) {
		if (!is_wanted(entry, prefix))
			continue;
		done = !tb_clear_is_over(visit->until) &&
		       visit_child(dir, entry->d_name, function, visit) && done;
		if (tb_clear_is_over(visit->until))
			break;
	}
	closedir(entries);
	return done;
}

/*
 * First the directory, then what is in it: nobody can make more there.  What
 * Slurm has made for tasks is the user's, too, but is to stay.
 */
static bool take(int dir, const struct visit *visit)
{
	struct visit below = { .depth = visit->depth + 1,
			       .again = visit->again,
			       .until = visit->until };
	bool done = tb_give_to_root(dir) == 0 &&
		    tb_clear_below(dir, false, visit->until);

	if (visit->depth < DEPTH_MAX)
		done = visit_children(dir, "", take, &below) && done;
	return done;
}

static bool take_if_given_away(int dir, const struct visit *visit)
{
	struct stat status;

	if (!visit->again && fstat(dir, &status) == 0 && status.st_uid == 0)
		return true;
	return take(dir, visit);
}

static bool take_job(int dir, const struct visit *visit)
{
	return visit_children(dir, "step_", take_if_given_away, visit);
}

static bool take_user(int dir, const struct visit *visit)
{
	return visit_children(dir, "job_", take_job, visit);
}

static bool take_all(int dir, const struct visit *visit)
{
	return visit_children(dir, "uid_", take_user, visit);
}

static bool visit_path(const char *path, visit_t *function,
		       const struct visit *visit)
{
	return visit_child(AT_FDCWD, path, function, visit);
}

bool tb_take_step(const char *directory, const struct timespec *until)
{
	return visit_path(directory, take,
			  &(struct visit){ .again = true, .until = until });
}

bool tb_take_steps(const char *top, bool again, const struct timespec *until)
{
	return visit_path(top, take_all,
			  &(struct visit){ .again = again, .until = until });
}
