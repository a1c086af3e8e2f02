/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The compact form: NSXYCTTYCTTYEEYEE
 *
 * There are no brackets.  A first pass learns from letters that directly follow
 * each other which container lies in which; a second pass builds the tree.  For
 * two letters that never follow each other (S and X in SCCXCC) the order is
 * N S X Y, as hwloc nests equal cpusets.
 */
#include "read_compact.h"

#include <string.h>

#include "core/base/clip.h"
#include "core/base/text.h"

#define RANK_CORE TB_OUTERS

static bool letter_is_container(char upper)
{
	return tb_class_of_letter(upper) < TB_CLASS_CORE;
}

static bool letter_is_core(char upper)
{
	return tb_class_of_letter(upper) == TB_CLASS_CORE;
}

/* A container and the letter directly after it, at i and i + 1. */
static int learn_pair_nesting(struct tb_nesting *nesting, const char *text,
			      size_t i, struct tb_error *err)
{
	char outer = tb_upper(text[i]);
	char inner = tb_upper(text[i + 1]);

	if (!inner || inner == 'T')
		return tb_fail(
			err,
			"topology string '%s', column %zu: '%c' is empty; a container needs a core below it",
			tb_clip(text, strlen(text)).text, i + 1, text[i]);
	if (letter_is_core(inner) || inner == outer)
		return 0;
	if (!tb_nesting_add(nesting, (enum tb_outer)tb_class_of_letter(outer),
			    (enum tb_outer)tb_class_of_letter(inner)))
		return tb_fail(
			err,
			"topology string '%s', column %zu: %c lies in %c here, but %c in %c before; use the structured form for such a shape",
			tb_clip(text, strlen(text)).text, i + 2, inner, outer,
			outer, inner);
	return 0;
}

static int learn_nesting(struct tb_nesting *nesting, const char *text,
			 struct tb_error *err)
{
	char before = '\0';

	for (size_t i = 0; text[i]; i++) {
		char letter = tb_upper(text[i]);

		if (letter_is_container(letter) &&
		    learn_pair_nesting(nesting, text, i, err))
			return -1;
		if (letter == 'T' && !letter_is_core(before) && before != 'T')
			return tb_fail(
				err,
				"topology string '%s', column %zu: a thread outside of a core; T may follow C, E or T only",
				tb_clip(text, strlen(text)).text, i + 1);
		before = letter;
	}
	return 0;
}

/* A core without a T has one thread. */
static void close_innermost_object(struct tb_reader *reader)
{
	if (letter_is_core(tb_reader_letter(reader)) &&
	    !tb_reader_has_thread(reader))
		tb_reader_add_thread(reader, false);
	tb_reader_close(reader);
}

static unsigned find_rank(const unsigned ranks[TB_OUTERS], char upper)
{
	return letter_is_core(upper) ? RANK_CORE
				     : ranks[tb_class_of_letter(upper)];
}

/*
 * Close the objects that a letter ends: all of deeper rank, and one of its own
 * rank, of which it is a sibling, unless the letter directly repeats it.
 */
static void close_ended_objects(struct tb_reader *reader,
				const unsigned ranks[TB_OUTERS], char letter,
				bool repeats)
{
	unsigned rank = find_rank(ranks, letter);

	while (reader->depth &&
	       find_rank(ranks, tb_reader_letter(reader)) > rank)
		close_innermost_object(reader);
	if (!repeats && reader->depth &&
	    find_rank(ranks, tb_reader_letter(reader)) == rank)
		close_innermost_object(reader);
}

static int build_tree(struct tb_reader *reader, const unsigned ranks[TB_OUTERS],
		      const char *text, struct tb_error *err)
{
	char before = '\0';

	for (size_t i = 0; text[i]; i++) {
		char letter = tb_upper(text[i]);

		if (letter == 'T') {
			tb_reader_add_thread(reader, tb_is_lower(text[i]));
		} else {
			close_ended_objects(reader, ranks, letter,
					    letter_is_container(letter) &&
						    letter == before);
			if (tb_reader_open(reader, text[i], i + 1, err))
				return -1;
		}
		before = letter;
	}
	while (reader->depth)
		close_innermost_object(reader);
	return 0;
}

int tb_read_compact(struct tb_reader *reader, const char *text,
		    struct tb_error *err)
{
	struct tb_nesting nesting = { { 0 } };
	enum tb_outer order[TB_OUTERS];
	unsigned ranks[TB_OUTERS];

	if (learn_nesting(&nesting, text, err))
		return -1;
	tb_nesting_order(&nesting, order);
	for (unsigned i = 0; i < TB_OUTERS; i++)
		ranks[order[i]] = i;
	return build_tree(reader, ranks, text, err);
}
