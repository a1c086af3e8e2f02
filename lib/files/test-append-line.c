/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lines at the end of a file: what is there after a success, after a failure, and when
 * many write.
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

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "append_line.h"
#include "read_file.h"

static char root[] = "/tmp/topobind-lines-XXXXXX";

static int set_up(void **state)
{
	(void)state;
	return mkdtemp(root) && !chdir(root) ? 0 : -1;
}

static int tear_down(void **state)
{
	(void)state;
	unlink("lines");
	return rmdir(root);
}

static int remove_file(void **state)
{
	(void)state;
	unlink("lines");
	return 0;
}

static void holds(const char *wanted)
{
	int fd = open("lines", O_RDONLY | O_CLOEXEC);
	size_t size;
	char *text = tb_read_file(fd, 1 << 20, &size);

	assert_non_null(text);
	assert_string_equal(text, wanted);
	free(text);
	close(fd);
}

static void write_file(const char *text)
{
	FILE *file = fopen("lines", "w");

	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
}

static void append(const char *line)
{
	struct tb_error err;

	if (tb_append_line("lines", line, &err))
		fail_msg("%s", err.text);
}

static void appends(void **state)
{
	(void)state;
	append("one");
	holds("one\n");
	append("two");
	append("");
	holds("one\ntwo\n\n");
}

static void begins_anew_behind_a_cut_line(void **state)
{
	(void)state;
	write_file("one\ntw");
	append("three");
	holds("one\ntw\nthree\n");
}

static void refuses(const char *reason)
{
	struct tb_error err;

	assert_int_equal(tb_append_line("lines", "one", &err), -1);
	assert_non_null(strstr(err.text, "lines cannot be written: "));
	if (!strstr(err.text, reason))
		fail_msg("%s", err.text);
}

static void refuses_what_is_no_file(void **state)
{
	struct stat status;

	(void)state;
	assert_int_equal(symlink("other", "lines"), 0);
	refuses("symbolic link");
	assert_int_equal(stat("other", &status), -1);
	unlink("lines");
	assert_int_equal(mkfifo("lines", 0600), 0);
	refuses("regular file");
	unlink("lines");
	assert_int_equal(mkdir("lines", 0700), 0);
	refuses("directory");
	assert_int_equal(rmdir("lines"), 0);
}

/* In a process of its own, with files of so many bytes at most. */
static void append_within(rlim_t bytes, const char *line)
{
	const struct rlimit limit = { bytes, bytes };
	pid_t pid = fork();
	int status;

	assert_true(pid >= 0);
	if (!pid) {
		signal(SIGXFSZ, SIG_IGN);
		if (setrlimit(RLIMIT_FSIZE, &limit))
			_exit(2);
		_exit(tb_append_line("lines", line, NULL) ? 1 : 0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 1);
}

static void takes_back_a_part(void **state)
{
	(void)state;
	append("one");
	append_within(6, "two three four");
	holds("one\n");
	append("five");
	holds("one\nfive\n");
}

#define WRITERS 4
#define LINES 200

static void write_many(char letter)
{
	char line[1000];

	memset(line, letter, sizeof(line) - 1);
	line[sizeof(line) - 1] = '\0';
	for (int i = 0; i < LINES; i++)
		if (tb_append_line("lines", line, NULL))
			_exit(1);
	_exit(0);
}

static void keeps_lines_of_many_apart(void **state)
{
	unsigned count = 0;
	char line[2000];
	FILE *file;
	int status;

	(void)state;
	for (int i = 0; i < WRITERS; i++)
		if (!fork())
			write_many((char)('a' + i));
	for (int i = 0; i < WRITERS; i++) {
		assert_true(wait(&status) > 0);
		assert_true(WIFEXITED(status) && !WEXITSTATUS(status));
	}
	file = fopen("lines", "r");
	assert_non_null(file);
	while (fgets(line, sizeof(line), file)) {
		assert_int_equal(strlen(line), 1000);
		assert_int_equal(strspn(line, (char[]){ line[0], 0 }), 999);
		count++;
	}
	fclose(file);
	assert_int_equal(count, WRITERS * LINES);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(appends, remove_file),
		cmocka_unit_test_teardown(begins_anew_behind_a_cut_line,
					  remove_file),
		cmocka_unit_test_teardown(refuses_what_is_no_file, remove_file),
		cmocka_unit_test_teardown(takes_back_a_part, remove_file),
		cmocka_unit_test_teardown(keeps_lines_of_many_apart,
					  remove_file),
	};

	return cmocka_run_group_tests_name("append line", tests, set_up,
					   tear_down);
}
