/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * doc/design.md, "Placement", word by word.  Objects are structures with pointers,
 * sets of threads are numbers, and everything is counted again whenever it is
 * needed.
 */
#include "oracle.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define OBJECTS 512

struct object {
	char letter;
	uint32_t threads; /* below it */
	struct object *parent;
	struct object *children[64];
	int nchildren;
	int numa;     /* number of an N in string order */
	int position; /* in the sorted pre-order */
};

struct machine {
	struct object objects[OBJECTS]; /* [0] is the root */
	int nobjects;
	int nthreads, nnuma;
	uint32_t used;
	uint32_t of_kind[2]; /* threads of C, of E */
};

struct placement {
	struct machine *machine;
	const unsigned *distances;
	char unit; /* the letter on this machine */
	int kind;  /* 0 C, 1 E */
	int amount;
	const char *sort;
	char start, stop;
	uint32_t used;		       /* with taken ones */
	uint32_t masked;	       /* neither used nor free */
	struct object *order[OBJECTS]; /* sorted pre-order, no root */
	int norder;
	int first, end;		 /* window, positions */
	char levels[OBJECTS][2]; /* letter, depth; outermost first */
	int nlevels;
};

/* --- the tree ------------------------------------------------------------- */

static void parse(struct machine *machine, const char *text)
{
	struct object *at = &machine->objects[0];

	memset(machine, 0, sizeof(*machine));
	machine->nobjects = 1;
	for (; *text; text++) {
		if (*text == '(')
			continue;
		if (*text == ')') {
			at = at->parent;
			continue;
		}
		struct object *new = &machine->objects[machine->nobjects++];

		new->letter = (char)toupper(*text);
		new->parent = at;
		at->children[at->nchildren++] = new;
		at = new;
		if (at->letter == 'N')
			at->numa = machine->nnuma++;
		if (at->letter != 'T')
			continue;
		uint32_t bit = (uint32_t)1 << machine->nthreads++;

		machine->of_kind[at->parent->letter == 'E'] |= bit;
		if (*text == 't')
			machine->used |= bit;
		for (struct object *o = at; o; o = o->parent)
			o->threads |= bit;
	}
}

static int same_shape(const char *a, const char *b)
{
	while (*a && toupper(*a) == toupper(*b)) {
		a++;
		b++;
	}
	return !*a && !*b;
}

static int ones(uint32_t set)
{
	int count = 0;

	for (; set; set &= set - 1)
		count++;
	return count;
}

static int has_letter(const struct machine *machine, char letter)
{
	for (int i = 1; i < machine->nobjects; i++)
		if (machine->objects[i].letter == letter)
			return 1;
	return 0;
}

static int is_below(const struct object *object, const struct object *top)
{
	while (object && object != top)
		object = object->parent;
	return object != NULL;
}

/* --- 2. sort -------------------------------------------------------------- */

/* Less than 0 when a comes first. */
static int compare(const struct placement *p, const struct object *a,
		   const struct object *b, char letter)
{
	int a_is = a->letter == toupper(letter);
	int b_is = b->letter == toupper(letter);
	int a_load = ones(a->threads & p->used & ~p->masked);
	int b_load = ones(b->threads & p->used & ~p->masked);
	int a_power = (a->threads & p->machine->of_kind[0]) != 0;
	int b_power = (b->threads & p->machine->of_kind[0]) != 0;

	if (a_is != b_is)
		return b_is - a_is;
	if (!a_is)
		return 0;
	if (a_power != b_power)
		return b_power - a_power;
	return isupper(letter) ? a_load - b_load : b_load - a_load;
}

static int nearer(const struct placement *p, const struct object *first,
		  const struct object *a, const struct object *b)
{
	const unsigned *row = p->distances + first->numa * p->machine->nnuma;

	if (row[a->numa] != row[b->numa])
		return row[a->numa] < row[b->numa];
	return a->numa < b->numa;
}

static void swap(struct object **a, struct object **b)
{
	struct object *keep = *a;

	*a = *b;
	*b = keep;
}

static void sort_list(const struct placement *p, struct object *parent,
		      char letter)
{
	struct object **list = parent->children;
	int n = parent->nchildren, matching = 0;

	/* Bubbles are stable. */
	for (int round = 0; round < n; round++)
		for (int i = 0; i + 1 < n; i++)
			if (compare(p, list[i], list[i + 1], letter) > 0)
				swap(&list[i], &list[i + 1]);
	if (!p->distances || toupper(letter) != 'N')
		return;
	while (matching < n && list[matching]->letter == 'N')
		matching++;
	for (int round = 0; round < matching; round++)
		for (int i = 1; i + 1 < matching; i++)
			if (nearer(p, list[0], list[i + 1], list[i]))
				swap(&list[i], &list[i + 1]);
}

static void pre_order(struct placement *p, struct object *object)
{
	if (object->letter) {
		object->position = p->norder;
		p->order[p->norder++] = object;
	}
	for (int i = 0; i < object->nchildren; i++)
		pre_order(p, object->children[i]);
}

static void sort(struct placement *p)
{
	for (const char *letter = p->sort; *letter; letter++)
		for (int i = 0; i < p->machine->nobjects; i++)
			sort_list(p, &p->machine->objects[i], *letter);
	pre_order(p, &p->machine->objects[0]);
}

/* --- 3. window ------------------------------------------------------------ */

static int matches(const struct placement *p, const struct object *object,
		   char letter)
{
	uint32_t threads = object->threads & ~p->masked;

	if (object->letter != toupper(letter))
		return 0;
	if (islower(letter))
		return (threads & p->used) != 0;
	return !(threads & p->used) &&
	       (strchr("CE", letter) ? threads
				     : threads & p->machine->of_kind[p->kind]);
}

static int find_window(struct placement *p)
{
	int at = 0;

	p->first = 0;
	p->end = p->norder;
	if (p->start) {
		while (at < p->norder && !matches(p, p->order[at], p->start))
			at++;
		if (at == p->norder)
			return 0;
		p->first = at++;
	}
	if (p->start && p->start == p->stop) {
		while (at < p->norder &&
		       is_below(p->order[at], p->order[p->first]))
			at++;
		p->end = at;
	} else if (p->stop) {
		while (at < p->norder && !matches(p, p->order[at], p->stop))
			at++;
		p->end = at;
	}
	return 1;
}

/* --- 4. units, places ----------------------------------------------------- */

static uint32_t unit_threads(const struct placement *p,
			     const struct object *object)
{
	return object->threads & p->machine->of_kind[p->kind];
}

static int is_available(const struct placement *p, const struct object *object)
{
	return object->letter == p->unit &&
	       unit_threads(p, object) & ~p->masked &&
	       !(unit_threads(p, object) & p->used) &&
	       object->position >= p->first && object->position < p->end;
}

/*
 * The first units below an object, in sorted order, up to wanted of them.  A unit
 * inside another does not count.  Returns how many there are.
 */
static int units_below(const struct placement *p, const struct object *object,
		       int wanted, uint32_t *threads)
{
	int found = 0;

	*threads = 0;
	for (int i = 0; i < p->norder && found < wanted; i++) {
		struct object *o = p->order[i];

		if (!is_below(o, object) || !is_available(p, o) ||
		    unit_threads(p, o) & *threads)
			continue;
		*threads |= unit_threads(p, o);
		found++;
	}
	return found;
}

static uint32_t take(const struct placement *p, const struct object *object)
{
	uint32_t threads;

	return units_below(p, object, p->amount, &threads) == p->amount
		       ? threads
		       : 0;
}

/* How many objects of its own letter are around it. */
static int own_depth(const struct object *object)
{
	int depth = 0;

	for (struct object *o = object->parent; o; o = o->parent)
		depth += o->letter == object->letter;
	return depth;
}

/* Which letter lies in which: what comes first in the string decides. */
static void find_nesting(const struct machine *machine, int in[128][128])
{
	static const char letters[] = "NSXY";

	for (int i = 1; i < machine->nobjects; i++) {
		const struct object *o = &machine->objects[i];

		if (!strchr(letters, o->letter))
			continue;
		for (struct object *up = o->parent; up; up = up->parent) {
			int inner = o->letter, outer = up->letter;

			if (!outer || inner == outer || in[outer][inner])
				continue;
			in[inner][outer] = 1;
			for (int round = 0; round < 4; round++)
				for (int a = 0; a < 4; a++)
					for (int b = 0; b < 4; b++)
						for (int c = 0; c < 4; c++)
							in[(int)letters[a]]
							  [(int)letters[c]] |=
								in[(int)letters[a]]
								  [(int)letters
									   [b]] &
								in[(int)letters[b]]
								  [(int)letters
									   [c]];
		}
	}
}

/* All levels outside of the unit, outermost first. */
static void find_levels(struct placement *p)
{
	int in[128][128] = { { 0 } };
	char left[] = "NSXY";

	find_nesting(p->machine, in);
	while (*left) {
		char *next = left;

		for (;; next++) {
			int inside = 0;

			for (char *other = left; *other; other++)
				inside |= in[(int)*next][(int)*other];
			if (!inside)
				break;
		}
		if (*next == p->unit)
			return;
		for (int depth = 0; depth < 16; depth++) {
			int there = 0;

			for (int i = 1; i < p->machine->nobjects; i++) {
				struct object *o = &p->machine->objects[i];

				there |= o->letter == *next &&
					 own_depth(o) == depth;
			}
			if (!there)
				break;
			p->levels[p->nlevels][0] = *next;
			p->levels[p->nlevels++][1] = (char)depth;
		}
		memmove(next, next + 1, strlen(next));
	}
	if (p->unit == 'T') {
		p->levels[p->nlevels][0] = p->kind ? 'E' : 'C';
		p->levels[p->nlevels++][1] = 0;
	}
}

static int on_level(const struct placement *p, const struct object *object,
		    int level)
{
	return object->letter == p->levels[level][0] &&
	       own_depth(object) == p->levels[level][1];
}

/* --- the fewest containers of a place ---------------------------------------- */

/*
 * Every way to divide the amount among the groups of a place.  A group is the
 * units that lie in the same innermost container, of those with several units or,
 * where distances count, NUMA nodes; of a group the first ones are taken.
 */
struct division {
	/* Containers that count, level by level. */
	struct counted {
		const struct object *object;
		int level, all, available;
	} counted[OBJECTS];
	int ncounted;
	const struct placement *p;
	const struct object *place;
	int ngroups;
	const struct object *home[ORACLE_GROUPS];
	uint32_t units[ORACLE_GROUPS][ORACLE_GROUPS]; /* in sorted order */
	int available[ORACLE_GROUPS];
	int taken[ORACLE_GROUPS], best[ORACLE_GROUPS];
	long cost[OBJECTS], best_cost[OBJECTS];
	int ncosts, any;
};

/* Units of the kind with threads that are not in without, in use or not. */
static int units_beside(const struct placement *p, const struct object *object,
			uint32_t without)
{
	int count = 0;

	for (int i = 0; i < p->norder; i++)
		count += p->order[i]->letter == p->unit &&
			 is_below(p->order[i], object) &&
			 unit_threads(p, p->order[i]) & ~without;
	return count;
}

static int all_units(const struct placement *p, const struct object *object)
{
	return units_beside(p, object, 0);
}

/* Are there distances, between NUMA nodes that are not inside each other? */
static int has_distances(const struct placement *p)
{
	int count = p->machine->nnuma;
	int differ = 0;

	for (int i = 0; i < p->norder; i++)
		if (p->order[i]->letter == 'N' && own_depth(p->order[i]))
			return 0;
	for (int i = 0; p->distances && i < count; i++)
		for (int j = 0; j < count; j++)
			differ |= i != j && p->distances[i * count + j] !=
						    p->distances[1];
	return differ;
}

static void find_groups(struct division *d)
{
	const struct placement *p = d->p;
	int far = has_distances(p);

	for (int i = 0; i < p->norder; i++) {
		const struct object *home = p->order[i];
		int group = 0;

		if (!is_below(p->order[i], d->place) ||
		    !is_available(p, p->order[i]))
			continue;
		while (home != d->place && all_units(p, home) < 2 &&
		       !(far && home->letter == 'N'))
			home = home->parent;
		while (group < d->ngroups && d->home[group] != home)
			group++;
		if (group == d->ngroups)
			d->home[d->ngroups++] = home;
		d->units[group][d->available[group]++] =
			unit_threads(p, p->order[i]);
	}
}

static int taken_below(const struct division *d, const int *taken,
		       const struct object *object)
{
	int count = 0;

	for (int i = 0; i < d->ngroups; i++)
		if (is_below(d->home[i], object))
			count += taken[i];
		else if (is_below(object, d->home[i]))
			/* an object with one unit, or none, in a larger home */
			for (int j = 0; j < taken[i]; j++)
				count += (d->units[i][j] & object->threads) !=
					 0;
	return count;
}

static int available_below(const struct division *d,
			   const struct object *object)
{
	return taken_below(d, d->available, object);
}

static int is_named(const struct placement *p, char letter)
{
	return letter &&
	       (strchr(p->sort, letter) || strchr(p->sort, tolower(letter)));
}

/* Of all pairs of NUMA nodes that the units are taken of, both ways. */
static long sum_of_distances(const struct division *d)
{
	const struct placement *p = d->p;
	long sum = 0;

	for (int i = 0; i < p->norder; i++)
		for (int j = 0; j < p->norder; j++) {
			const struct object *a = p->order[i], *b = p->order[j];

			if (i == j || a->letter != 'N' || b->letter != 'N' ||
			    !taken_below(d, d->taken, a) ||
			    !taken_below(d, d->taken, b))
				continue;
			sum += p->distances[a->numa * p->machine->nnuma +
					    b->numa];
		}
	return sum;
}

/* Inside the place, and with several units or, with distances, a NUMA node. */
static void find_counted(struct division *d)
{
	const struct placement *p = d->p;
	int far = has_distances(p);

	for (int level = 0; level < p->nlevels; level++)
		for (int i = 0; i < p->norder; i++) {
			const struct object *o = p->order[i];

			if (!on_level(p, o, level) || !is_below(o, d->place) ||
			    o == d->place)
				continue;
			if (all_units(p, o) > 1 || (o->letter == 'N' && far))
				d->counted[d->ncounted++] = (struct counted){
					o, level, units_beside(p, o, p->masked),
					available_below(d, o)
				};
		}
}

/* What counts, the most important first. */
static void find_cost(struct division *d)
{
	const struct placement *p = d->p;
	int measured = has_distances(p) && !is_named(p, 'N');
	const struct counted *c = d->counted;
	long broken = 0;

	d->ncosts = 0;
	for (int level = 0; level < p->nlevels; level++) {
		long touched = 0;

		for (; c < d->counted + d->ncounted && c->level == level; c++) {
			int taken = taken_below(d, d->taken, c->object);

			touched += taken > 0;
			broken += taken > 0 && taken < c->all &&
				  c->available == c->all;
		}
		d->cost[d->ncosts++] = touched;
		if (p->levels[level][0] == 'N' && measured)
			d->cost[d->ncosts++] = sum_of_distances(d);
	}
	if (p->unit == 'N' && measured)
		d->cost[d->ncosts++] = sum_of_distances(d);
	d->cost[d->ncosts++] = broken;
}

/* In a list with a letter of the sort the next units are taken. */
static int keeps_sort(const struct division *d, const struct object *object)
{
	int left = taken_below(d, d->taken, object);
	int named = 0;

	if (object->letter == d->p->unit)
		return 1;
	for (int i = 0; i < object->nchildren; i++)
		named |= is_named(d->p, object->children[i]->letter);
	for (int i = 0; i < object->nchildren; i++) {
		const struct object *child = object->children[i];
		int taken = taken_below(d, d->taken, child);
		int most = available_below(d, child);

		if (named && taken != (left < most ? left : most))
			return 0;
		if (!keeps_sort(d, child))
			return 0;
		left -= taken;
	}
	return 1;
}

/* Which one takes more of the first child in which they differ, from outside? */
static int order_of(const struct division *d, const struct object *object)
{
	int order = 0;

	if (object->letter == d->p->unit)
		return 0;
	for (int i = 0; i < object->nchildren && !order; i++)
		order = taken_below(d, d->taken, object->children[i]) -
			taken_below(d, d->best, object->children[i]);
	for (int i = 0; i < object->nchildren && !order; i++)
		order = order_of(d, object->children[i]);
	return order;
}

static void compare_division(struct division *d)
{
	int order = 0;

	if (*d->p->sort && !keeps_sort(d, d->place))
		return;
	find_cost(d);
	for (int i = 0; d->any && i < d->ncosts && !order; i++)
		order = d->best_cost[i] < d->cost[i]   ? -1
			: d->best_cost[i] > d->cost[i] ? 1
						       : 0;
	if (d->any && !order)
		order = order_of(d, d->place);
	if (d->any && order <= 0)
		return;
	d->any = 1;
	memcpy(d->best, d->taken, sizeof(d->best));
	memcpy(d->best_cost, d->cost, sizeof(d->best_cost));
}

static void divide(struct division *d, int group, int left)
{
	if (group == d->ngroups) {
		if (!left)
			compare_division(d);
		return;
	}
	for (int i = 0; i <= left && i <= d->available[group]; i++) {
		d->taken[group] = i;
		divide(d, group + 1, left - i);
	}
	d->taken[group] = 0;
}

static int has_nested_units(const struct placement *p)
{
	for (int i = 0; i < p->norder; i++)
		if (p->order[i]->letter == p->unit && own_depth(p->order[i]))
			return 1;
	return 0;
}

static uint32_t fewest(const struct placement *p, const struct object *place)
{
	static struct division d;
	uint32_t threads = 0;

	if (p->amount == 1 || has_nested_units(p) || !take(p, place))
		return take(p, place);
	memset(&d, 0, sizeof(d));
	d.p = p;
	d.place = place;
	find_groups(&d);
	find_counted(&d);
	divide(&d, 0, p->amount);
	for (int i = 0; i < d.ngroups; i++)
		for (int j = 0; j < d.best[i]; j++)
			threads |= d.units[i][j];
	return threads;
}

static uint32_t packed(const struct placement *p, const struct object *place)
{
	for (int level = p->nlevels - 1; p->amount > 1 && level >= 0; level--)
		for (int i = 0; i < p->norder; i++)
			if (is_below(p->order[i], place) &&
			    on_level(p, p->order[i], level) &&
			    take(p, p->order[i]))
				return fewest(p, p->order[i]);
	return fewest(p, place);
}

static uint32_t scattered(const struct placement *p)
{
	const struct object *best = NULL;
	int level;

	for (level = 0; level < p->nlevels; level++) {
		int count = 0;

		for (int i = 0; i < p->norder; i++)
			count += on_level(p, p->order[i], level);
		if (count > 1)
			break;
	}
	for (int i = 0; level < p->nlevels && i < p->norder; i++) {
		const struct object *o = p->order[i];

		if (on_level(p, o, level) && take(p, o) &&
		    (!best ||
		     ones(o->threads & p->used & ~p->masked) <
			     ones(best->threads & p->used & ~p->masked)))
			best = o;
	}
	return packed(p, best ? best : &p->machine->objects[0]);
}

/* --- 1., 5. and the whole ------------------------------------------------- */

/* Threads that a filter masks; 0 when it has another shape. */
static int add_filter(const struct random_case *c, struct machine *machine,
		      uint32_t *mask)
{
	static struct machine masked;
	const char *filter = c->bfilter;

	if (strncmp(filter, "first_core", 10) == 0) {
		for (int i = machine->nobjects - 1; i > 0; i--)
			if (strchr("CE", machine->objects[i].letter) &&
			    machine->objects[i].threads & 1)
				*mask |= machine->objects[i].threads;
		filter += 10;
		filter += *filter == '+';
	}
	if (!*filter)
		return 1;
	if (!same_shape(filter, c->topology))
		return 0;
	parse(&masked, filter);
	*mask |= masked.used;
	return 1;
}

static void find_unit(struct placement *p, const char *bunit)
{
	p->kind = bunit[0] == 'E';
	p->unit = bunit[strlen(bunit) - 1];
	if (strchr("NX", p->unit) && !has_letter(p->machine, p->unit))
		p->unit = 'S';
	if (p->unit == 'Y' && !has_letter(p->machine, 'Y'))
		p->unit = 'C';
	if (strchr("CE", p->unit))
		p->unit = p->kind ? 'E' : 'C';
}

void oracle_place(const struct random_case *c, const unsigned *distances,
		  struct oracle_result *result)
{
	static struct machine machine;
	static struct placement p;
	int host = strcmp(c->btype, "host") == 0;

	memset(result, 0, sizeof(*result));
	memset(&p, 0, sizeof(p));
	parse(&machine, c->topology);
	p.machine = &machine;
	p.distances = distances;
	p.amount = atoi(c->bamount);
	p.sort = c->bsort;
	p.start = c->bstart[0];
	p.stop = c->bstop[0];
	p.used = machine.used;
	find_unit(&p, c->bunit);
	if (c->btopology[0] && !same_shape(c->btopology, c->topology)) {
		result->slots = ORACLE_OTHER_TOPOLOGY;
		return;
	}
	if (!add_filter(c, &machine, &p.masked)) {
		result->slots = ORACLE_MISMATCH;
		return;
	}
	find_levels(&p);
	sort(&p);
	if (!find_window(&p))
		return;
	for (unsigned slot = 0; slot < (host ? 1 : c->nslots); slot++) {
		uint32_t threads = c->bstrategy[0] == 'l'
					   ? take(&p, &machine.objects[0])
				   : c->bstrategy[0] == 'p'
					   ? packed(&p, &machine.objects[0])
					   : scattered(&p);

		if (!threads)
			break;
		p.used |= threads;
		result->groups[result->ngroups++] = threads;
	}
	result->slots = host ? (result->ngroups ? (int)c->nslots : 0)
			     : (int)result->ngroups;
}
