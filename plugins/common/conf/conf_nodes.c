/* SPDX-License-Identifier: GPL-2.0-or-later */
/* conf_nodes.c - the NodeName= lines of topobind.conf; see conf_data.h */
#define _GNU_SOURCE /* hsearch_r */
#include "conf_data.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "src/common/hostlist.h"
#include "src/common/xmalloc.h"
#include "src/common/xstring.h"

#include "conf_line.h"
#include "conf_take.h"
#include "core/topology/distances.h"
#include "core/topology/numa_memory.h"
#include "core/topology/topology.h"

#define KEY_OF(name, key, usual) key,
static const char *const number_keys[TB_NUMBERS] = { TB_NODE_NUMBER_ITEMS(
	KEY_OF) };
static const char *const soft_keys[TB_SOFT_WORDS] = { TB_SOFT_ITEMS(KEY_OF) };

const struct tb_node_numbers tb_conf_usual_numbers = { .cost = 1 };

static void clear_line(struct tb_conf_node *line)
{
	xfree(line->nodes);
	tb_conf_word_clear(&line->topology);
	tb_conf_word_clear(&line->distances);
	tb_conf_word_clear(&line->memory);
	tb_conf_word_clear(&line->filter_text);
	tb_filter_destroy(line->filter);
	tb_conf_word_clear(&line->function_text);
	tb_priority_destroy(line->function);
	for (int i = 0; i < TB_NUMBERS; i++)
		tb_conf_word_clear(&line->number_text[i]);
	for (int i = 0; i < TB_SOFT_WORDS; i++)
		tb_conf_word_clear(&line->soft[i]);
}

void tb_conf_node_destroy(void *item)
{
	clear_line(item);
	xfree(item);
}

int tb_conf_node_parse(void **dest, slurm_parser_enum_t type, const char *key,
		       const char *value, const char *rest, char **leftover)
{
	static s_p_options_t options[] = {
		/* clang-format off */
		TB_NODE_TEXT_ITEMS(TB_PARSED_ITEM)
		TB_NODE_NUMBER_ITEMS(TB_PARSED_ITEM)
		TB_SOFT_ITEMS(TB_PARSED_ITEM)
		{.key = NULL}
		/* clang-format on */
	};
	s_p_hashtbl_t *table = tb_conf_parse_rest(options, rest, leftover);
	struct tb_conf_node *line;

	(void)type;
	(void)key;
	if (!table)
		return -1;
	line = xmalloc(sizeof(*line));
	line->nodes = xstrdup(value);
	tb_conf_word_take(&line->topology, "Topology", table);
	tb_conf_word_take(&line->distances, "Distances", table);
	tb_conf_word_take(&line->memory, "Memory", table);
	tb_conf_word_take(&line->filter_text, "Filter", table);
	tb_conf_word_take(&line->function_text, "PriorityFunction", table);
	for (int i = 0; i < TB_NUMBERS; i++)
		tb_conf_word_take(&line->number_text[i], number_keys[i], table);
	for (int i = 0; i < TB_SOFT_WORDS; i++)
		tb_conf_word_take(&line->soft[i], soft_keys[i], table);
	s_p_hashtbl_destroy(table);
	*dest = line;
	return 1;
}

static int check_distances(const struct tb_conf_node *line, unsigned numa_nodes,
			   const struct tb_conf_where *where,
			   struct tb_error *err)
{
	const char *text = line->distances.value;
	struct tb_error why;
	unsigned *distances;

	if (!text)
		return 0;
	distances = tb_distances_parse(text, numa_nodes, &why);
	if (!distances)
		return tb_conf_fail(where, "Distances", text, why.text, err);
	free(distances);
	return 0;
}

static int check_memory(const struct tb_conf_node *line, unsigned numa_nodes,
			const struct tb_conf_where *where, struct tb_error *err)
{
	const char *text = line->memory.value;
	struct tb_error why;
	uint64_t *memory;

	if (!text)
		return 0;
	memory = tb_numa_memory_parse(text, numa_nodes, &why);
	if (!memory)
		return tb_conf_fail(where, "Memory", text, why.text, err);
	free(memory);
	return 0;
}

static int check_topology(const struct tb_conf_node *line,
			  const struct tb_conf_where *where,
			  struct tb_error *err)
{
	const char *text = line->topology.value;
	struct tb_error why;
	struct tb_topology *topology = tb_topology_parse(text, NULL, &why);
	unsigned numa_nodes;
	int rc = 0;

	if (!topology)
		return tb_conf_fail(where, "Topology", text, why.text, err);
	if (line->filter && !tb_filter_matches(line->filter, topology))
		rc = tb_conf_fail(where, "Filter", line->filter_text.value,
				  "it has another shape than the line's Topology=",
				  err);
	numa_nodes = tb_topology_count(topology, 'N');
	if (!rc)
		rc = check_distances(line, numa_nodes, where, err);
	if (!rc)
		rc = check_memory(line, numa_nodes, where, err);
	tb_topology_destroy(topology);
	return rc;
}

/* Plain digits: the decimal point does not depend on the locale. */
static int read_number(double *number, int key, const char *text,
		       const struct tb_conf_where *where, struct tb_error *err)
{
	const char *digits = text +
			     (key == TB_NUMBER_NODE_PRIORITY && *text == '-');
	size_t whole = strspn(digits, "0123456789");
	size_t rest = digits[whole] == '.'
			      ? 1 + strspn(digits + whole + 1, "0123456789")
			      : 0;

	if (!whole || digits[whole + rest] || whole + rest > 15)
		return tb_conf_fail(
			where, number_keys[key], text,
			key == TB_NUMBER_NODE_PRIORITY
				? "this is not a number such as 100, -5 or 0.5"
				: "this is not a number such as 2400 or 0.5",
			err);
	*number = strtod(text, NULL);
	return 0;
}

static int read_numbers(struct tb_conf_node *line,
			const struct tb_conf_where *where, struct tb_error *err)
{
	double *const numbers[TB_NUMBERS] = {
		[TB_NUMBER_SPEED] = &line->numbers.speed,
		[TB_NUMBER_COST] = &line->numbers.cost,
		[TB_NUMBER_NODE_PRIORITY] = &line->numbers.priority,
		[TB_NUMBER_SWAP] = &line->numbers.swap,
		[TB_NUMBER_MAX_LOAD] = &line->numbers.max_load,
	};

	line->numbers = tb_conf_usual_numbers;
	for (int i = 0; i < TB_NUMBERS; i++) {
		const struct tb_conf_word *word = &line->number_text[i];

		if (tb_conf_word_check(word, number_keys[i], where, err) ||
		    (word->value &&
		     read_number(numbers[i], i, word->value, where, err)))
			return -1;
	}
	return 0;
}

static int read_function(struct tb_conf_node *line,
			 const struct tb_conf_where *where,
			 struct tb_error *err)
{
	const char *text = line->function_text.value;
	struct tb_error why;

	if (!text)
		return 0;
	line->function = tb_priority_parse(text, &why);
	return line->function ? 0
			      : tb_conf_fail(where, "PriorityFunction", text,
					     why.text, err);
}

/* What is right is read again when somebody asks for a partition. */
static int check_soft(const struct tb_conf_node *line,
		      const struct tb_conf_where *where, struct tb_error *err)
{
	struct tb_conf_soft trial;

	for (int i = 0; i < TB_SOFT_WORDS; i++)
		if (tb_conf_word_check(&line->soft[i], soft_keys[i], where,
				       err))
			return -1;
	return tb_conf_soft_read(&trial, line->soft, where, err);
}

static int check_line(struct tb_conf_node *line,
		      const struct tb_conf_where *where, struct tb_error *err)
{
	if (tb_conf_word_check(&line->topology, "Topology", where, err) ||
	    tb_conf_word_check(&line->distances, "Distances", where, err) ||
	    tb_conf_word_check(&line->memory, "Memory", where, err) ||
	    tb_conf_word_check(&line->filter_text, "Filter", where, err) ||
	    tb_conf_read_filter(&line->filter, line->filter_text.value, where,
				err) ||
	    tb_conf_word_check(&line->function_text, "PriorityFunction", where,
			       err) ||
	    read_function(line, where, err) || read_numbers(line, where, err) ||
	    check_soft(line, where, err))
		return -1;
	if (line->topology.value)
		return check_topology(line, where, err);
	if (line->distances.value)
		return tb_conf_fail(where, "Distances", line->distances.value,
				    "it needs Topology= in the same line", err);
	if (line->memory.value)
		return tb_conf_fail(where, "Memory", line->memory.value,
				    "it needs Topology= in the same line", err);
	return 0;
}

static int fail_node_twice(const char *name, const struct tb_conf_node *first,
			   const struct tb_conf_where *where,
			   struct tb_error *err)
{
	struct tb_conf_where there = { where->path, "NodeName", first->nodes };
	struct tb_error line, why;

	tb_conf_first_line_of(&there, "NodeName", first->nodes, &line);
	tb_fail(&why,
		"node %.64s is in another NodeName= line, too, in %.150s; keep one",
		name, line.text);
	return tb_conf_fail(where, "NodeName", where->name, why.text, err);
}

/* NULL: the node is in no line. */
const struct tb_conf_node *tb_conf_node_find(const struct tb_conf *site,
					     const char *node_name)
{
	ENTRY wanted = { .key = (char *)node_name }, *found;

	return hsearch_r(wanted, FIND, &found, site->nodes) ? found->data
							    : NULL;
}

static int add_node(struct tb_conf *site, const char *name,
		    struct tb_conf_node *line,
		    const struct tb_conf_where *where, struct tb_error *err)
{
	const struct tb_conf_node *first = tb_conf_node_find(site, name);
	ENTRY entry = { .data = line }, *added;

	if (first)
		return fail_node_twice(name, first, where, err);
	entry.key = xstrdup(name);
	site->names[site->name_count++] = entry.key;
	return hsearch_r(entry, ENTER, &added, site->nodes)
		       ? 0
		       : tb_fail(err, "out of memory");
}

static int add_nodes(struct tb_conf *site, struct tb_conf_node *line,
		     const struct tb_conf_where *where, struct tb_error *err)
{
	tb_hostlist_t list = hostlist_create(line->nodes);
	char *name;
	int rc = 0;

	if (!list)
		return tb_conf_fail(where, "NodeName", line->nodes,
				    "this is not a list of nodes", err);
	while (!rc && (name = hostlist_shift(list))) {
		rc = add_node(site, name, line, where, err);
		free(name);
	}
	hostlist_destroy(list);
	return rc;
}

/* Room for the names of all nodes of these lines. */
static int make_room(struct tb_conf *site, struct tb_conf_node *const *lines,
		     int count, struct tb_error *err)
{
	size_t nodes = 0;

	for (int i = 0; i < count; i++) {
		tb_hostlist_t list = hostlist_create(lines[i]->nodes);

		nodes += list ? hostlist_count(list) : 0;
		hostlist_destroy(list);
	}
	site->names = xcalloc(nodes + 1, sizeof(*site->names));
	site->nodes = xmalloc(sizeof(*site->nodes));
	/* Half full, so that a missing name is noticed quickly. */
	return hcreate_r(2 * nodes + 1, site->nodes)
		       ? 0
		       : tb_fail(err, "out of memory");
}

int tb_conf_nodes_take(struct tb_conf *site, s_p_hashtbl_t *table,
		       const char *path, struct tb_error *err)
{
	struct tb_conf_node **lines = NULL;
	int count = 0;

	s_p_get_array((void ***)&lines, &count, "NodeName", table);
	if (make_room(site, lines, count, err))
		return -1;
	site->lines = xcalloc(count, sizeof(*site->lines));
	for (int i = 0; i < count; i++) {
		/* The table dies after reading: take over what it holds. */
		struct tb_conf_node *line = &site->lines[site->line_count++];
		struct tb_conf_where where = { path, "NodeName",
					       lines[i]->nodes };

		*line = *lines[i];
		memset(lines[i], 0, sizeof(*lines[i]));
		if (check_line(line, &where, err) ||
		    add_nodes(site, line, &where, err))
			return -1;
	}
	return 0;
}

void tb_conf_nodes_clear(struct tb_conf *site)
{
	if (site->nodes)
		hdestroy_r(site->nodes);
	xfree(site->nodes);
	for (unsigned i = 0; i < site->name_count; i++)
		xfree(site->names[i]);
	xfree(site->names);
	for (unsigned i = 0; i < site->line_count; i++)
		clear_line(&site->lines[i]);
	xfree(site->lines);
}
