/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gres_text.c - see gres_text.h */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "gres_text.h"

static const char blanks[] = " \t\r\n";

/* Where it is in the text, or NULL. */
static const char *find_gres(const char *gres, const char *name)
{
	size_t length = strlen(name);

	while (gres) {
		if (!strncmp(gres, name, length) &&
		    strchr(":,(=", gres[length]))
			return gres;
		gres = strchr(gres, ',');
		gres += gres ? 1 : 0;
	}
	return NULL;
}

bool tb_gres_has(const char *gres, const char *name)
{
	return find_gres(gres, name) != NULL;
}

unsigned tb_gres_count(const char *gres, const char *name)
{
	const char *found = find_gres(gres, name);

	if (!found)
		return 0;
	found += strlen(name);
	return *found == ':' ? (unsigned)strtoul(found + 1, NULL, 10) : 1;
}

bool tb_list_has(const char *list, const char *word)
{
	size_t length = strlen(word);

	while (list && *list) {
		size_t here = strcspn(list, ",");

		if (here == length && !strncasecmp(list, word, length))
			return true;
		list += here + (list[here] == ',');
	}
	return false;
}

/* The word, where its key is this one. */
static void take_value(const char **value, const char *word, const char *key)
{
	size_t length = strlen(key);

	if (!strncasecmp(word, key, length) && word[length] == '=')
		*value = word + length + 1;
}

struct tb_gres_line tb_gres_line_read(char *text)
{
	struct tb_gres_line line = { NULL, NULL, NULL, NULL, NULL };
	char *rest = NULL;

	for (char *word = strtok_r(text, blanks, &rest); word;
	     word = strtok_r(NULL, blanks, &rest)) {
		take_value(&line.nodes, word, "NodeName");
		take_value(&line.name, word, "Name");
		take_value(&line.cores, word, "Cores");
		take_value(&line.cores, word, "CPUs"); /* its former name */
		take_value(&line.count, word, "Count");
		take_value(&line.flags, word, "Flags");
	}
	return line;
}
