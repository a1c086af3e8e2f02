/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * PCI addresses, and which NUMA nodes a step has for its GPUs: every way in which a few
 * device files and NUMA nodes can belong to a few GPUs, beside an oracle.
 */
#include "unit_test.h"

#include <stdbool.h>

#include "core/topology/gpu_memory.h"

static void test_addresses(void **state)
{
	static const struct {
		const char *text, *printed; /* NULL: it is none */
	} table[] = {
		{ "0004:05:00.0", "0004:05:00.0" },
		{ "00000004:05:00.0", "0004:05:00.0" },
		{ "0000:FF:1f.7", "0000:ff:1f.7" },
		{ "fffffffe:00:00.0", "fffffffe:00:00.0" },
		{ "0004:05:00", NULL },
		{ "0004:05:00.", NULL },
		{ "0004:05:00.0 ", NULL },
		{ "0004:05:00.00", NULL },
		{ "004:05:00.0", NULL },
		{ "000000004:05:00.0", NULL },
		{ "0004:5:00.0", NULL },
		{ "0004:05:0.0", NULL },
		{ "0004:05:00:0", NULL },
		{ "0004:05:0g.0", NULL },
		{ "+004:05:00.0", NULL },
		{ "0004.05.00.0", NULL },
		{ "pci0000:00", NULL },
		{ "virtio1", NULL },
		{ "", NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct tb_pci_address address;
		char text[TB_PCI_TEXT_SIZE];
		bool valid = tb_pci_address_parse(table[i].text,
						  strlen(table[i].text),
						  &address);

		assert_int_equal(valid, table[i].printed != NULL);
		if (!valid)
			continue;
		tb_pci_address_print(&address, text);
		assert_string_equal(text, table[i].printed);
	}
}

/* No more bytes are read than there are. */
static void test_address_in_path(void **state)
{
	struct tb_pci_address address;

	(void)state;
	assert_true(tb_pci_address_parse("0000:00:02.0/drm", 12, &address));
	assert_int_equal(address.device, 2);
	assert_false(tb_pci_address_parse("0000:00:02.0", 11, &address));
	assert_false(tb_pci_address_parse("0000:00:02.0", 0, &address));
}

/* ---- whose memory is it? ---- */

enum {
	FILES = 3,
	NUMA = 3,
	GPUS = 2,
	NOBODY = GPUS, /* a file without an address, a NUMA node of another GPU */
	OWNERS = GPUS + 1
};

/* By GPU, and which of the files are granted. */
struct world {
	unsigned file[FILES], numa[NUMA];
	unsigned granted;
};

static struct tb_pci_address address_of(unsigned gpu)
{
	/* They differ in one number each. */
	static const struct tb_pci_address addresses[OWNERS] = { { 4, 5, 0, 0 },
								 { 4, 6, 0, 0 },
								 { 0x35, 5, 0,
								   0 } };

	return addresses[gpu];
}

/* Is a GPU all the step's? */
static bool has_gpu(const struct world *world, unsigned gpu)
{
	bool any = false;

	for (unsigned i = 0; i < FILES; i++) {
		if (world->file[i] != gpu)
			continue;
		if (!(world->granted & 1u << i))
			return false;
		any = true;
	}
	return any;
}

static bool has_memory(const struct world *world, unsigned gpu)
{
	for (unsigned i = 0; i < NUMA; i++)
		if (world->numa[i] == gpu)
			return true;
	return false;
}

static int expect(const struct world *world, unsigned *os_nodes)
{
	int rc = 0;

	*os_nodes = 0;
	for (unsigned i = 0; i < NUMA; i++)
		if (world->numa[i] != NOBODY && has_gpu(world, world->numa[i]))
			*os_nodes |= 1u << i;
	for (unsigned i = 0; i < FILES; i++)
		if (world->granted & 1u << i &&
		    (world->file[i] == NOBODY ||
		     !has_gpu(world, world->file[i]) ||
		     !has_memory(world, world->file[i])))
			rc = -1;
	return rc;
}

static void check_world(const struct world *world)
{
	static const char *const paths[FILES] = { "/dev/a", "/dev/b",
						  "/dev/c" };
	struct tb_bitset *os_nodes = tb_bitset_create(2 * NUMA);
	struct tb_gpu_file files[FILES];
	struct tb_gpu_numa numa[NUMA];
	struct tb_error err = { "" };
	unsigned wanted;
	int rc = expect(world, &wanted);

	for (unsigned i = 0; i < FILES; i++) {
		files[i] = (struct tb_gpu_file){
			.path = paths[i],
			.is_granted = world->granted >> i & 1,
			.is_found = world->file[i] != NOBODY,
			.address = address_of(world->file[i]),
		};
	}
	for (unsigned i = 0; i < NUMA; i++)
		numa[i] = (struct tb_gpu_numa){ 2 * i + 1,
						address_of(world->numa[i]) };
	assert_int_equal(tb_gpu_memory_choose(files, FILES, numa, NUMA,
					      os_nodes, &err),
			 rc);
	assert_int_equal(*err.text != '\0', rc < 0);
	for (unsigned i = 0; i < NUMA; i++) {
		assert_false(tb_bitset_test(os_nodes, 2 * i));
		assert_int_equal(tb_bitset_test(os_nodes, 2 * i + 1),
				 wanted >> i & 1);
	}
	tb_bitset_destroy(os_nodes);
}

/* Each digit of number is an owner. */
static void take_digits(unsigned number, unsigned *owners, unsigned count)
{
	for (unsigned i = 0; i < count; i++, number /= OWNERS)
		owners[i] = number % OWNERS;
}

static void test_all_worlds(void **state)
{
	const unsigned all = OWNERS * OWNERS * OWNERS;

	(void)state;
	for (unsigned files = 0; files < all; files++)
		for (unsigned numa = 0; numa < all; numa++)
			for (unsigned granted = 0; granted < 1u << FILES;
			     granted++) {
				struct world world = { .granted = granted };

				take_digits(files, world.file, FILES);
				take_digits(numa, world.numa, NUMA);
				check_world(&world);
			}
}

/* The sentence is that of the first file, and names it and its GPU. */
static void test_sentences(void **state)
{
	const struct tb_gpu_numa numa = { 7, { 4, 5, 0, 0 } };
	struct tb_gpu_file files[] = {
		{ "/dev/nvidia0", true, true, { 4, 5, 0, 0 } },
		{ "/dev/nvidia1", true, true, { 4, 6, 0, 0 } },
		{ "/dev/cap3", true, false, { 0, 0, 0, 0 } },
	};
	struct tb_bitset *os_nodes = tb_bitset_create(8);
	struct tb_error err;

	(void)state;
	assert_int_equal(tb_gpu_memory_choose(files, 3, &numa, 1, os_nodes,
					      &err),
			 -1);
	assert_non_null(strstr(err.text, "/dev/nvidia1"));
	assert_non_null(strstr(err.text, "0004:06:00.0"));
	assert_non_null(strstr(err.text, "leave out +gpu"));
	assert_true(tb_bitset_test(os_nodes, 7));
	files[1].is_granted = false;
	assert_int_equal(tb_gpu_memory_choose(files, 3, &numa, 1, os_nodes,
					      &err),
			 -1);
	assert_non_null(strstr(err.text, "/dev/cap3"));
	files[2] =
		(struct tb_gpu_file){ "/dev/mig", false, true, { 4, 5, 0, 0 } };
	tb_bitset_clear_all(os_nodes);
	assert_int_equal(tb_gpu_memory_choose(files, 3, &numa, 1, os_nodes,
					      &err),
			 -1);
	assert_non_null(strstr(err.text, "not only the step's"));
	assert_non_null(strstr(err.text, "/dev/mig"));
	assert_true(tb_bitset_is_empty(os_nodes));
	assert_int_equal(tb_gpu_memory_choose(files, 3, &numa, 1, os_nodes,
					      NULL),
			 -1);
	tb_bitset_destroy(os_nodes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_addresses),
		cmocka_unit_test(test_address_in_path),
		cmocka_unit_test(test_all_worlds),
		cmocka_unit_test(test_sentences),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
