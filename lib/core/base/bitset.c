/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bitset.h"

#include <stdlib.h>
#include <string.h>

#define WORD_BITS TB_BITSET_WORD_BITS
#define ALL_ONES (~(uint64_t)0)

static unsigned count_words(const struct tb_bitset *set)
{
	return (set->nbits + WORD_BITS - 1) / WORD_BITS;
}

/*
 * Without a popcount instruction in the baseline of x86-64 the compiler's
 * builtin is a call through a table; this is faster and needs no library.
 */
static unsigned count_ones(uint64_t word)
{
	word -= (word >> 1) & 0x5555555555555555u;
	word = (word & 0x3333333333333333u) +
	       ((word >> 2) & 0x3333333333333333u);
	word = (word + (word >> 4)) & 0x0f0f0f0f0f0f0f0fu;
	return (unsigned)((word * 0x0101010101010101u) >> 56);
}

/* The part of a range of bits that lies in one word, and the rest of it. */
struct span {
	unsigned word; /* index of the word */
	uint64_t mask; /* the bits of the range in it */
	unsigned next; /* first bit of the range after this word */
};

/* first < end */
static struct span get_span(unsigned first, unsigned end)
{
	struct span span = { first / WORD_BITS, ALL_ONES << first % WORD_BITS,
			     (first / WORD_BITS + 1) * WORD_BITS };

	if (end < span.next) {
		span.mask &= ~(ALL_ONES << end % WORD_BITS);
		span.next = end;
	}
	return span;
}

struct tb_bitset *tb_bitset_create(unsigned nbits)
{
	size_t words = ((size_t)nbits + WORD_BITS - 1) / WORD_BITS;
	struct tb_bitset *set = calloc(1,
				       sizeof(*set) +
					       words * sizeof(set->words[0]));

	if (!set)
		return NULL;
	set->nbits = nbits;
	set->words = (uint64_t *)(set + 1);
	return set;
}

struct tb_bitset *tb_bitset_copy(const struct tb_bitset *set)
{
	struct tb_bitset *copy = tb_bitset_create(set->nbits);

	if (copy)
		tb_bitset_assign(copy, set);
	return copy;
}

void tb_bitset_destroy(struct tb_bitset *set)
{
	free(set);
}

void tb_bitset_set(struct tb_bitset *set, unsigned bit)
{
	set->words[bit / WORD_BITS] |= (uint64_t)1 << bit % WORD_BITS;
}

void tb_bitset_clear(struct tb_bitset *set, unsigned bit)
{
	set->words[bit / WORD_BITS] &= ~((uint64_t)1 << bit % WORD_BITS);
}

void tb_bitset_set_range(struct tb_bitset *set, unsigned first, unsigned count)
{
	unsigned end = first + count;

	while (first < end) {
		struct span span = get_span(first, end);

		set->words[span.word] |= span.mask;
		first = span.next;
	}
}

void tb_bitset_clear_range(struct tb_bitset *set, unsigned first,
			   unsigned count)
{
	unsigned end = first + count;

	while (first < end) {
		struct span span = get_span(first, end);

		set->words[span.word] &= ~span.mask;
		first = span.next;
	}
}

void tb_bitset_or_range(struct tb_bitset *to, const struct tb_bitset *from,
			unsigned first, unsigned count)
{
	unsigned end = first + count;

	while (first < end) {
		struct span span = get_span(first, end);

		to->words[span.word] |= from->words[span.word] & span.mask;
		first = span.next;
	}
}

void tb_bitset_andnot_range(struct tb_bitset *to, const struct tb_bitset *gone,
			    unsigned first, unsigned count)
{
	unsigned end = first + count;

	while (first < end) {
		struct span span = get_span(first, end);

		to->words[span.word] &= ~(gone->words[span.word] & span.mask);
		first = span.next;
	}
}

/* count > 0.  Most ranges are a container's, and lie in one word. */
static bool is_in_one_word(unsigned first, unsigned count)
{
	return first % WORD_BITS + count <= WORD_BITS;
}

/* Those of such a range, from bit 0 on. */
static uint64_t get_bits(const struct tb_bitset *set, unsigned first,
			 unsigned count)
{
	return set->words[first / WORD_BITS] >> first % WORD_BITS &
	       ALL_ONES >> (WORD_BITS - count);
}

unsigned tb_bitset_count_range(const struct tb_bitset *set, unsigned first,
			       unsigned count)
{
	unsigned end = first + count;
	unsigned ones = 0;

	if (!count)
		return 0;
	if (is_in_one_word(first, count))
		return count_ones(get_bits(set, first, count));
	while (first < end) {
		struct span span = get_span(first, end);

		ones += count_ones(set->words[span.word] & span.mask);
		first = span.next;
	}
	return ones;
}

bool tb_bitset_any_in_range(const struct tb_bitset *set, unsigned first,
			    unsigned count)
{
	unsigned end = first + count;

	if (!count)
		return false;
	if (is_in_one_word(first, count))
		return get_bits(set, first, count);
	while (first < end) {
		struct span span = get_span(first, end);

		if (set->words[span.word] & span.mask)
			return true;
		first = span.next;
	}
	return false;
}

bool tb_bitset_intersects_range(const struct tb_bitset *a,
				const struct tb_bitset *b, unsigned first,
				unsigned count)
{
	unsigned end = first + count;

	while (first < end) {
		struct span span = get_span(first, end);

		if (a->words[span.word] & b->words[span.word] & span.mask)
			return true;
		first = span.next;
	}
	return false;
}

bool tb_bitset_contains_range(const struct tb_bitset *outer,
			      const struct tb_bitset *inner, unsigned first,
			      unsigned count)
{
	unsigned end = first + count;

	while (first < end) {
		struct span span = get_span(first, end);

		if (inner->words[span.word] & ~outer->words[span.word] &
		    span.mask)
			return false;
		first = span.next;
	}
	return true;
}

void tb_bitset_clear_all(struct tb_bitset *set)
{
	memset(set->words, 0, count_words(set) * sizeof(set->words[0]));
}

unsigned tb_bitset_count(const struct tb_bitset *set)
{
	return tb_bitset_count_range(set, 0, set->nbits);
}

bool tb_bitset_is_empty(const struct tb_bitset *set)
{
	return !tb_bitset_any_in_range(set, 0, set->nbits);
}

void tb_bitset_assign(struct tb_bitset *to, const struct tb_bitset *from)
{
	memcpy(to->words, from->words,
	       count_words(from) * sizeof(from->words[0]));
}

void tb_bitset_or(struct tb_bitset *to, const struct tb_bitset *from)
{
	unsigned words = count_words(to);

	for (unsigned i = 0; i < words; i++)
		to->words[i] |= from->words[i];
}

void tb_bitset_and(struct tb_bitset *to, const struct tb_bitset *from)
{
	unsigned words = count_words(to);

	for (unsigned i = 0; i < words; i++)
		to->words[i] &= from->words[i];
}

void tb_bitset_andnot(struct tb_bitset *to, const struct tb_bitset *from)
{
	unsigned words = count_words(to);

	for (unsigned i = 0; i < words; i++)
		to->words[i] &= ~from->words[i];
}

bool tb_bitset_equal(const struct tb_bitset *a, const struct tb_bitset *b)
{
	return memcmp(a->words, b->words,
		      count_words(a) * sizeof(a->words[0])) == 0;
}

bool tb_bitset_intersects(const struct tb_bitset *a, const struct tb_bitset *b)
{
	unsigned words = count_words(a);

	for (unsigned i = 0; i < words; i++)
		if (a->words[i] & b->words[i])
			return true;
	return false;
}

unsigned tb_bitset_count_both(const struct tb_bitset *a,
			      const struct tb_bitset *b)
{
	unsigned words = count_words(a), count = 0;

	for (unsigned i = 0; i < words; i++)
		count += count_ones(a->words[i] & b->words[i]);
	return count;
}

bool tb_bitset_contains(const struct tb_bitset *outer,
			const struct tb_bitset *inner)
{
	unsigned words = count_words(inner);

	for (unsigned i = 0; i < words; i++)
		if (inner->words[i] & ~outer->words[i])
			return false;
	return true;
}

/* The first bit that differs from the same bit of flipped. */
static unsigned find_next_bit(const struct tb_bitset *set, unsigned from,
			      uint64_t flipped)
{
	unsigned words = count_words(set), at = from / WORD_BITS, bit;
	uint64_t word;

	if (from >= set->nbits)
		return set->nbits;
	word = (set->words[at] ^ flipped) & ALL_ONES << from % WORD_BITS;
	while (!word && ++at < words)
		word = set->words[at] ^ flipped;
	if (!word)
		return set->nbits;
	/* What is behind the last bit is 0, which flipped is 1. */
	bit = at * WORD_BITS + (unsigned)__builtin_ctzll(word);
	return bit < set->nbits ? bit : set->nbits;
}

unsigned tb_bitset_next(const struct tb_bitset *set, unsigned from)
{
	return find_next_bit(set, from, 0);
}

unsigned tb_bitset_next_clear(const struct tb_bitset *set, unsigned from)
{
	return find_next_bit(set, from, ALL_ONES);
}

unsigned tb_bitset_last(const struct tb_bitset *set)
{
	for (unsigned i = count_words(set); i > 0; i--)
		if (set->words[i - 1])
			return i * WORD_BITS - 1 -
			       (unsigned)__builtin_clzll(set->words[i - 1]);
	return set->nbits;
}
