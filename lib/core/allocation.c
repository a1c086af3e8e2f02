/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "allocation.h"

#include <stdlib.h>

#define LAST_OF_ALL 1e300

const char *const tb_allocation_names[TB_ALLOCATIONS] = {
	[TB_ALLOCATE_SLURM] = "SLURM",
	[TB_ALLOCATE_FIRSTAVAILABLE] = "FIRSTAVAILABLE",
	[TB_ALLOCATE_LASTAVAILABLE] = "LASTAVAILABLE",
	[TB_ALLOCATE_CPULOAD] = "CPULOAD",
	[TB_ALLOCATE_MINRESOURCE] = "MINRESOURCE",
	[TB_ALLOCATE_CONTIGUOUS] = "CONTIGUOUS",
	[TB_ALLOCATE_MAXBALANCE] = "MAXBALANCE",
	[TB_ALLOCATE_FASTEST] = "FASTEST",
	[TB_ALLOCATE_PRIORITY] = "PRIORITY",
	[TB_ALLOCATE_BESTFIT] = "BESTFIT",
	[TB_ALLOCATE_BESTTOPOLOGY] = "BESTTOPOLOGY",
};

const char tb_allocation_list[] =
	"SLURM, FIRSTAVAILABLE, LASTAVAILABLE, CPULOAD, MINRESOURCE, CONTIGUOUS, MAXBALANCE, FASTEST, PRIORITY, BESTFIT, BESTTOPOLOGY";

static bool same_word(const char *name, const char *capitals)
{
	for (; *name && *capitals; name++, capitals++) {
		char c = *name >= 'a' && *name <= 'z' ?
			(char)(*name - 'a' + 'A') : *name;

		if (c != *capitals)
			return false;
	}
	return *name == *capitals;
}

bool tb_allocation_parse(const char *name, enum tb_allocation *policy)
{
	for (int i = 0; i < TB_ALLOCATIONS; i++) {
		if (!same_word(name, tb_allocation_names[i]))
			continue;
		*policy = (enum tb_allocation)i;
		return true;
	}
	return false;
}

/* The finaliser of splitmix64: neighbours have nothing to do with each other. */
double tb_allocation_chance(uint64_t seed, uint32_t node)
{
	uint64_t x = seed + (node + UINT64_C(1)) * UINT64_C(0x9e3779b97f4a7c15);

	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	x ^= x >> 31;
	return (double)(x >> 11) / (double)(UINT64_C(1) << 53);
}

/* --- keys: the smaller the better --------------------------------------------- */

/* The tightest fit in time first; who would run into a reservation last. */
static double time_key(const struct tb_candidate *candidate)
{
	return candidate->gap < 0 ? LAST_OF_ALL : (double)candidate->gap;
}

static void set_keys(enum tb_allocation policy, struct tb_candidate *candidate)
{
	double *key = candidate->key;

	key[0] = key[1] = 0;
	switch (policy) {
	case TB_ALLOCATE_FIRSTAVAILABLE:
		key[0] = candidate->gap < 0;
		break;
	case TB_ALLOCATE_LASTAVAILABLE:
		key[0] = time_key(candidate);
		key[1] = -(double)candidate->node;
		break;
	case TB_ALLOCATE_CPULOAD:
		key[0] = -candidate->idle;
		break;
	case TB_ALLOCATE_MINRESOURCE:
		key[0] = candidate->size;
		break;
	case TB_ALLOCATE_FASTEST:
		key[0] = -candidate->speed;
		key[1] = candidate->speed > 0 ? 0 : candidate->chance;
		break;
	case TB_ALLOCATE_PRIORITY:
		key[0] = -candidate->priority;
		key[1] = time_key(candidate);
		break;
	case TB_ALLOCATE_BESTFIT:
		key[0] = candidate->broken;
		key[1] = candidate->left;
		break;
	case TB_ALLOCATE_BESTTOPOLOGY:
		key[0] = candidate->diameter;
		key[1] = candidate->broken;
		break;
	case TB_ALLOCATE_MAXBALANCE:
		key[0] = candidate->speed;
		break;
	default: /* in Slurm's order */
		break;
	}
}

static int compare(double a, double b)
{
	return (a > b) - (a < b);
}

static int by_keys(const void *left, const void *right)
{
	const struct tb_candidate *a = left, *b = right;
	int order = compare(a->key[0], b->key[0]);

	if (!order)
		order = compare(a->key[1], b->key[1]);
	return order ? order : (a->node > b->node) - (a->node < b->node);
}

static int required_first(const void *left, const void *right)
{
	const struct tb_candidate *a = left, *b = right;

	if (a->required != b->required)
		return a->required ? -1 : 1;
	return by_keys(left, right);
}

static int preferred_first(const void *left, const void *right)
{
	const struct tb_candidate *a = left, *b = right;

	if (a->required == b->required && a->preferred != b->preferred)
		return a->preferred > b->preferred ? -1 : 1;
	return required_first(left, right);
}

/* --- how many do --------------------------------------------------------------- */

/* What a set of candidates holds. */
struct sum {
	uint64_t amount;
	uint32_t nodes;
	uint32_t required;
};

/* On a single node all of the job must fit. */
static uint64_t useful(const struct tb_candidate *candidate,
		       const struct tb_node_need *need)
{
	if (need->most_nodes == 1 && candidate->holds < need->amount)
		return 0;
	return candidate->holds;
}

static void add(struct sum *sum, const struct tb_candidate *candidate,
		const struct tb_node_need *need)
{
	sum->amount += useful(candidate, need);
	sum->nodes += candidate->holds > 0;
	sum->required += candidate->required;
}

static void take_away(struct sum *sum, const struct tb_candidate *candidate,
		      const struct tb_node_need *need)
{
	sum->amount -= useful(candidate, need);
	sum->nodes -= candidate->holds > 0;
	sum->required -= candidate->required;
}

static bool suffices(const struct sum *sum, const struct tb_node_need *need,
		     uint32_t required)
{
	return sum->amount >= need->amount && sum->nodes >= need->nodes &&
	       sum->required >= required;
}

static uint32_t count_required(const struct tb_candidate *list, uint32_t count)
{
	uint32_t required = 0;

	for (uint32_t i = 0; i < count; i++)
		required += list[i].required;
	return required;
}

static uint32_t shortest(const struct tb_candidate *list, uint32_t count,
			 const struct tb_node_need *need)
{
	uint32_t required = count_required(list, count);
	struct sum sum = { 0, 0, 0 };

	for (uint32_t i = 0; i < count; i++) {
		add(&sum, &list[i], need);
		if (suffices(&sum, need, required))
			return i + 1;
	}
	return count;
}

/* --- sets: neighbours in a row -------------------------------------------------- */

/* Candidates [first, end) of a sorted list; none found: end is 0. */
struct window {
	uint32_t first, end;
	double span;
};

static double place_of(enum tb_allocation policy,
		       const struct tb_candidate *candidate)
{
	return policy == TB_ALLOCATE_MAXBALANCE ? candidate->speed
						: candidate->node;
}

/* Of the same span: rather faster ones, else the first. */
static bool is_better(enum tb_allocation policy, const struct window *best,
		      double span, const struct tb_candidate *first,
		      const struct tb_candidate *best_first)
{
	if (!best->end || span != best->span)
		return !best->end || span < best->span;
	return policy == TB_ALLOCATE_MAXBALANCE &&
	       first->speed > best_first->speed;
}

/*
 * The window of the least span that holds the job.
 * Without gaps: a window ends where a node in between is no candidate.
 */
static struct window find_window(enum tb_allocation policy,
				 const struct tb_candidate *list,
				 uint32_t count, const struct tb_node_need *need,
				 bool without_gaps)
{
	uint32_t required = count_required(list, count);
	struct window best = { 0, 0, 0 };
	struct sum sum = { 0, 0, 0 };
	uint32_t first = 0;

	for (uint32_t i = 0; i < count; i++) {
		if (without_gaps && i && list[i].node != list[i - 1].node + 1) {
			first = i;
			sum = (struct sum){ 0, 0, 0 };
		}
		add(&sum, &list[i], need);
		while (suffices(&sum, need, required) && first <= i) {
			double span = place_of(policy, &list[i]) -
				      place_of(policy, &list[first]);

			if (is_better(policy, &best, span, &list[first],
				      &list[best.first]))
				best = (struct window){ first, i + 1, span };
			take_away(&sum, &list[first++], need);
		}
	}
	return best;
}

/* The window first, then who is nearer to it. */
static void sort_around(enum tb_allocation policy, struct tb_candidate *list,
			uint32_t count, const struct window *window)
{
	double low = place_of(policy, &list[window->first]);
	double high = place_of(policy, &list[window->end - 1]);

	for (uint32_t i = 0; i < count; i++) {
		bool inside = i >= window->first && i < window->end;
		double place = place_of(policy, &list[i]);

		list[i].key[0] = inside ? -1 :
			place < low ? low - place :
			place > high ? place - high : 0;
		list[i].key[1] = 0;
	}
	qsort(list, count, sizeof(*list), by_keys);
}

static uint32_t order_set(enum tb_allocation policy, struct tb_candidate *list,
			  uint32_t count, const struct tb_node_need *need)
{
	struct window window = { 0, 0, 0 };

	qsort(list, count, sizeof(*list), by_keys);
	if (policy == TB_ALLOCATE_CONTIGUOUS)
		window = find_window(policy, list, count, need, true);
	if (!window.end)
		window = find_window(policy, list, count, need, false);
	if (!window.end)
		return count;
	sort_around(policy, list, count, &window);
	return window.end - window.first;
}

/* --- all of it ------------------------------------------------------------------ */

static bool has_preferences(const struct tb_candidate *list, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (list[i].preferred > 0)
			return true;
	return false;
}

static bool can_hold(const struct tb_candidate *list, uint32_t count,
		     const struct tb_node_need *need)
{
	struct sum sum = { 0, 0, 0 };

	for (uint32_t i = 0; i < count; i++)
		add(&sum, &list[i], need);
	return suffices(&sum, need, 0);
}

/* Of a list that begins with them: all that are required or preferred. */
static uint32_t count_preferred(const struct tb_candidate *list,
				uint32_t count)
{
	uint32_t preferred = 0;

	while (preferred < count &&
	       (list[preferred].preferred > 0 || list[preferred].required))
		preferred++;
	return preferred;
}

/* Only the preferred nodes where these could hold the job. */
static uint32_t narrow(struct tb_candidate *list, uint32_t count,
		       const struct tb_node_need *need)
{
	uint32_t preferred;

	qsort(list, count, sizeof(*list), preferred_first);
	preferred = count_preferred(list, count);
	return preferred && can_hold(list, preferred, need) ? preferred : count;
}

uint32_t tb_allocation_order(enum tb_allocation policy,
			     struct tb_candidate *list, uint32_t count,
			     const struct tb_node_need *need)
{
	for (uint32_t i = 0; i < count; i++)
		set_keys(policy, &list[i]);
	switch (policy) {
	case TB_ALLOCATE_SLURM:
		return has_preferences(list, count) ? narrow(list, count, need)
						    : count;
	case TB_ALLOCATE_CONTIGUOUS:
	case TB_ALLOCATE_MAXBALANCE:
		if (has_preferences(list, count))
			return order_set(policy, list,
					 narrow(list, count, need), need);
		return order_set(policy, list, count, need);
	case TB_ALLOCATE_PRIORITY:
		qsort(list, count, sizeof(*list), required_first);
		break;
	default:
		qsort(list, count, sizeof(*list), preferred_first);
	}
	return shortest(list, count, need);
}

uint32_t tb_allocation_widen(enum tb_allocation policy, uint32_t tried,
			     uint32_t count)
{
	if (policy == TB_ALLOCATE_SLURM || tried > count / 2)
		return count;
	return 2 * tried;
}
