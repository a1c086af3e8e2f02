/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * holders.h - how many jobs hold each core of each node
 *
 * A set of cores of some nodes is written as words of 64 bits, one node after another;
 * no two nodes share a word.
 */
#ifndef TB_SELECT_TOPOBIND_BOOKS_HOLDERS_H
#define TB_SELECT_TOPOBIND_BOOKS_HOLDERS_H

#include <stdbool.h>
#include <stdint.h>

/* The nodes of the present node table: how many words each has, and where they begin. */
void tb_holders_find_places(void);
void tb_holders_forget_places(void);
uint32_t tb_words_of_node(uint32_t node);
uint32_t tb_first_word_of_node(uint32_t node); /* of the node count: of all */
uint32_t tb_cores_of_node(uint32_t node);

/*
 * Few cores have several holders, so only nodes with such a core have numbers.
 */
struct tb_holders {
	uint64_t *taken; /* from the node's first word on */
	uint16_t **more; /* by node, then by core: holders but one; NULL: none */
};

void tb_holders_init(struct tb_holders *holders);
void tb_holders_clear(struct tb_holders *holders); /* also of zeros */
/* An independent copy; the caller clears it. */
void tb_holders_copy(struct tb_holders *copy, const struct tb_holders *holders);

/* The cores of so many nodes, in ascending order, get a holder more, or one less. */
void tb_holders_add(struct tb_holders *holders, const uint32_t *nodes,
		    uint32_t count, const uint64_t *cores);
void tb_holders_drop(struct tb_holders *holders, const uint32_t *nodes,
		     uint32_t count, const uint64_t *cores);

/* Has any of these cores a holder?  Has none of the node's? */
bool tb_holders_have_some(const struct tb_holders *holders,
			  const uint32_t *nodes, uint32_t count,
			  const uint64_t *cores);
bool tb_holders_are_none(const struct tb_holders *holders, uint32_t node);
uint16_t tb_holders_of_core(const struct tb_holders *holders, uint32_t node,
			    uint32_t core);

#endif
