/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bitset.h - fixed-size sets of small integers
 *
 * The program has sets of logical threads (positions in a topology string), of
 * logical cores and of OS CPUs.  The name of a variable says which of these its
 * set has; a set never mixes them.  Bits past nbits are always zero.
 */
#ifndef TB_CORE_BASE_BITSET_H
#define TB_CORE_BASE_BITSET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"

#define TB_BITSET_WORD_BITS 64u

struct tb_bitset {
	unsigned nbits;
	uint64_t *words;
};

/* All bits clear.  NULL when out of memory.  The caller destroys. */
struct tb_bitset *tb_bitset_create(unsigned nbits);
struct tb_bitset *tb_bitset_copy(const struct tb_bitset *set);
void tb_bitset_destroy(struct tb_bitset *set); /* NULL is fine */

void tb_bitset_set(struct tb_bitset *set, unsigned bit);
void tb_bitset_clear(struct tb_bitset *set, unsigned bit);

/* In loops over all nodes a call would take longer than the test. */
static inline bool tb_bitset_test(const struct tb_bitset *set, unsigned bit)
{
	return set->words[bit / TB_BITSET_WORD_BITS] >>
		       bit % TB_BITSET_WORD_BITS &
	       1;
}

/* Ranges are [first, first + count). */
void tb_bitset_set_range(struct tb_bitset *set, unsigned first, unsigned count);
void tb_bitset_clear_range(struct tb_bitset *set, unsigned first,
			   unsigned count);
/* Add the bits of from that lie in the range.  Both sets have the range. */
void tb_bitset_or_range(struct tb_bitset *to, const struct tb_bitset *from,
			unsigned first, unsigned count);
/* Remove the bits of gone that lie in the range. */
void tb_bitset_andnot_range(struct tb_bitset *to, const struct tb_bitset *gone,
			    unsigned first, unsigned count);
unsigned tb_bitset_count_range(const struct tb_bitset *set, unsigned first,
			       unsigned count);
bool tb_bitset_any_in_range(const struct tb_bitset *set, unsigned first,
			    unsigned count);
/* Do both sets have a bit in common in the range? */
bool tb_bitset_intersects_range(const struct tb_bitset *a,
				const struct tb_bitset *b, unsigned first,
				unsigned count);
/* Has outer all bits that inner has in the range? */
bool tb_bitset_contains_range(const struct tb_bitset *outer,
			      const struct tb_bitset *inner, unsigned first,
			      unsigned count);

void tb_bitset_clear_all(struct tb_bitset *set);
unsigned tb_bitset_count(const struct tb_bitset *set);
bool tb_bitset_is_empty(const struct tb_bitset *set);

/* Both sets must have the same nbits. */
void tb_bitset_assign(struct tb_bitset *to, const struct tb_bitset *from);
void tb_bitset_or(struct tb_bitset *to, const struct tb_bitset *from);
void tb_bitset_and(struct tb_bitset *to, const struct tb_bitset *from);
void tb_bitset_andnot(struct tb_bitset *to, const struct tb_bitset *from);
bool tb_bitset_equal(const struct tb_bitset *a, const struct tb_bitset *b);
bool tb_bitset_intersects(const struct tb_bitset *a, const struct tb_bitset *b);
/* How many bits have both? */
unsigned tb_bitset_count_both(const struct tb_bitset *a,
			      const struct tb_bitset *b);
bool tb_bitset_contains(const struct tb_bitset *outer,
			const struct tb_bitset *inner);

/* First set bit at or after from; nbits when there is none. */
unsigned tb_bitset_next(const struct tb_bitset *set, unsigned from);
/* First clear bit at or after from; nbits when there is none. */
unsigned tb_bitset_next_clear(const struct tb_bitset *set, unsigned from);
/* Last set bit; nbits when there is none. */
unsigned tb_bitset_last(const struct tb_bitset *set);

/*
 * Loop over the set bits in ascending order:
 *	TB_BITSET_EACH(core, cores)
 *		take_core(core);
 * The loop may clear bits that it has reached.
 */
#define TB_BITSET_EACH(bit, set) \
	for (unsigned bit = tb_bitset_next(set, 0); bit < (set)->nbits; \
	     bit = tb_bitset_next(set, bit + 1))

/* "0-3,8"; "" for the empty set.  malloc()ed, NULL when out of memory. */
char *tb_bitset_print_list(const struct tb_bitset *set);

/*
 * Read "0-3,8" into a new set of nbits.  Returns NULL with a sentence in err
 * when the text is not such a list, is empty, or names a bit from nbits on.
 */
struct tb_bitset *tb_bitset_parse_list(const char *text, unsigned nbits,
				       struct tb_error *err);

/* The mask as hwloc prints it: "0x0000000f", "0x00000001,,0x0", "0x0". */
char *tb_bitset_print_mask(const struct tb_bitset *set);

#endif
