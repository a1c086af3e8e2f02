/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files that are replaced: what readers find after a success, after a failure,
 * and beside what others have put into the directory.
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "read_file.h"
#include "replace_file.h"

#define NAME "state"

static char root[] = "/tmp/topobind-files-XXXXXX";
static int directory;

/* ---- the directory ---- */

static int set_up(void **state)
{
	(void)state;
	if (!mkdtemp(root))
		return -1;
	directory = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return directory >= 0 ? 0 : -1;
}

/* Calls visit for each file; how many there are. */
static unsigned each_file(int (*visit)(int fd, const char *name, int flags))
{
	DIR *entries = opendir(root);
	struct dirent *entry;
	unsigned count = 0;

	assert_non_null(entries);
	while ((entry = readdir(entries))) {
		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		count++;
		if (visit)
			assert_int_equal(visit(directory, entry->d_name, 0), 0);
	}
	closedir(entries);
	return count;
}

static int empty_directory(void **state)
{
	(void)state;
	each_file(unlinkat);
	return 0;
}

static int tear_down(void **state)
{
	empty_directory(state);
	close(directory);
	return rmdir(root);
}

/* The name that a process gives the new file before it has its own. */
static const char *new_name(pid_t pid)
{
	static char name[sizeof(NAME) + 32];

	snprintf(name, sizeof(name), NAME ".%d.new", (int)pid);
	return name;
}

/* ---- what is in the files ---- */

static int replace(const char *text)
{
	const struct tb_new_content content = {
		.data = text,
		.size = strlen(text),
		.mode = 0640,
		.sync = true,
	};

	return tb_replace_file(directory, NAME, &content, NULL);
}

static void assert_text(const char *name, const char *wanted)
{
	int fd = openat(directory, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	size_t size;
	char *text;

	assert_true(fd >= 0);
	text = tb_read_file(fd, 1000, &size);
	close(fd);
	assert_non_null(text);
	assert_string_equal(text, wanted);
	assert_int_equal(size, strlen(wanted));
	free(text);
}

static void put(const char *name, const char *text)
{
	int fd = openat(directory, name,
			O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

/* ---- replacing ---- */

static void test_new_and_old(void **state)
{
	struct stat status;
	mode_t old_umask = umask(077);

	(void)state;
	assert_int_equal(replace("first"), 0);
	umask(old_umask);
	assert_text(NAME, "first");
	assert_int_equal(fstatat(directory, NAME, &status, 0), 0);
	assert_int_equal(status.st_mode & 07777, 0640);
	assert_int_equal(replace("the second"), 0);
	assert_text(NAME, "the second");
	assert_int_equal(replace(""), 0);
	assert_text(NAME, "");
	assert_int_equal(each_file(NULL), 1);
}

/* Who has the old file open goes on with all of it. */
static void test_readers_keep_the_old_file(void **state)
{
	char text[10] = "";
	int fd;

	(void)state;
	assert_int_equal(replace("old"), 0);
	fd = openat(directory, NAME, O_RDONLY | O_CLOEXEC);
	assert_int_equal(replace("new"), 0);
	assert_int_equal(read(fd, text, sizeof(text) - 1), 3);
	assert_string_equal(text, "old");
	close(fd);
}

static void test_path(void **state)
{
	const struct tb_new_content content = { .data = "x",
						.size = 1,
						.mode = 0600 };
	char *path;

	(void)state;
	assert_true(asprintf(&path, "%s/" NAME, root) > 0);
	assert_int_equal(tb_replace_file(AT_FDCWD, path, &content, NULL), 0);
	assert_text(NAME, "x");
	free(path);
}

/* ---- links ---- */

static void test_link_at_the_name(void **state)
{
	struct stat status;

	(void)state;
	put("precious", "precious");
	assert_int_equal(symlinkat("precious", directory, NAME), 0);
	assert_int_equal(replace("new"), 0);
	assert_text("precious", "precious");
	assert_int_equal(fstatat(directory, NAME, &status, AT_SYMLINK_NOFOLLOW),
			 0);
	assert_true(S_ISREG(status.st_mode));
	assert_text(NAME, "new");
}

static void test_link_at_the_new_name(void **state)
{
	(void)state;
	put("precious", "precious");
	assert_int_equal(symlinkat("precious", directory, new_name(getpid())),
			 0);
	assert_int_equal(replace("new"), 0);
	assert_text("precious", "precious");
	assert_text(NAME, "new");
	assert_int_equal(each_file(NULL), 2);
}

/* ---- failures ---- */

static void assert_fails(const char *name, int reason)
{
	const struct tb_new_content content = { .data = "new content",
						.size = 11,
						.mode = 0600 };
	struct tb_error err = { "" };
	char *wanted;

	assert_int_equal(tb_replace_file(directory, name, &content, &err), -1);
	assert_true(asprintf(&wanted, "%s cannot be written: %s", name,
			     strerror(reason)) > 0);
	assert_string_equal(err.text, wanted);
	free(wanted);
}

static void test_no_directory(void **state)
{
	(void)state;
	assert_fails("missing/" NAME, ENOENT);
}

static void test_directory_at_the_name(void **state)
{
	(void)state;
	assert_int_equal(mkdirat(directory, NAME, 0700), 0);
	assert_fails(NAME, EISDIR);
	assert_int_equal(unlinkat(directory, NAME, AT_REMOVEDIR), 0);
	assert_int_equal(each_file(NULL), 0);
}

/* As on a full disk: the file ends after some bytes. */
static void test_full_disk(void **state)
{
	const struct rlimit few = { 4, RLIM_INFINITY };
	struct rlimit old;

	(void)state;
	assert_int_equal(replace("old"), 0);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &few), 0);
	assert_fails(NAME, EFBIG);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
	signal(SIGXFSZ, SIG_DFL);
	assert_text(NAME, "old");
	assert_int_equal(each_file(NULL), 1);
}

/* ---- a writer that is killed ---- */

/* The limit's signal ends the process when it has written four bytes. */
static pid_t kill_a_writer(void)
{
	const struct rlimit few = { 4, 4 };
	const struct rlimit no_core = { 0, 0 };
	pid_t pid = fork();
	int status;

	assert_true(pid >= 0);
	if (pid == 0) {
		signal(SIGXFSZ, SIG_DFL);
		setrlimit(RLIMIT_CORE, &no_core);
		setrlimit(RLIMIT_FSIZE, &few);
		replace("cut in its middle");
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGXFSZ);
	return pid;
}

static void test_killed_writer(void **state)
{
	char *left;

	(void)state;
	assert_int_equal(replace("old"), 0);
	left = strdup(new_name(kill_a_writer()));
	assert_non_null(left);
	assert_text(left, "cut ");
	assert_text(NAME, "old");
	assert_int_equal(replace("new"), 0);
	assert_text(NAME, "new");
	/* The number comes again. */
	assert_int_equal(renameat(directory, left, directory,
				  new_name(getpid())),
			 0);
	free(left);
	assert_int_equal(replace("newer"), 0);
	assert_text(NAME, "newer");
	assert_int_equal(each_file(NULL), 1);
}

/* ---- reading ---- */

static void assert_not_read(int fd, size_t max, int reason)
{
	size_t size;

	errno = 0;
	assert_null(tb_read_file(fd, max, &size));
	assert_int_equal(errno, reason);
}

static void test_not_read(void **state)
{
	size_t size;
	char *text;
	int fd;

	(void)state;
	assert_not_read(directory, 1000, EINVAL);
	assert_not_read(-1, 1000, EBADF);
	put(NAME, "12345");
	fd = openat(directory, NAME, O_RDONLY | O_CLOEXEC);
	assert_not_read(fd, 4, EFBIG);
	text = tb_read_file(fd, 5, &size);
	close(fd);
	assert_string_equal(text, "12345");
	free(text);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_teardown(name, empty_directory)
	const struct CMUnitTest tests[] = {
		TEST(test_new_and_old),
		TEST(test_readers_keep_the_old_file),
		TEST(test_path),
		TEST(test_link_at_the_name),
		TEST(test_link_at_the_new_name),
		TEST(test_no_directory),
		TEST(test_directory_at_the_name),
		TEST(test_full_disk),
		TEST(test_killed_writer),
		TEST(test_not_read),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
