/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Host and rank files of steps: who can read them, what can be in their way,
 * and that none stays.  As root, as in slurmstepd.
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pe_files.h"

#define USER 65534

static const struct tb_pe_texts both = { "n 1 main 0:0\n",
					 "rank 0=n slot=0:0\n" };
static char *spool;

static int make_spool(void **state)
{
	(void)state;
	spool = strdup("/tmp/topobind-pe-XXXXXX");
	return mkdtemp(spool) == NULL;
}

static int remove_one(const char *path, const struct stat *status, int type,
		      struct FTW *where)
{
	(void)status;
	(void)type;
	(void)where;
	return remove(path);
}

static int remove_spool(void **state)
{
	(void)state;
	nftw(spool, remove_one, 4, FTW_DEPTH | FTW_PHYS);
	free(spool);
	return 0;
}

/* Below the spool directory; static. */
static const char *path_of(const char *name)
{
	static char path[200];

	snprintf(path, sizeof(path), "%s/%s", spool, name);
	return path;
}

static unsigned count_files(void)
{
	DIR *dir = opendir(path_of("topobind_pe"));
	unsigned count = 0;

	assert_non_null(dir);
	for (struct dirent *entry; (entry = readdir(dir)) != NULL;)
		count += entry->d_name[0] != '.';
	closedir(dir);
	return count;
}

static void assert_file(const char *path, const char *wanted)
{
	FILE *file = fopen(path, "r");
	struct stat status;
	char text[100];
	size_t length;

	assert_non_null(file);
	assert_int_equal(fstat(fileno(file), &status), 0);
	assert_int_equal(status.st_uid, USER);
	assert_int_equal(status.st_gid, USER);
	assert_int_equal(status.st_mode, S_IFREG | 0400);
	length = fread(text, 1, sizeof(text) - 1, file);
	text[length] = '\0';
	assert_string_equal(text, wanted);
	fclose(file);
}

static struct tb_pe_files *create(const char *step,
				  const struct tb_pe_texts *texts)
{
	struct tb_error err = { "" };
	struct tb_pe_files *files = tb_pe_files_create(spool, step, USER, USER,
						       texts, &err);

	if (files == NULL)
		assert_string_not_equal(err.text, "");
	return files;
}

static void test_life(void **state)
{
	struct tb_pe_files *first, *second;
	const struct tb_pe_texts hosts = { "a 1 main 0:0\n", NULL };
	mode_t mask = umask(077);
	struct stat status;

	(void)state;
	first = create("12.7", &both);
	umask(mask);
	assert_non_null(first);
	assert_file(tb_pe_files_hosts(first), both.hosts);
	assert_file(tb_pe_files_ranks(first), both.ranks);
	assert_int_equal(stat(path_of("topobind_pe"), &status), 0);
	assert_int_equal(status.st_mode, S_IFDIR | 0711);
	second = create("13.7", &hosts);
	assert_non_null(second);
	assert_file(tb_pe_files_hosts(second), hosts.hosts);
	assert_null(tb_pe_files_ranks(second));
	/* A step of that name lives: its files are not touched. */
	assert_null(create("12.7", &hosts));
	assert_file(tb_pe_files_hosts(first), both.hosts);
	assert_int_equal(count_files(), 3);
	tb_pe_files_destroy(first);
	assert_int_equal(count_files(), 1);
	tb_pe_files_destroy(second);
	assert_int_equal(count_files(), 0);
	tb_pe_files_destroy(NULL);
}

/* As a killed slurmstepd leaves them. */
static void leave_files(const char *step)
{
	pid_t pid = fork();
	int status;

	assert_true(pid >= 0);
	if (pid == 0)
		_exit(create(step, &both) == NULL);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static void test_left_over(void **state)
{
	struct tb_pe_files *living = create("1.0", &both), *again;

	(void)state;
	leave_files("2.0");
	assert_int_equal(count_files(), 4);
	tb_pe_files_sweep(spool);
	assert_int_equal(count_files(), 2);
	assert_file(tb_pe_files_hosts(living), both.hosts);
	/* The same job again, on this node, without a restart of slurmd. */
	leave_files("3.0");
	again = create("3.0", &both);
	assert_non_null(again);
	assert_int_equal(count_files(), 4);
	tb_pe_files_destroy(again);
	tb_pe_files_destroy(living);
	assert_int_equal(count_files(), 0);
}

static void test_foreign_directory(void **state)
{
	(void)state;
	/* A link to where somebody wants our files. */
	assert_int_equal(mkdir(path_of("elsewhere"), 0755), 0);
	assert_int_equal(symlink("elsewhere", path_of("topobind_pe")), 0);
	assert_null(create("1.0", &both));
	assert_int_equal(count_files(), 0);
	assert_int_equal(unlink(path_of("topobind_pe")), 0);
	/* A directory in which others make names, or of another. */
	assert_int_equal(mkdir(path_of("topobind_pe"), 0755), 0);
	assert_int_equal(chmod(path_of("topobind_pe"), 01777), 0);
	assert_null(create("1.0", &both));
	assert_int_equal(chmod(path_of("topobind_pe"), 0755), 0);
	assert_int_equal(chown(path_of("topobind_pe"), USER, USER), 0);
	assert_null(create("1.0", &both));
	assert_int_equal(count_files(), 0);
	tb_pe_files_sweep(spool);
}

/* A name that is there already is not followed, wherever it leads. */
static void test_foreign_file(void **state)
{
	struct tb_pe_files *files = create("1.0", &both);

	(void)state;
	assert_int_equal(symlink("/etc/passwd",
				 path_of("topobind_pe/2.0.ranks")),
			 0);
	assert_null(create("2.0", &both));
	/* The host file, which was made before, is gone; the link stays. */
	assert_int_equal(count_files(), 3);
	assert_int_equal(access("/etc/passwd", F_OK), 0);
	assert_int_equal(unlink(path_of("topobind_pe/2.0.ranks")), 0);
	tb_pe_files_destroy(files);
	assert_int_equal(count_files(), 0);
}

static void test_no_spool(void **state)
{
	struct tb_error err = { "" };

	(void)state;
	assert_null(tb_pe_files_create("/nonexistent/spool", "1.0", USER, USER,
				       &both, &err));
	assert_string_not_equal(err.text, "");
	tb_pe_files_sweep("/nonexistent/spool");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_life, make_spool,
						remove_spool),
		cmocka_unit_test_setup_teardown(test_left_over, make_spool,
						remove_spool),
		cmocka_unit_test_setup_teardown(test_foreign_directory,
						make_spool, remove_spool),
		cmocka_unit_test_setup_teardown(test_foreign_file, make_spool,
						remove_spool),
		cmocka_unit_test(test_no_spool),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
