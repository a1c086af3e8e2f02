/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * classes.h - what nodes can offer to a job, and which offers go together
 *
 * An offer is a number of free slots on a node, all of the same size in CPUs.  Slurm
 * can be asked for one size of task at a time only, so offers of one size are a
 * class, and classes are tried one by one.  A node whose units differ in size has
 * several offers: the first slots that are equally large, and for each size the units
 * of that size alone, in classes of their own at the end.  With btype=host the size
 * of units does not matter to tasks: there is one class, and where units differ in
 * size a second one, with larger units of the nodes.  With bequal=no the last classes
 * have slots of any size, which count as the smallest of them.
 *
 * A slot has the masked threads of its units, and runs no tasks there.  Where that
 * leaves too few CPUs for a task the node offers units without masked threads only.
 *
 * slurmctld (try/offers.h) and the command (blockers.h) place the slots and ask here.
 */
#ifndef TB_CORE_PLAN_CLASSES_H
#define TB_CORE_PLAN_CLASSES_H

#include "asked.h"
#include "booked.h"

struct tb_placed; /* a placement of slurmctld's */

struct tb_offer {
	uint32_t node;
	uint32_t slots; /* TB_HOST: 1 */
	uint32_t cpus;	/* per slot; TB_HOST: of the host's units */
	uint32_t runs;	/* of these, on which tasks run: tb_booked_runs() */
	/* Only these units, TB_HOST: or larger ones, see unit_sizes.h; 0: any. */
	uint32_t unit_size;
	uint32_t devices; /* of those for all nodes, it is near so many; 0: any */
	bool larger;	  /* TB_HOST: of the second class */
	bool whole;	  /* only units without masked threads (place.h) */
	/*
	 * Slots of any size, of so many CPUs for each core; cpus are those of the
	 * smallest in the class, and unit_size, too, means larger ones.  0: equal.
	 */
	uint32_t unequal;
	uint32_t class_rank;		/* see select_topobind/order/ */
	const struct tb_placed *placed; /* just these slots; NULL: place again */
};

/* What was placed for an offer. */
struct tb_room {
	uint32_t slots; /* TB_HOST: 1; 0: nothing fits */
	uint32_t equal; /* of them, from the first on, as large as it */
	uint32_t cpus;	/* of each of these; TB_HOST: of the host's units */
	/* Of all slots, CPUs of the smallest and of the largest; only TB_UNEQUAL. */
	uint32_t least, largest;
	/* Of the equal slots, or of all that are unequal, the one with the fewest. */
	uint32_t runs;
	const struct tb_placed *placed; /* or NULL */
};

/* The offers of one node: how they are placed, and who takes them. */
struct tb_offering {
	const struct tb_request *request;
	struct tb_booking booking;
	uint32_t cpus_per_core; /* of the node */
	uint32_t enough;	/* tb_asked_cpus_on_one() */
	bool implicit;		/* the site's request */
	bool one_size;		/* whatever bequal says */
	/*
	 * As many slots as a node may have, of unit_size, whole and so on; sets
	 * devices.
	 */
	void (*place)(void *arg, struct tb_offer *offer, struct tb_room *room);
	/* tb_unit_sizes_after() */
	uint32_t (*size_after)(void *arg, uint32_t size);
	void (*add)(void *arg, const struct tb_offer *offer);
	void *arg;
	uint32_t limited; /* offers with fewer slots, or none, for booking.left */
};

/* Those of equal slots.  Returns whether a host could have larger units. */
bool tb_offering_equal(struct tb_offering *offering, uint32_t node);

/* The second class of TB_HOST; needed where some node could have larger units. */
void tb_offering_larger(struct tb_offering *offering, uint32_t node);

/* The last classes, where the request has them. */
bool tb_offering_is_unequal(const struct tb_offering *offering);
void tb_offering_unequal(struct tb_offering *offering, uint32_t node);

/* Of one node: what has as many slots in its class already. */
bool tb_offer_is_needless(const struct tb_offer *offer,
			  const struct tb_offer *other);

/* All offers of all nodes: unequal slots get their CPUs, and classes are in order. */
void tb_classes_sort(enum tb_type type, struct tb_offer *list, uint32_t count);
int tb_classes_compare(const struct tb_offer *a, const struct tb_offer *b);

/* Of the sorted offers the class from first on is [first, returned); 0: none. */
uint32_t tb_class_end(enum tb_type type, const struct tb_offer *list,
		      uint32_t count, uint32_t first);

/* What Slurm is to be asked for per slot (TB_HOST: per node, at least). */
uint32_t tb_class_cpus(const struct tb_offer *list, uint32_t first,
		       uint32_t end);

/* How many tasks an offer holds when each gets the CPUs that it asks for. */
uint32_t tb_offer_tasks(const struct tb_offer *offer, enum tb_type type,
			const struct tb_asked *asked);

/*
 * Of so many tasks of the offer those that find memory on a node with so much, where
 * they ask for some with each CPU.
 */
uint32_t tb_offer_tasks_in_memory(const struct tb_offer *offer,
				  enum tb_type type, uint32_t tasks,
				  uint64_t per_cpu, uint64_t memory);

#endif
