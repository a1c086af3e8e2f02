/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Host files of a job: a request, the numbers of tasks, of tasks for each node and
 * of CPUs for each task, then the grant of each node, each on a line of its own.
 * No node has more ranks than there are tasks, and no thread is in two slots.
 */
#include "fuzz.h"

#include "core/mpi/hostfile.h"

#define NODES_MAX 64
#define NUMBER_MAX 1000

static unsigned next_number(char **text)
{
	return (unsigned)strtoul(*text, text, 10) % NUMBER_MAX;
}

static struct tb_hostfile *create_file(const struct tb_request *request,
				       char *numbers, unsigned *tasks)
{
	struct tb_hostfile_job job = { .request = request, .partition = "p" };

	*tasks = job.tasks = next_number(&numbers);
	job.tasks_per_node = next_number(&numbers);
	job.cpus_per_task = next_number(&numbers);
	return tb_hostfile_create(&job);
}

static void check_slots(const struct tb_hostfile *file, unsigned index,
			const struct tb_hostfile_node *node)
{
	struct tb_bitset *seen = tb_bitset_create(node->threads->nbits);
	struct tb_bitset *slot = tb_bitset_create(node->threads->nbits);

	FUZZ_CHECK(seen && slot);
	for (unsigned i = 0; i < node->slots; i++) {
		tb_hostfile_slot(file, index, i, slot);
		FUZZ_CHECK(!tb_bitset_is_empty(slot));
		FUZZ_CHECK(tb_bitset_contains(node->threads, slot));
		FUZZ_CHECK(!tb_bitset_intersects(seen, slot));
		tb_bitset_or(seen, slot);
	}
	tb_bitset_destroy(seen);
	tb_bitset_destroy(slot);
}

static void check_nodes(struct tb_hostfile *file, unsigned tasks)
{
	struct tb_hostfile_node node;
	unsigned ranks = 0;

	tb_hostfile_deal(file);
	for (unsigned i = 0; tb_hostfile_node(file, i, &node); i++) {
		check_slots(file, i, &node);
		ranks += node.ranks;
	}
	FUZZ_CHECK(!tasks || ranks <= tasks);
}

static void check_texts(struct tb_hostfile *file)
{
	for (enum tb_hostfile_format format = TB_HOSTFILE_PE;
	     format <= TB_HOSTFILE_RANKS; format++) {
		struct tb_error err = { "" };
		char *text = tb_hostfile_print(file, format, &err);

		FUZZ_CHECK(text || *err.text);
		free(text);
	}
	tb_hostfile_has_lookalikes(file);
}

static void try_file(const struct tb_request *request, char *rest)
{
	unsigned tasks, nodes = 0;
	struct tb_hostfile *file = create_file(request, fuzz_line(&rest),
					       &tasks);
	struct tb_error err = { "" };

	FUZZ_CHECK(file);
	while (*rest && nodes++ < NODES_MAX)
		if (tb_hostfile_add(file, "n", fuzz_line(&rest), NULL, &err))
			FUZZ_CHECK(*err.text);
	check_nodes(file, tasks);
	check_texts(file);
	tb_hostfile_destroy(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_string(data, size);
	char *rest = text;
	struct tb_request request;

	tb_request_init(&request);
	if (!tb_request_parse(&request, fuzz_line(&rest), NULL) &&
	    !tb_request_complete(&request, NULL) && tb_request_binds(&request))
		try_file(&request, rest);
	tb_request_clear(&request);
	free(text);
	return 0;
}
