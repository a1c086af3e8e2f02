/* SPDX-License-Identifier: GPL-2.0-or-later */
/* key_memory.c - where memory comes from: bmem */
#include "key.h"

#include <string.h>

/* bmem: a policy, then the kinds of memory beside main memory, as in local+hbm */

static const char *const memory_words[] = { [TB_MEMORY_NONE] = "none",
					    [TB_MEMORY_PREFER] = "prefer",
					    [TB_MEMORY_LOCAL] = "local" };

static int read_memory_word(const char *value, size_t length)
{
	for (int i = TB_MEMORY_NONE; i <= TB_MEMORY_LOCAL; i++)
		if (strlen(memory_words[i]) == length &&
		    strncmp(memory_words[i], value, length) == 0)
			return i;
	return -1;
}

/* Can users name it beside main memory? */
static bool is_named_memory(enum tb_memory_kind kind)
{
	return kind == TB_MEMORY_HBM || kind == TB_MEMORY_CXL ||
	       kind == TB_MEMORY_GPU;
}

/* The kinds of "+hbm+cxl", each at most once; 0: that is none. */
static unsigned read_memory_kinds(const char *text)
{
	unsigned kinds = TB_MEMORY_BIT(TB_MEMORY_MAIN);

	while (*text) {
		enum tb_memory_kind kind;
		size_t length = strcspn(++text, "+");

		if (!tb_memory_kind_parse(text, length, &kind) ||
		    !is_named_memory(kind) || kinds & TB_MEMORY_BIT(kind))
			return 0;
		kinds |= TB_MEMORY_BIT(kind);
		text += length;
	}
	return kinds;
}

static int read_memory(struct tb_request *request, const char *value,
		       struct tb_error *err)
{
	size_t length = strcspn(value, "+");
	int where = read_memory_word(value, length);
	unsigned kinds = read_memory_kinds(value + length);

	if (where < 0 || !kinds || (where == TB_MEMORY_NONE && value[length]))
		return tb_key_refuse(TB_REQUEST_KEY_MEMORY, value, err);
	if (where == TB_MEMORY_NONE)
		kinds = TB_MEMORY_ALL;
	request->memory = (struct tb_memory_policy){ (enum tb_memory)where,
						     kinds };
	return 0;
}

/* The default is the site's: any policy is printed, "none" too. */
static bool is_default_memory(const struct tb_request *request)
{
	(void)request;
	return false;
}

static void print_memory(const struct tb_request *request, struct tb_text *text)
{
	tb_text_add(text, memory_words[request->memory.where]);
	if (request->memory.where == TB_MEMORY_NONE)
		return;
	for (int kind = 0; kind < TB_MEMORY_KINDS; kind++) {
		if (kind == TB_MEMORY_MAIN ||
		    !(request->memory.kinds & TB_MEMORY_BIT(kind)))
			continue;
		tb_text_add(text, "+");
		tb_text_add(text,
			    tb_memory_kind_name((enum tb_memory_kind)kind));
	}
}

const struct tb_key tb_key_memory = { read_memory, is_default_memory,
				      print_memory };
