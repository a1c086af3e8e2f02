/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The text forms of sets: lists as in /proc and Slurm, masks as in hwloc.
 */
#include "bitset.h"

#include <string.h>

#include "clip.h"
#include "text.h"

char *tb_bitset_print_list(const struct tb_bitset *set)
{
	struct tb_text text = TB_TEXT_EMPTY;
	unsigned first = tb_bitset_next(set, 0);

	while (first < set->nbits) {
		unsigned end = tb_bitset_next_clear(set, first);

		if (text.length)
			tb_text_add(&text, ",");
		tb_text_add_number(&text, first);
		if (end - first > 1) {
			tb_text_add(&text, "-");
			tb_text_add_number(&text, end - 1);
		}
		first = tb_bitset_next(set, end);
	}
	return tb_text_take(&text);
}

/*
 * Read the digits at *at.  A number too large for any set stays at nbits,
 * which the caller refuses.  -1 when there is no digit.
 */
static int read_list_number(const char **at, unsigned nbits, unsigned *number)
{
	const char *digit = *at;
	unsigned value = 0;

	for (; *digit >= '0' && *digit <= '9'; digit++) {
		if (value < nbits)
			value = value * 10 + (unsigned)(*digit - '0');
		if (value > nbits)
			value = nbits;
	}
	if (digit == *at)
		return -1;
	*at = digit;
	*number = value;
	return 0;
}

/* One "3" or "0-3" of a list. */
static int read_list_range(struct tb_bitset *set, const char *text,
			   const char **at, struct tb_error *err)
{
	unsigned first, last;
	const char *start = *at;

	if (read_list_number(at, set->nbits, &first))
		goto not_a_list;
	last = first;
	if (**at == '-') {
		(*at)++;
		if (read_list_number(at, set->nbits, &last))
			goto not_a_list;
	}
	if (first >= set->nbits || last >= set->nbits)
		return tb_fail(
			err,
			"list '%s', column %zu: the largest number allowed is %u",
			tb_clip(text, strlen(text)).text,
			(size_t)(start - text) + 1, set->nbits - 1);
	if (last < first)
		return tb_fail(
			err,
			"list '%s', column %zu: the range ends before it begins",
			tb_clip(text, strlen(text)).text,
			(size_t)(start - text) + 1);
	tb_bitset_set_range(set, first, last - first + 1);
	return 0;
not_a_list:
	return tb_fail(err,
		       "list '%s', column %zu: a number is expected, as in 0-3,8",
		       tb_clip(text, strlen(text)).text,
		       (size_t)(*at - text) + 1);
}

struct tb_bitset *tb_bitset_parse_list(const char *text, unsigned nbits,
				       struct tb_error *err)
{
	struct tb_bitset *set = tb_bitset_create(nbits);
	const char *at = text;

	if (!set) {
		tb_fail(err, "out of memory");
		return NULL;
	}
	if (!nbits) {
		tb_fail(err, "list '%s': no number is allowed here",
			tb_clip(text, strlen(text)).text);
		goto fail;
	}
	for (;;) {
		if (read_list_range(set, text, &at, err))
			goto fail;
		if (!*at)
			return set;
		if (*at != ',') {
			tb_fail(err,
				"list '%s', column %zu: a comma is expected, as in 0-3,8",
				tb_clip(text, strlen(text)).text,
				(size_t)(at - text) + 1);
			goto fail;
		}
		at++;
	}
fail:
	tb_bitset_destroy(set);
	return NULL;
}

/* The i-th group of 32 bits, from the lowest. */
static uint32_t get_mask_group(const struct tb_bitset *set, unsigned group)
{
	if (group / 2 * 64 >= set->nbits)
		return 0;
	return (uint32_t)(set->words[group / 2] >> group % 2 * 32);
}

static void add_hex(struct tb_text *text, uint32_t value)
{
	char digits[9];

	for (int i = 7; i >= 0; i--, value >>= 4)
		digits[i] = "0123456789abcdef"[value & 15];
	digits[8] = '\0';
	tb_text_add(text, digits);
}

/*
 * As hwloc_bitmap_snprintf() writes it: groups of 32 bits in eight digits, the
 * highest non-empty one first, an empty group written as nothing but its comma
 * unless it is the last.
 */
char *tb_bitset_print_mask(const struct tb_bitset *set)
{
	struct tb_text text = TB_TEXT_EMPTY;
	unsigned group = (set->nbits + 31) / 32;

	while (group > 0 && !get_mask_group(set, group - 1))
		group--;
	if (!group)
		tb_text_add(&text, "0x0");
	while (group-- > 0) {
		uint32_t value = get_mask_group(set, group);

		if (text.length)
			tb_text_add(&text, ",");
		if (value || !group) {
			tb_text_add(&text, "0x");
			if (value)
				add_hex(&text, value);
			else
				tb_text_add(&text, "0");
		}
	}
	return tb_text_take(&text);
}
