/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "reservation.h"

#include <string.h>

#include "src/common/macros.h"

#include "select_topobind/nodes/core_bits.h"
#include "select_topobind/nodes/nodes.h"

#define UNIT_LETTERS 5

/* The cores to choose on one node. */
struct pick {
	struct tb_shape *shape;
	struct tb_scratch *scratch; /* used: what is taken, also by these cores */
	uint32_t node;
	uint32_t left; /* cores still to choose */
	bitstr_t *chosen;
};

static bool is_set(const bitstr_t *bits, uint32_t bit)
{
	return bits && bit < bit_size((bitstr_t *)bits) &&
	       bit_test((bitstr_t *)bits, bit);
}

/* Place the request, and choose its cores unless they are too many. */
static bool take_request(struct pick *pick, const struct tb_request *request)
{
	struct tb_shape *shape = pick->shape;
	struct tb_scratch *scratch = pick->scratch;
	uint32_t count;

	if (tb_place(shape->placer, request, scratch->used, 1) <= 0)
		return false;
	tb_shape_cores(shape, tb_placed_threads(shape->placer), scratch->cores);
	count = tb_bitset_count(scratch->cores);
	if (count > pick->left)
		return false;
	tb_cores_to_bits(scratch->cores, pick->chosen,
			 tb_node_first_core(pick->node));
	tb_shape_threads(shape, scratch->cores, scratch->threads);
	tb_bitset_or(scratch->used, scratch->threads);
	pick->left -= count;
	return true;
}

/* Choose whole units, as many as there are and as are needed. */
static void take_units(struct pick *pick, char letter)
{
	static const enum tb_core_kind kinds[] = { TB_POWER, TB_EFFICIENCY };

	for (unsigned i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		struct tb_request request;

		tb_request_init(&request);
		request.unit.letter = letter;
		request.unit.kind = kinds[i];
		request.amount = 1;
		while (pick->left && take_request(pick, &request))
			;
	}
}

/* Fewer cores than a unit has: choose all in one unit, the most used one. */
static void take_together(struct pick *pick)
{
	struct tb_request request;

	tb_request_init(&request);
	request.unit.letter = 'C';
	request.unit.kind = TB_POWER;
	request.amount = pick->left;
	request.type = TB_HOST;
	strcpy(request.sort, "snxy");
	take_request(pick, &request);
}

/* The letters of containers from the largest units to the smallest. */
static void sort_letters(const struct tb_topology *topology,
			 char letters[UNIT_LETTERS])
{
	unsigned totals[UNIT_LETTERS];

	for (unsigned i = 0; i < UNIT_LETTERS - 1; i++) {
		struct tb_unit unit = { .letter = "SNXY"[i] };
		unsigned at = i, total = tb_units_total(topology, unit);

		for (; at && totals[at - 1] > total; at--) {
			totals[at] = totals[at - 1];
			letters[at] = letters[at - 1];
		}
		totals[at] = total;
		letters[at] = unit.letter;
	}
	letters[UNIT_LETTERS - 1] = '\0';
}

static void choose_on_node(struct pick *pick)
{
	char letters[UNIT_LETTERS];

	sort_letters(pick->shape->topology, letters);
	for (const char *letter = letters; *letter; letter++)
		take_units(pick, *letter);
	if (pick->left)
		take_together(pick);
	/* The rest is in several units, of both kinds, or threads. */
	take_units(pick, 'C');
	take_units(pick, 'T');
}

/* Say what may not be chosen, and take back what was chosen. */
static void begin_node(struct pick *pick, const bitstr_t *avoid)
{
	struct tb_bitset *barred = pick->scratch->cores;
	uint32_t first = tb_node_first_core(pick->node);
	bitstr_t *usable = node_record_table_ptr[pick->node]->node_spec_bitmap;

	tb_bitset_clear_all(barred);
	for (uint32_t core = 0; core < barred->nbits; core++) {
		if (bit_test(pick->chosen, first + core)) {
			pick->left++;
			bit_clear(pick->chosen, first + core);
		}
		if (is_set(avoid, first + core) ||
		    (usable && !is_set(usable, core)))
			tb_bitset_set(barred, core);
	}
	tb_shape_threads(pick->shape, barred, pick->scratch->used);
}

void tb_reservation_choose(const bitstr_t *nodes, const bitstr_t *avoid,
			   bitstr_t *chosen)
{
	bitstr_t *before = bit_copy(chosen);

	for (uint32_t node = 0; node < tb_node_count(); node++) {
		struct pick pick = { .node = node, .chosen = chosen };

		if (!is_set(nodes, node))
			continue;
		pick.shape = tb_node_shape(node);
		if (!pick.shape)
			continue;
		pick.scratch = pick.shape->scratch;
		begin_node(&pick, avoid);
		choose_on_node(&pick);
	}
	/* Slurm counts with this number: never choose another. */
	if (bit_set_count(before) != bit_set_count(chosen))
		bit_copybits(chosen, before);
	FREE_NULL_BITMAP(before);
}
