/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs as root, with cgroup v1 or v2; everything happens below one cgroup of its
 * own, which is removed again.  With v2 a cgroup has processes or children, and
 * only the root has both.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "abandoned.h"
#include "clear.h"
#include "cpuset.h"
#include "take.h"

/* The lock of a hierarchy is the machine's: others who have it give it back. */
#define PATIENCE_MS 30000

struct fixture {
	struct tb_cpuset *step;	 /* stands for Slurm's cgroup of a step */
	struct tb_bitset *all;	 /* the CPUs of this machine */
	struct tb_bitset *first; /* one of them */
	pid_t pid;		 /* a child that waits */
};

static void check(int rc, const struct tb_error *err)
{
	if (rc < 0)
		fail_msg("%s", err->text);
}

static pid_t fork_waiting(void)
{
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0) {
		for (;;)
			pause();
	}
	return pid;
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static int remove_within(const struct tb_cpuset *cpuset, unsigned wait_ms,
			 struct tb_error *err)
{
	const struct timespec until = tb_clear_until(wait_ms);

	return tb_cpuset_remove(cpuset, &until, err);
}

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	struct tb_error err;
	char name[64];
	char *path;

	snprintf(name, sizeof(name), "topobind-test-%d", (int)getpid());
	path = tb_cpuset_is_v2() ? strdup("/")
				 : tb_cpuset_path_of(getpid(), &err);
	if (path == NULL)
		fail_msg("%s", err.text);
	if (geteuid() != 0)
		fail_msg("this test writes cgroups: run it as root");
	f->all = tb_cpuset_read_cpus(path, &err);
	if (f->all == NULL)
		fail_msg("%s", err.text);
	f->step = tb_cpuset_create(path, name, &err);
	if (f->step == NULL)
		fail_msg("%s", err.text);
	check(tb_cpuset_set(f->step, f->all, NULL, &err), &err);
	f->first = tb_bitset_create(TB_CPUSET_OS_MAX);
	tb_bitset_set(f->first, tb_bitset_next(f->all, 0));
	f->pid = fork_waiting();
	free(path);
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;
	struct tb_error err;

	end(f->pid);
	check(remove_within(f->step, 1000, &err), &err);
	assert_null(tb_cpuset_read_cpus(tb_cpuset_path(f->step), &err));
	tb_cpuset_destroy(f->step);
	tb_bitset_destroy(f->all);
	tb_bitset_destroy(f->first);
	free(f);
	return 0;
}

static struct tb_cpuset *make_task(struct fixture *f)
{
	struct tb_error err;
	struct tb_cpuset *task;

	task = tb_cpuset_create(tb_cpuset_path(f->step), "task_0", &err);
	if (task == NULL)
		fail_msg("%s", err.text);
	return task;
}

static void drop_task(struct tb_cpuset *task)
{
	struct tb_error err;

	check(remove_within(task, 1000, &err), &err);
	tb_cpuset_destroy(task);
}

static void writes_and_reads_back(void **state)
{
	struct fixture *f = *state;
	struct tb_cpuset *task = make_task(f);
	struct tb_bitset *cpus, *nodes, *parents;
	struct tb_error err;

	check(tb_cpuset_set(task, f->first, NULL, &err), &err);
	cpus = tb_cpuset_read_cpus(tb_cpuset_path(task), &err);
	nodes = tb_cpuset_read_nodes(tb_cpuset_path(task), &err);
	parents = tb_cpuset_read_nodes(tb_cpuset_path(f->step), &err);
	assert_non_null(cpus);
	assert_non_null(nodes);
	assert_non_null(parents);
	assert_true(tb_bitset_equal(cpus, f->first));
	assert_true(tb_bitset_equal(nodes, parents));
	assert_false(tb_bitset_is_empty(nodes));
	check(tb_cpuset_set(task, f->all, nodes, &err), &err);
	tb_bitset_destroy(cpus);
	tb_bitset_destroy(nodes);
	tb_bitset_destroy(parents);
	drop_task(task);
}

/* Of one that is there; of one that is not, and of one that has none yet, that above. */
static void reads_what_is_left(void **state)
{
	struct fixture *f = *state;
	struct tb_cpuset *task = make_task(f);
	struct tb_error err;
	const char *const below[] = { "", "/empty", "/empty/too/deep" };

	check(tb_cpuset_set(task, f->first, NULL, &err), &err);
	tb_cpuset_destroy(
		tb_cpuset_create(tb_cpuset_path(task), "empty", &err));
	for (size_t i = 0; i < sizeof(below) / sizeof(below[0]); i++) {
		struct tb_bitset *left;
		char path[256];

		snprintf(path, sizeof(path), "%s%s", tb_cpuset_path(task),
			 below[i]);
		left = tb_cpuset_read_left(path, &err);
		assert_non_null(left);
		assert_true(tb_bitset_equal(left, f->first));
		tb_bitset_destroy(left);
	}
	drop_task(task);
}

static void reads_what_all_have(void **state)
{
	struct fixture *f = *state;
	struct tb_error err;
	struct tb_bitset *left = tb_cpuset_read_left("/topobind-none/at/all",
						     &err);

	assert_non_null(left);
	assert_true(tb_bitset_contains(left, f->all));
	tb_bitset_destroy(left);
}

static void refuses_cpus_that_the_parent_lacks(void **state)
{
	struct fixture *f = *state;
	struct tb_cpuset *task = make_task(f);
	struct tb_bitset *none = tb_bitset_create(TB_CPUSET_OS_MAX);
	struct tb_error err = { "" };

	assert_int_equal(tb_cpuset_set(task, none, NULL, &err), -1);
	assert_string_not_equal(err.text, "");
	tb_bitset_set(none, TB_CPUSET_OS_MAX - 1);
	err.text[0] = '\0';
	assert_int_equal(tb_cpuset_set(task, none, NULL, &err), -1);
	assert_string_not_equal(err.text, "");
	tb_bitset_destroy(none);
	drop_task(task);
}

static void *wait_for_end(void *unused)
{
	(void)unused;
	for (;;)
		pause();
	return NULL;
}

static void assert_thread_held(int tasks, const char *tid, const char *allowed)
{
	char name[64], line[256] = "";
	FILE *status;
	int fd;

	snprintf(name, sizeof(name), "%.32s/status", tid);
	fd = openat(tasks, name, O_RDONLY);
	assert_true(fd >= 0);
	status = fdopen(fd, "r");
	assert_non_null(status);
	while (fgets(line, sizeof(line), status) != NULL &&
	       strncmp(line, "Cpus_allowed_list", 17) != 0)
		;
	fclose(status);
	assert_string_equal(line, allowed);
}

/* Are all threads of a process held on exactly this one CPU? */
static void assert_held(pid_t pid, unsigned threads, unsigned os_cpu)
{
	char name[64], allowed[64];
	struct dirent *entry;
	unsigned seen = 0;
	DIR *tasks;

	snprintf(name, sizeof(name), "/proc/%d/task", (int)pid);
	snprintf(allowed, sizeof(allowed), "Cpus_allowed_list:\t%u\n", os_cpu);
	tasks = opendir(name);
	assert_non_null(tasks);
	while ((entry = readdir(tasks)) != NULL) {
		if (entry->d_name[0] == '.')
			continue;
		assert_thread_held(dirfd(tasks), entry->d_name, allowed);
		seen++;
	}
	closedir(tasks);
	assert_int_equal(seen, threads);
}

static void attaches_all_threads(void **state)
{
	struct fixture *f = *state;
	struct tb_cpuset *task = make_task(f);
	struct tb_error err;
	int ready[2];
	char byte;
	pid_t pid;

	assert_int_equal(pipe(ready), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		pthread_t thread;

		pthread_create(&thread, NULL, wait_for_end, NULL);
		if (write(ready[1], "", 1) != 1)
			_exit(1);
		wait_for_end(NULL);
	}
	assert_int_equal(read(ready[0], &byte, 1), 1);
	check(tb_cpuset_set(task, f->first, NULL, &err), &err);
	check(tb_cpuset_attach(task, pid, &err), &err);
	assert_held(pid, 2, tb_bitset_next(f->first, 0));
	end(pid);
	close(ready[0]);
	close(ready[1]);
	drop_task(task);
}

static void holds_children_and_defies_affinity(void **state)
{
	struct fixture *f = *state;
	struct tb_cpuset *task;
	struct tb_error err;
	unsigned other = tb_bitset_next(f->all,
					tb_bitset_next(f->first, 0) + 1);
	int go[2], status;
	pid_t pid;

	if (other >= f->all->nbits)
		fail_msg("this test needs a machine with two CPUs");
	task = make_task(f);
	check(tb_cpuset_set(task, f->first, NULL, &err), &err);
	assert_int_equal(pipe(go), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		cpu_set_t set;
		char byte;

		CPU_ZERO(&set);
		CPU_SET(other, &set);
		if (read(go[0], &byte, 1) != 1)
			_exit(1);
		if (fork() != 0) { /* the grandchild tries */
			wait(&status);
			_exit(WEXITSTATUS(status));
		}
		_exit(sched_setaffinity(0, sizeof(set), &set) == 0 ? 1 : 0);
	}
	check(tb_cpuset_attach(task, pid, &err), &err);
	assert_int_equal(write(go[1], "", 1), 1);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	close(go[0]);
	close(go[1]);
	drop_task(task);
}

/* The directory of a cgroup, by the mount point that Slurm assumes, too. */
static char *directory(const char *path)
{
	char *dir;

	if (asprintf(&dir, "/sys/fs/cgroup%s%s",
		     tb_cpuset_is_v2() ? "" : "/cpuset", path) < 0)
		fail_msg("out of memory");
	return dir;
}

static void takes_the_step_from_its_user(void **state)
{
	struct fixture *f = *state;
	char *dir = directory(tb_cpuset_path(f->step));
	struct stat info;

	assert_int_equal(chown(dir, 65534, 65534), 0);
	drop_task(make_task(f));
	assert_int_equal(stat(dir, &info), 0);
	assert_int_equal(info.st_uid, 0);
	assert_int_equal(info.st_gid, 0);
	free(dir);
}

/* As Slurm's of a task with v2, which belongs to the task's user. */
static void limits_the_cgroup_of_another(void **state)
{
	struct fixture *f = *state;
	struct tb_cpuset *task = make_task(f);
	struct tb_cpuset *opened;
	struct tb_bitset *cpus;
	struct tb_error err;
	struct stat info;
	char *dir = directory(tb_cpuset_path(task));

	assert_int_equal(chown(dir, 65534, 65534), 0);
	assert_false(tb_cpuset_is_limited(tb_cpuset_path(task)));
	opened = tb_cpuset_open(tb_cpuset_path(task), &err);
	if (opened == NULL)
		fail_msg("%s", err.text);
	assert_int_equal(stat(dir, &info), 0);
	assert_int_equal(info.st_uid, 0);
	if (!tb_cpuset_is_v2()) /* which has no memory nodes of its own */
		check(tb_cpuset_set(task, f->all, NULL, &err), &err);
	check(tb_cpuset_set(opened, f->first, NULL, &err), &err);
	tb_cpuset_destroy(opened);
	assert_true(tb_cpuset_is_limited(tb_cpuset_path(task)));
	cpus = tb_cpuset_read_cpus(tb_cpuset_path(task), &err);
	assert_non_null(cpus);
	assert_true(tb_bitset_equal(cpus, f->first));
	tb_bitset_destroy(cpus);
	free(dir);
	drop_task(task);
}

static void assert_dead(pid_t pid)
{
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGKILL);
}

/* Where it is: nothing gets more CPUs by the end of its cgroup. */
static void removal_ends_what_is_left(void **state)
{
	struct fixture *f = *state;
	struct tb_cpuset *task = make_task(f);
	struct tb_error err;

	check(tb_cpuset_set(task, f->first, NULL, &err), &err);
	check(tb_cpuset_attach(task, f->pid, &err), &err);
	check(remove_within(task, 5000, &err), &err);
	check(remove_within(task, 5000, &err), &err); /* gone: no error */
	assert_dead(f->pid);
	f->pid = fork_waiting();
	assert_null(tb_cpuset_read_cpus(tb_cpuset_path(task), &err));
	tb_cpuset_destroy(task);
}

static void removal_takes_cgroups_inside_along(void **state)
{
	struct fixture *f = *state;
	struct tb_cpuset *task = make_task(f);
	struct tb_cpuset *inner;
	struct tb_error err;

	inner = tb_cpuset_create(tb_cpuset_path(task), "inner", &err);
	assert_non_null(inner);
	check(tb_cpuset_set(task, f->first, NULL, &err), &err);
	check(tb_cpuset_set(inner, f->first, NULL, &err), &err);
	check(tb_cpuset_attach(inner, f->pid, &err), &err);
	check(remove_within(task, 5000, &err), &err);
	assert_dead(f->pid);
	f->pid = fork_waiting();
	assert_null(tb_cpuset_read_cpus(tb_cpuset_path(inner), &err));
	assert_null(tb_cpuset_read_cpus(tb_cpuset_path(task), &err));
	tb_cpuset_destroy(inner);
	tb_cpuset_destroy(task);
}

/* Directories in each other, as user 65534; where it cannot go on, it ends. */
static void make_as_user(const char *dir, unsigned depth)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		if (chdir(dir) < 0 || setgid(65534) < 0 || setuid(65534) < 0)
			_exit(1);
		for (unsigned i = 0; i < depth; i++)
			if (mkdir("x", 0755) < 0 || chdir("x") < 0)
				_exit(1);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

/* Deeper than Slurm makes them, each inside the one before. */
static void takes_what_a_user_has_made(void **state)
{
	enum { DEPTH = 200 };
	struct fixture *f = *state;
	const struct timespec until = tb_clear_until(60000);
	struct tb_cpuset *task = make_task(f);
	char *dir = directory(tb_cpuset_path(f->step));
	char *inner = directory(tb_cpuset_path(task));
	struct stat info;

	assert_int_equal(chown(dir, 65534, 65534), 0);
	assert_int_equal(chown(inner, 65534, 65534), 0);
	make_as_user(dir, DEPTH);
	make_as_user(inner, 2);
	assert_true(tb_take_step(dir, &until));
	assert_int_equal(stat(dir, &info), 0);
	assert_int_equal(info.st_uid, 0);
	/* What root has made stays, and is root's. */
	assert_int_equal(stat(inner, &info), 0);
	assert_int_equal(info.st_uid, 0);
	/* "." and ".." */
	assert_int_equal(info.st_nlink, 2);
	assert_true(tb_take_step("/topobind-test-none", &until));
	free(dir);
	free(inner);
	drop_task(task);
}

static void says_why_not(void **state)
{
	struct fixture *f = *state;
	struct tb_error err = { "" };

	assert_null(tb_cpuset_create("/topobind-test-none", "x", &err));
	assert_string_not_equal(err.text, "");
	err.text[0] = '\0';
	assert_null(tb_cpuset_open("/topobind-test-none", &err));
	assert_string_not_equal(err.text, "");
	err.text[0] = '\0';
	assert_false(tb_cpuset_is_limited("/topobind-test-none"));
	assert_null(tb_cpuset_read_cpus("/topobind-test-none", &err));
	assert_string_not_equal(err.text, "");
	err.text[0] = '\0';
	assert_int_equal(tb_cpuset_attach(f->step, 0x7ffffff, &err), -1);
	assert_string_not_equal(err.text, "");
	assert_null(tb_cpuset_path_of(0x7ffffff, &err));
}

static unsigned count_foreign(const char *dir)
{
	DIR *entries = opendir(dir);
	struct dirent *entry;
	struct stat status;
	unsigned count = 0;

	assert_non_null(entries);
	while ((entry = readdir(entries)) != NULL)
		if (entry->d_type == DT_DIR && entry->d_name[0] != '.' &&
		    fstatat(dirfd(entries), entry->d_name, &status, 0) == 0)
			count += status.st_uid != 0;
	closedir(entries);
	return count;
}

/* Any number of them do not keep anybody longer than until the time has come. */
static void takes_no_longer_than_it_may(void **state)
{
	enum { COUNT = 100 };
	struct fixture *f = *state;
	const struct timespec over = tb_clear_until(0);
	const struct timespec until = tb_clear_until(60000);
	char *dir = directory(tb_cpuset_path(f->step));
	struct tb_error err;
	char *path;

	for (unsigned i = 0; i < COUNT; i++) {
		assert_true(asprintf(&path, "%s/x%u", dir, i) > 0);
		assert_int_equal(mkdir(path, 0755), 0);
		assert_int_equal(chown(path, 65534, 65534), 0);
		free(path);
	}
	assert_false(tb_take_step(dir, &over));
	assert_int_equal(count_foreign(dir), COUNT);
	assert_true(tb_take_step(dir, &until));
	assert_int_equal(count_foreign(dir), 0);
	check(tb_clear(dir, &until, &err), &err);
	free(dir);
}

/* A process in a cgroup of a task, below those of a job and a step. */
static void ends_what_is_abandoned(void **state)
{
	struct fixture *f = *state;
	const char *top = tb_cpuset_path(f->step);
	struct tb_cpuset *job, *step, *task;
	struct tb_error err;
	int status;

	job = tb_cpuset_create(top, "job_1", &err);
	assert_non_null(job);
	check(tb_cpuset_set(job, f->all, NULL, &err), &err);
	step = tb_cpuset_create(tb_cpuset_path(job), "step_0", &err);
	assert_non_null(step);
	check(tb_cpuset_set(step, f->all, NULL, &err), &err);
	task = tb_cpuset_create(tb_cpuset_path(step), "task_0", &err);
	assert_non_null(task);
	check(tb_cpuset_set(task, f->first, NULL, &err), &err);
	check(tb_cpuset_attach(task, f->pid, &err), &err);

	/* As init would bury it. */
	signal(SIGCHLD, SIG_IGN);
	check(tb_abandoned_end(top, tb_cpuset_path(step), PATIENCE_MS, &err),
	      &err);
	/* With v1 it leaves the cgroup a moment before it is gone. */
	alarm(60);
	assert_int_equal(waitpid(f->pid, &status, 0), -1);
	alarm(0);
	signal(SIGCHLD, SIG_DFL);
	assert_null(tb_cpuset_read_cpus(tb_cpuset_path(job), NULL));
	/* Once more: nothing is there. */
	check(tb_abandoned_end(top, tb_cpuset_path(step), PATIENCE_MS, &err),
	      &err);
	f->pid = fork_waiting();
	tb_cpuset_destroy(job);
	tb_cpuset_destroy(step);
	tb_cpuset_destroy(task);
}

/* Anybody can have the lock that Slurm takes, and keep it. */
static void waits_for_no_lock(void **state)
{
	struct fixture *f = *state;
	const char *top = tb_cpuset_path(f->step);
	char *mount = directory("");
	int lock = open(mount, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct tb_cpuset *job, *step;
	struct tb_error err;

	job = tb_cpuset_create(top, "job_1", &err);
	assert_non_null(job);
	check(tb_cpuset_set(job, f->all, NULL, &err), &err);
	step = tb_cpuset_create(tb_cpuset_path(job), "step_0", &err);
	assert_non_null(step);
	check(tb_cpuset_set(step, f->all, NULL, &err), &err);
	check(tb_cpuset_attach(step, f->pid, &err), &err);
	assert_int_equal(flock(lock, LOCK_EX), 0);
	/* Without end, if it waits. */
	alarm(60);
	assert_int_equal(tb_abandoned_end(top, tb_cpuset_path(step), 2000,
					  &err),
			 -1);
	alarm(0);
	close(lock);
	assert_dead(f->pid);
	assert_null(tb_cpuset_read_cpus(tb_cpuset_path(step), NULL));
	check(tb_abandoned_end(top, tb_cpuset_path(step), PATIENCE_MS, &err),
	      &err);
	assert_null(tb_cpuset_read_cpus(tb_cpuset_path(job), NULL));
	f->pid = fork_waiting();
	tb_cpuset_destroy(job);
	tb_cpuset_destroy(step);
	free(mount);
}

/* A step of the same name has started: its slurmstepd does not end itself. */
static void leaves_who_asks(void **state)
{
	struct fixture *f = *state;
	struct tb_cpuset *step;
	struct tb_error err;
	int status;
	pid_t pid;

	step = tb_cpuset_create(tb_cpuset_path(f->step), "step_0", &err);
	assert_non_null(step);
	check(tb_cpuset_set(step, f->all, NULL, &err), &err);
	pid = fork();
	if (pid == 0)
		_exit(tb_cpuset_attach(step, getpid(), &err) == 0 &&
				      tb_abandoned_end(tb_cpuset_path(f->step),
						       tb_cpuset_path(step), 0,
						       &err) == 0
			      ? 0
			      : 1);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	assert_int_equal(remove_within(step, 1000, &err), 0);
	tb_cpuset_destroy(step);
}

/* What has a sibling stays, with its parents. */
static void leaves_what_others_have(void **state)
{
	struct fixture *f = *state;
	struct tb_cpuset *job, *mine, *other;
	struct tb_bitset *cpus;
	struct tb_error err;

	job = tb_cpuset_create(tb_cpuset_path(f->step), "job_1", &err);
	assert_non_null(job);
	check(tb_cpuset_set(job, f->all, NULL, &err), &err);
	mine = tb_cpuset_create(tb_cpuset_path(job), "step_0", &err);
	other = tb_cpuset_create(tb_cpuset_path(job), "step_1", &err);
	assert_non_null(mine);
	assert_non_null(other);
	check(tb_cpuset_set(other, f->first, NULL, &err), &err);
	check(tb_cpuset_attach(other, f->pid, &err), &err);
	check(tb_abandoned_end(tb_cpuset_path(f->step), tb_cpuset_path(mine),
			       PATIENCE_MS, &err),
	      &err);
	assert_int_equal(kill(f->pid, 0), 0);
	cpus = tb_cpuset_read_cpus(tb_cpuset_path(other), &err);
	assert_non_null(cpus);
	assert_true(tb_bitset_equal(cpus, f->first));
	assert_null(tb_cpuset_read_cpus(tb_cpuset_path(mine), NULL));
	tb_bitset_destroy(cpus);
	end(f->pid);
	check(remove_within(other, 1000, &err), &err);
	check(remove_within(job, 1000, &err), &err);
	f->pid = fork_waiting();
	tb_cpuset_destroy(job);
	tb_cpuset_destroy(mine);
	tb_cpuset_destroy(other);
}

static void refuses_to_end_what_is_not_below(void **state)
{
	static const char *const pairs[][2] = {
		{ "/", "/a" },	 { "/a", "/a" },      { "/a", "/ab/c" },
		{ "/a", "/a/" }, { "/a", "/a/../b" }, { "a", "a/b" },
		{ "", "/a" },	 { "/a", "" },
	};
	struct tb_error err;

	(void)state;
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
		assert_int_equal(tb_abandoned_end(pairs[i][0], pairs[i][1], 0,
						  &err),
				 -1);
}

#define CASE(function) \
	cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(writes_and_reads_back),
		CASE(reads_what_is_left),
		CASE(reads_what_all_have),
		CASE(refuses_cpus_that_the_parent_lacks),
		CASE(attaches_all_threads),
		CASE(holds_children_and_defies_affinity),
		CASE(takes_the_step_from_its_user),
		CASE(limits_the_cgroup_of_another),
		CASE(says_why_not),
		CASE(refuses_to_end_what_is_not_below),
	};
	/* With v2 Slurm makes the cgroups; test/vm/faults.sh ends its. */
	const struct CMUnitTest removal[] = {
		CASE(takes_what_a_user_has_made),
		CASE(takes_no_longer_than_it_may),
		CASE(removal_ends_what_is_left),
		CASE(removal_takes_cgroups_inside_along),
		CASE(ends_what_is_abandoned),
		CASE(waits_for_no_lock),
		CASE(leaves_who_asks),
		CASE(leaves_what_others_have),
	};
	int failed = cmocka_run_group_tests_name("cpuset", tests, NULL, NULL);

	if (!tb_cpuset_is_v2())
		failed += cmocka_run_group_tests_name("cpuset removal", removal,
						      NULL, NULL);
	return failed;
}
