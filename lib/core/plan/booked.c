/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "booked.h"

bool tb_layout_suffices(const struct tb_layout *there,
			const struct tb_layout *asked)
{
	return there->sockets >= asked->sockets &&
	       there->cores_per_socket >= asked->cores_per_socket &&
	       there->threads_per_core >= asked->threads_per_core;
}

uint32_t tb_booked_per_core(uint32_t asked, uint32_t there)
{
	return asked && asked < there ? asked : there;
}

/* Slots of threads can share a core; whole cores are the host's. */
static bool are_threads(const struct tb_books *books,
			const struct tb_request *request)
{
	return request->unit.letter == 'T' && request->type == TB_SLOT &&
	       books->cpus_per_core == books->threads_per_core;
}

uint32_t tb_booked_cpus(const struct tb_books *books,
			const struct tb_request *request,
			const struct tb_topology *topology,
			const struct tb_bitset *threads)
{
	if (are_threads(books, request))
		return tb_bitset_count(threads);
	return books->cpus_per_core *
	       (books->by_thread ? tb_bitset_count(threads)
				 : tb_count_cores_with(topology, threads));
}

/* Of a core with so many threads of a slot, when tasks run on some of them. */
static uint32_t count_of_core(const struct tb_books *books, uint32_t threads,
			      uint32_t running)
{
	if (running == threads)
		return threads ? books->cpus_per_core : 0;
	return running < books->cpus_per_core ? running : books->cpus_per_core;
}

static uint32_t count_by_core(const struct tb_books *books,
			      const struct tb_topology *topology,
			      const struct tb_bitset *threads,
			      const struct tb_bitset *masked)
{
	unsigned cores = tb_topology_cores(topology);
	uint32_t cpus = 0;

	for (unsigned core = 0; core < cores; core++) {
		unsigned thread = tb_core_first_thread(topology, core);
		unsigned end = thread + tb_core_threads(topology, core);
		uint32_t all = 0, running = 0;

		while ((thread = tb_bitset_next(threads, thread)) < end) {
			all++;
			running += !tb_bitset_test(masked, thread++);
		}
		cpus += count_of_core(books, all, running);
	}
	return cpus;
}

uint32_t tb_booked_runs(const struct tb_books *books,
			const struct tb_request *request,
			const struct tb_topology *topology,
			const struct tb_bitset *threads,
			const struct tb_bitset *masked)
{
	uint32_t running = 0;

	if (!masked)
		return tb_booked_cpus(books, request, topology, threads);
	if (!books->by_thread && !are_threads(books, request))
		return count_by_core(books, topology, threads, masked);
	TB_BITSET_EACH(thread, threads)
		running += !tb_bitset_test(masked, thread);
	return are_threads(books, request) ? running
					   : running * books->cpus_per_core;
}

uint32_t tb_booked_left(uint32_t most, uint32_t used)
{
	return used < most ? most - used : 0;
}

uint32_t tb_booked_slots(const struct tb_booking *booking, uint32_t slots,
			 uint32_t cpus, uint32_t most, uint32_t *within)
{
	uint32_t room;

	*within = 0;
	if (!slots || cpus < booking->task_cpus || most > TB_BOOKED_MOST)
		return 0;
	if ((uint64_t)cpus * slots < booking->node_cpus)
		return 0;
	*within = slots;
	if (booking->left == UINT32_MAX || !most)
		return slots;
	room = booking->left / most;
	return room < slots ? room : slots;
}
