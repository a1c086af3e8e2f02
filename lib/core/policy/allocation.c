/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "allocation.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/text.h"
#include "network.h"

#define LAST_OF_ALL 1e300
#define KEYS 5

/* A candidate with what it is sorted by: the smaller the better. */
struct ranked {
	struct tb_candidate candidate;
	double key[KEYS];
};

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
	[TB_ALLOCATE_DEFAULT] = "DEFAULT",
};

const char tb_allocation_list[] =
	"SLURM, FIRSTAVAILABLE, LASTAVAILABLE, CPULOAD, MINRESOURCE, CONTIGUOUS, MAXBALANCE, FASTEST, PRIORITY, BESTFIT, BESTTOPOLOGY, DEFAULT";

bool tb_allocation_parse(const char *name, enum tb_allocation *policy)
{
	for (int i = 0; i < TB_ALLOCATIONS; i++) {
		if (!tb_text_is_word(name, strlen(name),
				     tb_allocation_names[i]))
			continue;
		*policy = (enum tb_allocation)i;
		return true;
	}
	return false;
}

const char *tb_allocation_plugin(const char *policy)
{
	size_t length = strlen(TB_ALLOCATION_PLUGIN);

	return strncmp(policy, TB_ALLOCATION_PLUGIN, length) ? NULL
							     : policy + length;
}

bool tb_allocation_plugin_fits(const char *name)
{
	size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_");

	return length && length <= TB_ALLOCATION_PLUGIN_MAX && !name[length];
}

bool tb_policy_looks_at_fit(enum tb_allocation policy)
{
	return policy == TB_ALLOCATE_BESTFIT || policy == TB_ALLOCATE_PLUGIN ||
	       policy == TB_ALLOCATE_BESTTOPOLOGY ||
	       policy == TB_ALLOCATE_DEFAULT;
}

/* The last step of splitmix64, which makes neighbours look unrelated. */
double tb_allocation_chance(uint64_t seed, uint32_t node)
{
	uint64_t x = seed + (node + UINT64_C(1)) * UINT64_C(0x9e3779b97f4a7c15);

	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	x ^= x >> 31;
	return (double)(x >> 11) / (double)(UINT64_C(1) << 53);
}

/* As much on each of the fewest nodes. */
uint64_t tb_node_need_share(const struct tb_node_need *need)
{
	uint64_t nodes = need->nodes ? need->nodes : 1;

	return (need->amount + nodes - 1) / nodes;
}

/* --- keys -------------------------------------------------------------------- */

/* The shortest gap first; nodes where the job would run into a reservation last. */
static double make_gap_key(const struct tb_candidate *candidate)
{
	return candidate->gap < 0 ? LAST_OF_ALL : (double)candidate->gap;
}

/* Then how little the job's placement breaks up, and how little it leaves. */
static void set_fit_keys(const struct tb_candidate *candidate, double *key)
{
	key[0] = candidate->broken;
	key[1] = candidate->left;
}

/* Then how little memory and local disk is free. */
static void set_best_fit_keys(const struct tb_candidate *candidate, double *key)
{
	set_fit_keys(candidate, key);
	key[2] = candidate->rest;
}

/*
 * Of nodes of equal weight those that hold the job's largest share first, so that
 * it has as few of them as without a policy.
 */
static void set_default_keys(const struct tb_candidate *candidate,
			     const struct tb_node_need *need, double *key)
{
	uint64_t share = tb_node_need_share(need);

	key[0] = candidate->weight;
	key[1] = -(double)(candidate->holds < share ? candidate->holds : share);
	key[2] = (double)candidate->diameter;
	set_fit_keys(candidate, key + 3);
}

static void set_keys(enum tb_allocation policy, struct ranked *ranked,
		     const struct tb_node_need *need)
{
	const struct tb_candidate *candidate = &ranked->candidate;
	double *key = ranked->key;

	switch (policy) {
	case TB_ALLOCATE_FIRSTAVAILABLE:
		key[0] = candidate->gap < 0;
		break;
	case TB_ALLOCATE_LASTAVAILABLE:
		key[0] = make_gap_key(candidate);
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
		key[1] = make_gap_key(candidate);
		break;
	case TB_ALLOCATE_PLUGIN:
		key[0] = -candidate->priority;
		break;
	case TB_ALLOCATE_BESTFIT:
		set_best_fit_keys(candidate, key);
		break;
	case TB_ALLOCATE_BESTTOPOLOGY:
		key[0] = (double)candidate->diameter;
		set_best_fit_keys(candidate, key + 1);
		break;
	case TB_ALLOCATE_DEFAULT:
		set_default_keys(candidate, need, key);
		break;
	case TB_ALLOCATE_LEASTLOADED:
		key[0] = candidate->weight;
		key[1] = -candidate->free;
		break;
	default: /* in Slurm's order, or sets */
		break;
	}
}

static int compare_values(double a, double b)
{
	return (a > b) - (a < b);
}

static int by_keys(const void *left, const void *right)
{
	const struct ranked *a = left, *b = right;
	uint32_t a_node = a->candidate.node, b_node = b->candidate.node;
	int order = 0;

	for (int i = 0; i < KEYS && !order; i++)
		order = compare_values(a->key[i], b->key[i]);
	return order ? order : (a_node > b_node) - (a_node < b_node);
}

static int by_required(const void *left, const void *right)
{
	const struct ranked *a = left, *b = right;

	if (a->candidate.required != b->candidate.required)
		return a->candidate.required ? -1 : 1;
	return by_keys(left, right);
}

static int by_preferred(const void *left, const void *right)
{
	const struct tb_candidate *a = &((const struct ranked *)left)->candidate;
	const struct tb_candidate *b =
		&((const struct ranked *)right)->candidate;

	if (a->required == b->required && a->preferred != b->preferred)
		return a->preferred > b->preferred ? -1 : 1;
	return by_required(left, right);
}

/* --- how many suffice ---------------------------------------------------------- */

/* What a set of candidates holds. */
struct candidate_sum {
	uint64_t amount;
	uint32_t nodes;
	uint32_t required;
};

/* On a single node the whole job must fit. */
static uint64_t count_usable(const struct tb_candidate *candidate,
			     const struct tb_node_need *need)
{
	if (need->most_nodes == 1 && candidate->holds < need->amount)
		return 0;
	return candidate->holds;
}

static void add_to_sum(struct candidate_sum *sum,
		       const struct tb_candidate *candidate,
		       const struct tb_node_need *need)
{
	sum->amount += count_usable(candidate, need);
	sum->nodes += candidate->holds > 0;
	sum->required += candidate->required;
}

static void remove_from_sum(struct candidate_sum *sum,
			    const struct tb_candidate *candidate,
			    const struct tb_node_need *need)
{
	sum->amount -= count_usable(candidate, need);
	sum->nodes -= candidate->holds > 0;
	sum->required -= candidate->required;
}

static bool sum_suffices(const struct candidate_sum *sum,
			 const struct tb_node_need *need, uint32_t required)
{
	return sum->amount >= need->amount && sum->nodes >= need->nodes &&
	       sum->required >= required;
}

static uint32_t count_required(const struct ranked *list, uint32_t count)
{
	uint32_t required = 0;

	for (uint32_t i = 0; i < count; i++)
		required += list[i].candidate.required;
	return required;
}

static uint32_t count_sufficient(const struct ranked *list, uint32_t count,
				 const struct tb_node_need *need)
{
	uint32_t required = count_required(list, count);
	struct candidate_sum sum = { 0, 0, 0 };

	for (uint32_t i = 0; i < count; i++) {
		add_to_sum(&sum, &list[i].candidate, need);
		if (sum_suffices(&sum, need, required))
			return i + 1;
	}
	return count;
}

/* --- sets: neighbours in a row -------------------------------------------------- */

/* What keeps the candidates of a window apart: in this order, the less the better. */
struct distance {
	uint32_t switches; /* leaf switches, less one */
	uint32_t height;   /* of the lowest switch above all of them */
	uint32_t gaps; /* places where nodes between them are no candidates */
	double span;
};

/* Candidates [first, end) of a sorted list; none found: end is 0. */
struct candidate_window {
	uint32_t first, end;
	struct distance distance;
};

/* Where policies that look for sets see a candidate. */
static double get_position(enum tb_allocation policy,
			   const struct tb_candidate *candidate,
			   const struct tb_node_need *need)
{
	if (policy == TB_ALLOCATE_MAXBALANCE)
		return candidate->speed;
	return need->network ? tb_network_rank(need->network, candidate->node)
			     : candidate->node;
}

static uint32_t get_height(const struct tb_candidate *a,
			   const struct tb_candidate *b,
			   const struct tb_node_need *need)
{
	return need->network
		       ? tb_network_height(need->network, a->node, b->node)
		       : 0;
}

/* Blocks are of nodes that the job can have. */
static bool is_in_sets(enum tb_allocation policy,
		       const struct tb_candidate *candidate)
{
	return policy != TB_ALLOCATE_CONTIGUOUS || candidate->required ||
	       candidate->holds;
}

static void set_position_keys(enum tb_allocation policy, struct ranked *ranked,
			      const struct tb_node_need *need)
{
	const struct tb_candidate *candidate = &ranked->candidate;

	ranked->key[0] = !is_in_sets(policy, candidate);
	ranked->key[1] = get_position(policy, candidate, need);
}

/* Add what is between a candidate and the next one, or take it away. */
static void count_between(enum tb_allocation policy, struct distance *distance,
			  const struct ranked *left, const struct ranked *right,
			  const struct tb_node_need *need, int sign)
{
	const struct tb_candidate *a = &left->candidate, *b = &right->candidate;

	if (policy != TB_ALLOCATE_CONTIGUOUS)
		return;
	if (get_height(a, b, need))
		distance->switches += (uint32_t)sign;
	if (get_position(policy, b, need) > get_position(policy, a, need) + 1)
		distance->gaps += (uint32_t)sign;
}

/* The rest, which only depends on the two ends. */
static void measure_ends(enum tb_allocation policy, struct distance *distance,
			 const struct ranked *left, const struct ranked *right,
			 const struct tb_node_need *need)
{
	const struct tb_candidate *a = &left->candidate, *b = &right->candidate;

	if (policy == TB_ALLOCATE_CONTIGUOUS)
		distance->height = get_height(a, b, need);
	distance->span = get_position(policy, b, need) -
			 get_position(policy, a, need);
}

static int compare_distances(const struct distance *a, const struct distance *b)
{
	if (a->switches != b->switches)
		return a->switches < b->switches ? -1 : 1;
	if (a->height != b->height)
		return a->height < b->height ? -1 : 1;
	if (!a->gaps != !b->gaps)
		return !a->gaps ? -1 : 1;
	return compare_values(a->span, b->span);
}

/* Of windows that are as good the one with faster nodes, else the first. */
static bool is_better_window(enum tb_allocation policy,
			     const struct candidate_window *best,
			     const struct distance *distance,
			     const struct ranked *first,
			     const struct ranked *best_first)
{
	int order = compare_distances(distance, &best->distance);

	if (!best->end || order)
		return !best->end || order < 0;
	return policy == TB_ALLOCATE_MAXBALANCE &&
	       first->candidate.speed > best_first->candidate.speed;
}

/*
 * The window that holds the job and is best.  A part of a window is never worse, so those
 * are looked at that hold it no more without their first candidate.
 */
static struct candidate_window find_best_window(enum tb_allocation policy,
						const struct ranked *list,
						uint32_t count,
						const struct tb_node_need *need)
{
	uint32_t required = count_required(list, count);
	struct candidate_window best = { .end = 0 };
	struct candidate_sum sum = { 0, 0, 0 };
	struct distance distance = { 0, 0, 0, 0 };
	uint32_t first = 0;

	for (uint32_t i = 0; i < count; i++) {
		if (i > first)
			count_between(policy, &distance, &list[i - 1], &list[i],
				      need, 1);
		add_to_sum(&sum, &list[i].candidate, need);
		while (first <= i && sum_suffices(&sum, need, required)) {
			measure_ends(policy, &distance, &list[first], &list[i],
				     need);
			if (is_better_window(policy, &best, &distance,
					     &list[first], &list[best.first]))
				best = (struct candidate_window){ first, i + 1,
								  distance };
			remove_from_sum(&sum, &list[first].candidate, need);
			if (first < i)
				count_between(policy, &distance, &list[first],
					      &list[first + 1], need, -1);
			first++;
		}
	}
	return best;
}

/* The window first, then the others by their distance from it. */
static void sort_around_window(enum tb_allocation policy, struct ranked *list,
			       uint32_t count,
			       const struct candidate_window *window,
			       const struct tb_node_need *need)
{
	const struct tb_candidate low = list[window->first].candidate;
	const struct tb_candidate high = list[window->end - 1].candidate;
	double from = get_position(policy, &low, need);
	double to = get_position(policy, &high, need);

	for (uint32_t i = 0; i < count; i++) {
		const struct tb_candidate *candidate = &list[i].candidate;
		bool inside = i >= window->first && i < window->end;
		double position = get_position(policy, candidate, need);
		double *key = list[i].key;

		key[0] = inside ? -1 : 0;
		if (!inside && policy == TB_ALLOCATE_CONTIGUOUS)
			key[0] = get_height(candidate,
					    position < from ? &low : &high,
					    need);
		key[1] = inside		   ? 0
			 : position < from ? from - position
			 : position > to   ? position - to
					   : 0;
	}
	qsort(list, count, sizeof(*list), by_keys);
}

static uint32_t order_set(enum tb_allocation policy, struct ranked *list,
			  uint32_t count, const struct tb_node_need *need)
{
	struct candidate_window window;
	uint32_t usable = 0;

	for (uint32_t i = 0; i < count; i++)
		set_position_keys(policy, &list[i], need);
	qsort(list, count, sizeof(*list), by_keys);
	while (usable < count && is_in_sets(policy, &list[usable].candidate))
		usable++;
	window = find_best_window(policy, list, usable, need);
	if (!window.end)
		return count;
	sort_around_window(policy, list, count, &window, need);
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

static bool can_hold_job(const struct ranked *list, uint32_t count,
			 const struct tb_node_need *need)
{
	struct candidate_sum sum = { 0, 0, 0 };

	for (uint32_t i = 0; i < count; i++)
		add_to_sum(&sum, &list[i].candidate, need);
	return sum_suffices(&sum, need, 0);
}

/* How many required and preferred candidates the list begins with. */
static uint32_t count_preferred(const struct ranked *list, uint32_t count)
{
	uint32_t preferred = 0;

	while (preferred < count && (list[preferred].candidate.preferred > 0 ||
				     list[preferred].candidate.required))
		preferred++;
	return preferred;
}

/* Only the preferred nodes where these could hold the job. */
static uint32_t keep_preferred(struct ranked *list, uint32_t count,
			       const struct tb_node_need *need)
{
	uint32_t preferred;

	qsort(list, count, sizeof(*list), by_preferred);
	preferred = count_preferred(list, count);
	return preferred && can_hold_job(list, preferred, need) ? preferred
								: count;
}

/* Does the job fit on the first nodes that hold more than this? */
static bool fits_without_small(const struct ranked *list, uint32_t count,
			       const struct tb_node_need *need, uint64_t small)
{
	uint32_t required = count_required(list, count);
	struct candidate_sum sum = { 0, 0, 0 };

	for (uint32_t i = 0; i < count; i++) {
		const struct tb_candidate *candidate = &list[i].candidate;

		if (need->most_nodes && sum.nodes == need->most_nodes)
			break;
		if (candidate->required || candidate->holds > small)
			add_to_sum(&sum, candidate, need);
	}
	return sum_suffices(&sum, need, required);
}

/* The least that a candidate holds of those that hold more; 0: there is none. */
static uint64_t find_next_larger(const struct ranked *list, uint32_t count,
				 uint64_t small)
{
	uint64_t next = 0;

	for (uint32_t i = 0; i < count; i++) {
		uint64_t holds = list[i].candidate.holds;

		if (holds > small && (!next || holds < next))
			next = holds;
	}
	return next;
}

/*
 * A job that may have few nodes can need some that hold much.  Slurm leaves out
 * those that hold least, until the first of the others suffice.
 */
static void put_small_last(struct ranked *list, uint32_t count,
			   const struct tb_node_need *need)
{
	uint64_t small = 0;

	while (!fits_without_small(list, count, need, small)) {
		small = find_next_larger(list, count, small);
		if (!small)
			return;
	}
	for (uint32_t i = 0; i < count; i++)
		if (list[i].candidate.holds <= small)
			list[i].key[0] = LAST_OF_ALL;
	qsort(list, count, sizeof(*list), by_preferred);
}

static bool one_suffices(const struct ranked *list, uint32_t count,
			 const struct tb_node_need *need)
{
	for (uint32_t i = 0; need->nodes <= 1 && i < count; i++)
		if (list[i].candidate.holds >= need->amount)
			return true;
	return false;
}

static uint32_t order_by_default(struct ranked *list, uint32_t count,
				 const struct tb_node_need *need)
{
	qsort(list, count, sizeof(*list), by_preferred);
	if (need->has_switches && !one_suffices(list, count, need))
		return keep_preferred(list, count, need);
	put_small_last(list, count, need);
	return count_sufficient(list, count, need);
}

static uint32_t order_ranked(enum tb_allocation policy, struct ranked *list,
			     uint32_t count, bool preferences,
			     const struct tb_node_need *need)
{
	switch (policy) {
	case TB_ALLOCATE_SLURM:
		return keep_preferred(list, count, need);
	case TB_ALLOCATE_CONTIGUOUS:
	case TB_ALLOCATE_MAXBALANCE:
		if (preferences)
			count = keep_preferred(list, count, need);
		return order_set(policy, list, count, need);
	case TB_ALLOCATE_PRIORITY:
		qsort(list, count, sizeof(*list), by_required);
		break;
	case TB_ALLOCATE_DEFAULT:
		return order_by_default(list, count, need);
	case TB_ALLOCATE_LEASTLOADED:
		qsort(list, count, sizeof(*list), by_preferred);
		put_small_last(list, count, need);
		break;
	default:
		qsort(list, count, sizeof(*list), by_preferred);
	}
	return count_sufficient(list, count, need);
}

uint32_t tb_allocation_order(enum tb_allocation policy,
			     struct tb_candidate *list, uint32_t count,
			     const struct tb_node_need *need)
{
	bool preferences = has_preferences(list, count);
	struct ranked *ranked;
	uint32_t enough;

	if (policy == TB_ALLOCATE_SLURM && !preferences)
		return count;
	ranked = tb_array_create(count, sizeof(*ranked));
	if (!ranked)
		return count;
	for (uint32_t i = 0; i < count; i++) {
		ranked[i].candidate = list[i];
		set_keys(policy, &ranked[i], need);
	}
	enough = order_ranked(policy, ranked, count, preferences, need);
	for (uint32_t i = 0; i < count; i++)
		list[i] = ranked[i].candidate;
	free(ranked);
	return enough;
}

/* What comes before a candidate's fit: see set_default_keys(). */
static bool differ_before_fit(const struct tb_candidate *a,
			      const struct tb_candidate *b, uint64_t share)
{
	uint64_t holds = a->holds < share ? a->holds : share;
	uint64_t other = b->holds < share ? b->holds : share;

	return a->required != b->required || a->preferred != b->preferred ||
	       a->weight != b->weight || holds != other;
}

/*
 * Do the same number of first candidates suffice, whatever the order of those that
 * hold the job's share?  Where the job can have few nodes some of these are left out,
 * and they may hold more or less.
 */
static bool order_of_equals_does_not_matter(const struct tb_candidate *list,
					    uint32_t count,
					    const struct tb_node_need *need)
{
	bool limited = need->most_nodes > 1 && need->most_nodes < count;

	for (uint32_t i = 0; i < count; i++)
		if (list[i].most != UINT64_MAX ||
		    (limited && differ_before_fit(&list[i], &list[0], 0)))
			return false;
	return true;
}

uint32_t tb_allocation_leaders(enum tb_allocation policy,
			       struct tb_candidate *list, uint32_t count,
			       const struct tb_node_need *need)
{
	uint64_t share = tb_node_need_share(need);
	uint32_t leaders;

	if (policy != TB_ALLOCATE_DEFAULT || !count ||
	    !order_of_equals_does_not_matter(list, count, need))
		return count;
	leaders = tb_allocation_order(policy, list, count, need);
	while (leaders && leaders < count &&
	       !differ_before_fit(&list[leaders], &list[leaders - 1], share))
		leaders++;
	/* With switches it matters whether one node holds all. */
	while (need->has_switches && leaders < count &&
	       list[leaders - 1].holds < need->amount)
		leaders++;
	return leaders;
}

uint32_t tb_allocation_widen(enum tb_allocation policy, uint32_t tried,
			     uint32_t count)
{
	if (policy == TB_ALLOCATE_SLURM || tried > count / 2)
		return count;
	return 2 * tried;
}
