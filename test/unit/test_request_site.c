/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Requests beside what a site says: what counts, what is inherited, what nodes must have.
 */
#include "unit_test.h"

#include "core/request/prefer.h"
#include "core/request/request.h"

static bool is_fast_or_big(const char *name, void *arg)
{
	unsigned *asked = arg;

	(*asked)++;
	return !strcmp(name, "fast") || !strcmp(name, "big");
}

static void test_features(void **state)
{
	struct tb_request request;
	unsigned asked = 0;
	struct tb_error err;

	(void)state;
	tb_request_init(&request);
	assert_int_equal(tb_request_check_features(&request, is_fast_or_big,
						   &asked, &err),
			 0);
	assert_int_equal(asked, 0);
	assert_int_equal(tb_request_parse(&request, "bprefer=big+fast", &err),
			 0);
	assert_int_equal(tb_request_check_features(&request, is_fast_or_big,
						   &asked, &err),
			 0);
	assert_int_equal(asked, 2);
	assert_int_equal(tb_request_parse(&request, "bprefer=big+bigger+x",
					  &err),
			 0);
	assert_int_equal(tb_request_check_features(&request, is_fast_or_big,
						   &asked, &err),
			 -1);
	assert_non_null(strstr(err.text, "bprefer=bigger: no node has"));
	tb_request_clear(&request);
}

/* A request's own word, none too, before the site's. */
static void test_memory(void **state)
{
	static const struct {
		const char *line;
		enum tb_memory site, memory;
	} rows[] = {
		{ "bamount=1", TB_MEMORY_NONE, TB_MEMORY_NONE },
		{ "bamount=1", TB_MEMORY_LOCAL, TB_MEMORY_LOCAL },
		{ "bamount=1,bmem=none", TB_MEMORY_LOCAL, TB_MEMORY_NONE },
		{ "bamount=1,bmem=prefer", TB_MEMORY_LOCAL, TB_MEMORY_PREFER },
		{ "bcpus=1,bmem=local", TB_MEMORY_NONE, TB_MEMORY_LOCAL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct tb_request request;

		tb_request_init(&request);
		assert_int_equal(tb_request_parse(&request, rows[i].line, NULL),
				 0);
		assert_int_equal(tb_request_memory(&request,
						   (struct tb_memory_policy){
							   rows[i].site, 0 })
					 .where,
				 rows[i].memory);
		tb_request_clear(&request);
	}
}

static void test_mode(void **state)
{
	static const struct {
		const char *line;
		enum tb_hardness site, mode;
	} rows[] = {
		{ "bamount=1", TB_HARD, TB_HARD },
		{ "bamount=1", TB_SOFT, TB_SOFT },
		{ "bamount=1,bmode=hard", TB_SOFT, TB_HARD },
		{ "bamount=1,bmode=soft", TB_HARD, TB_SOFT },
		{ "bamount=1,binstance=env", TB_SOFT, TB_HARD },
		{ "bamount=1,binstance=pe", TB_SOFT, TB_HARD },
		{ "bcpus=1,binstance=set", TB_SOFT, TB_SOFT },
	};
	enum tb_hardness mode;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct tb_request request;

		tb_request_init(&request);
		assert_int_equal(tb_request_parse(&request, rows[i].line, NULL),
				 0);
		assert_int_equal(tb_request_mode(&request, rows[i].site),
				 rows[i].mode);
		tb_request_clear(&request);
	}
	assert_true(tb_mode_read("Soft", &mode));
	assert_string_equal(tb_mode_name(mode), "soft");
	assert_false(tb_mode_read("softly", &mode));
	assert_false(tb_mode_read("", &mode));
}

/* Only what a request itself says needs GPUs. */
static void test_gpu_memory(void **state)
{
	static const struct {
		const char *line;
		bool names;
	} rows[] = {
		{ "bamount=1", false },
		{ "bamount=1,bmem=none", false },
		{ "bamount=1,bmem=local+hbm", false },
		{ "bamount=1,bmem=local+gpu", true },
		{ "bcpus=1,bmem=prefer+hbm+gpu", true },
		{ "bunit=X:1|N:1,bmem=local+gpu", true },
		{ "bamount=0,bmem=local+gpu", false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct tb_request request;
		struct tb_error err = { "" };

		tb_request_init(&request);
		assert_int_equal(tb_request_parse(&request, rows[i].line, NULL),
				 0);
		assert_int_equal(tb_request_names_gpu_memory(&request),
				 rows[i].names);
		assert_int_equal(tb_request_check_gpus(&request, true, &err),
				 0);
		assert_int_equal(tb_request_check_gpus(&request, false, &err),
				 rows[i].names ? -1 : 0);
		assert_int_equal(*err.text != '\0', rows[i].names);
		tb_request_clear(&request);
	}
}

static void check_inherits(const char *upper, const char *lower,
			   const char *expected)
{
	struct tb_request a, b;
	struct tb_error err;
	char *printed;

	tb_request_init(&a);
	tb_request_init(&b);
	if (*upper)
		assert_int_equal(tb_request_parse(&a, upper, &err), 0);
	if (*lower)
		assert_int_equal(tb_request_parse(&b, lower, &err), 0);
	assert_int_equal(tb_request_inherit(&a, &b, &err), 0);
	tb_request_clear(&b); /* nothing of it is shared */
	printed = tb_request_print(&a);
	assert_string_equal(printed, expected);
	free(printed);
	tb_request_clear(&a);
}

static void test_inherit(void **state)
{
	(void)state;
	check_inherits("", "", "");
	check_inherits("bamount=1", "", "bamount=1");
	check_inherits("", "bamount=1,bfilter=first_core+Sc",
		       "bamount=1,bfilter=first_core+sc");
	check_inherits("bamount=1", "bamount=2,bunit=X", "bunit=X,bamount=1");
	check_inherits("bamount=0", "bamount=2", "bamount=0");
	/* a default that was said is not taken from below */
	check_inherits("bunit=C,bamount=1", "bunit=X", "bamount=1");
	check_inherits("bfilter=Sc,bamount=1", "bfilter=first_core",
		       "bamount=1,bfilter=sc");
	check_inherits("bcpus=1", "binstance=env,btopology=SCC",
		       "binstance=env,btopology=SCC,bcpus=1");
	check_inherits("binstance=env", "bcpus=1-2+4",
		       "binstance=env,bcpus=1-2+4");
	check_inherits("binstance=env", "bcpus=os:1-2+4",
		       "binstance=env,bcpus=os:1-2+4");
	check_inherits("bcpus=1", "bcpus=os:2", "bcpus=1");
	check_inherits("bcpus=os:1", "bcpus=2", "bcpus=os:1");
	check_inherits("bcpus=1", "bmem=local", "bcpus=1,bmem=local");
	check_inherits("bamount=1,bmode=soft", "bmode=hard,ballow=X",
		       "bamount=1,bmode=soft,ballow=X");
	check_inherits("bamount=1,bmode=hard", "bmode=soft",
		       "bamount=1,bmode=hard");
	check_inherits("bamount=1,bmem=none", "bmem=local",
		       "bamount=1,bmem=none");
	/* the list displaces the units of below, and the other way round */
	check_inherits("bcpus=1", "bunit=X,bamount=1,bsort=S", "bcpus=1");
	check_inherits("bcpus=1", "bamount=0", "bcpus=1");
	/* both from below stay there, to be refused as they were given */
	check_inherits("", "bcpus=1,btype=slot", "bcpus=1");
	check_inherits("bunit=X,bamount=1", "bcpus=1", "bunit=X,bamount=1");
	check_inherits("bamount=0", "bcpus=1", "bamount=0");
	check_inherits("bnodes=FASTEST", "bamount=1,bnodes=SLURM,bprefer=a+b",
		       "bamount=1,bnodes=FASTEST,bprefer=a+b");
	check_inherits("bstart=S", "bstop=s,bamount=3,bsort=N,btype=host",
		       "bamount=3,btype=host,bsort=N,bstart=S,bstop=s");
}

static void test_inherit_alternatives(void **state)
{
	(void)state;
	check_inherits("bunit=X:1|N:1", "bunit=C,bamount=2,btype=host",
		       "bunit=X:1|N:1,btype=host");
	check_inherits("bunit=X:1|N:1", "bamount=0", "bunit=X:1|N:1");
	check_inherits("bamount=2", "bunit=X:1|N:1", "bamount=2");
	check_inherits("bamount=0", "bunit=X:1|N:1", "bamount=0");
	check_inherits("bunit=S", "bunit=X:1|N:1", "bunit=S");
	check_inherits("btype=host", "bunit=X:1|N:1",
		       "bunit=X:1|N:1,btype=host");
	check_inherits("btype=host", "bunit=X:1|N:1,bamount=0",
		       "bunit=X:1|N:1,bamount=0,btype=host");
	check_inherits("bcpus=0", "bunit=X:1|N:1", "bcpus=0");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_features),
		cmocka_unit_test(test_memory),
		cmocka_unit_test(test_mode),
		cmocka_unit_test(test_gpu_memory),
		cmocka_unit_test(test_inherit),
		cmocka_unit_test(test_inherit_alternatives),
	};

	return cmocka_run_group_tests_name("request_site", tests, NULL, NULL);
}
