/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What steps of a node tell each other: claims that count as long as their process
 * or its tasks live, states, switches, and what can be in the way.  As root, as
 * in slurmstepd.
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "soft_state.h"

static char *spool;
static struct tb_registry *registry;
static struct tb_error err;

static int set_up(void **state)
{
	(void)state;
	spool = strdup("/tmp/topobind-registry-XXXXXX");
	if (mkdtemp(spool) == NULL)
		return -1;
	registry = tb_registry_open(spool, &err);
	return registry == NULL;
}

static int remove_one(const char *path, const struct stat *status, int type,
		      struct FTW *where)
{
	(void)status;
	(void)type;
	(void)where;
	return remove(path);
}

static int tear_down(void **state)
{
	(void)state;
	tb_registry_close(registry);
	nftw(spool, remove_one, 8, FTW_DEPTH | FTW_PHYS);
	free(spool);
	return 0;
}

static void in_spool(char path[300], const char *name)
{
	snprintf(path, 300, "%s/%s", spool, name);
}

static struct tb_registry_claim *claim_cpus(uint32_t job, uint32_t step,
					    const char *cpus, const char *own,
					    const char *cgroup)
{
	const struct tb_registry_claim_input input = { { job, step },
						       cpus,
						       own,
						       cgroup };

	return tb_registry_claim_create(registry, &input, &err);
}

/* The CPUs that a job's soft tasks keep off. */
static void assert_claimed(uint32_t job, const char *wanted)
{
	struct tb_bitset *claimed;
	char *list;

	assert_int_equal(tb_registry_lock(registry, &err), 0);
	claimed = tb_registry_claimed(registry, job, &err);
	tb_registry_unlock(registry);
	assert_non_null(claimed);
	list = tb_bitset_print_list(claimed);
	assert_string_equal(list, wanted);
	free(list);
	tb_bitset_destroy(claimed);
}

static void test_claims_add_up(void **state)
{
	struct tb_registry_claim *first = claim_cpus(1, 0, "0-3", "", "");
	struct tb_registry_claim *second = claim_cpus(2, 0, "8,10", "8", "");

	(void)state;
	assert_non_null(first);
	assert_non_null(second);
	assert_claimed(3, "0-3,8,10");
	/* Of its own job only what a hard step has. */
	assert_claimed(1, "8,10");
	assert_claimed(2, "0-3,8");
	tb_registry_claim_release(first);
	assert_claimed(3, "8,10");
	tb_registry_claim_release(second);
	assert_claimed(3, "");
}

static void test_system(void **state)
{
	(void)state;
	assert_int_equal(tb_registry_claim_system(registry, "0,64", &err), 0);
	assert_claimed(3, "0,64");
	assert_int_equal(tb_registry_claim_system(registry, "1", &err), 0);
	assert_claimed(3, "1");
	assert_int_equal(tb_registry_claim_system(registry, "", &err), 0);
	assert_claimed(3, "");
}

/* In a process of its own, which is killed with its claim in hand. */
static void leave_claim(const char *cpus, const char *cgroup)
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		claim_cpus(7, 0, cpus, "", cgroup);
		raise(SIGKILL);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
}

static unsigned count_claims(void);

static void test_stale(void **state)
{
	char cgroup[300], procs[340];
	FILE *out;

	(void)state;
	leave_claim("4", "");
	assert_int_equal(count_claims(), 1);
	assert_claimed(3, "");
	assert_int_equal(count_claims(), 0);
	/* Its tasks live. */
	in_spool(cgroup, "job_7");
	assert_int_equal(mkdir(cgroup, 0755), 0);
	snprintf(procs, sizeof(procs), "%s/cgroup.procs", cgroup);
	out = fopen(procs, "we");
	fputs("17\n", out);
	fclose(out);
	leave_claim("5", cgroup);
	assert_claimed(3, "5");
	assert_false(tb_registry_sweep(registry));
	assert_int_equal(count_claims(), 1);
	assert_int_equal(truncate(procs, 0), 0);
	assert_claimed(3, "");
	assert_int_equal(count_claims(), 0);
	assert_true(tb_registry_sweep(registry));
}

static int count(const char *name, void *data)
{
	unsigned *seen = data;

	(void)name;
	++*seen;
	return 0;
}

static unsigned count_claims(void)
{
	unsigned seen = 0;

	assert_int_equal(tb_locked_dir_each(tb_registry_dir(registry), ".hold",
					    count, &seen),
			 0);
	return seen;
}

/* Who cannot be understood may have claimed anything: then nobody spreads. */
static void test_rubbish(void **state)
{
	struct tb_registry_claim *good = claim_cpus(1, 0, "not a list", "", "");

	(void)state;
	assert_non_null(good);
	assert_null(tb_registry_claimed(registry, 3, &err));
	assert_true(err.text[0] != '\0');
	tb_registry_claim_release(good);
	assert_claimed(3, "");
}

static void test_directory_of_others(void **state)
{
	char path[300];

	(void)state;
	in_spool(path, "topobind_soft");
	assert_int_equal(chmod(path, 0755), 0);
	assert_null(tb_registry_open(spool, &err));
	assert_int_equal(chmod(path, 0700), 0);
	assert_int_equal(chown(path, 65534, 65534), 0);
	assert_null(tb_registry_open(spool, &err));
	assert_int_equal(chown(path, 0, 0), 0);
	assert_null(tb_registry_find("/nowhere", &err));
}

static void test_link_in_the_way(void **state)
{
	char path[300], real[300];

	(void)state;
	in_spool(path, "topobind_soft");
	in_spool(real, "elsewhere");
	assert_int_equal(rename(path, real), 0);
	assert_int_equal(symlink(real, path), 0);
	assert_null(tb_registry_open(spool, &err));
}

static void test_switches(void **state)
{
	struct timespec seen = { 0 };
	struct tb_registry_claim *job = claim_cpus(5, 0, "1", "", "");

	(void)state;
	assert_int_equal(tb_registry_mode(registry, 5), TB_SOFT_ON);
	assert_int_equal(tb_registry_switch(registry, 5, TB_SOFT_OFF, &err), 0);
	assert_int_equal(tb_registry_mode(registry, 5), TB_SOFT_OFF);
	assert_int_equal(tb_registry_mode(registry, 6), TB_SOFT_ON);
	assert_int_equal(tb_registry_switch(registry, 0, TB_SOFT_OFF, &err), 0);
	assert_int_equal(tb_registry_mode(registry, 6), TB_SOFT_OFF);
	assert_int_equal(tb_registry_switch(registry, 0, TB_SOFT_ON, &err), 0);
	assert_int_equal(tb_registry_switch(registry, 0, TB_SOFT_ON, &err), 0);
	assert_true(tb_registry_has_changed(registry, &seen));
	/* A job's is forgotten with its last step, the node's never. */
	assert_int_equal(tb_registry_switch(registry, 0, TB_SOFT_OFF, &err), 0);
	tb_registry_forget(registry);
	assert_int_equal(tb_registry_switch(registry, 0, TB_SOFT_ON, &err), 0);
	assert_int_equal(tb_registry_mode(registry, 5), TB_SOFT_OFF);
	assert_int_equal(tb_registry_switch(registry, 5, TB_SOFT_CONFINED,
					    &err),
			 0);
	assert_int_equal(tb_registry_mode(registry, 5), TB_SOFT_CONFINED);
	/* The node's counts more. */
	assert_int_equal(tb_registry_switch(registry, 0, TB_SOFT_OFF, &err), 0);
	assert_int_equal(tb_registry_mode(registry, 5), TB_SOFT_OFF);
	assert_int_equal(tb_registry_switch(registry, 0, TB_SOFT_CONFINED,
					    &err),
			 0);
	assert_int_equal(tb_registry_mode(registry, 6), TB_SOFT_CONFINED);
	assert_int_equal(tb_registry_switch(registry, 0, TB_SOFT_ON, &err), 0);
	assert_int_equal(tb_registry_mode(registry, 6), TB_SOFT_ON);
	tb_registry_claim_release(job);
	tb_registry_forget(registry);
	assert_int_equal(tb_registry_mode(registry, 5), TB_SOFT_ON);
}

/* ---- states ---- */

struct look {
	unsigned alive, dead;
	uint64_t allowed;
	int rc;
};

static int look_at(struct tb_soft_state *state, bool alive, void *data)
{
	struct look *look = data;

	assert_int_equal(state->job, 9);
	look->alive += alive;
	look->dead += !alive;
	look->allowed = tb_soft_state_counts(state).allowed;
	state->paused = 1;
	return look->rc;
}

static void assert_cgroup(struct tb_soft_cgroup *cgroup, const char *base,
			  const char *scope, const char *path)
{
	char *base_list = tb_bitset_print_list(cgroup->base);
	char *scope_list = tb_bitset_print_list(cgroup->scope);

	assert_string_equal(base_list, base);
	assert_string_equal(scope_list, scope);
	assert_string_equal(cgroup->path, path);
	free(base_list);
	free(scope_list);
	tb_soft_cgroup_clear(cgroup);
}

static void assert_cgroups(const struct tb_soft_state *state)
{
	const char *cursor = tb_soft_state_cgroups(state);
	struct tb_soft_cgroup cgroup;

	assert_true(tb_soft_next_cgroup(&cursor, &cgroup));
	assert_cgroup(&cgroup, "0-1,4", "0-7", "/slurm");
	assert_true(tb_soft_next_cgroup(&cursor, &cgroup));
	assert_cgroup(&cgroup, "0-1", "0-3", "/slurm/task_0");
	assert_true(tb_soft_next_cgroup(&cursor, &cgroup));
	assert_cgroup(&cgroup, "3", "0-3,5", "/slurm/a b");
	assert_false(tb_soft_next_cgroup(&cursor, &cgroup));
	assert_true(tb_soft_task_cgroup(state, 1, &cgroup));
	assert_cgroup(&cgroup, "3", "0-3,5", "/slurm/a b");
	assert_false(tb_soft_task_cgroup(state, 2, &cgroup));
}

static void test_state(void **state)
{
	const struct tb_registry_id id = { 9, 1 };
	const char *text = "0-1,4 0-7 /slurm\n0-1 0-3 /slurm/task_0\n"
			   "3 0-3,5 /slurm/a b\n";
	struct tb_soft_file *file = tb_soft_file_create(registry, &id, 2, text,
							&err);
	struct tb_soft_state *own;
	struct look look = { 0 };

	(void)state;
	assert_non_null(file);
	own = tb_soft_file_state(file);
	own->task[0].allowed = 70;
	own->task[1].allowed = 7;
	own->task[1].spread = 1;
	assert_int_equal(tb_soft_each(registry, TB_SOFT_CHANGE, look_at, &look),
			 0);
	assert_int_equal(look.alive, 1);
	assert_int_equal(look.allowed, 77);
	assert_int_equal(tb_soft_state_spread(own), 1);
	assert_int_equal(own->paused, 1);
	assert_cgroups(own);
	tb_soft_file_remove(file);
	assert_int_equal(tb_soft_each(registry, TB_SOFT_CHANGE, look_at, &look),
			 0);
	assert_int_equal(look.alive, 1);
}

/* As a slurmstepd wrote it that runs on since before topobind was replaced. */
static const struct {
	uint32_t version, size, job, step, tasks, spread, paused, native;
	uint64_t counts[4];
	char cgroups[32];
} of_v1 = {
	.version = 1,
	.size = sizeof(of_v1),
	.job = 9,
	.step = 3,
	.tasks = 2,
	.cgroups = "0-1 /slurm/task_0\n5 /a b\n",
};

static int look_at_v1(struct tb_soft_state *state, bool alive, void *data)
{
	const char *cursor = tb_soft_state_cgroups(state);
	struct tb_soft_cgroup cgroup;
	unsigned *seen = data;

	*seen += alive;
	assert_int_equal(state->job, 9);
	assert_int_equal(state->step, 3);
	assert_true(tb_soft_next_cgroup(&cursor, &cgroup));
	assert_cgroup(&cgroup, "0-1", "0-1", "/slurm/task_0");
	assert_true(tb_soft_next_cgroup(&cursor, &cgroup));
	assert_cgroup(&cgroup, "5", "5", "/a b");
	assert_false(tb_soft_next_cgroup(&cursor, &cgroup));
	return 0;
}

static void test_state_of_before(void **state)
{
	struct tb_locked_file file;
	unsigned seen = 0;

	(void)state;
	assert_int_equal(tb_locked_file_create(&file, tb_registry_dir(registry),
					       "9.3.1.soft", NULL, &err),
			 0);
	assert_int_equal(write(file.fd, &of_v1, sizeof(of_v1)), sizeof(of_v1));
	assert_int_equal(tb_soft_each(registry, TB_SOFT_LOOK, look_at_v1,
				      &seen),
			 0);
	assert_int_equal(seen, 1);
	tb_locked_file_remove(&file);
}

/* One that was left is visited until it is removed; rubbish goes at once. */
static void test_states_left(void **state)
{
	const struct tb_registry_id id = { 9, 1 };
	struct look look = { 0 };
	char path[300];
	pid_t pid = fork();
	FILE *out;

	(void)state;
	if (pid == 0) {
		tb_soft_file_create(registry, &id, 1, "0 0 /x\n", &err);
		raise(SIGKILL);
	}
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	in_spool(path, "topobind_soft/1.2.3.soft");
	out = fopen(path, "we");
	fprintf(out, "%0200d", 0);
	fclose(out);
	assert_int_equal(tb_soft_each(registry, TB_SOFT_CHANGE, look_at, &look),
			 0);
	assert_int_equal(look.dead, 1);
	assert_int_equal(access(path, F_OK), -1);
	look.rc = TB_SOFT_REMOVE;
	assert_int_equal(tb_soft_each(registry, TB_SOFT_CHANGE, look_at, &look),
			 0);
	assert_int_equal(look.dead, 2);
	assert_int_equal(tb_soft_each(registry, TB_SOFT_CHANGE, look_at, &look),
			 0);
	assert_int_equal(look.dead, 2);
}

static int see(struct tb_soft_state *state, bool alive, void *data)
{
	unsigned *seen = data;

	*seen += alive && state->job == 9;
	return 0;
}

/* To look is no event to who waits for files to be closed, as slurmd's helper does. */
static void test_looking_is_no_event(void **state)
{
	const struct tb_registry_id id = { 9, 1 };
	struct tb_soft_file *file = tb_soft_file_create(registry, &id, 1,
							"0 0 /x\n", &err);
	int inotify = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	char path[300], events[4096];
	unsigned seen = 0;

	(void)state;
	assert_non_null(file);
	in_spool(path, "topobind_soft");
	assert_true(inotify_add_watch(inotify, path, IN_CLOSE_WRITE) >= 0);
	assert_int_equal(tb_soft_each(registry, TB_SOFT_LOOK, see, &seen), 0);
	assert_int_equal(seen, 1);
	assert_true(tb_registry_sweep(registry));
	assert_claimed(7, "");
	assert_int_equal(read(inotify, events, sizeof(events)), -1);
	assert_int_equal(errno, EAGAIN);
	/* And that it would be seen. */
	assert_int_equal(tb_soft_each(registry, TB_SOFT_CHANGE, see, &seen), 0);
	assert_true(read(inotify, events, sizeof(events)) > 0);
	close(inotify);
	tb_soft_file_remove(file);
}

/* Who has the lock is alone, whoever else opens the directory. */
static void test_lock(void **state)
{
	pid_t pid;
	int status;

	(void)state;
	assert_int_equal(tb_registry_lock(registry, &err), 0);
	pid = fork();
	if (pid == 0) {
		struct tb_registry *other = tb_registry_open(spool, &err);

		alarm(1);
		_exit(tb_registry_lock(other, &err) == 0 ? 0 : 1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM);
	tb_registry_unlock(registry);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_claims_add_up),
		TEST(test_system),
		TEST(test_stale),
		TEST(test_rubbish),
		TEST(test_directory_of_others),
		TEST(test_link_in_the_way),
		TEST(test_switches),
		TEST(test_state),
		TEST(test_state_of_before),
		TEST(test_states_left),
		TEST(test_looking_is_no_event),
		TEST(test_lock),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
