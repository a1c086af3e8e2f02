/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * memo.h - results remembered for nodes that are alike
 *
 * Most of ten thousand nodes are in one of few states.  A result that depends on
 * nothing but a node's shape, its cores in use and some numbers is found once for
 * each such state and then looked up.  All that it depends on is in the key, or is
 * the same as long as the memo lives, so nothing in it can become old.  Keys are
 * compared as a whole: two states are never mistaken for each other.
 */
#ifndef TB_CORE_BASE_MEMO_H
#define TB_CORE_BASE_MEMO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bitset.h"

#define TB_MEMO_NUMBERS 4

struct tb_memo_key {
	uint64_t shape; /* a number that is no other's as long as the memo lives */
	const void *filter; /* by address: it outlives the memo */
	uint32_t numbers[TB_MEMO_NUMBERS];
	const struct tb_bitset *cores; /* copied when remembered */
};

struct tb_memo;

/* For values of this size.  NULL when out of memory.  The caller destroys. */
struct tb_memo *tb_memo_create(size_t value_size);
void tb_memo_destroy(struct tb_memo *memo); /* NULL is fine */

/* The bytes that it takes. */
size_t tb_memo_size(const struct tb_memo *memo);

/*
 * The value of a key, all zero when *is_new: then the caller fills it in.  It stays
 * where it is as long as the memo lives.  NULL when out of memory: the question
 * can still be answered without the memo.
 */
void *tb_memo_find(struct tb_memo *memo, const struct tb_memo_key *key,
		   bool *is_new);

/* Memory that lives as long as the memo, all zero.  NULL when out of memory. */
void *tb_memo_keep(struct tb_memo *memo, size_t size);

/*
 * Give a set, whose nbits the caller has set, words in the memo's own memory, all
 * bits clear.  False when out of memory.
 */
bool tb_memo_make_set(struct tb_memo *memo, struct tb_bitset *set);

#endif
