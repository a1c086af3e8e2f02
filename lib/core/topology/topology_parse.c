/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reading a topology string: what the two forms have in common.
 */
#include "topology.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/clip.h"
#include "core/base/text.h"
#include "read_compact.h"
#include "read_structured.h"
#include "reader.h"
#include "tree_build.h"

/* Only brackets and known letters?  Counts the letters. */
static int check_letters(const char *text, uint32_t *letters,
			 struct tb_error *err)
{
	size_t length = strlen(text);

	*letters = 0;
	if (!length)
		return tb_fail(
			err,
			"topology string: it is empty; allowed are the letters N S X Y C E T, as in NSXCCCC");
	if (length > TB_TOPOLOGY_TEXT_MAX)
		return tb_fail(
			err,
			"topology string '%s': %zu bytes are too long; at most %d are allowed",
			tb_clip(text, length).text, length,
			TB_TOPOLOGY_TEXT_MAX);
	for (size_t i = 0; i < length; i++) {
		if (tb_class_of_letter(tb_upper(text[i])) != TB_CLASSES)
			++*letters;
		else if (text[0] != '(' || (text[i] != '(' && text[i] != ')'))
			return tb_fail(
				err,
				"topology string '%s', column %zu: unexpected '%s'; allowed are the letters N S X Y C E T, and brackets in the structured form",
				tb_clip(text, length).text, i + 1,
				tb_clip(text + i, 1).text);
	}
	return 0;
}

static int read_form(struct tb_reader *reader, const char *text,
		     struct tb_error *err)
{
	int rc = text[0] == '(' ? tb_read_structured(reader, text, err)
				: tb_read_compact(reader, text, err);

	return rc ? rc : tb_reader_finish(reader, err);
}

/* Does the compact form of what was read give the same tree? */
static int check_compact(struct tb_topology *topology, const char *text,
			 struct tb_error *err)
{
	struct tb_topology *again;
	char *compact;

	topology->compact = text[0] != '(';
	if (topology->compact)
		return 0;
	compact = tb_topology_print_compact(topology, NULL);
	if (!compact)
		return tb_fail(err, "out of memory");
	/* A compact form that cannot be read is no error, just no match. */
	again = tb_topology_parse(compact, NULL, NULL);
	topology->compact = again && tb_topology_same_shape(topology, again);
	tb_topology_destroy(again);
	free(compact);
	return 0;
}

/* The threads that were lower case, in a set of the right size. */
static struct tb_bitset *copy_lower(const struct tb_reader *reader)
{
	unsigned threads = reader->topology->nthreads;
	struct tb_bitset *lower = tb_bitset_create(threads);

	if (lower)
		tb_bitset_or_range(lower, reader->lower, 0, threads);
	return lower;
}

struct tb_topology *tb_topology_parse(const char *text,
				      struct tb_bitset **lower,
				      struct tb_error *err)
{
	struct tb_reader reader = { 0 };
	uint32_t letters;

	if (check_letters(text, &letters, err))
		return NULL;
	reader.topology = tb_tree_create(letters, letters);
	reader.lower = tb_bitset_create(letters);
	if (!reader.topology || !reader.lower) {
		tb_fail(err, "out of memory");
		goto fail;
	}
	reader.topology->nnodes = 1; /* the root */
	if (read_form(&reader, text, err) ||
	    check_compact(reader.topology, text, err))
		goto fail;
	if (lower) {
		*lower = copy_lower(&reader);
		if (!*lower) {
			tb_fail(err, "out of memory");
			goto fail;
		}
	}
	tb_bitset_destroy(reader.lower);
	return reader.topology;
fail:
	tb_bitset_destroy(reader.lower);
	tb_topology_destroy(reader.topology);
	return NULL;
}
