/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a user may see: written by slurmstepd, read by the user, whatever is done to it
 * meanwhile.
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "soft_view.h"

static char spool[] = "/tmp/topobind-view-XXXXXX";
static const struct tb_registry_id id = { 7, 0 };
static struct tb_error err;

static int set_up(void **state)
{
	(void)state;
	strcpy(spool + strlen(spool) - 6, "XXXXXX");
	return mkdtemp(spool) == NULL;
}

static void path_of(char path[200], const char *name)
{
	snprintf(path, 200, "%s/" TB_SOFT_VIEW_DIRECTORY "%s", spool, name);
}

static int tear_down(void **state)
{
	char path[200];

	(void)state;
	path_of(path, "");
	rmdir(path);
	snprintf(path, sizeof(path), "%s/" TB_REGISTRY_DIRECTORY, spool);
	rmdir(path);
	return rmdir(spool);
}

static void print_text(FILE *out, const void *data)
{
	fputs(data, out);
}

static void assert_seen(const char *wanted)
{
	char *seen = tb_soft_view_read(spool, &id);

	if (wanted == NULL) {
		assert_null(seen);
	} else {
		assert_non_null(seen);
		assert_string_equal(seen, wanted);
	}
	free(seen);
}

static void test_written_and_read(void **state)
{
	struct tb_soft_view *view;

	(void)state;
	assert_seen(NULL);
	view = tb_soft_view_create(spool, &id, getuid(), &err);
	assert_non_null(view);
	assert_seen(NULL);
	tb_soft_view_write(view, print_text, "step on 1\ntask 0\ntask 1\n");
	assert_seen("step on 1\ntask 0\ntask 1\n");
	tb_soft_view_write(view, print_text, "step off 2\n");
	assert_seen("step off 2\n");
	tb_soft_view_remove(view);
	assert_seen(NULL);
}

/* One that is not whole is none; the next write mends it. */
static void test_changed_by_its_user(void **state)
{
	static const char *const texts[] = {
		"",
		"view 1\n",
		"view 1\nstep\nend 2\n",
		"end 1\nview 1\n",
		"view\n\nend",
		"view 1 end 1\n",
	};
	struct tb_soft_view *view = tb_soft_view_create(spool, &id, getuid(),
							&err);
	char path[200];

	(void)state;
	assert_non_null(view);
	path_of(path, "/7.0");
	for (unsigned i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		FILE *file;

		assert_int_equal(chmod(path, 0600), 0);
		file = fopen(path, "we");
		assert_non_null(file);
		fputs(texts[i], file);
		fclose(file);
		assert_seen(NULL);
		tb_soft_view_write(view, print_text, "step on 3\n");
		assert_seen("step on 3\n");
	}
	assert_int_equal(truncate(path, 100000), 0);
	tb_soft_view_write(view, print_text, "step on 4\n");
	assert_seen("step on 4\n");
	tb_soft_view_remove(view);
}

/* What is in the way is no file of ours. */
static void test_another_file(void **state)
{
	struct tb_soft_view *first, *second;
	char path[200], other[200];

	(void)state;
	first = tb_soft_view_create(spool, &id, getuid(), &err);
	path_of(path, "/7.0");
	path_of(other, "/other");
	assert_int_equal(unlink(path), 0);
	assert_int_equal(symlink(other, path), 0);
	assert_seen(NULL);
	second = tb_soft_view_create(spool, &id, getuid(), &err);
	assert_non_null(second);
	tb_soft_view_write(second, print_text, "step on 5\n");
	assert_seen("step on 5\n");
	assert_int_equal(access(other, F_OK), -1);
	tb_soft_view_remove(second);
	tb_soft_view_remove(first);
}

static void test_sweep(void **state)
{
	struct tb_registry *registry = tb_registry_open(spool, &err);
	char path[200];

	(void)state;
	/* There is no directory. */
	tb_soft_view_sweep(spool, registry);
	tb_soft_view_remove(tb_soft_view_create(spool, &id, getuid(), &err));
	path_of(path, "/7.0");
	close(open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0400));
	path_of(path, "/7.1");
	close(open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0400));
	close(openat(tb_registry_dir(registry)->fd, "7.1.99.soft",
		     O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
	close(openat(tb_registry_dir(registry)->fd, "17.0.99.soft",
		     O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
	tb_soft_view_sweep(spool, registry);
	assert_int_equal(access(path, F_OK), 0);
	assert_int_equal(unlink(path), 0);
	path_of(path, "/7.0");
	assert_int_equal(access(path, F_OK), -1);
	unlinkat(tb_registry_dir(registry)->fd, "7.1.99.soft", 0);
	unlinkat(tb_registry_dir(registry)->fd, "17.0.99.soft", 0);
	tb_registry_close(registry);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_written_and_read),
		TEST(test_changed_by_its_user),
		TEST(test_another_file),
		TEST(test_sweep),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
