/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Slurm's parser reads the file; all values are checked here, where a message
 * can say what is allowed.
 */
#define _GNU_SOURCE /* hsearch_r */
#include "conf.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "compat/slurm_compat.h"

#include "src/common/hostlist.h"
#include "src/common/parse_config.h"
#include "src/common/xmalloc.h"
#include "src/common/xstring.h"

#include "conf_items.h"
#include "conf_line.h"
#include "conf_metrics.h"
#include "conf_policy.h"
#include "conf_soft.h"
#include "conf_take.h"
#include "core/topology/distances.h"
#include "core/topology/numa_memory.h"
#include "core/topology/topology.h"

/* The numbers of a NodeName= line. */
#define NUMBER_OF(name, key, usual) TB_NUMBER_##name,
enum { TB_NODE_NUMBER_ITEMS(NUMBER_OF) TB_NUMBERS };

#define KEY_OF(name, key, usual) key,
static const char *const number_keys[TB_NUMBERS] = { TB_NODE_NUMBER_ITEMS(
	KEY_OF) };
static const char *const soft_keys[TB_SOFT_WORDS] = { TB_SOFT_ITEMS(KEY_OF) };

/* The keys of the site, those that partitions can override first. */
#define SITE_KEY_OF(name, key, usual) { key, usual },
static const struct site_key {
	const char *key, *usual;
} site_keys[] = { TB_POLICY_ITEMS(SITE_KEY_OF) TB_SITE_ITEMS(SITE_KEY_OF) };
#define SITE_KEYS (sizeof(site_keys) / sizeof(site_keys[0]))

static const struct tb_node_numbers usual_numbers = { .cost = 1 };

/* What one NodeName= line says; shared by all nodes of the line. */
struct node_line {
	char *nodes; /* as written */
	struct tb_conf_word topology;
	struct tb_conf_word distances;
	struct tb_conf_word memory;
	struct tb_conf_word filter_text;
	struct tb_filter *filter;
	struct tb_conf_word function_text;
	struct tb_priority_function *function; /* NULL: not there */
	struct tb_conf_word number_text[TB_NUMBERS];
	struct tb_node_numbers numbers;
	struct tb_conf_word soft[TB_SOFT_WORDS];
};

/* What one PartitionName= line says. */
struct partition_line {
	char *name;
	struct tb_conf_words words;
	struct tb_policy policy;
};

struct tb_conf {
	char *path;
	char *site_text[SITE_KEYS]; /* as written; NULL: not there */
	bool node_record;
	bool job_record;
	bool usage_record;
	bool unit_tres;
	enum tb_count_memory count_memory;
	struct tb_conf_metrics metrics;
	struct tb_policy policy;
	struct node_line *lines;
	unsigned line_count;
	struct partition_line *partitions;
	unsigned partition_count;
	struct hsearch_data nodes; /* name to struct node_line */
	char **names;		   /* its keys */
	unsigned name_count;
};

static void clear_node_line(struct node_line *line)
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

static void destroy_node_line(void *item)
{
	clear_node_line(item);
	xfree(item);
}

static void clear_partition_line(struct partition_line *line)
{
	xfree(line->name);
	tb_conf_words_clear(&line->words);
	tb_policy_clear(&line->policy);
}

static void destroy_partition_line(void *item)
{
	struct partition_line *line = item;

	xfree(line->name);
	tb_conf_words_clear(&line->words);
	xfree(line);
}

/* What follows the first key of a line; NULL: it cannot be read. */
static s_p_hashtbl_t *parse_rest(s_p_options_t *options, const char *rest,
				 char **leftover)
{
	s_p_hashtbl_t *table = s_p_hashtbl_create(options);

	if (s_p_parse_line(table, rest, leftover))
		return table;
	s_p_hashtbl_destroy(table);
	return NULL;
}

static int parse_node_line(void **dest, slurm_parser_enum_t type,
			   const char *key, const char *value, const char *rest,
			   char **leftover)
{
	static s_p_options_t options[] = {
		/* clang-format off */
		TB_NODE_TEXT_ITEMS(TB_PARSED_ITEM)
		TB_NODE_NUMBER_ITEMS(TB_PARSED_ITEM)
		TB_SOFT_ITEMS(TB_PARSED_ITEM)
		{.key = NULL}
		/* clang-format on */
	};
	s_p_hashtbl_t *table = parse_rest(options, rest, leftover);
	struct node_line *line;

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

static int parse_partition_line(void **dest, slurm_parser_enum_t type,
				const char *key, const char *value,
				const char *rest, char **leftover)
{
	static s_p_options_t options[] = {
		/* clang-format off */
		TB_POLICY_ITEMS(TB_PARSED_ITEM)
		{.key = NULL}
		/* clang-format on */
	};
	s_p_hashtbl_t *table = parse_rest(options, rest, leftover);
	struct partition_line *line;

	(void)type;
	(void)key;
	if (!table)
		return -1;
	line = xmalloc(sizeof(*line));
	line->name = xstrdup(value);
	tb_conf_words_take(&line->words, table);
	s_p_hashtbl_destroy(table);
	*dest = line;
	return 1;
}

static s_p_options_t conf_options[] = {
	/* clang-format off */
	TB_POLICY_ITEMS(TB_PARSED_ITEM)
	TB_SITE_ITEMS(TB_PARSED_ITEM)
	{.key = "NodeName", .type = S_P_ARRAY, .handler = parse_node_line,
	 .destroy = destroy_node_line},
	{.key = "PartitionName", .type = S_P_ARRAY,
	 .handler = parse_partition_line, .destroy = destroy_partition_line},
	{.key = NULL}
	/* clang-format on */
};

static int check_distances(const struct node_line *line, unsigned numa_nodes,
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

static int check_memory(const struct node_line *line, unsigned numa_nodes,
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

static int check_topology(const struct node_line *line,
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

static int read_numbers(struct node_line *line,
			const struct tb_conf_where *where, struct tb_error *err)
{
	double *const numbers[TB_NUMBERS] = {
		[TB_NUMBER_SPEED] = &line->numbers.speed,
		[TB_NUMBER_COST] = &line->numbers.cost,
		[TB_NUMBER_NODE_PRIORITY] = &line->numbers.priority,
		[TB_NUMBER_SWAP] = &line->numbers.swap,
		[TB_NUMBER_MAX_LOAD] = &line->numbers.max_load,
	};

	line->numbers = usual_numbers;
	for (int i = 0; i < TB_NUMBERS; i++) {
		const struct tb_conf_word *word = &line->number_text[i];

		if (tb_conf_word_check(word, number_keys[i], where, err) ||
		    (word->value &&
		     read_number(numbers[i], i, word->value, where, err)))
			return -1;
	}
	return 0;
}

static int read_function(struct node_line *line,
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
static int check_soft(const struct node_line *line,
		      const struct tb_conf_where *where, struct tb_error *err)
{
	struct tb_conf_soft trial;

	for (int i = 0; i < TB_SOFT_WORDS; i++)
		if (tb_conf_word_check(&line->soft[i], soft_keys[i], where,
				       err))
			return -1;
	return tb_conf_soft_read(&trial, line->soft, where, err);
}

static int check_line(struct node_line *line, const struct tb_conf_where *where,
		      struct tb_error *err)
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

static int fail_node_twice(const char *name, const struct node_line *first,
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
static const struct node_line *line_of(const struct tb_conf *site,
				       const char *node_name)
{
	ENTRY wanted = { .key = (char *)node_name }, *found;
	/* Looking up changes nothing, but hsearch_r() does not say so. */
	struct hsearch_data *nodes = (struct hsearch_data *)&site->nodes;

	return hsearch_r(wanted, FIND, &found, nodes) ? found->data : NULL;
}

static int add_node(struct tb_conf *site, const char *name,
		    struct node_line *line, const struct tb_conf_where *where,
		    struct tb_error *err)
{
	const struct node_line *first = line_of(site, name);
	ENTRY entry = { .data = line }, *added;

	if (first)
		return fail_node_twice(name, first, where, err);
	entry.key = xstrdup(name);
	site->names[site->name_count++] = entry.key;
	return hsearch_r(entry, ENTER, &added, &site->nodes)
		       ? 0
		       : tb_fail(err, "out of memory");
}

static int add_nodes(struct tb_conf *site, struct node_line *line,
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
static int make_room(struct tb_conf *site, struct node_line *const *lines,
		     int count, struct tb_error *err)
{
	size_t nodes = 0;

	for (int i = 0; i < count; i++) {
		tb_hostlist_t list = hostlist_create(lines[i]->nodes);

		nodes += list ? hostlist_count(list) : 0;
		hostlist_destroy(list);
	}
	site->names = xcalloc(nodes + 1, sizeof(*site->names));
	/* Half full, so that a missing name is noticed quickly. */
	return hcreate_r(2 * nodes + 1, &site->nodes)
		       ? 0
		       : tb_fail(err, "out of memory");
}

static int take_nodes(struct tb_conf *site, s_p_hashtbl_t *table,
		      const char *path, struct tb_error *err)
{
	struct node_line **lines = NULL;
	int count = 0;

	s_p_get_array((void ***)&lines, &count, "NodeName", table);
	if (make_room(site, lines, count, err))
		return -1;
	site->lines = xcalloc(count, sizeof(*site->lines));
	for (int i = 0; i < count; i++) {
		/* The table dies after reading: take over what it holds. */
		struct node_line *line = &site->lines[site->line_count++];
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

static const struct partition_line *find_partition(const struct tb_conf *site,
						   const char *name)
{
	for (unsigned i = 0; name && i < site->partition_count; i++)
		if (!xstrcmp(site->partitions[i].name, name))
			return &site->partitions[i];
	return NULL;
}

static int take_partitions(struct tb_conf *site, s_p_hashtbl_t *table,
			   const struct tb_conf_words *site_words,
			   const char *path, struct tb_error *err)
{
	struct partition_line **lines;
	int count;

	if (!s_p_get_array((void ***)&lines, &count, "PartitionName", table))
		return 0;
	site->partitions = xcalloc(count, sizeof(*site->partitions));
	for (int i = 0; i < count; i++) {
		struct partition_line *line =
			&site->partitions[site->partition_count];
		const char *name = lines[i]->name;
		struct tb_conf_where where = { path, "PartitionName", name };

		if (find_partition(site, name))
			return tb_conf_fail_twice(&where, "PartitionName", name,
						  name, err);
		*line = *lines[i];
		memset(lines[i], 0, sizeof(*lines[i]));
		site->partition_count++;
		if (tb_policy_make(&line->policy, &line->words, site_words,
				   &where, err))
			return -1;
	}
	return 0;
}

static struct tb_conf *create_conf(const char *path)
{
	struct tb_conf *site = xmalloc(sizeof(*site));

	site->path = xstrdup(path);
	site->node_record = true;
	site->job_record = true;
	return site;
}

static void take_site_text(struct tb_conf *site, s_p_hashtbl_t *table)
{
	char **values;
	int count;

	for (size_t i = 0; i < SITE_KEYS; i++)
		if (s_p_get_array((void ***)&values, &count, site_keys[i].key,
				  table))
			site->site_text[i] = xstrdup(values[0]);
}

static int take_count_memory(enum tb_count_memory *count, s_p_hashtbl_t *table,
			     const struct tb_conf_where *where,
			     struct tb_error *err)
{
	struct tb_conf_word word = { NULL, NULL };
	int rc = tb_conf_take_word(&word, "CountMemory", table, where, err);

	*count = TB_COUNT_ALL;
	if (!rc && word.value) {
		if (!xstrcasecmp(word.value, "local"))
			*count = TB_COUNT_LOCAL;
		else if (!xstrcasecmp(word.value, "none"))
			*count = TB_COUNT_NONE;
		else if (xstrcasecmp(word.value, "all"))
			rc = tb_conf_fail(
				where, "CountMemory", word.value,
				"this is not allowed; allowed: all, local, none",
				err);
	}
	tb_conf_word_clear(&word);
	return rc;
}

/* All that is in the table; an empty one gives the defaults. */
static int take_lines(struct tb_conf *site, s_p_hashtbl_t *table,
		      const char *path, struct tb_error *err)
{
	const struct tb_conf_where where = { path, NULL, NULL };
	struct tb_conf_words words = { { { NULL, NULL } } };
	int rc;

	take_site_text(site, table);
	tb_conf_words_take(&words, table);
	rc = tb_policy_make(&site->policy, NULL, &words, &where, err);
	if (!rc)
		rc = tb_conf_take_flag(&site->node_record, "NodeRecord", table,
				       &where, err);
	if (!rc)
		rc = tb_conf_take_flag(&site->job_record, "JobRecord", table,
				       &where, err);
	if (!rc)
		rc = tb_conf_take_flag(&site->usage_record, "UsageRecord",
				       table, &where, err);
	if (!rc)
		rc = take_count_memory(&site->count_memory, table, &where, err);
	if (!rc)
		rc = tb_conf_take_flag(&site->unit_tres, "UnitTRES", table,
				       &where, err);
	if (!rc)
		rc = tb_conf_metrics_take(&site->metrics, table, &where, err);
	if (!rc)
		rc = take_partitions(site, table, &words, path, err);
	if (!rc)
		rc = take_nodes(site, table, path, err);
	tb_conf_words_clear(&words);
	return rc;
}

#define NAMED(name, key, usual) key ", "
#define ELEMENT(name, key, usual) key,

/* A line of a list of which one key is wrong; NULL: it is something else. */
static char *find_unknown_key(const struct tb_conf_bad_line *bad)
{
	static const char *const node_keys[] = { TB_NODE_TEXT_ITEMS(
		ELEMENT) TB_NODE_NUMBER_ITEMS(ELEMENT) TB_SOFT_ITEMS(ELEMENT)
							 NULL };
	static const char *const partition_keys[] = { TB_POLICY_ITEMS(ELEMENT)
							      NULL };

	if (!bad->list)
		return NULL;
	return tb_conf_unknown_key(bad->line, !strcmp(bad->list, "NodeName")
						      ? node_keys
						      : partition_keys);
}

static int fail_for_key(const struct tb_conf_bad_line *bad, const char *key,
			struct tb_error *err)
{
	const char *allowed = !strcmp(bad->list, "NodeName")
				      ? TB_NODE_TEXT_ITEMS(NAMED)
						TB_NODE_NUMBER_ITEMS(NAMED)
							TB_SOFT_ITEMS(NAMED)
				      : TB_POLICY_ITEMS(NAMED);

	/* The last of them without its comma. */
	return tb_fail(
		err,
		"%.150s: %.40s is no key of a %s= line; the allowed keys are %.*s",
		bad->place.text, key, bad->list, (int)strlen(allowed) - 2,
		allowed);
}

static int fail_for_line(const struct tb_conf_bad_line *bad,
			 struct tb_error *err)
{
	return tb_fail(
		err,
		"%.150s: this cannot be read; allowed is one Key=value on a line, with the keys " TB_POLICY_ITEMS(
			NAMED)
			TB_SITE_ITEMS(
				NAMED) "NodeName and more, or PartitionName and some of the first fourteen; see topobind.conf(5)",
		bad->place.text);
}

/* The daemon's log names the key that Slurm's parser does not know. */
static int fail_unreadable(const char *path, struct tb_error *err)
{
	struct tb_conf_bad_line bad;
	char *key;
	int rc;

	tb_conf_bad_line(&bad, path, conf_options);
	key = find_unknown_key(&bad);
	rc = key ? fail_for_key(&bad, key, err) : fail_for_line(&bad, err);
	free(key);
	free(bad.line);
	return rc;
}

static int read_file(struct tb_conf *site, const char *path,
		     struct tb_error *err)
{
	s_p_hashtbl_t *table = s_p_hashtbl_create(conf_options);
	struct stat status;
	int rc;

	if (!stat(path, &status) && tb_parse_conf_file(table, path))
		rc = fail_unreadable(path, err);
	else
		rc = take_lines(site, table, path, err);
	s_p_hashtbl_destroy(table);
	return rc;
}

struct tb_conf *tb_conf_read(const char *path, struct tb_error *err)
{
	struct tb_conf *site = create_conf(path);

	if (!read_file(site, path, err))
		return site;
	tb_conf_destroy(site);
	return NULL;
}

void tb_conf_destroy(struct tb_conf *site)
{
	if (!site)
		return;
	hdestroy_r(&site->nodes);
	for (unsigned i = 0; i < site->name_count; i++)
		xfree(site->names[i]);
	xfree(site->names);
	for (unsigned i = 0; i < site->line_count; i++)
		clear_node_line(&site->lines[i]);
	for (unsigned i = 0; i < site->partition_count; i++)
		clear_partition_line(&site->partitions[i]);
	xfree(site->lines);
	xfree(site->partitions);
	tb_policy_clear(&site->policy);
	for (size_t i = 0; i < SITE_KEYS; i++)
		xfree(site->site_text[i]);
	xfree(site->metrics.file);
	xfree(site->path);
	xfree(site);
}

const char *tb_conf_partition_line(const struct tb_conf *site, unsigned i)
{
	return i < site->partition_count ? site->partitions[i].name : NULL;
}

const char *tb_conf_node_line(const struct tb_conf *site, unsigned i)
{
	return i < site->line_count ? site->lines[i].nodes : NULL;
}

void tb_conf_say_where(const struct tb_conf *site, const char *key,
		       const char *name, struct tb_error *where)
{
	const struct tb_conf_where line = { site->path, key, name };

	tb_conf_name_place(&line, key, name, where);
}

/* ---- the settings, and where they are ---- */

/* To find a line a file is read again: not for more of them than these. */
#define PLACES_MAX 200

struct visit {
	const struct tb_conf *site;
	tb_conf_setting_visitor visitor;
	void *arg;
	unsigned places; /* looked up */
	char *site_from[TB_WORDS];
};

/* "FILE line N" of key=value in what the line is of; xmalloc()ed. */
static char *find_place(struct visit *visit, const struct tb_conf_where *where,
			const char *key, const char *value)
{
	struct tb_error place;

	if (visit->places++ >= PLACES_MAX)
		return xstrdup(visit->site->path);
	tb_conf_line_of(where, key, value, &place);
	return xstrdup(place.text);
}

static void visit_setting(const struct visit *visit, const char *list,
			  const char *name, const struct site_key *key,
			  const char *value, const char *from, bool is_own)
{
	const struct tb_conf_setting setting = {
		.list = list,
		.name = name,
		.key = key->key,
		.value = value,
		.from = from,
		.is_own = is_own,
		.is_usual = !xstrcasecmp(value, key->usual),
	};

	visit->visitor(&setting, visit->arg);
}

static void visit_site(struct visit *visit)
{
	const struct tb_conf_where where = { visit->site->path, NULL, NULL };

	for (size_t i = 0; i < SITE_KEYS; i++) {
		const struct site_key *key = &site_keys[i];
		const char *text = visit->site->site_text[i];
		char *from = text ? find_place(visit, &where, key->key, text)
				  : xstrdup(TB_CONF_DEFAULT);

		visit_setting(visit, NULL, NULL, key, text ? text : key->usual,
			      from, text != NULL);
		if (i < TB_WORDS)
			visit->site_from[i] = from;
		else
			xfree(from);
	}
}

/* What the line does not say is the site's. */
static void visit_partition(struct visit *visit,
			    const struct partition_line *line)
{
	const struct tb_conf_where where = { visit->site->path, "PartitionName",
					     line->name };

	for (int i = 0; i < TB_WORDS; i++) {
		const struct site_key *key = &site_keys[i];
		const char *own = line->words.word[i].value;
		const char *site = visit->site->site_text[i];
		char *from = own ? find_place(visit, &where, key->key, own)
				 : xstrdup_printf("the site, %s",
						  visit->site_from[i]);

		visit_setting(visit, "PartitionName", line->name, key,
			      own    ? own
			      : site ? site
				     : key->usual,
			      from, own != NULL);
		xfree(from);
	}
}

static void visit_node(struct visit *visit, const struct node_line *line)
{
	static const struct site_key texts[] = { TB_NODE_TEXT_ITEMS(
		SITE_KEY_OF) };
	static const struct site_key numbers[] = { TB_NODE_NUMBER_ITEMS(
		SITE_KEY_OF) };
	static const struct site_key soft[] = { TB_SOFT_ITEMS(SITE_KEY_OF) };
	const struct tb_conf_where where = { visit->site->path, NULL, NULL };
	const struct tb_conf_word *words[] = { &line->topology,
					       &line->distances, &line->memory,
					       &line->filter_text,
					       &line->function_text };
	char *from = find_place(visit, &where, "NodeName", line->nodes);

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (words[i]->value)
			visit_setting(visit, "NodeName", line->nodes, &texts[i],
				      words[i]->value, from, true);
	for (int i = 0; i < TB_NUMBERS; i++)
		if (line->number_text[i].value)
			visit_setting(visit, "NodeName", line->nodes,
				      &numbers[i], line->number_text[i].value,
				      from, true);
	for (int i = 0; i < TB_SOFT_WORDS; i++)
		if (line->soft[i].value)
			visit_setting(visit, "NodeName", line->nodes, &soft[i],
				      line->soft[i].value, from, true);
	xfree(from);
}

void tb_conf_visit_settings(const struct tb_conf *site,
			    tb_conf_setting_visitor visitor, void *arg)
{
	struct visit visit = { .site = site, .visitor = visitor, .arg = arg };

	visit_site(&visit);
	for (unsigned i = 0; i < site->partition_count; i++)
		visit_partition(&visit, &site->partitions[i]);
	for (unsigned i = 0; i < site->line_count; i++)
		visit_node(&visit, &site->lines[i]);
	for (int i = 0; i < TB_WORDS; i++)
		xfree(visit.site_from[i]);
}

/* ---- what is set ---- */

static const struct tb_policy *policy_of(const struct tb_conf *site,
					 const char *partition)
{
	const struct partition_line *line = find_partition(site, partition);

	return line ? &line->policy : &site->policy;
}

bool tb_conf_enabled(const struct tb_conf *site, const char *partition)
{
	return policy_of(site, partition)->enabled;
}

bool tb_conf_enabled_somewhere(const struct tb_conf *site)
{
	bool enabled = site->policy.enabled;

	for (unsigned i = 0; i < site->partition_count; i++)
		enabled = enabled || site->partitions[i].policy.enabled;
	return enabled;
}

bool tb_conf_on_any_host(const struct tb_conf *site, const char *partition)
{
	return policy_of(site, partition)->on_any_host;
}

bool tb_conf_spares_devices(const struct tb_conf *site, const char *partition)
{
	return policy_of(site, partition)->spares_devices;
}

enum tb_isolation tb_conf_isolation(const struct tb_conf *site,
				    const char *partition)
{
	return policy_of(site, partition)->isolation;
}

const struct tb_request *tb_conf_implicit(const struct tb_conf *site,
					  const char *partition)
{
	const struct tb_policy *policy = policy_of(site, partition);

	return policy->enabled && policy->implicit ? &policy->request : NULL;
}

bool tb_conf_job_record(const struct tb_conf *site)
{
	return site->job_record;
}

bool tb_conf_usage_record(const struct tb_conf *site)
{
	return site->usage_record;
}

bool tb_conf_unit_tres(const struct tb_conf *site)
{
	return site->unit_tres;
}

enum tb_count_memory tb_conf_count_memory(const struct tb_conf *site)
{
	return site->count_memory;
}

const struct tb_conf_metrics *tb_conf_metrics(const struct tb_conf *site)
{
	return &site->metrics;
}

void tb_conf_soft_find(const struct tb_conf *site, const char *node_name,
		       const char *partition, struct tb_conf_soft *soft)
{
	const struct node_line *line = line_of(site, node_name);

	*soft = policy_of(site, partition)->soft;
	if (line)
		tb_conf_soft_read(soft, line->soft, NULL, NULL);
}

struct tb_memory_policy tb_conf_memory(const struct tb_conf *site,
				       const char *partition)
{
	return tb_request_memory(&policy_of(site, partition)->request,
				 tb_any_memory());
}

enum tb_allocation tb_conf_allocation(const struct tb_conf *site,
				      const char *partition)
{
	return policy_of(site, partition)->nodes;
}

const char *tb_conf_policy_plugin(const struct tb_conf *site,
				  const char *partition)
{
	return policy_of(site, partition)->plugin;
}

const struct tb_priority_function *tb_conf_priority(const struct tb_conf *site,
						    const char *partition)
{
	return policy_of(site, partition)->priority;
}

const struct tb_priority_function *
tb_conf_node_priority(const struct tb_conf *site, const char *node_name)
{
	const struct node_line *line = line_of(site, node_name);

	return line ? line->function : NULL;
}

bool tb_conf_has_node_priority(const struct tb_conf *site)
{
	for (unsigned i = 0; i < site->line_count; i++)
		if (site->lines[i].function)
			return true;
	return false;
}

bool tb_conf_node_record(const struct tb_conf *site)
{
	return site->node_record;
}

const struct tb_filter *tb_conf_partition_filter(const struct tb_conf *site,
						 const char *partition)
{
	return policy_of(site, partition)->filter;
}

bool tb_conf_node_says_filter(const struct tb_conf *site, const char *node_name)
{
	const struct node_line *line = line_of(site, node_name);

	return line && line->filter_text.value;
}

const struct tb_filter *tb_conf_node_filter(const struct tb_conf *site,
					    const char *node_name)
{
	const struct node_line *line = line_of(site, node_name);

	return line ? line->filter : NULL;
}

const struct tb_filter *tb_conf_filter(const struct tb_conf *site,
				       const char *node_name,
				       const char *partition)
{
	return tb_conf_node_says_filter(site, node_name)
		       ? tb_conf_node_filter(site, node_name)
		       : tb_conf_partition_filter(site, partition);
}

const char *tb_conf_topology(const struct tb_conf *site, const char *node_name)
{
	const struct node_line *line = line_of(site, node_name);

	return line ? line->topology.value : NULL;
}

const char *tb_conf_distances(const struct tb_conf *site, const char *node_name)
{
	const struct node_line *line = line_of(site, node_name);

	return line ? line->distances.value : NULL;
}

const char *tb_conf_node_memory(const struct tb_conf *site,
				const char *node_name)
{
	const struct node_line *line = line_of(site, node_name);

	return line ? line->memory.value : NULL;
}

struct tb_node_numbers tb_conf_node_numbers(const struct tb_conf *site,
					    const char *node_name)
{
	const struct node_line *line = line_of(site, node_name);

	return line ? line->numbers : usual_numbers;
}
