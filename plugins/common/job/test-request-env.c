/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "request_env.h"

#define MAX_ENV 6
#define OPTION "_SLURM_SPANK_OPTION_topobind_"

/* A NULL line: must be refused; "": there is none. */
struct reading {
	const char *env[MAX_ENV];
	const char *line;
};

static const struct reading readings[] = {
	{ { NULL }, "" },
	{ { "PATH=/bin", "TOPOBIND=bunit=X,bamount=1" }, "" },
	{ { "TOPOBIND_REQUEST=bunit=X,bamount=2" }, "bunit=X,bamount=2" },
	{ { "SPANK_TOPOBIND_REQUEST=bunit=X,bamount=2" }, "bunit=X,bamount=2" },
	{ { "SLURM_SPANK_TOPOBIND_REQUEST=bunit=X,bamount=2" },
	  "bunit=X,bamount=2" },
	{ { "SPANKTOPOBIND_REQUEST=bunit=X,bamount=2" }, "" },
	{ { "TOPOBIND_REQUESTS=bunit=X,bamount=2" }, "" },
	{ { "TOPOBIND_REQUEST" }, "" },
	{ { "TOPOBIND_REQUEST=" }, "" },
	{ { "TOPOBIND_REQUEST=bamount=0" }, "bamount=0" },
	{ { "TOPOBIND_REQUEST=invalid" }, NULL },
	{ { "TOPOBIND_REQUEST=bunit=Q,bamount=2" }, NULL },
	{ { "TOPOBIND_REQUEST=bunit=X" }, "bunit=X,bamount=1" },
	{ { "TOPOBIND_REQUEST=btype=host" }, NULL },
	{ { OPTION "bunit=X", OPTION "bamount=3" }, "bunit=X,bamount=3" },
	{ { "SPANK_" OPTION "bamount=3", OPTION "bunit=X" },
	  "bunit=X,bamount=3" },
	{ { OPTION "topobind=bunit=X,bamount=3" }, "bunit=X,bamount=3" },
	{ { OPTION "topobind=bunit=X,bamount=3", OPTION "bamount=4" },
	  "bunit=X,bamount=4" },
	{ { OPTION "topobind=" }, "" },
	{ { OPTION "bunit=l3" }, "bunit=X,bamount=1" },
	{ { OPTION "btype=host" }, NULL },
	{ { OPTION "bamount=-1" }, NULL },
	{ { OPTION "bamount=1", OPTION "bsort=Ss" }, NULL },
	{ { OPTION "bunknown=1" }, NULL },
	{ { OPTION "bunit", OPTION "bamount=1" }, NULL },
	{ { OPTION "=1", OPTION "bamount=1" }, NULL },
	{ { OPTION "bunitX=1", OPTION "bamount=1" }, NULL },
	{ { OPTION "bunit=X", OPTION "bunit=C", OPTION "bamount=1" }, NULL },
	/* Slurm repeats them with a prefix. */
	{ { OPTION "bunit=X", "SPANK_" OPTION "bunit=X", OPTION "bamount=1" },
	  "bunit=X,bamount=1" },
	{ { "_SLURM_SPANK_OPTION_other_bamount=1" }, "" },
	{ { OPTION "bamount=1", "TOPOBIND_REQUEST=bunit=S,bamount=2" },
	  "bunit=S,bamount=2" },
	{ { OPTION "bamount=rubbish", "TOPOBIND_REQUEST=bunit=S,bamount=2" },
	  "bunit=S,bamount=2" },
	{ { "TOPOBIND_REQUEST=bunit=S,bamount=2",
	    "TOPOBIND_REQUEST=bunit=X,bamount=3" },
	  "bunit=S,bamount=2" },
	{ { "TOPOBIND_STEP_REQUEST=bunit=S,bamount=2" }, "" },
};

static void expect(const struct reading *reading)
{
	struct tb_request request;
	struct tb_error err = { "" };
	int rc = tb_request_from_env(&request, (char *const *)reading->env,
				     MAX_ENV, &err);

	if (reading->line == NULL) {
		assert_int_equal(rc, -1);
		assert_string_not_equal(err.text, "");
		assert_false(tb_request_is_given(&request));
	} else {
		char *line = tb_request_print(&request);

		assert_int_equal(rc, 0);
		assert_int_equal(tb_request_is_given(&request),
				 reading->line[0] != '\0');
		if (reading->line[0] != '\0')
			assert_string_equal(line, reading->line);
		free(line);
	}
	tb_request_clear(&request);
}

static void reads_a_table(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(readings) / sizeof(readings[0]); i++)
		expect(&readings[i]);
}

static void needs_no_environment_and_no_error(void **state)
{
	struct tb_request request;
	char *const env[] = { NULL, "", "=", "TOPOBIND_REQUEST=x", NULL };

	(void)state;
	assert_int_equal(tb_request_from_env(&request, NULL, 0, NULL), 0);
	assert_false(tb_request_is_given(&request));
	tb_request_clear(&request);
	assert_int_equal(tb_request_from_env(&request, env, 5, NULL), -1);
	tb_request_clear(&request);
	assert_int_equal(tb_request_from_env(&request, env, 3, NULL), 0);
	tb_request_clear(&request);
}

static void survives_rubbish(void **state)
{
	const char *const names[] = { "TOPOBIND_REQUEST=", OPTION "bunit=",
				      OPTION "bfilter=", OPTION "topobind=" };
	const size_t size = 100000;
	char *entry = malloc(size);

	(void)state;
	assert_non_null(entry);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct tb_request request;
		struct tb_error err = { "" };
		size_t len = strlen(names[i]);

		for (size_t j = 0; j < size; j++)
			entry[j] = (char)(j * 31 % 255 + 1);
		memcpy(entry, names[i], len);
		entry[size - 1] = '\0';
		assert_int_equal(tb_request_from_env(&request, &entry, 1, &err),
				 -1);
		assert_string_not_equal(err.text, "");
		tb_request_clear(&request);
	}
	free(entry);
}

/* What goes into logs and onto terminals. */
static void says_nothing_unprintable(void **state)
{
	static char *const environments[][2] = {
		{ OPTION "b\033[2Junit\n=X", "" },
		{ OPTION "bunit=X", OPTION "bunit=\033[2J\n" },
	};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct tb_request request;
		struct tb_error err = { "" };

		assert_int_equal(tb_request_from_env(&request, environments[i],
						     2, &err),
				 -1);
		assert_string_not_equal(err.text, "");
		for (const char *c = err.text; *c; c++)
			assert_in_range(*c, ' ', '~');
		tb_request_clear(&request);
	}
}

static int count_request(char *const *env, unsigned count)
{
	struct tb_request request;
	struct tb_error err = { "" };
	int rc = tb_request_from_env(&request, env, count, &err);

	assert_int_equal(rc < 0, err.text[0] != '\0');
	assert_int_equal(tb_request_binds(&request), rc == 0);
	tb_request_clear(&request);
	return rc;
}

static void reads_so_many_variables(void **state)
{
	static char *env[TB_ENV_MAX + TB_ENV_NOTES];
	struct tb_request request;
	struct tb_error err;

	(void)state;
	for (size_t i = 0; i < TB_ENV_MAX; i++)
		env[i] = i % 2 ? OPTION "bunit=X" : OPTION "bamount=1";
	assert_int_equal(count_request(env, TB_ENV_MAX), 0);
	/* The controller may add its own. */
	env[TB_ENV_MAX] = "TOPOBIND_UNBOUND=1";
	env[TB_ENV_MAX + 1] = "TOPOBIND_IMPLICIT=bunit=S";
	assert_int_equal(count_request(env, TB_ENV_MAX + TB_ENV_NOTES), 0);
	env[TB_ENV_MAX] = "A=b";
	assert_int_equal(count_request(env, TB_ENV_MAX + 1), -1);
	assert_int_equal(tb_step_request_from_env(&request, env, TB_ENV_MAX + 1,
						  &err),
			 -1);
	tb_request_clear(&request);
	env[TB_ENV_MAX - 1] = OPTION "bunit=S";
	assert_int_equal(count_request(env, TB_ENV_MAX), -1);
}

/* Not even the pointers of a longer one are looked at. */
static void looks_at_no_more_variables(void **state)
{
	struct tb_env_texts texts;
	struct tb_request request;
	struct tb_error err;

	(void)state;
	tb_env_texts_find(&texts, NULL, 10000000);
	assert_int_equal(tb_request_from_texts(&request, &texts, &err), -1);
	assert_non_null(strstr(err.text, "10000000"));
	assert_non_null(strstr(err.text, "4096"));
	assert_null(tb_implicit_from_env(NULL, 10000000));
}

/* "bcpus=0,0,0..." of so many bytes, the name and its sign too. */
static char *make_list(const char *start, size_t length)
{
	char *entry = malloc(strlen(start) + length + 1);
	char *text;

	assert_non_null(entry);
	strcpy(entry, start);
	text = strrchr(entry, 'b');
	for (size_t i = strlen(text); i < length; i++)
		text[i] = i % 2 == strlen("bcpus=") % 2 ? '0' : ',';
	text[length] = '\0';
	if (length > 0 && text[length - 1] == ',')
		text[length - 1] = '0';
	return entry;
}

/* The limit is for all of the options together. */
static void limits_the_text(void **state)
{
	char *env[] = { make_list(OPTION "bcpus=", TB_REQUEST_TEXT_MAX),
			OPTION "binstance=env" };
	char *shorter[] = { make_list(OPTION "bcpus=",
				      TB_REQUEST_TEXT_MAX - 13),
			    OPTION "binstance=env" };
	char *line[] = { make_list("TOPOBIND_REQUEST=bcpus=",
				   TB_REQUEST_TEXT_MAX + 1) };
	struct tb_request request;
	struct tb_error err;

	(void)state;
	assert_int_equal(count_request(env, 1), 0);
	assert_int_equal(tb_request_from_env(&request, env, 2, &err), -1);
	assert_non_null(strstr(err.text, "binstance"));
	assert_non_null(strstr(err.text, "69632"));
	assert_int_equal(count_request(shorter, 2), 0);
	assert_int_equal(count_request(line, 1), -1);
	free(env[0]);
	free(shorter[0]);
	free(line[0]);
}

static void reads_a_parts(void **state)
{
	char *const env[] = {
		"SPANK_TOPOBIND_REQUEST_12=bunit=C,bamount=3",
		"TOPOBIND_REQUEST=bunit=X,bamount=1",
		"SPANK_TOPOBIND_REQUEST_123=",
		"SPANK_TOPOBIND_REQUEST_4294967295=bunit=N,bamount=1",
	};
	static const struct {
		uint32_t job;
		const char *line;
	} rows[] = {
		{ 12, "bamount=3" },
		{ 1, "bunit=X,bamount=1" },
		{ 123, NULL },
		{ UINT32_MAX, "bunit=N,bamount=1" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct tb_request request;
		char *line;

		assert_int_equal(tb_job_request_from_env(&request, env, 4,
							 rows[i].job, NULL),
				 0);
		line = tb_request_is_given(&request)
			       ? tb_request_print(&request)
			       : NULL;
		if (rows[i].line != NULL)
			assert_string_equal(line, rows[i].line);
		else
			assert_null(line);
		free(line);
		tb_request_clear(&request);
	}
}

static void reads_a_steps_own(void **state)
{
	char *const env[] = {
		"TOPOBIND_REQUEST=bunit=X,bamount=1",
		"SPANK_TOPOBIND_STEP_REQUEST=bamount=2",
	};
	struct tb_request request;
	struct tb_error err;
	char *line;

	(void)state;
	assert_int_equal(tb_step_request_from_env(&request, env, 1, &err), 0);
	assert_false(tb_request_is_given(&request));
	tb_request_clear(&request);
	assert_int_equal(tb_step_request_from_env(&request, env, 2, &err), 0);
	assert_true(tb_request_binds(&request));
	line = tb_request_print(&request);
	assert_string_equal(line, "bamount=2");
	free(line);
	tb_request_clear(&request);
}

static void binds_who_did_not_ask(void **state)
{
	char *const env[] = {
		"TOPOBIND_IMPLICITLY=1",
		"SPANK_TOPOBIND_IMPLICIT=bunit=X,btype=host",
	};
	struct tb_request site, request;
	char *line;

	(void)state;
	assert_null(tb_implicit_from_env(env, 1));
	assert_string_equal(tb_implicit_from_env(env, 2), "bunit=X,btype=host");
	tb_request_init(&site);
	tb_request_init(&request);
	assert_int_equal(tb_request_parse(&site, tb_implicit_from_env(env, 2),
					  NULL),
			 0);
	assert_int_equal(tb_request_bind_implicitly(&request, &site, NULL), 0);
	line = tb_request_print(&request);
	assert_string_equal(line, "bunit=X,bamount=1,btype=host");
	free(line);
	tb_request_clear(&request);
	/* It is not the request of the job. */
	assert_int_equal(tb_request_from_env(&request, env, 2, NULL), 0);
	assert_false(tb_request_is_given(&request));
	tb_request_clear(&request);
	tb_request_clear(&site);
}

/* What the note says of another request, or nothing, is the first. */
static void knows_what_was_given(void **state)
{
	static const struct {
		const char *note;
		unsigned index;
	} rows[] = {
		{ "TOPOBIND_ALTERNATIVE=X:1", 0 },
		{ "TOPOBIND_ALTERNATIVE=S:2", 1 },
		{ "SPANK_TOPOBIND_ALTERNATIVE=S:2", 1 },
		{ "SLURM_SPANK_TOPOBIND_ALTERNATIVE=S:2", 1 },
		{ "TOPOBIND_ALTERNATIVE=S:3", 0 },
		{ "TOPOBIND_ALTERNATIVE=", 0 },
		{ "TOPOBIND_ALTERNATIVE=2", 0 },
		{ "TOPOBIND_ALTERNATIVES=S:2", 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char *const env[] = { "TOPOBIND_REQUEST=bunit=X:1|S:2",
				      (char *)rows[i].note };
		struct tb_env_texts texts;
		struct tb_request request;

		tb_env_texts_find(&texts, env, 2);
		assert_int_equal(tb_request_from_texts(&request, &texts, NULL),
				 0);
		assert_int_equal(tb_alternative_of_texts(&request, &texts),
				 rows[i].index);
		assert_int_equal(tb_env_is_note(rows[i].note), i < 7);
		tb_request_clear(&request);
	}
}

static void knows_what_belongs_to_a_request(void **state)
{
	static const struct {
		const char *entry;
		bool note, of_request;
	} rows[] = {
		{ "TOPOBIND_REQUEST=bunit=X", false, true },
		{ "SPANK_TOPOBIND_REQUEST=bunit=X", false, true },
		{ "_SLURM_SPANK_OPTION_topobind_bunit=X", false, true },
		{ "SPANK__SLURM_SPANK_OPTION_topobind_bunit=X", false, true },
		{ "TOPOBIND_ALTERNATIVE=S:2", true, true },
		{ "_SLURM_SPANK_OPTION_other_bunit=X", false, false },
		{ "TOPOBIND_REQUESTED=bunit=X", false, false },
		{ "PATH=/usr/bin", false, false },
		{ "", false, false },
		{ NULL, false, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *entry = rows[i].entry;

		assert_int_equal(tb_env_is_note(entry), rows[i].note);
		assert_int_equal(tb_env_is_of_request(entry),
				 rows[i].of_request);
	}
}

static void knows_requests_of_parts(void **state)
{
	static const struct {
		const char *entry, *part;
	} rows[] = {
		{ "TOPOBIND_REQUEST_7=bamount=2",
		  "TOPOBIND_REQUEST_7=bamount=2" },
		{ "SLURM_SPANK_TOPOBIND_REQUEST_12=", "TOPOBIND_REQUEST_12=" },
		{ "TOPOBIND_REQUEST=bamount=2", NULL },
		{ "TOPOBIND_REQUESTED=bamount=2", NULL },
		{ "", NULL },
		{ NULL, NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *part = tb_env_find_part(rows[i].entry);

		if (rows[i].part == NULL)
			assert_null(part);
		else
			assert_string_equal(part, rows[i].part);
	}
}

static void reads_what_is_shown(void **state)
{
	static const struct {
		const char *line, *request;
		bool implicit;
	} rows[] = {
		{ "bunit=X,bamount=2", "bunit=X,bamount=2", false },
		{ "implicit", "bamount=1", true },
		{ "implicit,bunit=X", "bunit=X,bamount=1", true },
		{ "implicitly", NULL, false },
		{ "implicit,bunit=Q", NULL, true },
		{ "bunit=X...", NULL, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct tb_request request;
		int rc;

		tb_request_init(&request);
		assert_int_equal(tb_request_is_implicit(rows[i].line),
				 rows[i].implicit);
		rc = tb_request_from_comment(&request, rows[i].line, NULL);
		assert_int_equal(rc, rows[i].request ? 0 : -1);
		if (rc == 0) {
			char *line = tb_request_print(&request);

			assert_string_equal(line, rows[i].request);
			free(line);
		}
		tb_request_clear(&request);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(knows_requests_of_parts),
		cmocka_unit_test(reads_what_is_shown),
		cmocka_unit_test(knows_what_was_given),
		cmocka_unit_test(knows_what_belongs_to_a_request),
		cmocka_unit_test(binds_who_did_not_ask),
		cmocka_unit_test(reads_a_table),
		cmocka_unit_test(needs_no_environment_and_no_error),
		cmocka_unit_test(survives_rubbish),
		cmocka_unit_test(says_nothing_unprintable),
		cmocka_unit_test(reads_so_many_variables),
		cmocka_unit_test(looks_at_no_more_variables),
		cmocka_unit_test(limits_the_text),
		cmocka_unit_test(reads_a_parts),
		cmocka_unit_test(reads_a_steps_own),
	};

	return cmocka_run_group_tests_name("request_env", tests, NULL, NULL);
}
