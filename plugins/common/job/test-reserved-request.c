/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of plugins/common/job/reserved_request.c. */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/job/reserved_request.h"

static void reads_what_it_prints(void **state)
{
	static const char *const texts[] = {
		"topobind slots=8 bunit=X,bamount=4",
		"topobind slots=1 nodes=1 bamount=1,btype=host",
		"topobind start=1795891627 slots=6 nodes=2 per-node=3 bunit=N,bamount=1",
		"topobind slots=1000000 bunit=X:1|N:1",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct tb_reserved_request reserved;
		char *printed;

		assert_int_equal(0, tb_reserved_request_read(&reserved,
							     texts[i], NULL));
		printed = tb_reserved_request_print(&reserved);
		assert_string_equal(texts[i], printed);
		free(printed);
		tb_reserved_request_clear(&reserved);
	}
}

static void reads_each_number(void **state)
{
	struct tb_reserved_request reserved;

	(void)state;
	assert_int_equal(
		0,
		tb_reserved_request_read(
			&reserved,
			"topobind start=7000000000 slots=6 nodes=2 per-node=3 bamount=5",
			NULL));
	assert_true(reserved.start == 7000000000);
	assert_int_equal(6, reserved.slots);
	assert_int_equal(2, reserved.nodes);
	assert_int_equal(3, reserved.per_node);
	assert_int_equal(5, reserved.request.amount);
	tb_reserved_request_clear(&reserved);
}

/* A sentence with these words. */
static void assert_refused(const char *text, const char *words)
{
	struct tb_reserved_request reserved;
	struct tb_error err = { "" };

	assert_int_equal(-1, tb_reserved_request_read(&reserved, text, &err));
	assert_non_null(strstr(err.text, words));
	tb_reserved_request_clear(&reserved);
}

static void refuses_others(void **state)
{
	(void)state;
	assert_refused(NULL, "no units were asked for");
	assert_refused("", "no units were asked for");
	assert_refused("for the course", "no units were asked for");
	assert_refused("topobind", "no units were asked for");
	assert_refused("topobind bamount=1", "how many slots");
	assert_refused("topobind slots=0 bamount=1", "how many slots");
	assert_refused("topobind slots=1000001 bamount=1", "how many slots");
	assert_refused("topobind slots=-1 bamount=1", "how many slots");
	assert_refused("topobind slots=1 nodes=1,bamount=1", "how many slots");
	assert_refused("topobind slots=1 nothing=1", "nothing");
	assert_refused("topobind slots=1 ", "empty");
	assert_refused("topobind slots=1 bamount=0", "--bunit and --bamount");
}

static void refuses_what_is_for_jobs(void **state)
{
	(void)state;
	assert_refused("topobind slots=1 bcpus=0-3", "--bcpus is not for");
	assert_refused("topobind slots=1 bamount=1,bmem=local",
		       "--bmem is not for");
	assert_refused("topobind slots=1 bamount=1,bmode=soft",
		       "--bmode is not for");
	assert_refused("topobind slots=1 bamount=1,binstance=pe",
		       "--binstance is not for");
	assert_refused("topobind slots=1 bamount=1,bnodes=BESTFIT",
		       "--bnodes is not for");
	assert_refused("topobind slots=1 bamount=1,bprefer=big",
		       "--bprefer is not for");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_what_it_prints),
		cmocka_unit_test(reads_each_number),
		cmocka_unit_test(refuses_others),
		cmocka_unit_test(refuses_what_is_for_jobs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
