/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kept_request.h"

#define OPTION "_SLURM_SPANK_OPTION_topobind_"

/* Of an environment of one or two variables. */
static int find(struct tb_held_request *held, const char *first,
		const char *second)
{
	char *const env[] = { (char *)first, (char *)second };
	struct tb_env_texts texts;

	tb_env_texts_find(&texts, env, 2);
	return tb_held_request_find(held, &texts, NULL);
}

static void expect(const char *first, const char *second, const char *line,
		   unsigned long read)
{
	struct tb_held_request held;
	char *printed;

	assert_int_equal(find(&held, first, second), line ? 0 : -1);
	printed = tb_request_print(&held.request);
	assert_string_equal(printed ? printed : "", line ? line : "");
	free(printed);
	tb_held_request_release(&held);
	assert_int_equal(tb_kept_requests_count().read, read);
}

static void reads_a_text_once(void **state)
{
	unsigned long before = tb_kept_requests_count().read;

	(void)state;
	for (int i = 0; i < 1000; i++) {
		expect("TOPOBIND_REQUEST=bunit=X,bamount=1", "A=b",
		       "bunit=X,bamount=1", before + 1 + (i > 0) * 3);
		expect("TOPOBIND_REQUEST=bunit=X,bamount=2", NULL,
		       "bunit=X,bamount=2", before + 2 + (i > 0) * 2);
		/* One that is wrong, too. */
		expect("TOPOBIND_REQUEST=bunit=Q", NULL, NULL,
		       before + 3 + (i > 0));
		expect(OPTION "bunit=X", OPTION "bamount=1",
		       "bunit=X,bamount=1", before + 4);
	}
	assert_int_equal(tb_kept_requests_count().count, 4);
	tb_kept_requests_fini();
	assert_int_equal(tb_kept_requests_count().size, 0);
}

/* It is the text that counts, not where it lies. */
static void is_never_of_another_text(void **state)
{
	char text[] = "TOPOBIND_REQUEST=bunit=X,bamount=1";
	unsigned long before = tb_kept_requests_count().read;
	char line[] = "bunit=X,bamount=0";

	(void)state;
	for (char amount = '1'; amount <= '9'; amount++) {
		text[sizeof(text) - 2] = line[sizeof(line) - 2] = amount;
		expect(text, NULL, line, before + (unsigned)(amount - '0'));
	}
	/* Values of different options do not change places. */
	expect(OPTION "bstart=S", OPTION "bamount=1", "bamount=1,bstart=S",
	       before + 10);
	expect(OPTION "bstop=S", OPTION "bamount=1", "bamount=1,bstop=S",
	       before + 11);
	tb_kept_requests_fini();
}

/* The site's binding does not change what other jobs share. */
static void binds_a_copy(void **state)
{
	struct tb_held_request held;
	struct tb_request site;
	char *line;

	(void)state;
	tb_request_init(&site);
	assert_int_equal(tb_request_parse(&site, "bunit=S", NULL), 0);
	assert_int_equal(find(&held, OPTION "bprefer=fast", NULL), 0);
	assert_int_equal(tb_held_request_bind_implicitly(&held, &site, NULL),
			 0);
	line = tb_request_print(&held.request);
	assert_string_equal(line, "bunit=S,bamount=1,bprefer=fast");
	free(line);
	tb_held_request_release(&held);
	expect(OPTION "bprefer=fast", NULL, "bprefer=fast",
	       tb_kept_requests_count().read);
	tb_request_clear(&site);
	tb_kept_requests_fini();
}

static void expect_bound(const char *entry, const struct tb_request *site,
			 const char *line, unsigned long read)
{
	char *const env[] = { (char *)entry };
	struct tb_held_request held;
	struct tb_env_texts texts;

	tb_env_texts_find(&texts, env, 1);
	assert_int_equal(tb_held_request_find_bound(&held, &texts, site, NULL),
			 0);
	assert_string_equal(tb_held_request_line(&held), line);
	tb_held_request_release(&held);
	assert_int_equal(tb_kept_requests_count().read, read);
}

/* What the site binds is read once for each of its requests, beside the job's own. */
static void keeps_what_the_site_binds(void **state)
{
	unsigned long before = tb_kept_requests_count().read;
	const char *own = OPTION "bprefer=fast";
	struct tb_held_request held;
	struct tb_request x, s;

	(void)state;
	tb_request_init(&x);
	tb_request_init(&s);
	assert_int_equal(tb_request_parse(&x, "bunit=X", NULL), 0);
	assert_int_equal(tb_request_parse(&s, "bunit=S", NULL), 0);
	for (int i = 0; i < 10; i++) {
		expect_bound(own, &x, "bunit=X", before + 1 + (i > 0) * 2);
		expect_bound(own, &s, "bunit=S", before + 2 + (i > 0));
		expect(own, NULL, "bprefer=fast", before + 3);
	}
	assert_int_equal(tb_kept_requests_count().count, 3);
	/* The same place has another request: nobody gets the one of before. */
	assert_int_equal(find(&held, own, NULL), 0);
	tb_kept_requests_forget_site();
	assert_int_equal(tb_kept_requests_count().count, 1);
	tb_request_clear(&x);
	assert_int_equal(tb_request_parse(&x, "bunit=N", NULL), 0);
	expect_bound(own, &x, "bunit=N", before + 4);
	tb_held_request_release(&held);
	tb_kept_requests_fini();
	assert_int_equal(tb_kept_requests_count().size, 0);
	tb_request_clear(&x);
	tb_request_clear(&s);
}

/* Who holds it has it until he releases it. */
static void keeps_what_is_held(void **state)
{
	char *const env[] = { (char *)OPTION "bprefer=fast" };
	struct tb_held_request held;
	struct tb_env_texts texts;
	struct tb_request site;

	(void)state;
	tb_request_init(&site);
	assert_int_equal(tb_request_parse(&site, "bunit=X", NULL), 0);
	tb_env_texts_find(&texts, env, 1);
	assert_int_equal(tb_held_request_find_bound(&held, &texts, &site, NULL),
			 0);
	tb_kept_requests_forget_site();
	assert_string_equal(tb_held_request_line(&held), "bunit=X");
	assert_int_equal(held.request.unit.letter, 'X');
	tb_held_request_release(&held);
	assert_int_equal(tb_kept_requests_count().size, 0);
	tb_request_clear(&site);
}

/* One of which an alternative counts is printed as that. */
static void prints_no_alternatives(void **state)
{
	struct tb_held_request held;

	(void)state;
	assert_int_equal(find(&held, OPTION "bunit=X:1|N:1", NULL), 0);
	assert_null(tb_held_request_line(&held));
	tb_held_request_release(&held);
	tb_kept_requests_fini();
}

static char *make_filter(unsigned number)
{
	size_t length = strlen("TOPOBIND_REQUEST=bamount=1,bfilter=");
	char *entry = malloc(length + 60001);

	assert_non_null(entry);
	strcpy(entry, "TOPOBIND_REQUEST=bamount=1,bfilter=");
	memset(entry + length, 'C', 60000);
	entry[length + 60000] = '\0';
	for (unsigned bit = 0; bit < 16; bit++)
		if (number >> bit & 1)
			entry[length + bit] = 'c';
	return entry;
}

/* However many long requests there are; one that is held stays as it is. */
static void needs_little_memory(void **state)
{
	struct tb_held_request held, other;
	char *first = make_filter(0);

	(void)state;
	assert_int_equal(find(&held, first, NULL), 0);
	for (unsigned i = 1; i < 100; i++) {
		char *entry = make_filter(i);

		assert_int_equal(find(&other, entry, NULL), 0);
		tb_held_request_release(&other);
		assert_true(tb_kept_requests_count().size <= TB_KEPT_SIZE_MAX);
		free(entry);
	}
	assert_true(tb_kept_requests_count().count < 50);
	assert_true(tb_request_binds(&held.request));
	assert_int_equal(find(&other, first, NULL), 0);
	assert_ptr_equal(other.request.filter, held.request.filter);
	tb_held_request_release(&other);
	tb_held_request_release(&held);
	free(first);
	tb_kept_requests_fini();
}

/* What is refused for its length is not kept at all. */
static void keeps_nothing_too_long(void **state)
{
	size_t length = 1 << 20;
	char *entry = malloc(length);

	(void)state;
	assert_non_null(entry);
	memset(entry, '0', length);
	memcpy(entry, OPTION "bcpus=", strlen(OPTION "bcpus="));
	entry[length - 1] = '\0';
	expect(entry, NULL, NULL, tb_kept_requests_count().read);
	assert_int_equal(tb_kept_requests_count().count, 0);
	free(entry);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_a_text_once),
		cmocka_unit_test(is_never_of_another_text),
		cmocka_unit_test(binds_a_copy),
		cmocka_unit_test(keeps_what_the_site_binds),
		cmocka_unit_test(keeps_what_is_held),
		cmocka_unit_test(prints_no_alternatives),
		cmocka_unit_test(needs_little_memory),
		cmocka_unit_test(keeps_nothing_too_long),
	};

	return cmocka_run_group_tests_name("kept_request", tests, NULL, NULL);
}
