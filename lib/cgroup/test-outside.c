/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Interrupts and unbound work keep off CPUs, in a tree of plain files. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

#include "outside.h"

#define CPUS 64

static char root[] = "/tmp/topobind-outside-XXXXXX";
static struct tb_outside_places places = { ".", "." };
static char *kept;

/* In the directory of the test. */
static void put(const char *name, const char *text)
{
	FILE *out = fopen(name, "we");

	assert_non_null(out);
	assert_true(fputs(text, out) >= 0 && fclose(out) == 0);
}

/* A plain file keeps the end of a longer text: only its beginning counts. */
static void assert_has(const char *name, const char *wanted)
{
	FILE *in = fopen(name, "re");
	char seen[200] = "";

	assert_non_null(in);
	assert_non_null(fgets(seen, sizeof(seen), in));
	fclose(in);
	assert_memory_equal(seen, wanted, strlen(wanted));
}

static int keep(const char *taken, void *data, struct tb_error *err)
{
	unsigned *calls = data;

	(void)err;
	++*calls;
	free(kept);
	kept = taken != NULL ? strdup(taken) : NULL;
	return 0;
}

static void apply(const char *list)
{
	struct tb_bitset *isolated = list[0] != '\0'
					     ? tb_bitset_parse_list(list, CPUS,
								    NULL)
					     : tb_bitset_create(CPUS);
	struct tb_bitset *online = tb_bitset_parse_list("0-39", CPUS, NULL);
	char *taken = kept != NULL ? strdup(kept) : NULL;
	unsigned calls = 0;

	assert_int_equal(tb_outside_apply(&places, taken, isolated, online,
					  keep, &calls, NULL),
			 0);
	assert_int_equal(calls, 2);
	free(taken);
	tb_bitset_destroy(isolated);
	tb_bitset_destroy(online);
}

static void keeps_off(void **state)
{
	(void)state;
	put("7/smp_affinity_list", "0-39\n");
	put("8/smp_affinity_list", "4\n");
	put("9/smp_affinity_list", "0-3\n");
	put("default_smp_affinity", "ff,ffffffff\n");
	put("cpumask", "000000ff,ffffffff\n");
	apply("4-7,33");
	assert_has("7/smp_affinity_list", "0-3,8-32,34-39");
	assert_has("8/smp_affinity_list", "0-3,8-32,34-39");
	assert_has("9/smp_affinity_list", "0-3\n");
	assert_has("default_smp_affinity", "000000fd,ffffff0f");
	assert_has("cpumask", "000000fd,ffffff0f");
	assert_non_null(strstr(kept, "/8/smp_affinity_list moved 4\n"));
	assert_non_null(strstr(kept, "/7/smp_affinity_list kept 4-7,33\n"));
	put("7/smp_affinity_list", "0-3,8-32,34-39\n");
	put("8/smp_affinity_list", "0-3,8-32,34-39\n");
	apply("5-7");
	assert_has("7/smp_affinity_list", "0-4,8-39");
	assert_has("8/smp_affinity_list", "4");
	put("7/smp_affinity_list", "0-4,8-39\n");
	put("8/smp_affinity_list", "4\n");
	apply("");
	assert_has("7/smp_affinity_list", "0-39");
	assert_has("8/smp_affinity_list", "4\n");
	assert_has("cpumask", "000000ff,ffffffff");
	assert_null(kept);
}

/* What cannot be read or understood stays as it is. */
static void leaves_alone(void **state)
{
	(void)state;
	put("7/smp_affinity_list", "what\n");
	put("8/smp_affinity_list", "");
	put("9/smp_affinity_list", "0-3\n");
	put("default_smp_affinity", "xyz\n");
	put("cpumask", "ff,,ff\n");
	kept = strdup("half a line");
	apply("4-7");
	assert_has("7/smp_affinity_list", "what\n");
	assert_has("default_smp_affinity", "xyz\n");
	assert_has("cpumask", "ff,,ff\n");
	assert_null(kept);
}

static int set_up(void **state)
{
	static const char *const irqs[] = { "7", "8", "9" };

	(void)state;
	if (mkdtemp(root) == NULL || chdir(root) < 0)
		return -1;
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(mkdir(irqs[i], 0755), 0);
	return 0;
}

static int remove_it(const char *path, const struct stat *status, int type,
		     struct FTW *walk)
{
	(void)status;
	(void)type;
	(void)walk;
	return remove(path);
}

static int tear_down(void **state)
{
	(void)state;
	free(kept);
	return nftw(root, remove_it, 8, FTW_DEPTH | FTW_PHYS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keeps_off),
		cmocka_unit_test(leaves_alone),
	};

	return cmocka_run_group_tests_name("outside", tests, set_up, tear_down);
}
