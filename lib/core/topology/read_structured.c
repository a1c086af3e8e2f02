/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The structured form: (N(S(X(Y(C(T)(T)))(E(T)))))
 *
 * Each object has a pair of brackets, so that any shape can be written.  Threads
 * lie in cores, cores have nothing else, and each object has at least one thread.
 */
#include "read_structured.h"

#include <string.h>

#include "core/base/clip.h"
#include "core/base/text.h"

struct cursor {
	const char *text;
	size_t at;
	bool in_thread; /* between "(T" and its ")" */
	bool opened;	/* the innermost object is still empty */
};

static int fail_at_cursor(const struct cursor *cursor, const char *what,
			  struct tb_error *err)
{
	return tb_fail(err, "topology string '%s', column %zu: %s",
		       tb_clip(cursor->text, strlen(cursor->text)).text,
		       cursor->at + 1, what);
}

/* May an object of this letter be opened here?  NULL, or why not. */
static const char *explain_misplaced(const struct tb_reader *reader,
				     char letter)
{
	enum tb_class outer = tb_class_of_letter(tb_reader_letter(reader));
	enum tb_class inner = tb_class_of_letter(letter);

	if (inner == TB_CLASS_THREAD)
		return outer == TB_CLASS_CORE
			       ? NULL
			       : "a thread outside of a core; T is allowed in C and E only";
	return outer == TB_CLASS_CORE
		       ? "something other than a thread in a core; C and E may hold T only"
		       : NULL;
}

/* At a '(': read the object after it. */
static int read_opening_bracket(struct tb_reader *reader, struct cursor *cursor,
				struct tb_error *err)
{
	char letter = cursor->text[cursor->at + 1];
	const char *problem;

	if (cursor->in_thread)
		return fail_at_cursor(cursor,
				      "something in a thread; T holds nothing",
				      err);
	cursor->at++;
	if (tb_class_of_letter(tb_upper(letter)) == TB_CLASSES)
		return fail_at_cursor(
			cursor,
			"a letter of N S X Y C E T is expected after '('", err);
	problem = explain_misplaced(reader, tb_upper(letter));
	if (problem)
		return fail_at_cursor(cursor, problem, err);
	cursor->at++;
	if (tb_upper(letter) == 'T') {
		tb_reader_add_thread(reader, tb_is_lower(letter));
		cursor->in_thread = true;
		cursor->opened = false;
		return 0;
	}
	cursor->opened = true;
	return tb_reader_open(reader, letter, cursor->at, err);
}

/* At a ')'. */
static int read_closing_bracket(struct tb_reader *reader, struct cursor *cursor,
				struct tb_error *err)
{
	if (cursor->in_thread) {
		cursor->in_thread = false;
	} else {
		if (cursor->opened)
			return fail_at_cursor(
				cursor,
				"an empty object; each needs a thread below it, as in (C(T))",
				err);
		if (!reader->depth)
			return fail_at_cursor(cursor, "a ')' without its '('",
					      err);
		tb_reader_close(reader);
	}
	cursor->at++;
	return 0;
}

int tb_read_structured(struct tb_reader *reader, const char *text,
		       struct tb_error *err)
{
	struct cursor cursor = { text, 0, false, false };

	while (text[cursor.at]) {
		int rc;

		if (text[cursor.at] == '(')
			rc = read_opening_bracket(reader, &cursor, err);
		else if (text[cursor.at] == ')')
			rc = read_closing_bracket(reader, &cursor, err);
		else
			rc = fail_at_cursor(
				&cursor,
				"a bracket is expected; in the structured form each letter follows a '('",
				err);
		if (rc)
			return rc;
	}
	if (reader->depth || cursor.in_thread)
		return fail_at_cursor(
			&cursor,
			"the string ends before all brackets are closed", err);
	return 0;
}
